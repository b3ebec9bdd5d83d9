//! What could not be read: into the quarantine and out of it.

use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use sextant_model::EntityId;
use sextant_model::problem::ProblemKind;

use super::Commit;
use super::touched::{Counted, Tally};
use crate::sqlite::codec::pack;
use crate::sqlite::reads::quarantine::{Condition, kind};
use crate::{QuarantineFilter, Quarantined};

impl Commit<'_> {
    pub(super) fn release_quarantined(&mut self, released: &[EntityId]) -> rusqlite::Result<()> {
        let mut delete = self.connection.prepare_cached("DELETE FROM quarantined WHERE id = ?1 RETURNING kind")?;
        for id in released {
            let kind: Option<String> = delete.query_row([id.as_bytes()], |row| row.get(0)).optional()?;
            if let Some(kind) = kind.as_deref().and_then(ProblemKind::from_word) {
                self.tally.add(Counted::Quarantined, kind.as_str(), -1);
            }
        }
        Ok(())
    }

    pub(super) fn write_quarantined(&mut self, quarantined: &[Quarantined]) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO quarantined
             (id, host, generation, file, format, cluster, kind, reason, offset, length, received, bytes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING",
        )?;
        for stretch in quarantined {
            let is_new = insert.execute(params![
                stretch.id.as_bytes(),
                stretch.host,
                stretch.generation,
                stretch.file,
                stretch.format,
                stretch.cluster,
                stretch.problem.kind.as_str(),
                stretch.problem.reason,
                stretch.problem.offset as i64,
                stretch.problem.length as i64,
                stretch.received.as_millis(),
                pack(&stretch.bytes),
            ])? == 1;
            if is_new {
                self.tally.add(Counted::Quarantined, stretch.problem.kind.as_str(), 1);
            }
        }
        Ok(())
    }
}

/// Forgets what a filter lets through, and answers how many there were.
pub(in crate::sqlite) fn drop_quarantined(connection: &Connection, filter: &QuarantineFilter) -> rusqlite::Result<u64> {
    let Condition { sql, values } = Condition::of(filter);
    let mut delete = connection.prepare_cached(&format!("DELETE FROM quarantined WHERE {sql} RETURNING kind"))?;
    let mut deleted = delete.query(params_from_iter(values))?;
    let mut tally = Tally::default();
    let mut dropped = 0;
    while let Some(row) = deleted.next()? {
        tally.add(Counted::Quarantined, kind(row, 0)?.as_str(), -1);
        dropped += 1;
    }
    tally.write(connection)?;
    Ok(dropped)
}
