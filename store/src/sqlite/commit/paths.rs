//! Directories and files: what the next state of their namespace is compared with.

use rusqlite::{OptionalExtension, params};

use sextant_model::feed::Subject;
use sextant_model::{EntityId, EntityState, EntityType, Timestamp};

use super::Commit;
use super::catalog::counted;
use crate::sqlite::codec::{entity_state, entity_state_code, entity_type};
use crate::sqlite::rows;
use crate::{EntityWrite, StateChange};

impl Commit<'_> {
    /// Keeps the fingerprint of a directory or file that lives, by the key of its row in `entity`.
    pub(super) fn write_living_path(&mut self, key: i64, source: i64, write: &EntityWrite) -> rusqlite::Result<()> {
        let is_file = match write.entity.entity_type {
            EntityType::Directory => false,
            EntityType::File => true,
            _ => return Ok(()),
        };
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
        let mut find = self.connection.prepare_cached("SELECT key, type, state FROM entity WHERE id = ?1")?;
        let mut update = self.connection.prepare_cached(
            "UPDATE entity SET state = ?2, last_seen = max(coalesce(?3, first_seen), first_seen), delete_time = ?4 WHERE key = ?1",
        )?;
        for change in changes {
            let stored = find.query_row([change.id.as_bytes()], |row| {
                let (entity_type, state) = (rows::coded(row, 1, entity_type)?, rows::coded(row, 2, entity_state)?);
                Ok((row.get::<_, i64>(0)?, entity_type, state))
            });
            let Some((key, entity_type, before)) = stored.optional()? else {
                continue;
            };
            update.execute(params![
                key,
                entity_state_code(change.state),
                change.last_seen.map(Timestamp::as_millis),
                change.delete_time.map(Timestamp::as_millis),
            ])?;
            if change.state != EntityState::Living {
                self.forget_living_path(key)?;
            }
            self.tally.add(counted(before), entity_type.as_str(), -1);
            self.tally.add(counted(change.state), entity_type.as_str(), 1);
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
        let mut hold =
            self.connection.prepare_cached("INSERT OR REPLACE INTO held_path (source, id) VALUES (?1, ?2)")?;
        for id in ids {
            hold.execute(params![source, id.as_bytes()])?;
        }
        Ok(())
    }
}
