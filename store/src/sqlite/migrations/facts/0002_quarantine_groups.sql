-- What could not be read, in groups, without reading the bytes.
CREATE INDEX quarantined_group ON quarantined (kind, host, format, length, received);
