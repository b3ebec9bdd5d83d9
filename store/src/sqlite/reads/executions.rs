//! Executions.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Row, params};

use sextant_model::operation::{Evidence, Execution};
use sextant_model::{EntityId, Timestamp};

use super::rows_number;
use crate::ExecutionTimes;
use crate::sqlite::codec::{decode_job_ids, decode_table_created};
use crate::sqlite::rows;

const EXECUTION_COLUMNS: &str = "execution.id, operation.id, text.id, variant.id, user.text, execution.started, \
     execution.ended, execution.received, execution.query_id, engine.text, execution.job_ids, \
     execution.table_created, host.text, spool_file.path, execution.offset \
     FROM execution JOIN operation ON operation.key = execution.operation \
     JOIN text ON text.key = execution.text \
     JOIN spool_file ON spool_file.key = execution.file JOIN word AS host ON host.key = spool_file.host \
     LEFT JOIN variant ON variant.key = execution.variant \
     LEFT JOIN word AS user ON user.key = execution.user \
     LEFT JOIN word AS engine ON engine.key = execution.engine";

fn execution(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Execution> {
    Ok(Execution {
        id: rows::id(row, 0)?,
        operation: rows::id(row, 1)?,
        text: rows::id(row, 2)?,
        variant: rows::optional_id(row, 3)?,
        user: row.get(4)?,
        started: rows::optional_time(row, 5)?,
        ended: rows::optional_time(row, 6)?,
        received: rows::time(row, 7)?,
        query_id: row.get(8)?,
        engine: row.get(9)?,
        job_ids: rows::decoded_or_empty(row, 10, decode_job_ids)?,
        table_created: table_created(connection, row, 11)?,
        evidence: Evidence { host: row.get(12)?, file: row.get(13)?, offset: row.get::<_, i64>(14)? as u64 },
    })
}

fn table_created(connection: &Connection, row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<(String, Timestamp)>> {
    let keyed = rows::decoded_or_empty(row, column, decode_table_created)?;
    let mut find = connection.prepare_cached("SELECT text FROM word WHERE key = ?1")?;
    let mut tables = Vec::with_capacity(keyed.len());
    for (word, created) in keyed {
        tables.push((find.query_row([word], |row| row.get(0))?, created));
    }
    Ok(tables)
}

pub(in crate::sqlite) fn known_executions(
    connection: &Connection,
    ids: &[EntityId],
) -> rusqlite::Result<HashSet<EntityId>> {
    let mut find = connection.prepare_cached("SELECT 1 FROM execution WHERE id = ?1")?;
    let mut known = HashSet::with_capacity(ids.len());
    for id in ids {
        if find.exists([id.as_bytes()])? {
            known.insert(*id);
        }
    }
    Ok(known)
}

pub(in crate::sqlite) fn executions(connection: &Connection, ids: &[EntityId]) -> rusqlite::Result<Vec<Execution>> {
    let mut find = connection.prepare_cached(&format!("SELECT {EXECUTION_COLUMNS} WHERE execution.id = ?1"))?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(find.query_row([id.as_bytes()], |row| execution(connection, row)).optional()?);
    }
    Ok(found)
}

pub(in crate::sqlite) fn executions_of(
    connection: &Connection,
    operation: EntityId,
    skip: u64,
    limit: u64,
) -> rusqlite::Result<Vec<Execution>> {
    connection
        .prepare_cached(&format!(
            "SELECT {EXECUTION_COLUMNS} WHERE operation.id = ?1
             ORDER BY execution.time DESC, execution.id DESC LIMIT ?2 OFFSET ?3"
        ))?
        .query_map(params![operation.as_bytes(), rows_number(limit), rows_number(skip)], |row| {
            execution(connection, row)
        })?
        .collect()
}

pub(in crate::sqlite) fn execution_times(
    connection: &Connection,
    operation: EntityId,
) -> rusqlite::Result<Vec<ExecutionTimes>> {
    connection
        .prepare_cached(
            "SELECT execution.id, started, ended, received, table_created
             FROM operation JOIN execution ON execution.operation = operation.key WHERE operation.id = ?1",
        )?
        .query_map([operation.as_bytes()], |row| {
            Ok(ExecutionTimes {
                id: rows::id(row, 0)?,
                started: rows::optional_time(row, 1)?,
                ended: rows::optional_time(row, 2)?,
                received: rows::time(row, 3)?,
                table_created: table_created(connection, row, 4)?,
            })
        })?
        .collect()
}
