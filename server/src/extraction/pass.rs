//! What a pass over a metastore and one over a file system have in common.
//!
//! The source is read by a task of the runtime; every decision and commit is a step on the
//! linking thread. Whatever goes wrong on the way, the pass then ends as failed and deletes
//! nothing.

use std::time::{Duration, Instant};

use sextant_model::Timestamp;
use sextant_store::{Changes, ExtractorRun, PassCounts, Store, StoreError};

use crate::clock::now;
use crate::linking::{Linker, Stopped};

/// Steps that wait for the linking thread before the source is held up.
pub(super) const STEPS_AHEAD: usize = 8;
/// How often a long pass says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// Why a pass failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum PassFailure {
    /// What the source said, in words.
    #[error("{0}")]
    Source(String),
    #[error("what the pass showed could not be kept: {0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Stopped(#[from] Stopped),
    #[error("the pass ended without an entry")]
    WithoutEntry,
}

/// Says now and then how far a pass is.
pub(super) struct ProgressLog(Instant);

impl ProgressLog {
    pub(super) fn begin() -> Self {
        Self(Instant::now())
    }

    pub(super) fn tell(&mut self, counts: PassCounts) {
        if self.0.elapsed() >= PROGRESS_EVERY {
            self.0 = Instant::now();
            let PassCounts { seen, created, changed, .. } = counts;
            tracing::info!(phase = "read", seen, created, changed, "the pass goes on");
        }
    }
}

/// Most steps of a pass change nothing and cost no transaction.
pub(super) fn commit(store: &dyn Store, changes: &Changes) -> Result<(), StoreError> {
    if *changes == Changes::default() { Ok(()) } else { store.commit(changes).map(|_| ()) }
}

/// Commits what the end of a pass changes and answers its entry.
pub(super) async fn finish(
    linker: &Linker,
    end: impl FnOnce(&dyn Store) -> Result<Changes, StoreError> + Send + 'static,
) -> Result<ExtractorRun, PassFailure> {
    let ended = linker.run(move |store| {
        let changes = end(store)?;
        commit(store, &changes)?;
        Ok::<_, StoreError>(changes.run)
    });
    ended.await??.ok_or(PassFailure::WithoutEntry)
}

/// Notes a pass that failed, as `end` makes it of the message and the time, and answers its entry.
pub(super) async fn fail(
    linker: &Linker,
    failure: PassFailure,
    end: impl FnOnce(String, Timestamp) -> Changes + Send + 'static,
) -> Result<ExtractorRun, PassFailure> {
    let message = failure.to_string();
    let finished = now();
    let run = linker
        .run(move |store| {
            let changes = end(message, finished);
            // When even this cannot be kept, the run is still told to whoever waits.
            if let Err(error) = commit(store, &changes) {
                tracing::error!(error = %error, "the failed pass could not be noted");
            }
            changes.run
        })
        .await?;
    run.ok_or(failure)
}
