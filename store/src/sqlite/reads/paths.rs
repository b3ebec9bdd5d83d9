//! Directories and files: what is known of them before the next state of their namespace comes.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension};

use sextant_model::namespace::NamespaceStamp;
use sextant_model::{EntityId, NameKey, NameKind};

use crate::sqlite::rows;
use crate::{ExtractorRun, KnownPath, UsedPath};

pub(in crate::sqlite) fn last_stamp(connection: &Connection, source: &str) -> rusqlite::Result<Option<NamespaceStamp>> {
    let run: Option<ExtractorRun> = connection
        .prepare_cached("SELECT document FROM run WHERE source = ?1 AND complete = 1 ORDER BY started DESC LIMIT 1")?
        .query_row([source], |row| rows::json(row, 0))
        .optional()?;
    Ok(run.and_then(|run| run.stamp))
}

pub(in crate::sqlite) fn known_paths(connection: &Connection, source: &str) -> rusqlite::Result<Vec<KnownPath>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, content, is_file FROM living_path WHERE source = (SELECT key FROM word WHERE text = ?1)",
    )?;
    let mut found = statement.query([source])?;
    let mut known = Vec::new();
    while let Some(row) = found.next()? {
        known.push(KnownPath { id: rows::id(row, 0)?, content: row.get(1)?, is_file: row.get(2)? });
    }
    known.shrink_to_fit();
    known.sort_unstable_by_key(|path| path.id);
    Ok(known)
}

pub(in crate::sqlite) fn other_identities(
    connection: &Connection,
    source: &str,
) -> rusqlite::Result<HashMap<EntityId, EntityId>> {
    connection
        .prepare_cached("SELECT id, entity FROM other_identity WHERE source = (SELECT key FROM word WHERE text = ?1)")?
        .query_map([source], |row| Ok((rows::id(row, 0)?, rows::id(row, 1)?)))?
        .collect()
}

pub(in crate::sqlite) fn held_paths(connection: &Connection, source: &str) -> rusqlite::Result<Vec<EntityId>> {
    connection
        .prepare_cached("SELECT id FROM held_path WHERE source = (SELECT key FROM word WHERE text = ?1)")?
        .query_map([source], |row| rows::id(row, 0))?
        .collect()
}

pub(in crate::sqlite) fn used_paths(connection: &Connection, cluster: &str) -> rusqlite::Result<Vec<UsedPath>> {
    // The first two conditions are those of the index.
    connection
        .prepare_cached(
            "SELECT qualified, entity FROM name WHERE kind = 3 AND (located > 0 OR operations > 0)
             AND operations > 0 AND cluster = (SELECT key FROM word WHERE text = ?1)",
        )?
        .query_map([cluster], |row| {
            let name = NameKey { cluster: cluster.to_owned(), kind: NameKind::Path, qualified: row.get(0)? };
            Ok(UsedPath { name, entity: rows::optional_id(row, 1)? })
        })?
        .collect()
}

pub(in crate::sqlite) fn referenced(
    connection: &Connection,
    paths: &[(EntityId, Option<NameKey>)],
) -> rusqlite::Result<HashSet<EntityId>> {
    let mut leads_to =
        connection.prepare_cached("SELECT 1 FROM name WHERE entity = ?1 AND (located > 0 OR operations > 0)")?;
    let mut named =
        connection.prepare_cached("SELECT 1 FROM name WHERE id = ?1 AND (located > 0 OR operations > 0)")?;
    let mut found = HashSet::new();
    for (id, name) in paths {
        let is_named = match name {
            Some(name) => named.exists([name.id().as_bytes()])?,
            None => false,
        };
        if is_named || leads_to.exists([id.as_bytes()])? {
            found.insert(*id);
        }
    }
    Ok(found)
}

pub(in crate::sqlite) fn referenced_paths(connection: &Connection, cluster: &str) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare_cached(
            "SELECT qualified FROM name WHERE kind = 3 AND (located > 0 OR operations > 0)
             AND cluster = (SELECT key FROM word WHERE text = ?1) ORDER BY qualified",
        )?
        .query_map([cluster], |row| row.get(0))?
        .collect()
}
