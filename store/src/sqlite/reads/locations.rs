//! Which entity's data lies where.

use rusqlite::{Connection, OptionalExtension, params};

use sextant_model::{EntityId, NameKey};

use super::names::{NamesByKey, name_key};
use super::rows_number;
use super::words::WordsByKey;
use crate::sqlite::codec::name_kind_code;
use crate::sqlite::rows;
use crate::{ContentHash, WrittenLocation};

pub(in crate::sqlite) fn location_rules(connection: &Connection) -> rusqlite::Result<Option<ContentHash>> {
    connection.prepare_cached("SELECT fingerprint FROM location_rules")?.query_row([], |row| row.get(0)).optional()
}

pub(in crate::sqlite) fn written_locations(
    connection: &Connection,
    after: Option<EntityId>,
    limit: u64,
) -> rusqlite::Result<Vec<WrittenLocation>> {
    let mut find = connection.prepare_cached("SELECT key FROM entity WHERE id = ?1")?;
    let after: Option<i64> = match after {
        Some(id) => find.query_row([id.as_bytes()], |row| row.get(0)).optional()?,
        None => None,
    };
    let mut words = WordsByKey::default();
    // Types 1, 2, 3 and 5 are databases, tables, views and partitions. In the order of the rows:
    // by id, each of them would be looked up in another place of the file.
    connection
        .prepare_cached(
            "SELECT id, cluster, json_extract(properties, '$.fileSystemPath') FROM entity
             WHERE key > ?1 AND type IN (1, 2, 3, 5) ORDER BY key LIMIT ?2",
        )?
        .query_map(params![after.unwrap_or(i64::MIN), rows_number(limit)], |row| {
            let cluster = words.get(connection, row.get(1)?)?;
            Ok(WrittenLocation { owner: rows::id(row, 0)?, cluster, location: row.get(2)? })
        })?
        .collect()
}

pub(in crate::sqlite) fn located_at(
    connection: &Connection,
    names: &[NameKey],
) -> rusqlite::Result<Vec<(NameKey, EntityId)>> {
    let mut find = connection.prepare_cached("SELECT owner FROM location WHERE name = ?1 ORDER BY owner")?;
    let mut located = Vec::new();
    for name in names {
        let Some(key) = name_key(connection, name)? else {
            continue;
        };
        let mut found = find.query([key])?;
        while let Some(row) = found.next()? {
            located.push((name.clone(), rows::id(row, 0)?));
        }
    }
    Ok(located)
}

pub(in crate::sqlite) fn locations_of(
    connection: &Connection,
    owners: &[EntityId],
) -> rusqlite::Result<Vec<(EntityId, NameKey)>> {
    let mut find = connection.prepare_cached("SELECT name FROM location WHERE owner = ?1")?;
    let mut names = NamesByKey::default();
    let mut locations = Vec::with_capacity(owners.len());
    for owner in owners {
        if let Some(key) = find.query_row([owner.as_bytes()], |row| row.get(0)).optional()? {
            locations.push((*owner, names.get(connection, key)?));
        }
    }
    Ok(locations)
}

pub(in crate::sqlite) fn located_below(
    connection: &Connection,
    directory: &NameKey,
    limit: u64,
) -> rusqlite::Result<Vec<(NameKey, EntityId)>> {
    let first = format!("{}/", directory.qualified.trim_end_matches('/'));
    // The character after the slash: everything that begins with the prefix comes before it.
    let end = format!("{}0", directory.qualified.trim_end_matches('/'));
    connection
        .prepare_cached(
            "SELECT name.qualified, location.owner FROM name INDEXED BY name_referenced_path
             CROSS JOIN location ON location.name = name.key
             WHERE name.kind = 3 AND (name.located > 0 OR name.operations > 0) AND name.located > 0
             AND name.kind = ?1 AND name.qualified > ?2 AND name.qualified < ?3
             AND name.cluster = (SELECT key FROM word WHERE text = ?4)
             ORDER BY name.qualified, location.owner LIMIT ?5",
        )?
        .query_map(params![name_kind_code(directory.kind), first, end, directory.cluster, rows_number(limit)], |row| {
            Ok((NameKey { qualified: row.get(0)?, ..directory.clone() }, rows::id(row, 1)?))
        })?
        .collect()
}
