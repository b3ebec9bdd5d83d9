//! Uses of names by operations, from either side.

use rusqlite::{Connection, OptionalExtension};

use sextant_model::operation::Usage;
use sextant_model::{EntityId, NameKey};

use super::names::{NamesByKey, name_key};
use crate::sqlite::codec::role;
use crate::sqlite::rows;

pub(in crate::sqlite) fn usages_of_names(connection: &Connection, names: &[NameKey]) -> rusqlite::Result<Vec<Usage>> {
    let mut find = connection.prepare_cached(
        "SELECT operation.id, usage.role, usage.life, usage.first_time, usage.first_execution, usage.last_time,
         usage.last_execution
         FROM usage JOIN operation ON operation.key = usage.operation WHERE usage.name = ?1",
    )?;
    let mut usages = Vec::new();
    for name in names {
        let Some(key) = name_key(connection, name)? else {
            continue;
        };
        let mut found = find.query([key])?;
        while let Some(row) = found.next()? {
            usages.push(Usage {
                operation: rows::id(row, 0)?,
                name: name.clone(),
                role: rows::coded(row, 1, role)?,
                life: row.get(2)?,
                seen: rows::span(row, 3)?,
            });
        }
    }
    Ok(usages)
}

pub(in crate::sqlite) fn usages_of_operations(
    connection: &Connection,
    operations: &[EntityId],
) -> rusqlite::Result<Vec<Usage>> {
    let mut find_key = connection.prepare_cached("SELECT key FROM operation WHERE id = ?1")?;
    let mut find = connection.prepare_cached(
        "SELECT name, role, life, first_time, first_execution, last_time, last_execution FROM usage
         WHERE operation = ?1",
    )?;
    let mut names = NamesByKey::default();
    let mut usages = Vec::new();
    for operation in operations {
        let key: Option<i64> = find_key.query_row([operation.as_bytes()], |row| row.get(0)).optional()?;
        let Some(key) = key else {
            continue;
        };
        let mut found = find.query([key])?;
        while let Some(row) = found.next()? {
            usages.push(Usage {
                operation: *operation,
                name: names.get(connection, row.get(0)?)?,
                role: rows::coded(row, 1, role)?,
                life: row.get(2)?,
                seen: rows::span(row, 3)?,
            });
        }
    }
    Ok(usages)
}
