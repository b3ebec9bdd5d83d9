//! What could not be read.

use rusqlite::types::{Type, Value};
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use sextant_model::EntityId;
use sextant_model::problem::{Problem, ProblemKind};

use super::rows_number;
use crate::sqlite::codec::{Unreadable, unpack};
use crate::sqlite::rows;
use crate::{QuarantineFilter, QuarantineGroup, StoredQuarantined};

const COLUMNS: &str =
    "key, id, host, generation, file, format, cluster, kind, reason, offset, length, received, bytes FROM quarantined";

/// What a [`QuarantineFilter`] lets through: a condition for what it asks for and nothing else, so
/// that an index can serve it.
pub(in crate::sqlite) struct Condition {
    pub(in crate::sqlite) sql: String,
    pub(in crate::sqlite) values: Vec<Value>,
}

impl Condition {
    pub(in crate::sqlite) fn of(filter: &QuarantineFilter) -> Self {
        let mut terms = vec!["true"];
        let mut values = Vec::new();
        if let Some(id) = filter.id {
            terms.push("id = ?");
            values.push(Value::from(id.as_bytes().to_vec()));
        }
        if let Some(kind) = filter.kind {
            terms.push("kind = ?");
            values.push(Value::from(kind.as_str().to_owned()));
        }
        if let Some(host) = &filter.host {
            terms.push("host = ?");
            values.push(Value::from(host.clone()));
        }
        if let Some(format) = &filter.format {
            terms.push("format = ?");
            values.push(Value::from(format.clone()));
        }
        Self { sql: terms.join(" AND "), values }
    }
}

pub(in crate::sqlite) fn newest(
    connection: &Connection,
    filter: &QuarantineFilter,
    skip: u64,
    limit: u64,
    max_bytes: u64,
) -> rusqlite::Result<Vec<StoredQuarantined>> {
    let Condition { sql, mut values } = Condition::of(filter);
    values.extend([rows_number(limit).into(), rows_number(skip).into()]);
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} WHERE {sql} ORDER BY received DESC, id DESC LIMIT ? OFFSET ?"))?
        .query_map(params_from_iter(values), |row| stretch(row, max_bytes))?
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
    let Condition { sql, mut values } = Condition::of(filter);
    values.extend([after, through, limit].map(|number| rows_number(number).into()));
    let mut find = connection
        .prepare_cached(&format!("SELECT {COLUMNS} WHERE {sql} AND key > ? AND key <= ? ORDER BY key LIMIT ?"))?;
    let mut found = find.query(params_from_iter(values))?;
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
    let Condition { sql, values } = Condition::of(filter);
    connection
        .prepare_cached(&groups_of(&sql))?
        .query_map(params_from_iter(values), |row| {
            Ok(QuarantineGroup {
                kind: kind(row, 0)?,
                host: row.get(1)?,
                format: row.get(2)?,
                stretches: row.get::<_, i64>(3)? as u64,
                bytes: row.get::<_, f64>(4)? as u64,
                oldest: rows::time(row, 5)?,
                newest: rows::time(row, 6)?,
            })
        })?
        .collect()
}

/// The groups of what fits. A sum of integers could overflow: an agent may claim any length.
pub(in crate::sqlite) fn groups_of(condition: &str) -> String {
    format!(
        "SELECT kind, host, format, count(*), total(length), min(received), max(received) FROM quarantined
         WHERE {condition} GROUP BY kind, host, format ORDER BY 4 DESC, kind, host, format"
    )
}

/// A stored kind.
pub(in crate::sqlite) fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<ProblemKind> {
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
