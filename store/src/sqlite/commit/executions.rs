//! Executions: each once, however often its record arrives.

use rusqlite::params;

use sextant_model::Timestamp;
use sextant_model::feed::{Subject, What};
use sextant_model::operation::{Evidence, Execution};

use super::Commit;
use super::touched::Counted;
use crate::sqlite::codec::{encode_job_ids, encode_table_created};
use crate::sqlite::rows;

/// The parts of a stored execution that a second copy of its record may change.
struct StoredExecution {
    key: i64,
    operation: i64,
    time: Timestamp,
    started: Option<Timestamp>,
    ended: Option<Timestamp>,
    received: Timestamp,
    evidence: Evidence,
}

impl Commit<'_> {
    pub(super) fn write_executions(&mut self, executions: &[Execution]) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO execution (operation, time, id, text, variant, user, started, ended, received, query_id,
             engine, job_ids, table_created, file, offset)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
             ON CONFLICT DO NOTHING",
        )?;
        // The index by id is by far the largest; in its order every page of it is visited once.
        let mut in_order: Vec<&Execution> = executions.iter().collect();
        in_order.sort_by_key(|execution| execution.id);
        for execution in in_order {
            let operation = self.interned.operation(self.connection, execution.operation)?;
            let (text, _) = self.interned.text(self.connection, execution.text)?;
            let variant = match execution.variant {
                Some(variant) => Some(self.interned.variant(self.connection, operation, variant)?.0),
                None => None,
            };
            let mut table_created = Vec::with_capacity(execution.table_created.len());
            for (table, created) in &execution.table_created {
                table_created.push((self.interned.word(self.connection, table)?, *created));
            }
            let is_new = insert.execute(params![
                operation,
                execution.time().as_millis(),
                execution.id.as_bytes(),
                text,
                variant,
                self.interned.optional_word(self.connection, execution.user.as_deref())?,
                execution.started.map(Timestamp::as_millis),
                execution.ended.map(Timestamp::as_millis),
                execution.received.as_millis(),
                execution.query_id,
                self.interned.optional_word(self.connection, execution.engine.as_deref())?,
                encode_job_ids(&execution.job_ids),
                encode_table_created(&table_created),
                self.interned.file(self.connection, &execution.evidence.host, &execution.evidence.file)?,
                execution.evidence.offset as i64,
            ])? == 1;
            if is_new {
                self.operations.new_execution(operation, execution.time(), execution.id);
                self.told.push((Subject::Execution, execution.id, What::Created));
                self.new_executions += 1;
            } else {
                self.merge_execution(execution)?;
            }
        }
        self.tally.add(Counted::Executions, "", self.new_executions as i64);
        Ok(())
    }

    fn merge_execution(&mut self, copy: &Execution) -> rusqlite::Result<()> {
        let stored = self
            .connection
            .prepare_cached(
                "SELECT execution.key, operation, time, started, ended, received, host.text, path, offset FROM execution
                 JOIN spool_file ON spool_file.key = execution.file JOIN word AS host ON host.key = spool_file.host
                 WHERE execution.id = ?1",
            )?
            .query_row([copy.id.as_bytes()], |row| {
                Ok(StoredExecution {
                    key: row.get(0)?,
                    operation: row.get(1)?,
                    time: rows::time(row, 2)?,
                    started: rows::optional_time(row, 3)?,
                    ended: rows::optional_time(row, 4)?,
                    received: rows::time(row, 5)?,
                    evidence: Evidence {
                        host: row.get(6)?,
                        file: row.get(7)?,
                        offset: row.get::<_, i64>(8)? as u64,
                    },
                })
            })?;
        let received = stored.received.min(copy.received);
        let evidence = (&stored.evidence).min(&copy.evidence);
        if received == stored.received && *evidence == stored.evidence {
            return Ok(());
        }
        let time = stored.ended.or(stored.started).unwrap_or(received);
        let file = self.interned.file(self.connection, &evidence.host, &evidence.file)?;
        self.connection
            .prepare_cached("UPDATE execution SET time = ?2, received = ?3, file = ?4, offset = ?5 WHERE key = ?1")?
            .execute([stored.key, time.as_millis(), received.as_millis(), file, evidence.offset as i64])?;
        if time != stored.time {
            self.operations.moved_execution(stored.operation);
        }
        self.told.push((Subject::Execution, copy.id, What::Changed));
        Ok(())
    }
}
