//! What runs found changed of an entity.

use rusqlite::Connection;

use sextant_model::EntityId;
use sextant_model::history::EntityChange;

use crate::KeptChanges;
use crate::sqlite::rows;

pub(in crate::sqlite) fn entity_changes(connection: &Connection, entity: EntityId) -> rusqlite::Result<KeptChanges> {
    let mut statement = connection.prepare_cached(
        "SELECT number, word.text, run, time, differences FROM entity_change JOIN word ON word.key = source
         WHERE entity = (SELECT key FROM entity WHERE id = ?1) ORDER BY number DESC",
    )?;
    let mut found = statement.query([entity.as_bytes()])?;
    let mut kept = KeptChanges::default();
    while let Some(row) = found.next()? {
        kept.forgotten = row.get::<_, i64>(0)? as u64 - 1;
        kept.changes.push(EntityChange {
            entity,
            source: row.get(1)?,
            run: rows::time(row, 2)?,
            at: rows::time(row, 3)?,
            differences: rows::json(row, 4)?,
        });
    }
    Ok(kept)
}
