-- What runs of the pull extractors logged, of each extractor those of its newest runs.
CREATE TABLE run_log (
    source TEXT NOT NULL,
    started INTEGER NOT NULL, -- as in `run`
    dropped INTEGER NOT NULL, -- how many older lines are not kept
    lines BLOB NOT NULL, -- JSON, packed
    PRIMARY KEY (source, started)
);
