//! Names by their keys, for walks.

use rusqlite::types::Type;
use rusqlite::{Connection, Row};

use sextant_model::{EntityId, NameKey};

use super::words::WordsByKey;
use crate::NameRef;
use crate::sqlite::codec::Unreadable;
use crate::sqlite::rows;

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

/// The name of a key.
pub(super) fn name_ref(key: i64) -> rusqlite::Result<NameRef> {
    let beyond = |_| rows::unreadable(0, Type::Integer, Unreadable("more names than can be numbered"));
    u32::try_from(key).map(NameRef).map_err(beyond)
}
