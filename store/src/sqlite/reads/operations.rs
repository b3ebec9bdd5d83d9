//! Operations, with and without their counts, and the variants of their flows.

use rusqlite::{Connection, OptionalExtension, Row};

use sextant_model::EntityId;
use sextant_model::operation::{FlowVariant, Operation, SeenSpan, TablePair};

use super::names::NamesByKey;
use super::rows_number;
use crate::OperationSummary;
use crate::sqlite::codec::{KeyedPair, decode_flows, decode_pairs, source_type, unpack_text};
use crate::sqlite::rows;

/// Only operations that are told, not those that are just referred to.
const TOLD: &str = "operation.source_type IS NOT NULL";

const OPERATION_COLUMNS: &str = "operation.id, operation.source_type, cluster.text, operation_type.text, \
     operation.lineage_known, operation.pairs, operation.key, operation.texts, operation.executions, \
     operation.first_time, operation.first_execution, operation.last_time, operation.last_execution \
     FROM operation JOIN word AS cluster ON cluster.key = operation.cluster \
     LEFT JOIN word AS operation_type ON operation_type.key = operation.operation_type";

/// An operation's row, its pairs still by the keys of their names.
struct OperationRow {
    operation: Operation,
    pairs: Vec<KeyedPair>,
    key: i64,
    texts: u64,
    executions: u64,
    seen: Option<SeenSpan>,
}

fn operation_row(row: &Row<'_>) -> rusqlite::Result<OperationRow> {
    Ok(OperationRow {
        operation: Operation {
            id: rows::id(row, 0)?,
            source_type: rows::coded(row, 1, source_type)?,
            cluster: row.get(2)?,
            operation_type: row.get(3)?,
            lineage_known: row.get(4)?,
            pairs: Vec::new(),
        },
        pairs: rows::decoded_or_empty(row, 5, decode_pairs)?,
        key: row.get(6)?,
        texts: row.get::<_, i64>(7)? as u64,
        executions: row.get::<_, i64>(8)? as u64,
        seen: rows::optional_span(row, 9)?,
    })
}

impl OperationRow {
    fn name_pairs(&mut self, connection: &Connection, names: &mut NamesByKey) -> rusqlite::Result<()> {
        for pair in &self.pairs {
            self.operation.pairs.push(TablePair {
                input: names.get(connection, pair.input)?,
                output: names.get(connection, pair.output)?,
                data: pair.data,
                control: pair.control,
            });
        }
        // By name: the keys' order is that in which the names came.
        self.operation.pairs.sort_unstable();
        Ok(())
    }

    fn summary(mut self, connection: &Connection, names: &mut NamesByKey) -> rusqlite::Result<OperationSummary> {
        self.name_pairs(connection, names)?;
        let text = connection
            .prepare_cached("SELECT body FROM text WHERE operation = ?1 ORDER BY first_seen, id LIMIT 1")?
            .query_row([self.key], |row| rows::decoded(row, 0, unpack_text))
            .optional()?;
        let last_user = match self.seen {
            None => None,
            Some(seen) => connection
                .prepare_cached(
                    "SELECT user.text FROM execution LEFT JOIN word AS user ON user.key = execution.user
                     WHERE execution.id = ?1",
                )?
                .query_row([seen.last_execution.as_bytes()], |row| row.get(0))
                .optional()?
                .flatten(),
        };
        Ok(OperationSummary {
            operation: self.operation,
            text: text.unwrap_or_default(),
            texts: self.texts,
            executions: self.executions,
            seen: self.seen,
            last_user,
        })
    }
}

pub(in crate::sqlite) fn bare_operations(
    connection: &Connection,
    ids: &[EntityId],
) -> rusqlite::Result<Vec<Operation>> {
    let mut names = NamesByKey::default();
    let mut operations = Vec::with_capacity(ids.len());
    for mut row in rows_of(connection, ids)? {
        row.name_pairs(connection, &mut names)?;
        operations.push(row.operation);
    }
    Ok(operations)
}

pub(in crate::sqlite) fn operations(
    connection: &Connection,
    ids: &[EntityId],
) -> rusqlite::Result<Vec<OperationSummary>> {
    let mut names = NamesByKey::default();
    rows_of(connection, ids)?.into_iter().map(|row| row.summary(connection, &mut names)).collect()
}

fn rows_of(connection: &Connection, ids: &[EntityId]) -> rusqlite::Result<Vec<OperationRow>> {
    let mut find =
        connection.prepare_cached(&format!("SELECT {OPERATION_COLUMNS} WHERE operation.id = ?1 AND {TOLD}"))?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(find.query_row([id.as_bytes()], operation_row).optional()?);
    }
    Ok(found)
}

pub(in crate::sqlite) fn latest_operations(
    connection: &Connection,
    limit: u64,
) -> rusqlite::Result<Vec<OperationSummary>> {
    let mut find = connection.prepare_cached(&format!(
        "SELECT {OPERATION_COLUMNS} WHERE operation.last_time IS NOT NULL AND {TOLD}
         ORDER BY operation.last_time DESC, operation.id LIMIT ?1"
    ))?;
    let mut names = NamesByKey::default();
    let latest: Vec<OperationRow> =
        find.query_map([rows_number(limit)], operation_row)?.collect::<rusqlite::Result<_>>()?;
    latest.into_iter().map(|row| row.summary(connection, &mut names)).collect()
}

pub(in crate::sqlite) fn variants(connection: &Connection, operation: EntityId) -> rusqlite::Result<Vec<FlowVariant>> {
    connection
        .prepare_cached(
            "SELECT variant.id, variant.flows, variant.first_time, variant.first_execution, variant.last_time,
             variant.last_execution
             FROM operation JOIN variant ON variant.operation = operation.key
             WHERE operation.id = ?1 AND variant.flows IS NOT NULL ORDER BY variant.id",
        )?
        .query_map([operation.as_bytes()], |row| {
            Ok(FlowVariant {
                operation,
                id: rows::id(row, 0)?,
                flows: rows::decoded(row, 1, decode_flows)?,
                seen: rows::span(row, 2)?,
            })
        })?
        .collect()
}
