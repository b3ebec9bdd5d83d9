//! Entities, as far as the viewer may see them.

use rusqlite::{Connection, OptionalExtension, Row, ToSql};

use sextant_model::{Entity, EntityId, Viewer};

use super::words::WordsByKey;
use crate::sqlite::rows::{self, ENTITY_COLUMNS};

pub(in crate::sqlite) fn entities(
    connection: &Connection,
    viewer: &Viewer,
    ids: &[EntityId],
) -> rusqlite::Result<Vec<Entity>> {
    let mut find = connection.prepare_cached(&format!("SELECT {ENTITY_COLUMNS} WHERE entity.id = ?1"))?;
    let mut words = WordsByKey::default();
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let read = |row: &Row<'_>| rows::entity(row, |key| words.get(connection, key));
        let entity = find.query_row([id.as_bytes()], read).optional()?;
        found.extend(entity.filter(|entity| viewer.may_see(entity)));
    }
    Ok(found)
}

pub(in crate::sqlite) fn children(
    connection: &Connection,
    viewer: &Viewer,
    parent: EntityId,
    skip: u64,
    limit: u64,
) -> rusqlite::Result<Vec<Entity>> {
    let sql = format!(
        "SELECT {ENTITY_COLUMNS} WHERE entity.parent = ?1
         ORDER BY entity.position, entity.original_name, entity.id"
    );
    visible_page(connection, viewer, &sql, &[parent.as_bytes()], skip, limit)
}

pub(in crate::sqlite) fn find_relation(
    connection: &Connection,
    viewer: &Viewer,
    cluster: Option<&str>,
    bare: &str,
    limit: u64,
) -> rusqlite::Result<Vec<Entity>> {
    // State 2 is deleted.
    let sql = format!(
        "SELECT {ENTITY_COLUMNS} WHERE entity.original_name = ?1 AND entity.type IN (2, 3)
         AND (?2 IS NULL OR cluster = (SELECT key FROM word WHERE text = ?2))
         ORDER BY entity.state = 2, entity.qualified_name, (SELECT text FROM word WHERE key = entity.cluster), entity.id"
    );
    visible_page(connection, viewer, &sql, &[&bare, &cluster], 0, limit)
}

/// Rows are counted only as far as the viewer sees them, so that a page does not tell how many
/// are hidden.
fn visible_page(
    connection: &Connection,
    viewer: &Viewer,
    sql: &str,
    parameters: &[&dyn ToSql],
    skip: u64,
    limit: u64,
) -> rusqlite::Result<Vec<Entity>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query(parameters)?;
    let mut words = WordsByKey::default();
    let mut page = Vec::new();
    let mut seen = 0;
    while (page.len() as u64) < limit
        && let Some(row) = found.next()?
    {
        let entity = rows::entity(row, |key| words.get(connection, key))?;
        if viewer.may_see(&entity) {
            seen += 1;
            if seen > skip {
                page.push(entity);
            }
        }
    }
    Ok(page)
}
