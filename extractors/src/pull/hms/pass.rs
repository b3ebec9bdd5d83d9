//! The way of a pass over a metastore: databases, their names, their objects in batches.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures::stream::{self, StreamExt, TryStreamExt};
use sextant_model::ObjectName;
use sextant_model::snapshot::{PassProblem, PassStep, PassSummary};
use tokio::sync::mpsc::Sender;
use tracing::{debug, info};

use super::extractor::HmsExtractor;
use super::object::{Observation, observe_database};
use super::question::Question;
use super::table_batches::read_tables;
use crate::pull::ExtractError;
use crate::pull::scope::Tally;

/// One pass. Several databases, and several batches of each, are under way at a time; the pool
/// bounds what reaches the metastore.
pub(super) struct Pass<'a> {
    extractor: &'a HmsExtractor,
    steps: Sender<PassStep>,
    notes: Mutex<Notes<'a>>,
}

/// What is noted on the way, for the summary and the log.
struct Notes<'a> {
    tally: Tally<'a>,
    incomplete_databases: Vec<String>,
    listed: usize,
    shown: usize,
    problems: usize,
}

impl<'a> Pass<'a> {
    pub(super) fn new(extractor: &'a HmsExtractor, steps: Sender<PassStep>) -> Self {
        let notes = Notes {
            tally: Tally::new(&extractor.scope),
            incomplete_databases: Vec::new(),
            listed: 0,
            shown: 0,
            problems: 0,
        };
        Self { extractor, steps, notes: Mutex::new(notes) }
    }

    pub(super) async fn run(self) -> Result<PassSummary, ExtractError> {
        let started = Instant::now();
        let asked_before = self.extractor.pool.asked();
        let databases = self.databases_in_scope().await?;
        info!(phase = "databases", in_scope = databases.len(), "the metastore's databases are listed");
        let visits = stream::iter(databases).map(|database| self.visit_database(database));
        visits.buffer_unordered(self.extractor.concurrency).try_collect::<()>().await?;

        let notes = self.notes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let seconds = started.elapsed().as_secs_f64();
        info!(
            phase = "done",
            listed = notes.listed,
            shown = notes.shown,
            problems = notes.problems,
            requests = self.extractor.pool.asked() - asked_before,
            seconds,
            objects_per_second = (notes.shown as f64 / seconds.max(0.001)).round(),
            "the pass over the metastore is complete"
        );
        let mut incomplete_databases = notes.incomplete_databases;
        incomplete_databases.sort_unstable();
        Ok(PassSummary { incomplete_databases, idle_patterns: notes.tally.idle_patterns() })
    }

    /// The databases as the metastore spells them, each once.
    async fn databases_in_scope(&self) -> Result<Vec<String>, ExtractError> {
        let mut databases = self.extractor.pool.ask(&Question::all_databases()).await?.to_texts();
        databases.sort_unstable();
        databases.dedup_by_key(|database| database.to_lowercase());
        let mut notes = self.notes();
        databases.retain(|database| notes.tally.contains(&ObjectName::database(database)));
        Ok(databases)
    }

    /// The names of a database, then its objects.
    async fn visit_database(&self, database: String) -> Result<(), ExtractError> {
        let name = ObjectName::database(&database);
        let observation = match self.extractor.pool.ask(&Question::database(&database)).await {
            Ok(record) => Some(observe_database(&record, &database)),
            Err(ExtractError::NoSuchObject { .. }) => {
                return self.problem(name, "vanished during the pass".to_owned()).await;
            }
            Err(error) => {
                self.extractor.pool.end_if_unreachable(&error).await?;
                self.problem(name.clone(), error.in_words()).await?;
                None
            }
        };
        let tables = match self.extractor.pool.ask(&Question::all_tables(&database)).await {
            Ok(names) => self.tables_in_scope(&database, names.to_texts()),
            Err(error) => {
                self.extractor.pool.end_if_unreachable(&error).await?;
                let reason = format!("its tables could not be listed: {}", error.in_words());
                self.problem(name.clone(), reason).await?;
                self.notes().incomplete_databases.push(name.database.clone());
                Vec::new()
            }
        };
        let relations = tables.iter().map(|table| ObjectName::relation(&database, table));
        let listed: Vec<_> = std::iter::once(name).chain(relations).collect();
        self.notes().listed += listed.len();
        self.send(PassStep::Listed(listed)).await?;
        self.show(observation.into_iter().collect()).await?;

        let batches = tables.chunks(self.extractor.batch_size);
        let visits: Vec<_> = batches.map(|batch| self.visit_batch(&database, batch)).collect();
        stream::iter(visits).buffer_unordered(self.extractor.concurrency).try_collect::<()>().await?;
        debug!(phase = "tables", database, tables = tables.len(), "a database is read");
        Ok(())
    }

    /// The tables as the metastore spells them, each once.
    fn tables_in_scope(&self, database: &str, mut tables: Vec<String>) -> Vec<String> {
        tables.sort_unstable();
        tables.dedup_by_key(|table| table.to_lowercase());
        let mut notes = self.notes();
        tables.retain(|table| notes.tally.contains(&ObjectName::relation(database, table)));
        tables
    }

    async fn visit_batch(&self, database: &str, tables: &[String]) -> Result<(), ExtractError> {
        let read = read_tables(&self.extractor.pool, database, tables).await?;
        let partitions = &self.extractor.partitions;
        let observations =
            stream::iter(read.observations).map(|observation| partitions.add(&self.extractor.pool, observation));
        let observations = observations.buffer_unordered(self.extractor.concurrency).try_collect().await?;
        self.show(observations).await?;
        for problem in read.problems {
            self.report(problem).await?;
        }
        Ok(())
    }

    /// Sends objects, and what of them could not be kept as it is.
    async fn show(&self, observations: Vec<Observation>) -> Result<(), ExtractError> {
        if observations.is_empty() {
            return Ok(());
        }
        let mut objects = Vec::with_capacity(observations.len());
        let mut problems = Vec::new();
        for observation in observations {
            for reason in observation.remarks {
                problems.push(PassProblem { object: Some(observation.object.name.clone()), reason });
            }
            objects.push(observation.object);
        }
        self.notes().shown += objects.len();
        self.send(PassStep::Objects(objects)).await?;
        for problem in problems {
            self.report(problem).await?;
        }
        Ok(())
    }

    async fn problem(&self, object: ObjectName, reason: String) -> Result<(), ExtractError> {
        self.report(PassProblem { object: Some(object), reason }).await
    }

    async fn report(&self, problem: PassProblem) -> Result<(), ExtractError> {
        let object = problem.object.as_ref().map(ToString::to_string);
        debug!(object, reason = problem.reason, "an object could not be read whole");
        self.notes().problems += 1;
        self.send(PassStep::Problem(problem)).await
    }

    async fn send(&self, step: PassStep) -> Result<(), ExtractError> {
        self.steps.send(step).await.map_err(|_| ExtractError::Abandoned)
    }

    fn notes(&self) -> MutexGuard<'_, Notes<'a>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
