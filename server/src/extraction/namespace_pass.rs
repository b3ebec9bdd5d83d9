//! One pass over a file system, from the first step to its entry in the store.
//!
//! Like a pass over a metastore: the source is read by a task of the runtime, every decision and
//! commit is a step on the linking thread, and a pass that goes wrong ends as failed and deletes
//! nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sextant_extractors::pull::hdfs::{Applied, NamespaceError, NamespaceExtractor, WantedFiles};
use sextant_linker::SourceInstance;
use sextant_linker::namespace::{NamespaceEnd, NamespacePass};
use sextant_model::location::FileSystems;
use sextant_model::namespace::{NamespaceStep, NamespaceSummary};
use sextant_model::snapshot::PassProblem;
use sextant_model::{Timestamp, Viewer};
use sextant_store::{Changes, ExtractorRun, PassCounts, Store, StoreError};
use tokio::sync::mpsc::{Receiver, channel};

use super::extractor::failed_run;
use super::wanted_files::{is_wanted, wanted_below};
use crate::clock::now;
use crate::config::ShownFiles;
use crate::linking::{Linker, Stopped};

/// Steps that wait for the linking thread before reading is held up.
const STEPS_AHEAD: usize = 8;
/// How often a long pass says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// Drives one pass.
pub(super) struct NamespaceRunner<'a> {
    pub(super) instance: SourceInstance,
    pub(super) files: ShownFiles,
    pub(super) file_systems: &'a FileSystems,
    pub(super) linker: &'a Linker,
    pub(super) source: Arc<dyn NamespaceExtractor>,
    pub(super) started: Timestamp,
    pub(super) show: &'a (dyn Fn(&'static str, PassCounts) + Sync),
}

/// Why a pass failed.
#[derive(Debug, thiserror::Error)]
enum PassFailure {
    #[error("{}", .0.in_words())]
    Source(NamespaceError),
    #[error("what the pass showed could not be kept: {0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Stopped(#[from] Stopped),
}

impl NamespaceRunner<'_> {
    /// Runs the pass and answers how it ended.
    pub(super) async fn run(self, accept_deletions: bool) -> ExtractorRun {
        (self.show)("looking for a newer image", PassCounts::default());
        let ended = match self.begin().await {
            Ok((pass, wanted)) => self.read_and_link(pass, wanted, accept_deletions).await,
            Err(failure) => Err(failure),
        };
        ended.unwrap_or_else(|failure| failed_run(&self.instance.name, self.started, failure.to_string()))
    }

    async fn begin(&self) -> Result<(NamespacePass, WantedFiles), PassFailure> {
        let (instance, file_systems) = (self.instance.clone(), self.file_systems.clone());
        let (files, started) = (self.files, self.started);
        let begun = self.linker.run(move |store| {
            let wanted = match files {
                ShownFiles::None => WantedFiles::None,
                ShownFiles::All => WantedFiles::All,
                ShownFiles::Referenced => {
                    let referenced = store.referenced_paths(&Viewer::all(), &instance.cluster)?;
                    WantedFiles::Below(wanted_below(&file_systems.prefix_of(&instance.name), referenced))
                }
            };
            Ok::<_, StoreError>((NamespacePass::begin(store, instance, &file_systems, started)?, wanted))
        });
        Ok(begun.await??)
    }

    async fn read_and_link(
        &self,
        pass: NamespacePass,
        wanted: WantedFiles,
        accept_deletions: bool,
    ) -> Result<ExtractorRun, PassFailure> {
        let (steps, arriving) = channel(STEPS_AHEAD);
        let applied = pass.applied().cloned();
        let applied = applied.map(|stamp| Applied { stamp, show_again: pass.shows_again() });
        let reading = self.source.pass(applied, wanted.clone(), steps);
        let linking = self.link_steps(pass, arriving);
        let (read, linked) = tokio::join!(reading, linking);
        let (pass, problems, linked) = linked?;
        // A store that refuses comes first: the source only sees that nobody listens any more.
        match (linked, read) {
            (Err(error), _) => self.fail(pass, PassFailure::Store(error)).await,
            (Ok(()), Err(error)) => self.fail(pass, PassFailure::Source(error)).await,
            (Ok(()), Ok(summary)) => self.finish(pass, summary, problems, wanted, accept_deletions).await,
        }
    }

    /// Takes the steps as they come. Stops taking them when the store refuses.
    async fn link_steps(
        &self,
        mut pass: NamespacePass,
        mut arriving: Receiver<NamespaceStep>,
    ) -> Result<(NamespacePass, Vec<PassProblem>, Result<(), StoreError>), Stopped> {
        let mut problems = Vec::new();
        let mut last_progress = Instant::now();
        while let Some(step) = arriving.recv().await {
            let kept;
            (pass, kept) = match step {
                NamespaceStep::Problem(problem) => {
                    tracing::warn!(phase = "read", "{}", problem.reason);
                    problems.push(problem);
                    continue;
                }
                NamespaceStep::Opened(stamp) => {
                    tracing::info!(
                        phase = "read",
                        origin = stamp.origin,
                        transaction = stamp.transaction,
                        taken = %stamp.taken,
                        "a newer state is read"
                    );
                    self.linker
                        .run(move |store| {
                            let opened = pass.opened(store, stamp);
                            (pass, opened)
                        })
                        .await?
                }
                NamespaceStep::Paths(paths) => {
                    self.linker
                        .run(move |store| {
                            let kept = pass.paths(store, paths).and_then(|changes| commit(store, &changes));
                            (pass, kept)
                        })
                        .await?
                }
            };
            if let Err(error) = kept {
                return Ok((pass, problems, Err(error)));
            }
            (self.show)("reading", pass.counts());
            if last_progress.elapsed() >= PROGRESS_EVERY {
                last_progress = Instant::now();
                let counts = pass.counts();
                let (seen, created, changed) = (counts.seen, counts.created, counts.changed);
                tracing::info!(phase = "read", seen, created, changed, "the pass goes on");
            }
        }
        Ok((pass, problems, Ok(())))
    }

    async fn finish(
        &self,
        pass: NamespacePass,
        summary: NamespaceSummary,
        problems: Vec<PassProblem>,
        wanted: WantedFiles,
        accept_deletions: bool,
    ) -> Result<ExtractorRun, PassFailure> {
        (self.show)("finishing", pass.counts());
        let end = NamespaceEnd { summary, problems, accept_deletions, finished: now() };
        let ended = self
            .linker
            .run(move |store| {
                let changes = pass.finish(store, &|path| is_wanted(&wanted, path), end)?;
                commit(store, &changes)?;
                Ok::<_, StoreError>(changes.run)
            })
            .await??;
        Ok(ended.unwrap_or_else(|| {
            failed_run(&self.instance.name, self.started, "the pass ended without an entry".to_owned())
        }))
    }

    async fn fail(&self, pass: NamespacePass, failure: PassFailure) -> Result<ExtractorRun, PassFailure> {
        let message = failure.to_string();
        let finished = now();
        let run = self
            .linker
            .run(move |store| {
                let changes = pass.fail(message, finished);
                // When even this cannot be kept, the run is still told to whoever waits.
                if let Err(error) = commit(store, &changes) {
                    tracing::error!(error = %error, "the failed pass could not be noted");
                }
                changes.run
            })
            .await?;
        run.ok_or(failure)
    }
}

/// Most steps of a pass change nothing and cost no transaction.
fn commit(store: &dyn Store, changes: &Changes) -> Result<(), StoreError> {
    if *changes == Changes::default() { Ok(()) } else { store.commit(changes).map(|_| ()) }
}
