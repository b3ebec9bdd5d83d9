//! The schema, step by step: every file in `migrations/` is one step and never changes again.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;
use crate::sqlite::connection::explain;

/// The steps of one database, oldest first. Its `user_version` is how many it has taken.
pub(super) struct Schema {
    pub(super) migrations: &'static [&'static str],
}

/// The inbox.
pub(super) const INBOX: Schema = Schema {
    migrations: &[
        include_str!("migrations/inbox/0001_first.sql"),
        include_str!("migrations/inbox/0002_waiting.sql"),
        include_str!("migrations/inbox/0003_stopped.sql"),
    ],
};

/// The facts.
pub(super) const FACTS: Schema = Schema {
    migrations: &[
        include_str!("migrations/facts/0001_first.sql"),
        include_str!("migrations/facts/0002_quarantine_groups.sql"),
        include_str!("migrations/facts/0003_users_by_name.sql"),
        include_str!("migrations/facts/0004_changes_of_entities.sql"),
        include_str!("migrations/facts/0005_run_logs.sql"),
    ],
};

impl Schema {
    /// Takes the steps that are missing, each in a transaction of its own.
    pub(super) fn migrate(&self, connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
        let failed = |error| explain(path, &error);
        let found: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
        let known = self.migrations.len() as u32;
        if found > known {
            return Err(StoreError::NewerSchema { path: path.to_owned(), found, known });
        }
        for (step, sql) in self.migrations.iter().enumerate().skip(found as usize) {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            transaction.execute_batch(sql).map_err(failed)?;
            transaction.pragma_update(None, "user_version", step as u32 + 1).map_err(failed)?;
            transaction.commit().map_err(failed)?;
            tracing::info!(path = %path.display(), version = step + 1, "brought the schema up to date");
        }
        Ok(())
    }
}
