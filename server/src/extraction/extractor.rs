//! One pull extractor: whose turn it is, what it is doing, what came of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sextant_extractors::pull::hdfs::RefusedImages;
use sextant_linker::SourceInstance;
use sextant_model::Timestamp;
use sextant_store::{Changes, ExtractorRun, PassCounts, RunLog, RunOutcome};
use tracing::Instrument;

use super::metastore_pass::PassRunner;
use super::namespace_pass::NamespaceRunner;
use super::run_log::{self, RunLines};
use super::{Source, Surroundings, open_source};
use crate::clock::now;
use crate::config::ExtractorSettings;

/// How often a failed call is tried again in a run on demand, at most: somebody is waiting.
const RETRIES_ON_DEMAND: u32 = 1;

/// One pull extractor.
pub struct Extractor {
    settings: ExtractorSettings,
    surroundings: Arc<Surroundings>,
    /// Whoever holds it runs.
    turn: tokio::sync::Mutex<()>,
    running: Mutex<Option<Running>>,
    /// The last run of this process: the only trace of one that the store could not keep.
    last: Mutex<Option<ExtractorRun>>,
    /// When the run in progress or the last one began, and what it logs.
    log: Mutex<Option<(Timestamp, Arc<RunLines>)>>,
    /// What scheduled runs do not fetch again.
    refused: Arc<RefusedImages>,
    runs: AtomicU64,
    skipped: AtomicU64,
}

/// A run in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Number of the run since the server started.
    pub run: u64,
    /// When it began.
    pub since: Timestamp,
    /// What it is doing, in words.
    pub phase: &'static str,
    /// What it has seen so far.
    pub counts: PassCounts,
}

impl Extractor {
    pub(super) fn new(settings: ExtractorSettings, surroundings: Arc<Surroundings>) -> Self {
        Self {
            settings,
            surroundings,
            turn: tokio::sync::Mutex::default(),
            running: Mutex::default(),
            last: Mutex::default(),
            log: Mutex::default(),
            refused: Arc::default(),
            runs: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Its configuration.
    pub fn settings(&self) -> &ExtractorSettings {
        &self.settings
    }

    /// The run in progress.
    pub fn running(&self) -> Option<Running> {
        locked(&self.running).clone()
    }

    /// The last run that ended since the server started.
    pub fn last_of_this_process(&self) -> Option<ExtractorRun> {
        locked(&self.last).clone()
    }

    /// What the run that began then logs or logged, if it is the newest of this process; without a
    /// time that of the newest.
    pub fn log_of_this_process(&self, started: Option<Timestamp>) -> Option<RunLog> {
        let (of, lines) = locked(&self.log).clone()?;
        if started.is_some_and(|started| started != of) {
            return None;
        }
        let (lines, dropped) = lines.read();
        Some(RunLog { source: self.name().to_owned(), started: of, lines, dropped })
    }

    /// Scheduled runs that were skipped because one was in progress, since the server started.
    pub fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Runs unless a run is in progress.
    pub(super) async fn run_scheduled(&self) {
        let Ok(_turn) = self.turn.try_lock() else {
            let skipped = self.skipped.fetch_add(1, Ordering::Relaxed) + 1;
            self.surroundings.metrics.run_skipped(self.name());
            tracing::info!(extractor = self.name(), skipped, "a run is still in progress, this one is skipped");
            return;
        };
        self.run(self.settings.retries, false).await;
    }

    /// Waits for a run in progress, then does a whole run and answers how it ended.
    pub async fn run_on_demand(&self, accept_deletions: bool) -> ExtractorRun {
        let _turn = self.turn.lock().await;
        self.refused.forget();
        self.run(self.settings.retries.min(RETRIES_ON_DEMAND), accept_deletions).await
    }

    async fn run(&self, retries: u32, accept_deletions: bool) -> ExtractorRun {
        let number = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        let started = now();
        // Dropped with this future too, when the server goes down in the middle of the run.
        let _running = ShowsRunning::begin(&self.running, number, started);
        let show = |phase: &'static str, counts: PassCounts| {
            if let Some(running) = locked(&self.running).as_mut() {
                (running.phase, running.counts) = (phase, counts);
            }
        };
        // Whatever is logged on the way, the client of the source included, names extractor and run.
        let (span, lines) = run_log::begin(self.name(), number);
        *locked(&self.log) = Some((started, lines));
        let running = async {
            tracing::info!(phase = "start", uri = self.settings.uri, accept_deletions, "pass begins");
            let ended = self.visit(retries, accept_deletions, started, &show).await;
            self.note(&ended);
            self.keep_log().await;
            ended
        };
        running.instrument(span).await
    }

    /// Stores what the run logged. It is worth no failure: the process still has it.
    async fn keep_log(&self) {
        let Some(log) = self.log_of_this_process(None) else {
            return;
        };
        let changes = Changes { run_log: Some(log), ..Changes::default() };
        let kept = self.surroundings.linker.run(move |store| store.commit(&changes).map(drop)).await;
        let failure = match kept {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(stopped) => stopped.to_string(),
        };
        tracing::warn!("what the run logged is not kept: {failure}");
    }

    async fn visit(
        &self,
        retries: u32,
        accept_deletions: bool,
        started: Timestamp,
        show: &(dyn Fn(&'static str, PassCounts) + Sync),
    ) -> ExtractorRun {
        let Surroundings { linker, data_dir, clusters, file_systems, .. } = &*self.surroundings;
        let cluster = clusters.canonical(&self.settings.clusters[0]).to_owned();
        let instance = SourceInstance { name: self.settings.name.clone(), cluster };
        match open_source(&self.settings, retries, data_dir, &self.refused) {
            Ok(Source::Metastore(source)) => {
                let runner = PassRunner { instance, file_systems, linker, source, started, show };
                runner.run(accept_deletions).await
            }
            Ok(Source::FileSystem(source, files)) => {
                let runner = NamespaceRunner { instance, files, file_systems, linker, source, started, show };
                let ended = runner.run(accept_deletions).await;
                let failure = ended.message.as_deref().filter(|_| ended.outcome == RunOutcome::Failed);
                self.refused.pass_ended(failure);
                ended
            }
            Err(error) => failed_run(self.name(), started, error.to_string()),
        }
    }

    fn note(&self, ended: &ExtractorRun) {
        let took_ms = ended.finished.as_millis().saturating_sub(ended.started.as_millis()).max(0);
        let counts = ended.counts;
        let outcome = crate::view::run::outcome_word(ended.outcome);
        let objects_per_second = counts.seen.saturating_mul(1000) / (took_ms.max(1) as u64);
        if ended.outcome == RunOutcome::Failed {
            let message = ended.message.as_deref().unwrap_or("no reason is known");
            tracing::error!(phase = "end", outcome, took_ms, "{message}");
        } else {
            if ended.outcome != RunOutcome::Complete {
                tracing::warn!("{}", crate::view::run::in_words(ended));
            }
            tracing::info!(
                phase = "end",
                outcome,
                took_ms,
                seen = counts.seen,
                created = counts.created,
                changed = counts.changed,
                revived = counts.revived,
                deleted = counts.deleted,
                held = counts.held,
                out_of_scope = counts.out_of_scope,
                failed = counts.failed,
                objects_per_second,
                "pass is over"
            );
        }
        for pattern in &ended.idle_patterns {
            tracing::warn!(pattern, "a pattern matches nothing in the source");
        }
        self.surroundings.metrics.run_ended(self.name(), outcome, took_ms as f64 / 1000.0);
        *locked(&self.last) = Some(ended.clone());
    }
}

/// The entry of a run that failed before a pass could begin.
pub(super) fn failed_run(source: &str, started: Timestamp, message: String) -> ExtractorRun {
    ExtractorRun {
        source: source.to_owned(),
        started,
        finished: now(),
        outcome: RunOutcome::Failed,
        counts: PassCounts::default(),
        message: Some(message),
        problems: Vec::new(),
        idle_patterns: Vec::new(),
        stamp: None,
    }
}

/// Shows a run as long as it lives.
struct ShowsRunning<'a>(&'a Mutex<Option<Running>>);

impl<'a> ShowsRunning<'a> {
    fn begin(place: &'a Mutex<Option<Running>>, run: u64, since: Timestamp) -> Self {
        *locked(place) = Some(Running { run, since, phase: "connecting", counts: PassCounts::default() });
        Self(place)
    }
}

impl Drop for ShowsRunning<'_> {
    fn drop(&mut self) {
        *locked(self.0) = None;
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
