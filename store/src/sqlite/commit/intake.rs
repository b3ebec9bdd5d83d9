//! What came in: how far the inbox is dealt with, what is unfinished, and how passes ended.

use rusqlite::params;

use sextant_model::ObjectName;

use super::Commit;
use crate::sqlite::codec::pack;
use crate::{Carry, ExtractorRun, RunOutcome};

impl Commit<'_> {
    pub(super) fn write_carries(&mut self, carries: &[Carry]) -> rusqlite::Result<()> {
        for carry in carries {
            if carry.bytes.is_empty() {
                self.connection
                    .prepare_cached("DELETE FROM carry WHERE host = ?1 AND generation = ?2")?
                    .execute([&carry.host, &carry.generation])?;
            } else {
                self.connection
                    .prepare_cached(
                        "INSERT OR REPLACE INTO carry (host, generation, offset, bytes) VALUES (?1, ?2, ?3, ?4)",
                    )?
                    .execute(params![carry.host, carry.generation, carry.offset as i64, pack(&carry.bytes)])?;
            }
        }
        Ok(())
    }

    pub(super) fn write_held(&mut self, held: Option<&(String, Vec<ObjectName>)>) -> rusqlite::Result<()> {
        let Some((source, names)) = held else {
            return Ok(());
        };
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO held (source, names) VALUES (?1, ?2)")?
            .execute([source, &json(names)?])?;
        Ok(())
    }

    pub(super) fn write_run(&mut self, run: Option<&ExtractorRun>) -> rusqlite::Result<()> {
        let Some(run) = run else {
            return Ok(());
        };
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO run (source, started, complete, document) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![run.source, run.started.as_millis(), run.outcome == RunOutcome::Complete, json(run)?])?;
        Ok(())
    }

    pub(super) fn write_inbox_position(&mut self, position: Option<u64>) -> rusqlite::Result<()> {
        if let Some(position) = position {
            // It never goes back: a commit that is repeated is one that was there before.
            self.connection
                .prepare_cached("UPDATE progress SET inbox_position = max(inbox_position, ?1)")?
                .execute([position as i64])?;
        }
        Ok(())
    }
}

pub(super) fn json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
