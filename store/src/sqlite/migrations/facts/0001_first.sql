-- Short texts that many rows repeat (clusters, sources, users, engines, hosts, tables in
-- executions), each stored once.
CREATE TABLE word (
    key INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
);

-- Spool files in which records were read.
CREATE TABLE spool_file (
    key INTEGER PRIMARY KEY,
    host INTEGER NOT NULL,
    path TEXT NOT NULL,
    UNIQUE (path, host)
);

-- Databases, tables, views, fields, partitions, directories and files that a source has shown.
CREATE TABLE entity (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    type INTEGER NOT NULL,
    source_type INTEGER NOT NULL,
    source INTEGER NOT NULL,
    cluster INTEGER NOT NULL,
    original_name TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    parent BLOB,
    parent_path TEXT,
    state INTEGER NOT NULL,
    delete_time INTEGER,
    last_seen INTEGER,
    first_seen INTEGER NOT NULL,
    position INTEGER NOT NULL,
    content BLOB, -- fingerprint to compare the next pass with
    properties TEXT NOT NULL -- JSON
);
CREATE INDEX entity_children ON entity (parent, position, original_name, id) WHERE parent IS NOT NULL;
-- Types 2 and 3 are tables and views; 1 is a database.
CREATE INDEX entity_bare_name ON entity (original_name, state) WHERE type IN (2, 3);
CREATE INDEX entity_catalog ON entity (source, type, qualified_name, state, content, id) WHERE type IN (1, 2, 3);

CREATE TABLE life (
    entity BLOB NOT NULL,
    number INTEGER NOT NULL,
    created INTEGER,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER,
    over INTEGER,
    PRIMARY KEY (entity, number)
) WITHOUT ROWID;

-- What records and sources call things; `entity` stays empty until a source has shown it.
CREATE TABLE name (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE, -- derived from the three columns below
    cluster INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    qualified TEXT NOT NULL,
    entity BLOB,
    operations INTEGER NOT NULL DEFAULT 0, -- how many operations use it
    located INTEGER NOT NULL DEFAULT 0 -- how many entities' data lies there
);
CREATE INDEX name_qualified ON name (qualified);
CREATE INDEX name_entity ON name (entity) WHERE entity IS NOT NULL;
-- Kind 3 is a path.
CREATE INDEX name_referenced_path ON name (qualified, cluster, located, operations, entity)
    WHERE kind = 3 AND (located > 0 OR operations > 0);
CREATE INDEX name_unlinked ON name (operations DESC, qualified) WHERE entity IS NULL AND operations > 0;

-- Directories and files that live, for the comparison with the next state of their namespace.
CREATE TABLE living_path (
    entity INTEGER PRIMARY KEY, -- the key of its row there
    source INTEGER NOT NULL,
    id BLOB NOT NULL,
    is_file INTEGER NOT NULL,
    content BLOB NOT NULL -- fingerprint of what was shown
);

-- Directories and files whose id is not the one that their inode or path makes.
CREATE TABLE other_identity (
    id BLOB PRIMARY KEY, -- what inode or path make
    source INTEGER NOT NULL,
    entity BLOB NOT NULL
) WITHOUT ROWID;

-- Where the data of databases, tables and partitions lies.
CREATE TABLE location (
    owner BLOB PRIMARY KEY,
    name INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX location_name ON location (name);

-- One row once all locations have been made into names: the fingerprint of the rules.
CREATE TABLE location_rules (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    fingerprint BLOB NOT NULL
);

-- Distinct statement shapes. A row whose `source_type` is empty is only referred to so far.
CREATE TABLE operation (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    source_type INTEGER,
    cluster INTEGER,
    operation_type INTEGER,
    lineage_known INTEGER NOT NULL DEFAULT 0,
    pairs BLOB,
    texts INTEGER NOT NULL DEFAULT 0,
    executions INTEGER NOT NULL DEFAULT 0,
    first_time INTEGER,
    first_execution BLOB,
    last_time INTEGER,
    last_execution BLOB
);
CREATE INDEX operation_latest ON operation (last_time) WHERE last_time IS NOT NULL;

-- Column flows. A row whose `flows` is empty is only referred to so far.
CREATE TABLE variant (
    key INTEGER PRIMARY KEY,
    operation INTEGER NOT NULL,
    id BLOB NOT NULL,
    flows BLOB,
    first_time INTEGER,
    first_execution BLOB,
    last_time INTEGER, -- this and the next: empty when the same as the first
    last_execution BLOB,
    UNIQUE (operation, id)
);

-- True texts. A row whose `body` is empty is only referred to so far.
CREATE TABLE text (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    operation INTEGER,
    first_seen INTEGER,
    body BLOB
);
CREATE INDEX text_operation ON text (operation, first_seen) WHERE operation IS NOT NULL;

-- Runs, in the order in which they came: only the two indexes are written at random.
CREATE TABLE execution (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    operation INTEGER NOT NULL,
    time INTEGER NOT NULL, -- the end, else the start, else the receipt
    text INTEGER NOT NULL,
    variant INTEGER,
    user INTEGER,
    started INTEGER,
    ended INTEGER,
    received INTEGER NOT NULL,
    query_id TEXT,
    engine INTEGER,
    job_ids BLOB,
    table_created BLOB,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL
);
CREATE INDEX execution_operation ON execution (operation, time);

-- Which operation uses which name, in which life of the entity behind it. By operation first:
-- new operations have the largest keys, so that new rows are appended.
CREATE TABLE usage (
    operation INTEGER NOT NULL,
    name INTEGER NOT NULL,
    role INTEGER NOT NULL,
    life INTEGER NOT NULL,
    first_time INTEGER NOT NULL,
    first_execution BLOB NOT NULL,
    last_time INTEGER, -- this and the next: empty when the same as the first
    last_execution BLOB,
    PRIMARY KEY (operation, name, role, life)
) WITHOUT ROWID;
-- The operations that read or wrote a name, those that did so last first.
CREATE INDEX usage_name ON usage (name, role, coalesce(last_time, first_time) DESC);

-- What could not be read.
CREATE TABLE quarantined (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    host TEXT NOT NULL,
    generation TEXT NOT NULL,
    file TEXT NOT NULL,
    format TEXT NOT NULL,
    cluster TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    received INTEGER NOT NULL,
    bytes BLOB NOT NULL
);
CREATE INDEX quarantined_newest ON quarantined (received, id);

-- Unfinished ends of file generations.
CREATE TABLE carry (
    host TEXT NOT NULL,
    generation TEXT NOT NULL,
    offset INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (host, generation)
);

-- Names that a source's deletions are held for, as a JSON list.
CREATE TABLE held (
    source TEXT PRIMARY KEY,
    names TEXT NOT NULL
);

-- Directories and files that a source's deletions are held for.
CREATE TABLE held_path (
    source INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY (source, id)
) WITHOUT ROWID;

-- Passes of the pull extractors; `document` is the whole run as JSON.
CREATE TABLE run (
    source TEXT NOT NULL,
    started INTEGER NOT NULL,
    complete INTEGER NOT NULL, -- 1 when its outcome was complete
    document TEXT NOT NULL,
    PRIMARY KEY (source, started)
);
CREATE INDEX run_complete ON run (source, started) WHERE complete = 1;

-- Totals, so that nobody has to count.
CREATE TABLE counter (
    subject TEXT NOT NULL,
    word TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (subject, word)
) WITHOUT ROWID;

-- One row: how far the inbox is in the facts.
CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    inbox_position INTEGER NOT NULL
);
INSERT INTO progress VALUES (1, 0);

CREATE TABLE feed (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    subject INTEGER NOT NULL,
    id BLOB NOT NULL,
    what INTEGER NOT NULL
);
