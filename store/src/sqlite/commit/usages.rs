//! Which operation uses which name, in which life.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use sextant_model::EntityId;
use sextant_model::feed::What;
use sextant_model::operation::{Role, SeenSpan, Usage};

use super::Commit;
use crate::UsageReplacement;
use crate::sqlite::codec::{role, role_code};
use crate::sqlite::intern::UsePlace;
use crate::sqlite::rows;

/// The uses of one name by one operation, by role and life.
type Uses = BTreeMap<(Role, u32), SeenSpan>;

// `sqlite_autoindex_usage_1` is the primary key. Left to itself SQLite prefers the index by name,
// and then looks the row up by the key all the same.

impl Commit<'_> {
    /// Widens uses that are there and adds those that are not.
    pub(super) fn write_usages(&mut self, usages: &[Usage]) -> rusqlite::Result<()> {
        // In the order of the rows, and each row once.
        let mut by_place: BTreeMap<UsePlace, (EntityId, SeenSpan)> = BTreeMap::new();
        for usage in usages {
            let operation = self.interned.operation(self.connection, usage.operation)?;
            let name = self.interned.name(self.connection, &usage.name)?;
            by_place
                .entry((operation, name, usage.role, usage.life))
                .and_modify(|(_, span)| *span = span.merged(usage.seen))
                .or_insert((usage.operation, usage.seen));
        }
        let mut last_pair = None;
        for (place, (operation_id, new)) in by_place {
            let (operation, name, ..) = place;
            let is_first_of_pair = last_pair.replace((operation, name)) != Some((operation, name));
            if let Some(known) = self.stored_use(place)? {
                let merged = known.merged(new);
                if merged != known {
                    self.widen_use(place, &merged)?;
                    self.operations.tell(operation, operation_id, What::Changed);
                }
                continue;
            }
            if is_first_of_pair && !self.uses_name(operation, name)? {
                self.names.add(name, 1);
            }
            self.insert_use(place, &new)?;
            self.operations.tell(operation, operation_id, What::Linked);
        }
        Ok(())
    }

    /// Puts uses that were computed anew in the place of those that are there.
    pub(super) fn replace_usages(&mut self, replacements: &[UsageReplacement]) -> rusqlite::Result<()> {
        for replacement in replacements {
            let name = self.interned.name(self.connection, &replacement.name)?;
            let operation = self.interned.operation(self.connection, replacement.operation)?;
            let mut new = Uses::new();
            for usage in &replacement.usages {
                new.entry((usage.role, usage.life))
                    .and_modify(|span| *span = span.merged(usage.seen))
                    .or_insert(usage.seen);
            }
            let stored = self.stored_uses(operation, name)?;
            if new == stored {
                continue;
            }
            self.connection
                .prepare_cached(
                    "DELETE FROM usage INDEXED BY sqlite_autoindex_usage_1 WHERE operation = ?1 AND name = ?2",
                )?
                .execute([operation, name])?;
            for (role, life) in stored.keys() {
                self.interned.uses.remove(&(operation, name, *role, *life));
            }
            for ((role, life), span) in &new {
                self.insert_use((operation, name, *role, *life), span)?;
            }
            self.names.add(name, i64::from(!new.is_empty()) - i64::from(!stored.is_empty()));
            self.operations.tell(operation, replacement.operation, What::Linked);
            self.operations.replaced_usages(operation);
        }
        Ok(())
    }

    fn stored_use(&mut self, place: UsePlace) -> rusqlite::Result<Option<SeenSpan>> {
        let remembered = self.interned.uses.get(&place);
        let (operation, name, role, life) = place;
        if remembered.is_some() || self.operations.is_fresh(operation) {
            return Ok(remembered);
        }
        self.connection
            .prepare_cached(
                "SELECT first_time, first_execution, last_time, last_execution
                 FROM usage INDEXED BY sqlite_autoindex_usage_1
                 WHERE operation = ?1 AND name = ?2 AND role = ?3 AND life = ?4",
            )?
            .query_row(params![operation, name, role_code(role), life], |row| rows::span(row, 0))
            .optional()
    }

    fn stored_uses(&self, operation: i64, name: i64) -> rusqlite::Result<Uses> {
        self.connection
            .prepare_cached(
                "SELECT role, life, first_time, first_execution, last_time, last_execution
                 FROM usage INDEXED BY sqlite_autoindex_usage_1 WHERE operation = ?1 AND name = ?2",
            )?
            .query_map([operation, name], |row| Ok(((rows::coded(row, 0, role)?, row.get(1)?), rows::span(row, 2)?)))?
            .collect()
    }

    fn uses_name(&self, operation: i64, name: i64) -> rusqlite::Result<bool> {
        if self.operations.is_fresh(operation) {
            return Ok(false);
        }
        self.connection
            .prepare_cached(
                "SELECT 1 FROM usage INDEXED BY sqlite_autoindex_usage_1 WHERE operation = ?1 AND name = ?2",
            )?
            .exists([operation, name])
    }

    fn insert_use(&mut self, place: UsePlace, span: &SeenSpan) -> rusqlite::Result<()> {
        self.write_use(
            "INSERT INTO usage
             (operation, name, role, life, first_time, first_execution, last_time, last_execution)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            place,
            span,
        )
    }

    fn widen_use(&mut self, place: UsePlace, span: &SeenSpan) -> rusqlite::Result<()> {
        self.write_use(
            "UPDATE usage INDEXED BY sqlite_autoindex_usage_1
             SET first_time = ?5, first_execution = ?6, last_time = ?7, last_execution = ?8
             WHERE operation = ?1 AND name = ?2 AND role = ?3 AND life = ?4",
            place,
            span,
        )
    }

    /// Runs a statement whose parameters are a use's four keys, then its span.
    fn write_use(&mut self, statement: &str, place: UsePlace, span: &SeenSpan) -> rusqlite::Result<()> {
        let (operation, name, role, life) = place;
        let (last_time, last_execution) = rows::stored_end(span);
        self.connection.prepare_cached(statement)?.execute(params![
            operation,
            name,
            role_code(role),
            life,
            span.first.as_millis(),
            span.first_execution.as_bytes(),
            last_time,
            last_execution,
        ])?;
        self.interned.uses.insert(place, *span);
        Ok(())
    }
}
