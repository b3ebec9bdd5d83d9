//! One pass over a metastore, from the first step to its entry in the store.

use std::sync::Arc;

use sextant_extractors::pull::PullExtractor;
use sextant_linker::SourceInstance;
use sextant_linker::snapshot::{Pass, PassEnd};
use sextant_model::location::FileSystems;
use sextant_model::snapshot::{Existence, PassProblem, PassStep, PassSummary};
use sextant_model::{ObjectName, Timestamp};
use sextant_store::{ExtractorRun, PassCounts, StoreError};
use tokio::sync::mpsc::{Receiver, channel};

use super::extractor::failed_run;
use super::pass::{PassFailure, ProgressLog, STEPS_AHEAD, commit, fail, finish};
use crate::clock::now;
use crate::linking::{Linker, Stopped};

/// Drives one pass.
pub(super) struct PassRunner<'a> {
    pub(super) instance: SourceInstance,
    pub(super) file_systems: &'a FileSystems,
    pub(super) linker: &'a Linker,
    pub(super) source: Arc<dyn PullExtractor>,
    pub(super) started: Timestamp,
    pub(super) show: &'a (dyn Fn(&'static str, PassCounts) + Sync),
}

impl PassRunner<'_> {
    /// Runs the pass and answers how it ended.
    pub(super) async fn run(self, accept_deletions: bool) -> ExtractorRun {
        let (instance, started) = (self.instance.clone(), self.started);
        let begun = self.linker.run(move |store| Pass::begin(store, instance, started)).await;
        let pass = match begun {
            Ok(Ok(pass)) => pass.with_file_systems(self.file_systems.clone()),
            Ok(Err(error)) => return failed_run(&self.instance.name, started, error.to_string()),
            Err(stopped) => return failed_run(&self.instance.name, started, stopped.to_string()),
        };
        let (steps, arriving) = channel(STEPS_AHEAD);
        let reading = self.source.pass(steps);
        let linking = self.link_steps(pass, arriving);
        let (read, linked) = tokio::join!(reading, linking);
        let (pass, problems, linked) = match linked {
            Ok(linked) => linked,
            Err(stopped) => return failed_run(&self.instance.name, started, stopped.to_string()),
        };
        // A store that refuses comes first: the source only sees that nobody listens any more.
        let ended = match (linked, read) {
            (Err(error), _) => fail(self.linker, PassFailure::Store(error), |message, at| pass.fail(message, at)).await,
            (Ok(()), Err(error)) => {
                fail(self.linker, PassFailure::Source(error.in_words()), |message, at| pass.fail(message, at)).await
            }
            (Ok(()), Ok(summary)) => self.finish(pass, summary, problems, accept_deletions).await,
        };
        ended.unwrap_or_else(|failure| failed_run(&self.instance.name, started, failure.to_string()))
    }

    /// Takes the steps as they come. Stops taking them when the store refuses.
    async fn link_steps(
        &self,
        mut pass: Pass,
        mut arriving: Receiver<PassStep>,
    ) -> Result<(Pass, Vec<PassProblem>, Result<(), StoreError>), Stopped> {
        let mut problems = Vec::new();
        let mut progress = ProgressLog::begin();
        while let Some(step) = arriving.recv().await {
            match step {
                PassStep::Listed(names) => pass.listed(names),
                PassStep::Problem(problem) => {
                    tracing::warn!(
                        phase = "read",
                        object = problem.object.as_ref().map(ToString::to_string),
                        "{}",
                        problem.reason
                    );
                    problems.push(problem);
                }
                PassStep::Objects(objects) => {
                    let (returned, kept) = self
                        .linker
                        .run(move |store| {
                            let kept = pass.objects(store, objects).and_then(|changes| commit(store, &changes));
                            (pass, kept)
                        })
                        .await?;
                    pass = returned;
                    if let Err(error) = kept {
                        return Ok((pass, problems, Err(error)));
                    }
                }
            }
            (self.show)("reading", pass.counts());
            progress.tell(pass.counts());
        }
        Ok((pass, problems, Ok(())))
    }

    async fn finish(
        &self,
        pass: Pass,
        summary: PassSummary,
        problems: Vec<PassProblem>,
        accept_deletions: bool,
    ) -> Result<ExtractorRun, PassFailure> {
        let scope = Arc::clone(&self.source);
        let (pass, vanished, summary) = self
            .linker
            .run(move |_| {
                let vanished = pass.vanished(&summary, &|name| scope.in_scope(name));
                (pass, vanished, summary)
            })
            .await?;
        (self.show)("asking once more for what vanished", pass.counts());
        let confirmed = self.confirm(vanished).await;
        (self.show)("finishing", pass.counts());
        let scope = Arc::clone(&self.source);
        let end = PassEnd { summary, problems, confirmed, accept_deletions, finished: now() };
        finish(self.linker, move |store| pass.finish(store, &|name| scope.in_scope(name), end)).await
    }

    /// Asks once more for every name that vanished. Where the source cannot say, nothing is
    /// deleted.
    async fn confirm(&self, vanished: Vec<ObjectName>) -> Vec<(ObjectName, Existence)> {
        if vanished.is_empty() {
            return Vec::new();
        }
        tracing::info!(phase = "confirm", names = vanished.len(), "asking once more for what the pass did not list");
        match self.source.confirm(vanished.clone()).await {
            Ok(answers) => vanished.into_iter().zip(answers).collect(),
            Err(error) => {
                tracing::warn!(phase = "confirm", "what vanished stays as it is: {}", error.in_words());
                vanished.into_iter().map(|name| (name, Existence::Unknown)).collect()
            }
        }
    }
}
