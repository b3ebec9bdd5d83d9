//! Which operation uses which name, in which life.

use std::collections::BTreeMap;

use rusqlite::params;

use sextant_model::EntityId;
use sextant_model::operation::{Role, SeenSpan, Usage};

use super::Commit;
use crate::UsageReplacement;
use crate::sqlite::codec::{role, role_code};
use crate::sqlite::rows;

/// The uses of one name by one operation, by role and life.
type Uses = BTreeMap<(Role, u32), SeenSpan>;

impl Commit<'_> {
    /// Widens uses that are there and adds those that are not.
    pub(super) fn write_usages(&mut self, usages: &[Usage]) -> rusqlite::Result<()> {
        let mut by_pair: BTreeMap<(i64, i64), (EntityId, Uses)> = BTreeMap::new();
        for usage in usages {
            let name = self.interned.name(self.connection, &usage.name)?;
            let operation = self.interned.operation(self.connection, usage.operation)?;
            let (_, uses) = by_pair.entry((name, operation)).or_insert_with(|| (usage.operation, Uses::new()));
            add(uses, usage);
        }
        for ((name, operation), (operation_id, new)) in by_pair {
            let stored = if self.operations.is_fresh(operation) {
                Uses::new()
            } else {
                self.stored_uses(name, operation)?
            };
            let mut is_linked = false;
            for ((role, life), span) in new {
                match stored.get(&(role, life)) {
                    None => {
                        self.insert_use(name, operation, role, life, &span)?;
                        is_linked = true;
                    }
                    Some(known) => {
                        let merged = known.merged(span);
                        if merged != *known {
                            self.widen_use(name, operation, role, life, &merged)?;
                        }
                    }
                }
            }
            if is_linked {
                self.operations.linked(operation, operation_id);
            }
            if stored.is_empty() {
                self.names.add(name, 1);
            }
        }
        Ok(())
    }

    /// Puts uses that were computed anew in the place of those that are there.
    pub(super) fn replace_usages(&mut self, replacements: &[UsageReplacement]) -> rusqlite::Result<()> {
        for replacement in replacements {
            let name = self.interned.name(self.connection, &replacement.name)?;
            let operation = self.interned.operation(self.connection, replacement.operation)?;
            let mut new = Uses::new();
            replacement.usages.iter().for_each(|usage| add(&mut new, usage));
            let stored = self.stored_uses(name, operation)?;
            self.operations.replaced_usages(operation);
            if new == stored {
                continue;
            }
            self.connection
                .prepare_cached("DELETE FROM usage WHERE name = ?1 AND operation = ?2")?
                .execute([name, operation])?;
            for ((role, life), span) in &new {
                self.insert_use(name, operation, *role, *life, span)?;
            }
            self.names.add(name, i64::from(!new.is_empty()) - i64::from(!stored.is_empty()));
            self.operations.linked(operation, replacement.operation);
        }
        Ok(())
    }

    fn stored_uses(&self, name: i64, operation: i64) -> rusqlite::Result<Uses> {
        let mut find = self.connection.prepare_cached(
            "SELECT role, life, first_time, first_execution, last_time, last_execution FROM usage
             WHERE name = ?1 AND operation = ?2",
        )?;
        let mut uses = Uses::new();
        let mut stored = find.query([name, operation])?;
        while let Some(row) = stored.next()? {
            uses.insert((rows::coded(row, 0, role)?, row.get(1)?), rows::span(row, 2)?);
        }
        Ok(uses)
    }

    fn insert_use(&self, name: i64, operation: i64, role: Role, life: u32, span: &SeenSpan) -> rusqlite::Result<()> {
        let (last_time, last_execution) = rows::stored_end(span);
        self.connection
            .prepare_cached(
                "INSERT INTO usage
                 (name, operation, role, life, first_time, first_execution, last_time, last_execution)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                name,
                operation,
                role_code(role),
                life,
                span.first.as_millis(),
                span.first_execution.as_bytes(),
                last_time,
                last_execution,
            ])?;
        Ok(())
    }

    fn widen_use(&self, name: i64, operation: i64, role: Role, life: u32, span: &SeenSpan) -> rusqlite::Result<()> {
        let (last_time, last_execution) = rows::stored_end(span);
        self.connection
            .prepare_cached(
                "UPDATE usage SET first_time = ?5, first_execution = ?6, last_time = ?7, last_execution = ?8
                 WHERE name = ?1 AND operation = ?2 AND role = ?3 AND life = ?4",
            )?
            .execute(params![
                name,
                operation,
                role_code(role),
                life,
                span.first.as_millis(),
                span.first_execution.as_bytes(),
                last_time,
                last_execution,
            ])?;
        Ok(())
    }
}

fn add(uses: &mut Uses, usage: &Usage) {
    uses.entry((usage.role, usage.life))
        .and_modify(|span| *span = span.merged(usage.seen))
        .or_insert(usage.seen);
}
