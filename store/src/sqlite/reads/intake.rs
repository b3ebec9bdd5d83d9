//! What could not be read, how passes ended, and totals.

use rusqlite::{Connection, OptionalExtension, Row, params};

use sextant_model::problem::{Problem, ProblemKind};
use sextant_model::{EntityId, Timestamp};

use super::rows_number;
use crate::sqlite::codec::{Unreadable, unpack};
use crate::sqlite::commit::Counted;
use crate::sqlite::rows;
use crate::{Counts, ExtractorRun, StoredQuarantined};

const QUARANTINED_COLUMNS: &str =
    "id, host, file, format, cluster, kind, reason, offset, length, received, bytes FROM quarantined";

pub(in crate::sqlite) fn quarantined(
    connection: &Connection,
    skip: u64,
    limit: u64,
    max_bytes: u64,
) -> rusqlite::Result<Vec<StoredQuarantined>> {
    connection
        .prepare_cached(&format!("SELECT {QUARANTINED_COLUMNS} ORDER BY received DESC, id DESC LIMIT ?1 OFFSET ?2"))?
        .query_map(params![rows_number(limit), rows_number(skip)], |row| stretch(row, max_bytes))?
        .collect()
}

pub(in crate::sqlite) fn quarantined_by_id(
    connection: &Connection,
    id: EntityId,
    max_bytes: u64,
) -> rusqlite::Result<Option<StoredQuarantined>> {
    connection
        .prepare_cached(&format!("SELECT {QUARANTINED_COLUMNS} WHERE id = ?1"))?
        .query_row([id.as_bytes()], |row| stretch(row, max_bytes))
        .optional()
}

fn stretch(row: &Row<'_>, max_bytes: u64) -> rusqlite::Result<StoredQuarantined> {
    let at_most = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    Ok(StoredQuarantined {
        id: rows::id(row, 0)?,
        host: row.get(1)?,
        file: row.get(2)?,
        format: row.get(3)?,
        cluster: row.get(4)?,
        problem: Problem {
            kind: ProblemKind::from_word(row.get_ref(5)?.as_str()?).ok_or_else(|| {
                rows::unreadable(5, rusqlite::types::Type::Text, Unreadable("an unknown kind of problem"))
            })?,
            reason: row.get(6)?,
            offset: row.get::<_, i64>(7)? as u64,
            length: row.get::<_, i64>(8)? as u64,
        },
        received: rows::time(row, 9)?,
        bytes: rows::decoded(row, 10, |packed| {
            let bytes = unpack(packed)?;
            Ok(bytes[..bytes.len().min(at_most)].to_vec())
        })?,
    })
}

pub(in crate::sqlite) fn runs(
    connection: &Connection,
    source: &str,
    limit: u64,
) -> rusqlite::Result<Vec<ExtractorRun>> {
    connection
        .prepare_cached("SELECT document FROM run WHERE source = ?1 ORDER BY started DESC LIMIT ?2")?
        .query_map(params![source, rows_number(limit)], |row| rows::json(row, 0))?
        .collect()
}

pub(in crate::sqlite) fn last_complete_run(
    connection: &Connection,
    source: &str,
) -> rusqlite::Result<Option<Timestamp>> {
    connection
        .prepare_cached("SELECT started FROM run WHERE source = ?1 AND complete = 1 ORDER BY started DESC LIMIT 1")?
        .query_row([source], |row| rows::time(row, 0))
        .optional()
}

pub(in crate::sqlite) fn counts(connection: &Connection) -> rusqlite::Result<Counts> {
    let mut statement =
        connection.prepare_cached("SELECT word, value FROM counter WHERE subject = ?1 AND value > 0 ORDER BY word")?;
    let mut by_word = |subject: Counted| -> rusqlite::Result<Vec<(String, u64)>> {
        statement.query_map([subject.as_str()], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?.collect()
    };
    let total = |by_word: Vec<(String, u64)>| by_word.into_iter().map(|(_, value)| value).sum();
    Ok(Counts {
        living: by_word(Counted::Living)?,
        deleted: by_word(Counted::Deleted)?,
        operations: total(by_word(Counted::Operations)?),
        executions: total(by_word(Counted::Executions)?),
        unlinked_names: total(by_word(Counted::UnlinkedNames)?),
        quarantined: by_word(Counted::Quarantined)?,
    })
}
