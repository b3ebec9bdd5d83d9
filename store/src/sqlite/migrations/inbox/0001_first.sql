-- Everybody who was ever heard.
CREATE TABLE agent (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    version TEXT,
    last_contact INTEGER NOT NULL
) WITHOUT ROWID;

-- How far every file generation is kept. Rows stay when the bytes are dropped.
CREATE TABLE position (
    agent TEXT NOT NULL,
    generation TEXT NOT NULL,
    kept INTEGER NOT NULL,
    closed INTEGER NOT NULL, -- 1 when the agent said that no byte will follow
    PRIMARY KEY (agent, generation)
) WITHOUT ROWID;

-- Where entries come from, said once.
CREATE TABLE origin (
    key INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    host TEXT NOT NULL,
    generation TEXT NOT NULL,
    path TEXT NOT NULL,
    format TEXT NOT NULL,
    cluster TEXT NOT NULL,
    UNIQUE (agent, generation, path, host, format, cluster)
);

CREATE TABLE entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    origin INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    length INTEGER NOT NULL, -- bytes of the payload, decompressed
    skipped_length INTEGER,
    skipped_hash TEXT,
    last INTEGER NOT NULL,
    received INTEGER NOT NULL,
    payload BLOB NOT NULL -- a zstd frame; nothing when length is 0
);
