//! Entities, their lives, and the names that lead to them.

use rusqlite::{OptionalExtension, params};

use sextant_model::feed::{Subject, What};
use sextant_model::{Entity, EntityId, EntityState, EntityType, Life, NameKey, Timestamp};

use super::Commit;
use super::touched::Counted;
use crate::EntityWrite;
use crate::sqlite::codec::{
    entity_state, entity_state_code, entity_type, entity_type_code, name_kind_code, source_type_code,
};
use crate::sqlite::rows;

/// Nothing is written when the id is there. Any other refusal is an error: `OR IGNORE` would
/// swallow it.
const INSERT_ENTITY: &str = "INSERT INTO entity (id, type, source_type, source, cluster, original_name, \
     qualified_name, parent, parent_path, state, delete_time, last_seen, first_seen, position, properties, content) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) ON CONFLICT(id) DO NOTHING";

/// The fingerprint stays unless there is a new one.
const UPDATE_ENTITY: &str = "UPDATE entity SET type = ?2, source_type = ?3, source = ?4, cluster = ?5, \
     original_name = ?6, qualified_name = ?7, parent = ?8, parent_path = ?9, state = ?10, delete_time = ?11, \
     last_seen = ?12, first_seen = ?13, position = ?14, properties = ?15, content = coalesce(?16, content) \
     WHERE id = ?1";

/// What has to be known of a stored entity before it is written again.
pub(super) struct StoredEntity {
    pub(super) key: i64,
    pub(super) entity_type: EntityType,
    pub(super) state: EntityState,
}

impl Commit<'_> {
    pub(super) fn write_entities(&mut self, writes: &[EntityWrite]) -> rusqlite::Result<()> {
        for write in writes {
            self.write_entity(write)?;
            self.told.push((Subject::Entity, write.entity.id, write.what));
        }
        Ok(())
    }

    fn write_entity(&mut self, write: &EntityWrite) -> rusqlite::Result<()> {
        let entity = &write.entity;
        let source = self.interned.word(self.connection, &entity.source)?;
        let cluster = self.interned.word(self.connection, &entity.cluster)?;
        // What is said to be new nearly always is: it is not looked for before it is inserted.
        let is_expected = write.what != What::Created;
        let mut stored = if is_expected { self.stored_entity(entity.id)? } else { None };
        let mut key = 0;
        if stored.is_none() {
            let is_new = self.put_entity(INSERT_ENTITY, write, source, cluster)?;
            key = self.connection.last_insert_rowid();
            stored = if is_new { None } else { self.stored_entity(entity.id)? };
        }
        if let Some(stored) = &stored {
            key = stored.key;
            self.put_entity(UPDATE_ENTITY, write, source, cluster)?;
            self.tally.add(counted(stored.state), stored.entity_type.as_str(), -1);
        }
        self.write_living_path(key, source, write)?;
        self.tally.add(counted(entity.state), entity.entity_type.as_str(), 1);
        Ok(())
    }

    pub(super) fn stored_entity(&self, id: EntityId) -> rusqlite::Result<Option<StoredEntity>> {
        self.connection
            .prepare_cached("SELECT key, type, state FROM entity WHERE id = ?1")?
            .query_row([id.as_bytes()], |row| {
                Ok(StoredEntity {
                    key: row.get(0)?,
                    entity_type: rows::coded(row, 1, entity_type)?,
                    state: rows::coded(row, 2, entity_state)?,
                })
            })
            .optional()
    }

    /// Runs a statement whose parameters are an entity's columns. Answers whether it wrote a row.
    fn put_entity(&self, statement: &str, write: &EntityWrite, source: i64, cluster: i64) -> rusqlite::Result<bool> {
        let entity = &write.entity;
        // Those of paths are kept where they are read for the comparison.
        let content = write.content.filter(|_| !is_path(entity));
        let written = self.connection.prepare_cached(statement)?.execute(params![
            entity.id.as_bytes(),
            entity_type_code(entity.entity_type),
            source_type_code(entity.source_type),
            source,
            cluster,
            entity.original_name,
            entity.qualified_name,
            entity.parent.as_ref().map(EntityId::as_bytes),
            entity.parent_path,
            entity_state_code(entity.state),
            entity.delete_time.map(Timestamp::as_millis),
            entity.last_seen.map(Timestamp::as_millis),
            entity.first_seen.as_millis(),
            entity.position,
            properties_json(entity)?,
            content,
        ])?;
        Ok(written == 1)
    }

    pub(super) fn write_lives(&mut self, lives: &[Life]) -> rusqlite::Result<()> {
        let mut upsert = self.connection.prepare_cached(
            "INSERT OR REPLACE INTO life (entity, number, created, first_seen, last_seen, over)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for life in lives {
            upsert.execute(params![
                life.entity.as_bytes(),
                life.number,
                life.created.map(Timestamp::as_millis),
                life.first_seen.as_millis(),
                life.last_seen.map(Timestamp::as_millis),
                life.over.map(Timestamp::as_millis),
            ])?;
            self.moved_entities.insert(life.entity);
        }
        Ok(())
    }

    pub(super) fn write_bindings(&mut self, bindings: &[(NameKey, EntityId)]) -> rusqlite::Result<()> {
        let mut add = self.connection.prepare_cached(
            "INSERT INTO name (id, cluster, kind, qualified, entity) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT(id) DO NOTHING",
        )?;
        let mut find =
            self.connection.prepare_cached("SELECT key, entity IS NULL AND operations > 0 FROM name WHERE id = ?1")?;
        let mut bind = self.connection.prepare_cached("UPDATE name SET entity = ?2 WHERE key = ?1")?;
        for (name, entity) in bindings {
            let id = name.id();
            let cluster = self.interned.word(self.connection, &name.cluster)?;
            let columns = params![id.as_bytes(), cluster, name_kind_code(name.kind), name.qualified, entity.as_bytes()];
            // Most names that are bound were never heard of.
            if add.execute(columns)? == 1 {
                continue;
            }
            let (key, was_unlinked): (i64, bool) =
                find.query_row([id.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))?;
            bind.execute(params![key, entity.as_bytes()])?;
            self.moved_entities.insert(*entity);
            self.tally.add(Counted::UnlinkedNames, "", -i64::from(was_unlinked));
        }
        Ok(())
    }
}

/// Whether an entity is a directory or file.
pub(super) const fn is_path(entity: &Entity) -> bool {
    matches!(entity.entity_type, EntityType::Directory | EntityType::File)
}

fn properties_json(entity: &Entity) -> rusqlite::Result<String> {
    serde_json::to_string(&entity.properties).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// Out of scope is not deleted: nobody knows whether it still exists.
pub(super) const fn counted(state: EntityState) -> Counted {
    match state {
        EntityState::Deleted => Counted::Deleted,
        EntityState::Living | EntityState::OutOfScope => Counted::Living,
    }
}
