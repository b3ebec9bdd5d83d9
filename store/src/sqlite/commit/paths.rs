//! Directories and files: what the next state of their namespace is compared with.

use rusqlite::params;

use sextant_model::feed::Subject;
use sextant_model::{EntityId, EntityState, EntityType, Timestamp};

use super::Commit;
use super::catalog::{counted, is_path};
use crate::sqlite::codec::entity_state_code;
use crate::{EntityWrite, StateChange};

impl Commit<'_> {
    /// Keeps the fingerprint of a directory or file that lives, by the key of its row in `entity`.
    pub(super) fn write_living_path(&mut self, key: i64, source: i64, write: &EntityWrite) -> rusqlite::Result<()> {
        if !is_path(&write.entity) {
            return Ok(());
        }
        let is_file = write.entity.entity_type == EntityType::File;
        if write.entity.state != EntityState::Living {
            return self.forget_living_path(key);
        }
        if let Some(content) = &write.content {
            self.connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO living_path (entity, source, id, is_file, content)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![key, source, write.entity.id.as_bytes(), is_file, content])?;
        }
        Ok(())
    }

    fn forget_living_path(&self, key: i64) -> rusqlite::Result<()> {
        self.connection.prepare_cached("DELETE FROM living_path WHERE entity = ?1")?.execute([key])?;
        Ok(())
    }

    /// Changes nothing but the states of entities; one that is not there is left out.
    pub(super) fn write_state_changes(&mut self, changes: &[StateChange]) -> rusqlite::Result<()> {
        let mut update = self.connection.prepare_cached(
            "UPDATE entity SET state = ?2, last_seen = max(coalesce(?3, first_seen), first_seen), delete_time = ?4 WHERE key = ?1",
        )?;
        for change in changes {
            let Some(stored) = self.stored_entity(change.id)? else {
                continue;
            };
            update.execute(params![
                stored.key,
                entity_state_code(change.state),
                change.last_seen.map(Timestamp::as_millis),
                change.delete_time.map(Timestamp::as_millis),
            ])?;
            if change.state != EntityState::Living {
                self.forget_living_path(stored.key)?;
            }
            let entity_type = stored.entity_type.as_str();
            self.tally.add(counted(stored.state), entity_type, -1);
            self.tally.add(counted(change.state), entity_type, 1);
            self.told.push((Subject::Entity, change.id, change.what));
        }
        Ok(())
    }

    pub(super) fn write_other_identities(
        &mut self,
        identities: Option<&(String, Vec<(EntityId, EntityId)>)>,
    ) -> rusqlite::Result<()> {
        let Some((source, identities)) = identities else {
            return Ok(());
        };
        let source = self.interned.word(self.connection, source)?;
        let mut put = self
            .connection
            .prepare_cached("INSERT OR REPLACE INTO other_identity (id, source, entity) VALUES (?1, ?2, ?3)")?;
        for (id, entity) in identities {
            put.execute(params![id.as_bytes(), source, entity.as_bytes()])?;
        }
        Ok(())
    }

    pub(super) fn write_held_paths(&mut self, held: Option<&(String, Vec<EntityId>)>) -> rusqlite::Result<()> {
        let Some((source, ids)) = held else {
            return Ok(());
        };
        let source = self.interned.word(self.connection, source)?;
        self.connection.prepare_cached("DELETE FROM held_path WHERE source = ?1")?.execute([source])?;
        let mut insert =
            self.connection.prepare_cached("INSERT OR REPLACE INTO held_path (source, id) VALUES (?1, ?2)")?;
        for id in ids {
            insert.execute(params![source, id.as_bytes()])?;
        }
        Ok(())
    }
}
