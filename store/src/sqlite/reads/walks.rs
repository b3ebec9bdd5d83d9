//! What walks read: names and operations by their keys, every row looked up once.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row, Rows, params};

use sextant_model::operation::{Operation, Role};
use sextant_model::{EntityId, NameKey, SourceType, Timestamp};

use super::names::name_key;
use super::words::WordsByKey;
use crate::sqlite::codec::{KeyedPair, decode_pairs, role, role_code, source_type};
use crate::sqlite::rows;
use crate::{FlowPair, FlowUse, NameRef, NameUser, OperationFlows, OperationRef};

pub(in crate::sqlite) fn name_refs(
    connection: &Connection,
    names: &[NameKey],
) -> rusqlite::Result<Vec<Option<NameRef>>> {
    names.iter().map(|name| Ok(name_key(connection, name)?.map(NameRef))).collect()
}

pub(in crate::sqlite) fn name_refs_of(
    connection: &Connection,
    entities: &[EntityId],
) -> rusqlite::Result<Vec<(EntityId, NameRef)>> {
    let mut find = connection.prepare_cached("SELECT key FROM name WHERE entity = ?1")?;
    let mut names = Vec::with_capacity(entities.len());
    for entity in entities {
        let mut found = find.query([entity.as_bytes()])?;
        while let Some(row) = found.next()? {
            names.push((*entity, NameRef(row.get(0)?)));
        }
    }
    Ok(names)
}

pub(in crate::sqlite) fn names(
    connection: &Connection,
    names: &[NameRef],
) -> rusqlite::Result<Vec<(NameKey, Option<EntityId>)>> {
    let mut find = connection.prepare_cached("SELECT cluster, kind, qualified, entity FROM name WHERE key = ?1")?;
    let mut words = WordsByKey::default();
    let mut told = Vec::with_capacity(names.len());
    for name in names {
        let read = |row: &Row<'_>| Ok((words.name(connection, row)?, rows::optional_id(row, 3)?));
        told.push(find.query_row([name.0], read)?);
    }
    Ok(told)
}

pub(in crate::sqlite) fn operation_ref(
    connection: &Connection,
    operation: EntityId,
) -> rusqlite::Result<Option<OperationRef>> {
    connection
        .prepare_cached("SELECT key FROM operation WHERE id = ?1")?
        .query_row([operation.as_bytes()], |row| row.get(0).map(OperationRef))
        .optional()
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
    names: &[NameRef],
    role: Role,
    seen_by: Option<Timestamp>,
    limit: u64,
) -> rusqlite::Result<Vec<Vec<NameUser>>> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut find = connection.prepare_cached(if seen_by.is_some() { EARLIER_USERS } else { USERS })?;
    let mut users_of_each = Vec::with_capacity(names.len());
    for name in names {
        let used = match seen_by {
            Some(time) => find.query(params![name.0, role_code(role), time.as_millis()])?,
            None => find.query(params![name.0, role_code(role)])?,
        };
        let mut users = latest_users(used, limit)?;
        if users.len() > limit {
            keep_smallest_ids(connection, &mut users, limit)?;
        }
        users_of_each.push(users);
    }
    Ok(users_of_each)
}

/// Reads in the order of the index `usage_name`, and no further than needed: of a table that
/// everybody reads, the users beyond `limit` cost nothing. Those that are as late as the last one
/// are read beyond it.
fn latest_users(mut used: Rows<'_>, limit: usize) -> rusqlite::Result<Vec<NameUser>> {
    let mut users: Vec<NameUser> = Vec::new();
    let mut known: HashSet<OperationRef> = HashSet::new();
    while let Some(row) = used.next()? {
        let last = rows::time(row, 1)?;
        if users.len() >= limit && users.last().is_none_or(|user| last < user.last) {
            break;
        }
        let operation = OperationRef(row.get(0)?);
        // Used in several lives: the latest came first.
        if known.insert(operation) {
            users.push(NameUser { operation, last });
        }
    }
    Ok(users)
}

/// Cuts the list to `limit`. Keys tell in which order operations came, which must not decide.
fn keep_smallest_ids(connection: &Connection, users: &mut Vec<NameUser>, limit: usize) -> rusqlite::Result<()> {
    let Some(last) = users.last().map(|user| user.last) else {
        return Ok(());
    };
    let mut find = connection.prepare_cached("SELECT id FROM operation WHERE key = ?1")?;
    let mut ids: HashMap<OperationRef, EntityId> = HashMap::new();
    for user in users.iter().filter(|user| user.last == last) {
        ids.insert(user.operation, find.query_row([user.operation.0], |row| rows::id(row, 0))?);
    }
    users.sort_by_key(|user| (Reverse(user.last), ids.get(&user.operation).copied()));
    users.truncate(limit);
    Ok(())
}

pub(in crate::sqlite) fn flows(
    connection: &Connection,
    operations: &[OperationRef],
) -> rusqlite::Result<Vec<(OperationRef, OperationFlows)>> {
    let mut find = connection.prepare_cached(
        "SELECT id, source_type, cluster, operation_type, lineage_known, pairs FROM operation
         WHERE key = ?1 AND source_type IS NOT NULL",
    )?;
    let mut find_uses = connection.prepare_cached(
        "SELECT name, role, life, first_time, coalesce(last_time, first_time) FROM usage WHERE operation = ?1",
    )?;
    let mut words = WordsByKey::default();
    let mut found = Vec::with_capacity(operations.len());
    for operation in operations {
        let row = find.query_row([operation.0], |row| {
            Ok(OperationRow {
                id: rows::id(row, 0)?,
                source_type: rows::coded(row, 1, source_type)?,
                cluster: row.get(2)?,
                operation_type: row.get(3)?,
                lineage_known: row.get(4)?,
                pairs: rows::decoded_or_empty(row, 5, decode_pairs)?,
            })
        });
        let Some(row) = row.optional()? else {
            continue;
        };
        let mut uses = Vec::new();
        let mut use_rows = find_uses.query([operation.0])?;
        while let Some(row) = use_rows.next()? {
            uses.push(flow_use(row)?);
        }
        let told = Operation {
            id: row.id,
            source_type: row.source_type,
            cluster: words.get(connection, row.cluster)?,
            operation_type: row.operation_type.map(|word| words.get(connection, word)).transpose()?,
            lineage_known: row.lineage_known,
            pairs: Vec::new(),
        };
        let pairs = row.pairs.into_iter().map(flow_pair).collect();
        found.push((*operation, OperationFlows { operation: told, pairs, uses }));
    }
    Ok(found)
}

/// An operation's row, its words by their keys.
struct OperationRow {
    id: EntityId,
    source_type: SourceType,
    cluster: i64,
    operation_type: Option<i64>,
    lineage_known: bool,
    pairs: Vec<KeyedPair>,
}

fn flow_pair(pair: KeyedPair) -> FlowPair {
    FlowPair { input: NameRef(pair.input), output: NameRef(pair.output), data: pair.data, control: pair.control }
}

fn flow_use(row: &Row<'_>) -> rusqlite::Result<FlowUse> {
    Ok(FlowUse {
        name: NameRef(row.get(0)?),
        role: rows::coded(row, 1, role)?,
        life: row.get(2)?,
        first: rows::time(row, 3)?,
        last: rows::time(row, 4)?,
    })
}
