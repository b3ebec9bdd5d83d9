//! One pass over a file system, from the first step to its entry in the store.

use std::sync::Arc;

use sextant_extractors::pull::hdfs::{Applied, NamespaceExtractor, WantedFiles};
use sextant_linker::SourceInstance;
use sextant_linker::namespace::{NamespaceEnd, NamespacePass};
use sextant_model::location::FileSystems;
use sextant_model::namespace::{NamespaceStep, NamespaceSummary};
use sextant_model::snapshot::PassProblem;
use sextant_model::{Timestamp, Viewer};
use sextant_store::{ExtractorRun, PassCounts, StoreError};
use tokio::sync::mpsc::{Receiver, channel};

use super::extractor::failed_run;
use super::pass::{PassFailure, ProgressLog, STEPS_AHEAD, commit, fail, finish};
use super::wanted_files::{is_wanted, wanted_below};
use crate::clock::now;
use crate::config::ShownFiles;
use crate::linking::{Linker, Stopped};

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
            (Err(error), _) => fail(self.linker, PassFailure::Store(error), |message, at| pass.fail(message, at)).await,
            (Ok(()), Err(error)) => {
                fail(self.linker, PassFailure::Source(error.in_words()), |message, at| pass.fail(message, at)).await
            }
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
        let mut progress = ProgressLog::begin();
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
            progress.tell(pass.counts());
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
        finish(self.linker, move |store| pass.finish(store, &|path| is_wanted(&wanted, path), end)).await
    }
}
