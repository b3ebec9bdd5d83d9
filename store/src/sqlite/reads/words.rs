//! Short texts by their keys.

use std::collections::HashMap;

use rusqlite::{Connection, Row};

use sextant_model::NameKey;

use crate::sqlite::codec::name_kind;
use crate::sqlite::rows;

/// Words by their keys, each read once per question: a join would look each of them up again for
/// every row, and a question meets few different ones.
#[derive(Default)]
pub(super) struct WordsByKey(HashMap<i64, String>);

impl WordsByKey {
    pub(super) fn get(&mut self, connection: &Connection, key: i64) -> rusqlite::Result<String> {
        if let Some(word) = self.0.get(&key) {
            return Ok(word.clone());
        }
        let word: String =
            connection.prepare_cached("SELECT text FROM word WHERE key = ?1")?.query_row([key], |row| row.get(0))?;
        self.0.insert(key, word.clone());
        Ok(word)
    }

    /// A name: key of the cluster's word, kind and qualified name, at the beginning of the row.
    pub(super) fn name(&mut self, connection: &Connection, row: &Row<'_>) -> rusqlite::Result<NameKey> {
        Ok(NameKey {
            cluster: self.get(connection, row.get(0)?)?,
            kind: rows::coded(row, 1, name_kind)?,
            qualified: row.get(2)?,
        })
    }
}
