//! Names, linked or not.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use sextant_model::{EntityId, NameKey};

use super::rows_number;
use super::words::WordsByKey;
use crate::sqlite::rows;

const NAME_COLUMNS: &str = "cluster.text, name.kind, name.qualified, name.entity
     FROM name JOIN word AS cluster ON cluster.key = name.cluster";

pub(in crate::sqlite) fn find_name(
    connection: &Connection,
    cluster: Option<&str>,
    qualified: &str,
) -> rusqlite::Result<Vec<(NameKey, Option<EntityId>)>> {
    connection
        .prepare_cached(&format!(
            "SELECT {NAME_COLUMNS} WHERE name.qualified = ?1 AND (?2 IS NULL OR cluster.text = ?2)
             ORDER BY cluster.text, name.kind"
        ))?
        .query_map(params![qualified, cluster], |row| Ok((rows::name(row, 0)?, rows::optional_id(row, 3)?)))?
        .collect()
}

pub(in crate::sqlite) fn name_by_id(
    connection: &Connection,
    id: EntityId,
) -> rusqlite::Result<Option<(NameKey, Option<EntityId>)>> {
    connection
        .prepare_cached(&format!("SELECT {NAME_COLUMNS} WHERE name.id = ?1"))?
        .query_row([id.as_bytes()], |row| Ok((rows::name(row, 0)?, rows::optional_id(row, 3)?)))
        .optional()
}

pub(in crate::sqlite) fn names_of(
    connection: &Connection,
    entities: &[EntityId],
) -> rusqlite::Result<Vec<(EntityId, NameKey)>> {
    let mut find = connection.prepare_cached("SELECT cluster, kind, qualified FROM name WHERE entity = ?1")?;
    let mut words = WordsByKey::default();
    let mut names = Vec::with_capacity(entities.len());
    for entity in entities {
        let mut found = find.query([entity.as_bytes()])?;
        while let Some(row) = found.next()? {
            names.push((*entity, words.name(connection, row)?));
        }
    }
    Ok(names)
}

pub(in crate::sqlite) fn unlinked_names(connection: &Connection, limit: u64) -> rusqlite::Result<Vec<(NameKey, u64)>> {
    connection
        .prepare_cached(
            "SELECT cluster.text, name.kind, name.qualified, name.operations
             FROM name JOIN word AS cluster ON cluster.key = name.cluster
             WHERE name.entity IS NULL AND name.operations > 0
             ORDER BY name.operations DESC, name.qualified, cluster.text LIMIT ?1",
        )?
        .query_map([rows_number(limit)], |row| Ok((rows::name(row, 0)?, row.get::<_, i64>(3)? as u64)))?
        .collect()
}

/// The key of a name, if it was ever seen.
pub(super) fn name_key(connection: &Connection, name: &NameKey) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT key FROM name WHERE id = ?1")?
        .query_row([name.id().as_bytes()], |row| row.get(0))
        .optional()
}

/// Names by their keys, each read once per question.
#[derive(Default)]
pub(super) struct NamesByKey(HashMap<i64, NameKey>);

impl NamesByKey {
    pub(super) fn get(&mut self, connection: &Connection, key: i64) -> rusqlite::Result<NameKey> {
        if let Some(name) = self.0.get(&key) {
            return Ok(name.clone());
        }
        let name = connection
            .prepare_cached(&format!("SELECT {NAME_COLUMNS} WHERE name.key = ?1"))?
            .query_row([key], |row| rows::name(row, 0))?;
        self.0.insert(key, name.clone());
        Ok(name)
    }
}
