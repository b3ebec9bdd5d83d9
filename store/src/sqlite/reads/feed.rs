//! The change feed, and everything there is for those who begin without it.

use rusqlite::{Connection, params};

use sextant_model::EntityId;
use sextant_model::feed::{Change, Subject, What};

use super::rows_number;
use crate::sqlite::rows;

pub(in crate::sqlite) fn changes_after(connection: &Connection, seq: u64, limit: u64) -> rusqlite::Result<Vec<Change>> {
    connection
        .prepare_cached("SELECT seq, subject, id, what FROM feed WHERE seq > ?1 ORDER BY seq LIMIT ?2")?
        .query_map(params![rows_number(seq), rows_number(limit)], |row| {
            Ok(Change {
                seq: row.get::<_, i64>(0)? as u64,
                subject: rows::coded(row, 1, Subject::from_code)?,
                id: rows::id(row, 2)?,
                what: rows::coded(row, 3, What::from_code)?,
            })
        })?
        .collect()
}

pub(in crate::sqlite) fn newest_change(connection: &Connection) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM feed")?
        .query_row([], |row| Ok(row.get::<_, i64>(0)? as u64))
}

pub(in crate::sqlite) fn scan(
    connection: &Connection,
    subject: Subject,
    after: Option<EntityId>,
    limit: u64,
) -> rusqlite::Result<Vec<EntityId>> {
    let sql = match subject {
        Subject::Entity => "SELECT id FROM entity WHERE id > ?1 ORDER BY id LIMIT ?2",
        Subject::Operation => "SELECT id FROM operation WHERE id > ?1 AND source_type IS NOT NULL ORDER BY id LIMIT ?2",
        Subject::Text => "SELECT id FROM text WHERE id > ?1 AND operation IS NOT NULL ORDER BY id LIMIT ?2",
        Subject::Execution => "SELECT id FROM execution WHERE id > ?1 ORDER BY id LIMIT ?2",
    };
    // No bytes at all come before every id.
    let after = after.as_ref().map_or(&[][..], |id| id.as_bytes());
    connection.prepare_cached(sql)?.query_map(params![after, rows_number(limit)], |row| rows::id(row, 0))?.collect()
}
