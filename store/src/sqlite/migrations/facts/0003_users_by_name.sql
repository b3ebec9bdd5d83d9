-- The uses of a name. Their order by time had readers once; to keep it, every run wrote it anew.
DROP INDEX usage_name;
CREATE INDEX usage_name ON usage (name);
