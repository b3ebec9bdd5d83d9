//! When pull extractors run: once at start, by their schedule, and on demand.
//!
//! One extractor never runs twice at a time. A scheduled run that finds one in progress is
//! skipped and counted; a run on demand waits for the one in progress and then does a whole run
//! of its own, so that it shows what the source had after it was asked for.

mod extractor;
mod locations;
mod metastore_pass;
mod namespace_pass;
mod pass;
mod run_log;
mod source;
#[cfg(test)]
mod tests;
mod wanted_files;

use std::path::PathBuf;
use std::sync::Arc;

use sextant_extractors::pull::hdfs::{NamespaceError, remove_left_images};
use sextant_model::Timestamp;
use sextant_model::location::FileSystems;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};

use crate::clusters::Clusters;
use crate::config::Config;
use crate::linking::Linker;
use crate::metrics::Metrics;
pub use extractor::{Extractor, Running};
pub use run_log::KeepsRunLines;
pub use source::{Source, SourceError, images_directory, open as open_source};

/// What every extractor works with.
struct Surroundings {
    linker: Arc<Linker>,
    metrics: Arc<Metrics>,
    /// Fetched images lie in it during a pass.
    data_dir: PathBuf,
    clusters: Clusters,
    file_systems: FileSystems,
}

/// All configured pull extractors.
pub struct Extraction {
    surroundings: Arc<Surroundings>,
    extractors: Vec<Arc<Extractor>>,
    jobs: Vec<Job>,
    scheduler: tokio::sync::Mutex<JobScheduler>,
}

/// Why extraction cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ExtractionError {
    /// A source that cannot be opened as it is configured.
    #[error("extractor {extractor}: {source}")]
    Source {
        /// The extractor.
        extractor: String,
        /// What is wrong.
        source: SourceError,
    },
    /// Images that a process left behind when it was killed are in the way.
    #[error("{}", .0.in_words())]
    LeftImages(NamespaceError),
    /// The scheduler does not work.
    #[error("cannot schedule the extractors: {0}")]
    Scheduler(#[from] JobSchedulerError),
}

impl Extraction {
    /// Prepares the extractors. Nothing runs before [`Self::start`].
    pub async fn prepare(
        config: &Config,
        clusters: &Clusters,
        linker: &Arc<Linker>,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, ExtractionError> {
        let data_dir = &config.server.data_dir;
        remove_left_images(&images_directory(data_dir)).map_err(ExtractionError::LeftImages)?;
        let surroundings = Arc::new(Surroundings {
            linker: Arc::clone(linker),
            metrics: Arc::clone(metrics),
            data_dir: data_dir.clone(),
            clusters: clusters.clone(),
            file_systems: config.file_systems(clusters),
        });
        let mut extractors = Vec::new();
        let mut jobs = Vec::new();
        for settings in &config.extractors {
            open_source(settings, settings.retries, data_dir, &Arc::default())
                .map_err(|source| ExtractionError::Source { extractor: settings.name.clone(), source })?;
            let extractor = Arc::new(Extractor::new(settings.clone(), Arc::clone(&surroundings)));
            let scheduled = Arc::clone(&extractor);
            jobs.push(Job::new_async(settings.schedule.as_str(), move |_, _| {
                let scheduled = Arc::clone(&scheduled);
                Box::pin(async move { scheduled.run_scheduled().await })
            })?);
            extractors.push(extractor);
        }
        Ok(Self { surroundings, extractors, jobs, scheduler: tokio::sync::Mutex::new(JobScheduler::new().await?) })
    }

    /// Runs every extractor once and then by its schedule.
    pub async fn start(&self) -> Result<(), ExtractionError> {
        let scheduler = self.scheduler.lock().await;
        for job in &self.jobs {
            scheduler.add(job.clone()).await?;
        }
        scheduler.start().await?;
        let surroundings = Arc::clone(&self.surroundings);
        let extractors = self.extractors.clone();
        tokio::spawn(async move {
            locations::name_anew(&surroundings.linker, &surroundings.file_systems).await;
            for extractor in extractors {
                tokio::spawn(async move { extractor.run_scheduled().await });
            }
        });
        Ok(())
    }

    /// Ends the schedule. A run in progress is abandoned by whoever ends the runtime; it deletes
    /// nothing.
    pub async fn stop(&self) {
        if let Err(error) = self.scheduler.lock().await.shutdown().await {
            tracing::debug!(error = %error, "the scheduler did not end by itself");
        }
    }

    /// Every extractor, in the order of the configuration.
    pub fn extractors(&self) -> &[Arc<Extractor>] {
        &self.extractors
    }

    /// The extractor of that name.
    pub fn extractor(&self, name: &str) -> Option<&Arc<Extractor>> {
        self.extractors.iter().find(|extractor| extractor.name() == name)
    }

    /// When an extractor runs next by its schedule.
    pub async fn next_run(&self, name: &str) -> Option<Timestamp> {
        let position = self.extractors.iter().position(|extractor| extractor.name() == name)?;
        let mut scheduler = self.scheduler.lock().await;
        let next = scheduler.next_tick_for_job(self.jobs[position].guid()).await.ok()??;
        Some(Timestamp::from_millis(next.timestamp_millis()))
    }
}
