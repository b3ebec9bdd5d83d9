//! How passes ended, and totals.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, params};

use sextant_model::Timestamp;

use super::rows_number;
use crate::sqlite::codec::unpack_text;
use crate::sqlite::commit::Counted;
use crate::sqlite::rows;
use crate::{Counts, ExtractorRun, RunLog};

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

pub(in crate::sqlite) fn run_log(
    connection: &Connection,
    source: &str,
    started: Option<Timestamp>,
) -> rusqlite::Result<Option<RunLog>> {
    connection
        .prepare_cached(
            "SELECT started, dropped, lines FROM run_log WHERE source = ?1 AND started = coalesce(?2, started)
             ORDER BY started DESC LIMIT 1",
        )?
        .query_row(params![source, started.map(Timestamp::as_millis)], |row| {
            let lines = rows::decoded(row, 2, unpack_text)?;
            Ok(RunLog {
                source: source.to_owned(),
                started: rows::time(row, 0)?,
                dropped: row.get::<_, i64>(1)? as u64,
                lines: serde_json::from_str(&lines).map_err(|error| rows::unreadable(2, Type::Blob, error))?,
            })
        })
        .optional()
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
