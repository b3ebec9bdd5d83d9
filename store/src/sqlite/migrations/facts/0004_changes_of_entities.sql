-- What runs found changed of entities that were known before, the newest of each entity. By entity
-- first: they are only read together, and there are few of each.
CREATE TABLE entity_change (
    entity INTEGER NOT NULL, -- the key of its row there
    number INTEGER NOT NULL, -- from 1; those before the first that is there are no longer kept
    source INTEGER NOT NULL, -- the extractor
    run INTEGER NOT NULL, -- when its run began
    time INTEGER NOT NULL, -- of the state that it read
    differences TEXT NOT NULL, -- JSON
    PRIMARY KEY (entity, number)
) WITHOUT ROWID;
