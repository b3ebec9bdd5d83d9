//! True texts.

use rusqlite::{Connection, OptionalExtension, Row, params};

use sextant_model::EntityId;
use sextant_model::operation::StatementText;

use super::rows_number;
use crate::sqlite::codec::unpack_text;
use crate::sqlite::rows;

const TEXT_COLUMNS: &str = "text.id, operation.id, text.body, text.first_seen
     FROM text JOIN operation ON operation.key = text.operation";

fn text(row: &Row<'_>) -> rusqlite::Result<StatementText> {
    Ok(StatementText {
        id: rows::id(row, 0)?,
        operation: rows::id(row, 1)?,
        text: rows::decoded(row, 2, unpack_text)?,
        first_seen: rows::time(row, 3)?,
    })
}

pub(in crate::sqlite) fn texts_of(
    connection: &Connection,
    operation: EntityId,
    limit: u64,
) -> rusqlite::Result<Vec<StatementText>> {
    connection
        .prepare_cached(&format!(
            "SELECT {TEXT_COLUMNS} WHERE operation.id = ?1 ORDER BY text.first_seen, text.id LIMIT ?2"
        ))?
        .query_map(params![operation.as_bytes(), rows_number(limit)], text)?
        .collect()
}

pub(in crate::sqlite) fn texts(connection: &Connection, ids: &[EntityId]) -> rusqlite::Result<Vec<StatementText>> {
    let mut find = connection.prepare_cached(&format!("SELECT {TEXT_COLUMNS} WHERE text.id = ?1"))?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(find.query_row([id.as_bytes()], text).optional()?);
    }
    Ok(found)
}
