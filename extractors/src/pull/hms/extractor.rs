//! A metastore as a source: its configuration checked, its passes and confirmations.

use futures::future::BoxFuture;
use futures::stream::{self, StreamExt, TryStreamExt};
use sextant_model::ObjectName;
use sextant_model::snapshot::{Existence, PassStep, PassSummary};
use tokio::sync::mpsc::Sender;
use tracing::debug;

use super::HmsConfig;
use super::client::{Dial, Endpoint};
use super::partition_batches::PartitionReader;
use super::pass::Pass;
use super::pool::Pool;
use super::question::Question;
use super::thrift::transport::Framing;
use crate::pull::scope::Scope;
use crate::pull::{ExtractError, PullExtractor};

/// Reads a Hive Metastore.
#[derive(Debug)]
pub struct HmsExtractor {
    pub(super) scope: Scope,
    pub(super) pool: Pool,
    pub(super) partitions: PartitionReader,
    /// Tables per request.
    pub(super) batch_size: usize,
    /// How many requests may be under way.
    pub(super) concurrency: usize,
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
            framing: if config.framed { Framing::Framed } else { Framing::Buffered },
            connect_timeout: config.connect_timeout,
            call_timeout: config.call_timeout,
        };
        let in_flight = config.max_in_flight.unwrap_or(config.connections);
        let concurrency = config.connections.min(in_flight).max(1);
        let batch_size = config.batch_size.max(1);
        Ok(Self {
            scope: Scope::new(&config.include, &config.exclude)?,
            pool: Pool::new(endpoints, dial, concurrency, config.max_requests_per_second, config.retries),
            partitions: PartitionReader { detail: config.partitions, batch_size },
            batch_size,
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
                self.pool.end_if_unreachable(&error).await?;
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

    fn confirm(&self, names: Vec<ObjectName>) -> BoxFuture<'_, Result<Vec<Existence>, ExtractError>> {
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
