-- 1 while no server has read the format of the entry: then its bytes are not dropped.
ALTER TABLE entry ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
CREATE INDEX entry_waiting ON entry (origin, seq, length, received) WHERE waiting = 1;
