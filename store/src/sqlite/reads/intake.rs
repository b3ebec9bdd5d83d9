//! How passes ended, and totals.

use rusqlite::{Connection, OptionalExtension, params};

use sextant_model::Timestamp;

use super::rows_number;
use crate::sqlite::commit::Counted;
use crate::sqlite::rows;
use crate::{Counts, ExtractorRun};

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
