//! Rows become values of the model.

use rusqlite::Row;
use rusqlite::types::Type;

use sextant_model::operation::SeenSpan;
use sextant_model::{Entity, EntityId, Life, NameKey, Timestamp};

use super::codec::{Unreadable, entity_state, entity_type, name_kind, source_type};

/// The error for a column whose value this version cannot read.
pub(super) fn unreadable(
    column: usize,
    kind: Type,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, kind, Box::new(error))
}

/// A number that stands for a word.
pub(super) fn coded<T>(row: &Row<'_>, column: usize, word: impl Fn(i64) -> Option<T>) -> rusqlite::Result<T> {
    word(row.get(column)?).ok_or_else(|| unreadable(column, Type::Integer, Unreadable("an unknown number for a word")))
}

/// A value that a codec wrote.
pub(super) fn decoded<T>(
    row: &Row<'_>,
    column: usize,
    decode: impl Fn(&[u8]) -> Result<T, Unreadable>,
) -> rusqlite::Result<T> {
    let bytes = row.get_ref(column)?.as_blob()?;
    decode(bytes).map_err(|error| unreadable(column, Type::Blob, error))
}

/// A value that a codec wrote, or its empty form where there is none.
pub(super) fn decoded_or_empty<T: Default>(
    row: &Row<'_>,
    column: usize,
    decode: impl Fn(&[u8]) -> Result<T, Unreadable>,
) -> rusqlite::Result<T> {
    match row.get_ref(column)?.as_blob_or_null()? {
        None => Ok(T::default()),
        Some(bytes) => decode(bytes).map_err(|error| unreadable(column, Type::Blob, error)),
    }
}

/// A document in JSON.
pub(super) fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(column)?.as_str()?).map_err(|error| unreadable(column, Type::Text, error))
}

/// An id.
pub(super) fn id(row: &Row<'_>, column: usize) -> rusqlite::Result<EntityId> {
    row.get(column).map(EntityId::from_bytes)
}

/// An id that may be absent.
pub(super) fn optional_id(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<EntityId>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(EntityId::from_bytes))
}

/// A time.
pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    row.get(column).map(Timestamp::from_millis)
}

/// A time that may be absent.
pub(super) fn optional_time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_millis))
}

/// The four columns of a span, from `first` on; `None` when there is no first.
pub(super) fn optional_span(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<SeenSpan>> {
    let Some(first_time) = optional_time(row, first)? else {
        return Ok(None);
    };
    let first_execution = id(row, first + 1)?;
    Ok(Some(SeenSpan {
        first: first_time,
        first_execution,
        last: optional_time(row, first + 2)?.unwrap_or(first_time),
        last_execution: optional_id(row, first + 3)?.unwrap_or(first_execution),
    }))
}

/// The four columns of a span that is there.
pub(super) fn span(row: &Row<'_>, first: usize) -> rusqlite::Result<SeenSpan> {
    optional_span(row, first)?.ok_or_else(|| unreadable(first, Type::Null, Unreadable("a span without a beginning")))
}

/// A span's last time and execution as they are stored: nothing where they are the first ones.
pub(super) fn stored_end(span: &SeenSpan) -> (Option<i64>, Option<&[u8; 16]>) {
    if (span.last, span.last_execution) == (span.first, span.first_execution) {
        (None, None)
    } else {
        (Some(span.last.as_millis()), Some(span.last_execution.as_bytes()))
    }
}

/// The columns of `entity` that [`entity`] reads.
pub(super) const ENTITY_COLUMNS: &str = "entity.id, entity.type, entity.source_type, entity.source, entity.cluster, \
     entity.original_name, entity.qualified_name, entity.parent, entity.parent_path, entity.state, \
     entity.delete_time, entity.last_seen, entity.first_seen, entity.position, entity.properties FROM entity";

/// An entity. `word` gives the text of a word's key.
pub(super) fn entity(row: &Row<'_>, mut word: impl FnMut(i64) -> rusqlite::Result<String>) -> rusqlite::Result<Entity> {
    Ok(Entity {
        id: id(row, 0)?,
        entity_type: coded(row, 1, entity_type)?,
        source_type: coded(row, 2, source_type)?,
        source: word(row.get(3)?)?,
        cluster: word(row.get(4)?)?,
        original_name: row.get(5)?,
        qualified_name: row.get(6)?,
        parent: optional_id(row, 7)?,
        parent_path: row.get(8)?,
        state: coded(row, 9, entity_state)?,
        delete_time: optional_time(row, 10)?,
        last_seen: optional_time(row, 11)?,
        first_seen: time(row, 12)?,
        position: row.get(13)?,
        properties: json(row, 14)?,
    })
}

/// A name: cluster, kind and qualified name, from `first` on.
pub(super) fn name(row: &Row<'_>, first: usize) -> rusqlite::Result<NameKey> {
    Ok(NameKey { cluster: row.get(first)?, kind: coded(row, first + 1, name_kind)?, qualified: row.get(first + 2)? })
}

/// A life of `entity`: number, created, first seen, last seen, over.
pub(super) fn life(row: &Row<'_>, entity: EntityId) -> rusqlite::Result<Life> {
    Ok(Life {
        entity,
        number: row.get(0)?,
        created: optional_time(row, 1)?,
        first_seen: time(row, 2)?,
        last_seen: optional_time(row, 3)?,
        over: optional_time(row, 4)?,
    })
}
