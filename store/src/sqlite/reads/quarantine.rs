//! What could not be read.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use sextant_model::EntityId;
use sextant_model::problem::{Problem, ProblemKind};

use super::rows_number;
use crate::sqlite::codec::{Unreadable, unpack};
use crate::sqlite::rows;
use crate::{QuarantineFilter, QuarantineGroup, StoredQuarantined};

const COLUMNS: &str =
    "key, id, host, generation, file, format, cluster, kind, reason, offset, length, received, bytes FROM quarantined";

/// What a [`QuarantineFilter`] lets through, by its four parameters.
pub(in crate::sqlite) const FILTER: &str = "(:id IS NULL OR id = :id) AND (:kind IS NULL OR kind = :kind)
     AND (:host IS NULL OR host = :host) AND (:format IS NULL OR format = :format)";

/// The stored form of an id.
pub(in crate::sqlite) fn id_of(filter: &QuarantineFilter) -> Option<[u8; 16]> {
    filter.id.map(|id| *id.as_bytes())
}

/// The stored form of a kind.
pub(in crate::sqlite) fn kind_of(filter: &QuarantineFilter) -> Option<&'static str> {
    filter.kind.map(ProblemKind::as_str)
}

pub(in crate::sqlite) fn newest(
    connection: &Connection,
    filter: &QuarantineFilter,
    skip: u64,
    limit: u64,
    max_bytes: u64,
) -> rusqlite::Result<Vec<StoredQuarantined>> {
    connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} WHERE {FILTER} ORDER BY received DESC, id DESC LIMIT :limit OFFSET :skip"
        ))?
        .query_map(
            named_params! {
                ":id": id_of(filter), ":kind": kind_of(filter), ":host": filter.host, ":format": filter.format,
                ":limit": rows_number(limit), ":skip": rows_number(skip),
            },
            |row| stretch(row, max_bytes),
        )?
        .collect()
}

pub(in crate::sqlite) fn after(
    connection: &Connection,
    filter: &QuarantineFilter,
    after: u64,
    through: u64,
    limit: u64,
    max_bytes: u64,
) -> rusqlite::Result<Vec<StoredQuarantined>> {
    let mut find = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} WHERE key > :after AND key <= :through AND {FILTER} ORDER BY key LIMIT :limit"
    ))?;
    let mut found = find.query(named_params! {
        ":id": id_of(filter), ":kind": kind_of(filter), ":host": filter.host, ":format": filter.format,
        ":after": rows_number(after), ":through": rows_number(through), ":limit": rows_number(limit),
    })?;
    let mut stretches: Vec<StoredQuarantined> = Vec::new();
    let mut total = 0;
    while let Some(row) = found.next()? {
        let stretch = stretch(row, u64::MAX)?;
        total += stretch.kept;
        if total > max_bytes && !stretches.is_empty() {
            break;
        }
        stretches.push(stretch);
    }
    Ok(stretches)
}

pub(in crate::sqlite) fn last(connection: &Connection) -> rusqlite::Result<u64> {
    let last: Option<i64> =
        connection.prepare_cached("SELECT max(key) FROM quarantined")?.query_row([], |row| row.get(0))?;
    Ok(last.unwrap_or(0) as u64)
}

pub(in crate::sqlite) fn by_id(
    connection: &Connection,
    id: EntityId,
    max_bytes: u64,
) -> rusqlite::Result<Option<StoredQuarantined>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} WHERE id = ?1"))?
        .query_row([id.as_bytes()], |row| stretch(row, max_bytes))
        .optional()
}

pub(in crate::sqlite) fn groups(
    connection: &Connection,
    filter: &QuarantineFilter,
) -> rusqlite::Result<Vec<QuarantineGroup>> {
    // A sum of integers could overflow: an agent may claim any length.
    connection
        .prepare_cached(&format!(
            "SELECT kind, host, format, count(*), total(length), min(received), max(received) FROM quarantined
             WHERE {FILTER} GROUP BY kind, host, format ORDER BY 4 DESC, kind, host, format"
        ))?
        .query_map(
            named_params! {
                ":id": id_of(filter), ":kind": kind_of(filter), ":host": filter.host, ":format": filter.format,
            },
            |row| {
                Ok(QuarantineGroup {
                    kind: kind(row, 0)?,
                    host: row.get(1)?,
                    format: row.get(2)?,
                    stretches: row.get::<_, i64>(3)? as u64,
                    bytes: row.get::<_, f64>(4)? as u64,
                    oldest: rows::time(row, 5)?,
                    newest: rows::time(row, 6)?,
                })
            },
        )?
        .collect()
}

fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<ProblemKind> {
    ProblemKind::from_word(row.get_ref(column)?.as_str()?)
        .ok_or_else(|| rows::unreadable(column, Type::Text, Unreadable("an unknown kind of problem")))
}

fn stretch(row: &Row<'_>, max_bytes: u64) -> rusqlite::Result<StoredQuarantined> {
    let at_most = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let (kept, bytes) = rows::decoded(row, 12, |packed| {
        let bytes = unpack(packed)?;
        Ok((bytes.len() as u64, bytes[..bytes.len().min(at_most)].to_vec()))
    })?;
    Ok(StoredQuarantined {
        place: row.get::<_, i64>(0)? as u64,
        id: rows::id(row, 1)?,
        host: row.get(2)?,
        generation: row.get(3)?,
        file: row.get(4)?,
        format: row.get(5)?,
        cluster: row.get(6)?,
        problem: Problem {
            kind: kind(row, 7)?,
            reason: row.get(8)?,
            offset: row.get::<_, i64>(9)? as u64,
            length: row.get::<_, i64>(10)? as u64,
        },
        received: rows::time(row, 11)?,
        kept,
        bytes,
    })
}
