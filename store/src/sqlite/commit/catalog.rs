//! Entities, their lives, and the names that lead to them.

use rusqlite::{OptionalExtension, params};

use sextant_model::feed::Subject;
use sextant_model::{Entity, EntityId, EntityState, EntityType, Life, NameKey, Timestamp};

use super::Commit;
use super::touched::Counted;
use crate::EntityWrite;
use crate::sqlite::codec::{entity_state, entity_state_code, entity_type, entity_type_code, source_type_code};
use crate::sqlite::rows;

const INSERT_ENTITY: &str = "INSERT INTO entity (id, type, source_type, source, cluster, original_name, \
     qualified_name, parent, parent_path, state, delete_time, last_seen, first_seen, position, properties, content) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) RETURNING key";

/// The fingerprint stays unless there is a new one.
const UPDATE_ENTITY: &str = "UPDATE entity SET type = ?2, source_type = ?3, source = ?4, cluster = ?5, \
     original_name = ?6, qualified_name = ?7, parent = ?8, parent_path = ?9, state = ?10, delete_time = ?11, \
     last_seen = ?12, first_seen = ?13, position = ?14, properties = ?15, content = coalesce(?16, content) \
     WHERE id = ?1 RETURNING key";

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
        let stored: Option<(EntityType, EntityState)> = self
            .connection
            .prepare_cached("SELECT type, state FROM entity WHERE id = ?1")?
            .query_row([entity.id.as_bytes()], |row| {
                Ok((rows::coded(row, 0, entity_type)?, rows::coded(row, 1, entity_state)?))
            })
            .optional()?;
        let mut put = self.connection.prepare_cached(if stored.is_some() { UPDATE_ENTITY } else { INSERT_ENTITY })?;
        let parameters = params![
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
            write.content,
        ];
        let key: i64 = put.query_row(parameters, |row| row.get(0))?;
        self.write_living_path(key, source, write)?;
        if let Some((entity_type, state)) = stored {
            self.tally.add(counted(state), entity_type.as_str(), -1);
        }
        self.tally.add(counted(entity.state), entity.entity_type.as_str(), 1);
        Ok(())
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
        }
        Ok(())
    }

    pub(super) fn write_bindings(&mut self, bindings: &[(NameKey, EntityId)]) -> rusqlite::Result<()> {
        let mut find =
            self.connection.prepare_cached("SELECT entity IS NULL AND operations > 0 FROM name WHERE key = ?1")?;
        let mut bind = self.connection.prepare_cached("UPDATE name SET entity = ?2 WHERE key = ?1")?;
        for (name, entity) in bindings {
            let key = self.interned.name(self.connection, name)?;
            let was_unlinked: bool = find.query_row([key], |row| row.get(0))?;
            bind.execute(params![key, entity.as_bytes()])?;
            self.tally.add(Counted::UnlinkedNames, "", -i64::from(was_unlinked));
        }
        Ok(())
    }
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
