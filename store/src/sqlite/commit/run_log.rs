//! What a run logged.

use rusqlite::params;

use super::Commit;
use super::intake::json;
use crate::sqlite::codec::pack;
use crate::{KEPT_RUN_LOGS, RunLog};

impl Commit<'_> {
    pub(super) fn write_run_log(&mut self, log: Option<&RunLog>) -> rusqlite::Result<()> {
        let Some(log) = log else {
            return Ok(());
        };
        let lines = pack(json(&log.lines)?.as_bytes());
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO run_log (source, started, dropped, lines) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![log.source, log.started.as_millis(), log.dropped as i64, lines])?;
        self.connection
            .prepare_cached(
                "DELETE FROM run_log WHERE source = ?1 AND started <= (SELECT started FROM run_log WHERE source = ?1
                 ORDER BY started DESC LIMIT 1 OFFSET ?2)",
            )?
            .execute(params![log.source, KEPT_RUN_LOGS as i64])?;
        Ok(())
    }
}
