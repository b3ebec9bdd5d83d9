//! The way of a pass over a metastore.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures::future::BoxFuture;
use futures::stream::{self, StreamExt, TryStreamExt};
use sextant_model::ObjectName;
use sextant_model::snapshot::{Existence, PassProblem, PassStep, PassSummary};
use tokio::sync::mpsc::Sender;
use tracing::{debug, info, warn};

use super::client::{Dial, Endpoint};
use super::object::{Observation, is_partitioned, observe_database};
use super::partition::observe_partitions;
use super::pool::Pool;
use super::question::Question;
use super::table_batches::read_tables;
use super::thrift::Value;
use super::thrift::transport::Framing;
use super::{HmsConfig, PartitionDetail};
use crate::pull::scope::{Scope, Tally};
use crate::pull::{ExtractError, PullExtractor};

/// The partitions of a table with more are not read one by one.
const MAX_PARTITIONS_PER_TABLE: usize = 100_000;

/// Reads a Hive Metastore.
#[derive(Debug)]
pub struct HmsExtractor {
    scope: Scope,
    pool: Pool,
    partitions: PartitionDetail,
    batch_size: usize,
    concurrency: usize,
}

impl HmsExtractor {
    /// Checks addresses and patterns; connects to nothing yet.
    pub fn new(config: &HmsConfig) -> Result<Self, ExtractError> {
        let uris = config.uris.iter().flat_map(|uris| uris.split(','));
        let uris = uris.map(str::trim).filter(|uri| !uri.is_empty());
        let endpoints = uris.map(Endpoint::read).collect::<Result<Vec<_>, _>>()?;
        if endpoints.is_empty() {
            return Err(ExtractError::NoUri);
        }
        let dial = Dial {
            framing: if config.framed {
                Framing::Framed
            } else {
                Framing::Buffered
            },
            connect_timeout: config.connect_timeout,
            call_timeout: config.call_timeout,
        };
        let in_flight = config.max_in_flight.unwrap_or(config.connections);
        let concurrency = config.connections.min(in_flight).max(1);
        Ok(Self {
            scope: Scope::new(&config.include, &config.exclude)?,
            pool: Pool::new(
                endpoints,
                dial,
                concurrency,
                config.max_requests_per_second,
                config.retries,
            ),
            partitions: config.partitions,
            batch_size: config.batch_size.max(1),
            concurrency,
        })
    }

    async fn confirm_one(&self, name: ObjectName) -> Result<Existence, ExtractError> {
        let question = match &name.relation {
            Some(relation) => Question::table(&name.database, relation),
            None => Question::database(&name.database),
        };
        match self.pool.ask(&question).await {
            Ok(_) => Ok(Existence::There),
            Err(ExtractError::NoSuchObject { .. }) => Ok(Existence::Gone),
            Err(error) => {
                if error.is_transport() {
                    self.pool.check_alive().await?;
                }
                debug!(object = %name, error = error.in_words(), "existence is unknown");
                Ok(Existence::Unknown)
            }
        }
    }
}

impl PullExtractor for HmsExtractor {
    fn pass(&self, steps: Sender<PassStep>) -> BoxFuture<'_, Result<PassSummary, ExtractError>> {
        Box::pin(async move {
            let _closing = CloseIdle(&self.pool);
            Pass::new(self, steps).run().await
        })
    }

    fn confirm(
        &self,
        names: Vec<ObjectName>,
    ) -> BoxFuture<'_, Result<Vec<Existence>, ExtractError>> {
        Box::pin(async move {
            let _closing = CloseIdle(&self.pool);
            let asked = stream::iter(names).map(|name| self.confirm_one(name));
            asked.buffered(self.concurrency).try_collect().await
        })
    }

    fn in_scope(&self, name: &ObjectName) -> bool {
        self.scope.contains(name)
    }
}

/// Closes the idle connections at the end, however it comes.
struct CloseIdle<'a>(&'a Pool);

impl Drop for CloseIdle<'_> {
    fn drop(&mut self) {
        self.0.close_idle();
    }
}

/// One pass. Several databases, and several batches of each, are under way at a time; the pool
/// bounds what reaches the metastore.
struct Pass<'a> {
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
    fn new(extractor: &'a HmsExtractor, steps: Sender<PassStep>) -> Self {
        let notes = Notes {
            tally: Tally::new(&extractor.scope),
            incomplete_databases: Vec::new(),
            listed: 0,
            shown: 0,
            problems: 0,
        };
        Self {
            extractor,
            steps,
            notes: Mutex::new(notes),
        }
    }

    async fn run(self) -> Result<PassSummary, ExtractError> {
        let started = Instant::now();
        let asked_before = self.extractor.pool.asked();
        let databases = self.databases_in_scope().await?;
        info!(
            phase = "databases",
            in_scope = databases.len(),
            "the metastore's databases are listed"
        );
        let visits = stream::iter(databases).map(|database| self.visit_database(database));
        visits
            .buffer_unordered(self.extractor.concurrency)
            .try_collect::<()>()
            .await?;

        let notes = self
            .notes
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
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
        Ok(PassSummary {
            incomplete_databases,
            idle_patterns: notes.tally.idle_patterns(),
        })
    }

    async fn databases_in_scope(&self) -> Result<Vec<String>, ExtractError> {
        let mut databases = texts_in(&self.extractor.pool.ask(&Question::all_databases()).await?);
        databases.sort_unstable();
        let mut notes = self.notes();
        databases.retain(|database| notes.tally.contains(&ObjectName::database(database)));
        Ok(databases)
    }

    /// The names of a database, then its objects.
    async fn visit_database(&self, database: String) -> Result<(), ExtractError> {
        let name = ObjectName::database(&database);
        let observation = match self
            .extractor
            .pool
            .ask(&Question::database(&database))
            .await
        {
            Ok(record) => Some(observe_database(&record, &database)),
            Err(ExtractError::NoSuchObject { .. }) => {
                return self
                    .problem(name, "vanished during the pass".to_owned())
                    .await;
            }
            Err(error) => {
                self.end_if_unreachable(&error).await?;
                self.problem(name.clone(), error.in_words()).await?;
                None
            }
        };
        let tables = match self
            .extractor
            .pool
            .ask(&Question::all_tables(&database))
            .await
        {
            Ok(names) => self.tables_in_scope(&database, texts_in(&names)),
            Err(error) => {
                self.end_if_unreachable(&error).await?;
                let reason = format!("its tables could not be listed: {}", error.in_words());
                self.problem(name.clone(), reason).await?;
                self.notes()
                    .incomplete_databases
                    .push(name.database.clone());
                Vec::new()
            }
        };
        let relations = tables
            .iter()
            .map(|table| ObjectName::relation(&database, table));
        let listed: Vec<_> = std::iter::once(name).chain(relations).collect();
        self.notes().listed += listed.len();
        self.send(PassStep::Listed(listed)).await?;
        self.show(observation.into_iter().collect()).await?;

        let batches = tables.chunks(self.extractor.batch_size);
        let visits: Vec<_> = batches
            .map(|batch| self.visit_batch(&database, batch))
            .collect();
        stream::iter(visits)
            .buffer_unordered(self.extractor.concurrency)
            .try_collect::<()>()
            .await?;
        debug!(
            phase = "tables",
            database,
            tables = tables.len(),
            "a database is read"
        );
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
        let observations =
            stream::iter(read.observations).map(|observation| self.with_partitions(observation));
        let observations = observations
            .buffer_unordered(self.extractor.concurrency)
            .try_collect()
            .await?;
        self.show(observations).await?;
        for problem in read.problems {
            self.report(problem).await?;
        }
        Ok(())
    }

    /// Adds what is asked about partitions. What cannot be answered becomes a remark.
    async fn with_partitions(
        &self,
        mut observation: Observation,
    ) -> Result<Observation, ExtractError> {
        if self.extractor.partitions == PartitionDetail::None
            || !is_partitioned(&observation.object)
        {
            return Ok(observation);
        }
        let asked = match self.extractor.partitions {
            PartitionDetail::All => self.read_partitions(&mut observation).await,
            _ => self.count_partitions(&mut observation).await,
        };
        if let Err(error) = asked {
            self.end_if_unreachable(&error).await?;
            observation.remarks.push(format!(
                "its partitions could not be read: {}",
                error.in_words()
            ));
        }
        Ok(observation)
    }

    async fn count_partitions(&self, observation: &mut Observation) -> Result<(), ExtractError> {
        let name = &observation.object.name;
        let question = Question::partition_count(&name.database, name.last_part());
        let count = match self.extractor.pool.ask(&question).await? {
            Value::I32(count) => i64::from(count),
            names => names.as_list().unwrap_or_default().len() as i64,
        };
        observation
            .object
            .properties
            .insert("partitionCount".to_owned(), count.into());
        Ok(())
    }

    async fn read_partitions(&self, observation: &mut Observation) -> Result<(), ExtractError> {
        let pool = &self.extractor.pool;
        let ObjectName { database, .. } = observation.object.name.clone();
        let table = observation.object.name.last_part().to_owned();
        let names = texts_in(
            &pool
                .ask(&Question::partition_names(&database, &table))
                .await?,
        );
        observation
            .object
            .properties
            .insert("partitionCount".to_owned(), names.len().into());
        if names.len() > MAX_PARTITIONS_PER_TABLE {
            observation.remarks.push(format!(
                "its {} partitions were counted, not read: more than {MAX_PARTITIONS_PER_TABLE}",
                names.len()
            ));
            return Ok(());
        }
        let mut partitions = Vec::new();
        for batch in names.chunks(self.extractor.batch_size) {
            let records = pool
                .ask(&Question::partitions(&database, &table, batch))
                .await?;
            let records = records.as_list().unwrap_or_default();
            let observed = observe_partitions(records, batch);
            let nameless = records.len() - observed.len();
            if nameless > 0 {
                observation.remarks.push(format!(
                    "{nameless} partitions fit none of the listed names"
                ));
            }
            partitions.extend(observed);
        }
        partitions.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        observation.object.partitions = Some(partitions);
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
                problems.push(PassProblem {
                    object: Some(observation.object.name.clone()),
                    reason,
                });
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
        self.report(PassProblem {
            object: Some(object),
            reason,
        })
        .await
    }

    async fn report(&self, problem: PassProblem) -> Result<(), ExtractError> {
        let object = problem.object.as_ref().map(ToString::to_string);
        warn!(
            object,
            reason = problem.reason,
            "an object could not be read whole"
        );
        self.notes().problems += 1;
        self.send(PassStep::Problem(problem)).await
    }

    async fn send(&self, step: PassStep) -> Result<(), ExtractError> {
        self.steps
            .send(step)
            .await
            .map_err(|_| ExtractError::Abandoned)
    }

    /// Ends the pass if not this question but the metastore is at fault.
    async fn end_if_unreachable(&self, error: &ExtractError) -> Result<(), ExtractError> {
        if error.is_transport() {
            self.extractor.pool.check_alive().await
        } else {
            Ok(())
        }
    }

    fn notes(&self) -> MutexGuard<'_, Notes<'a>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn texts_in(names: &Value) -> Vec<String> {
    let names = names.as_list().unwrap_or_default();
    names
        .iter()
        .filter_map(Value::as_text)
        .map(Cow::into_owned)
        .collect()
}
