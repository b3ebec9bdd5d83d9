//! What runs found changed of entities.

use rusqlite::params;

use sextant_model::history::EntityChange;

use super::Commit;
use super::intake::json;
use crate::KEPT_ENTITY_CHANGES;

impl Commit<'_> {
    /// Adds them behind those that an entity has, unless they are there; of an entity that is not
    /// there nothing is kept.
    pub(super) fn write_entity_changes(&mut self, changes: &[EntityChange]) -> rusqlite::Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut last =
            self.connection.prepare_cached("SELECT coalesce(max(number), 0) FROM entity_change WHERE entity = ?1")?;
        let mut find = self
            .connection
            .prepare_cached("SELECT 1 FROM entity_change WHERE entity = ?1 AND run = ?2 AND differences = ?3")?;
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO entity_change (entity, number, source, run, time, differences) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let mut forget =
            self.connection.prepare_cached("DELETE FROM entity_change WHERE entity = ?1 AND number <= ?2")?;
        for change in changes {
            let Some(stored) = self.stored_entity(change.entity)? else {
                continue;
            };
            let (run, differences) = (change.run.as_millis(), json(&change.differences)?);
            if find.exists(params![stored.key, run, differences])? {
                continue;
            }
            let source = self.interned.word(self.connection, &change.source)?;
            let number = last.query_row([stored.key], |row| row.get::<_, i64>(0))? + 1;
            insert.execute(params![stored.key, number, source, run, change.at.as_millis(), differences])?;
            forget.execute([stored.key, number - KEPT_ENTITY_CHANGES as i64])?;
        }
        Ok(())
    }
}
