//! Uses of names by operations, from either side.

use std::cmp::Reverse;
use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Rows, Statement, params};

use sextant_model::operation::{Role, Usage};
use sextant_model::{EntityId, NameKey, Timestamp};

use super::names::{NamesByKey, name_key};
use crate::NameUser;
use crate::sqlite::codec::{role, role_code};
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

/// The uses of a name in a role, latest first.
pub(in crate::sqlite) const USERS: &str = "SELECT operation, coalesce(last_time, first_time)
     FROM usage INDEXED BY usage_name WHERE name = ?1 AND role = ?2
     ORDER BY coalesce(last_time, first_time) DESC";

/// Those of them that had been seen by a time.
pub(in crate::sqlite) const EARLIER_USERS: &str = "SELECT operation, coalesce(last_time, first_time)
     FROM usage INDEXED BY usage_name WHERE name = ?1 AND role = ?2 AND first_time <= ?3
     ORDER BY coalesce(last_time, first_time) DESC";

pub(in crate::sqlite) fn users_of_names(
    connection: &Connection,
    names: &[NameKey],
    role: Role,
    seen_by: Option<Timestamp>,
    limit: u64,
) -> rusqlite::Result<Vec<Vec<NameUser>>> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut find_name = connection.prepare_cached("SELECT key FROM name WHERE id = ?1")?;
    let mut find = connection.prepare_cached(if seen_by.is_some() { EARLIER_USERS } else { USERS })?;
    let mut find_operation = connection.prepare_cached("SELECT id FROM operation WHERE key = ?1")?;
    let mut users_of_each = Vec::with_capacity(names.len());
    for name in names {
        let key: Option<i64> = find_name.query_row([name.id().as_bytes()], |row| row.get(0)).optional()?;
        let Some(key) = key else {
            users_of_each.push(Vec::new());
            continue;
        };
        let used = match seen_by {
            Some(time) => find.query(params![key, role_code(role), time.as_millis()])?,
            None => find.query(params![key, role_code(role)])?,
        };
        users_of_each.push(latest_users(used, &mut find_operation, limit)?);
    }
    Ok(users_of_each)
}

/// Reads in the order of the index `usage_name`, and no further than needed: of a table that
/// everybody reads, the users beyond `limit` cost nothing.
fn latest_users(
    mut used: Rows<'_>,
    find_operation: &mut Statement<'_>,
    limit: usize,
) -> rusqlite::Result<Vec<NameUser>> {
    let mut users: Vec<NameUser> = Vec::new();
    let mut known: HashSet<i64> = HashSet::new();
    while let Some(row) = used.next()? {
        let last = rows::time(row, 1)?;
        // Of those at one time the ids decide, so all of them are read.
        if users.len() >= limit && users.last().is_none_or(|user| last < user.last) {
            break;
        }
        let key: i64 = row.get(0)?;
        // Used in several lives: the latest came first.
        if known.insert(key) {
            let operation = find_operation.query_row([key], |row| rows::id(row, 0))?;
            users.push(NameUser { operation, last });
        }
    }
    users.sort_unstable_by_key(|user| (Reverse(user.last), user.operation));
    users.truncate(limit);
    Ok(users)
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
