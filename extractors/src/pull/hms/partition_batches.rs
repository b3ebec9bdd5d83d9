//! What a pass asks about the partitions of a table.

use super::PartitionDetail;
use super::object::{Observation, is_partitioned};
use super::partition::observe_partitions;
use super::pool::Pool;
use super::question::Question;
use super::thrift::Value;
use crate::pull::ExtractError;

/// The partitions of a table with more are not read one by one.
const MAX_PARTITIONS_PER_TABLE: usize = 100_000;

/// Counts partitions, or reads them.
#[derive(Debug)]
pub(super) struct PartitionReader {
    pub(super) detail: PartitionDetail,
    /// Partitions per request.
    pub(super) batch_size: usize,
}

impl PartitionReader {
    /// Adds to a table what is to be known about its partitions. What cannot be answered becomes a
    /// remark; partitions are read all or none, so that one that was not read never looks like
    /// one that is gone.
    pub(super) async fn add(&self, pool: &Pool, mut observation: Observation) -> Result<Observation, ExtractError> {
        if self.detail == PartitionDetail::None || !is_partitioned(&observation.object) {
            return Ok(observation);
        }
        let answered = match self.detail {
            PartitionDetail::All => self.read(pool, &mut observation).await,
            _ => Self::count(pool, &mut observation).await,
        };
        if let Err(error) = answered {
            pool.end_if_unreachable(&error).await?;
            observation.remarks.push(format!("its partitions could not be read: {}", error.in_words()));
        }
        Ok(observation)
    }

    async fn count(pool: &Pool, observation: &mut Observation) -> Result<(), ExtractError> {
        let name = &observation.object.name;
        let count = match pool.ask(&Question::partition_count(&name.database, name.last_part())).await? {
            Value::I32(count) => i64::from(count),
            names => names.to_texts().len() as i64,
        };
        observation.object.properties.insert("partitionCount".to_owned(), count.into());
        Ok(())
    }

    async fn read(&self, pool: &Pool, observation: &mut Observation) -> Result<(), ExtractError> {
        let name = observation.object.name.clone();
        let (database, table) = (&name.database, name.last_part());
        let names = pool.ask(&Question::partition_names(database, table)).await?.to_texts();
        observation.object.properties.insert("partitionCount".to_owned(), names.len().into());
        if names.len() > MAX_PARTITIONS_PER_TABLE {
            observation.remarks.push(format!(
                "its {} partitions were counted, not read: more than {MAX_PARTITIONS_PER_TABLE}",
                names.len()
            ));
            return Ok(());
        }
        let mut partitions = Vec::new();
        for batch in names.chunks(self.batch_size) {
            let records = pool.ask(&Question::partitions(database, table, batch)).await?;
            let records = records.as_list().unwrap_or_default();
            let observed = observe_partitions(records, batch);
            if observed.len() < records.len() {
                let nameless = records.len() - observed.len();
                observation.remarks.push(format!("{nameless} partitions fit none of the listed names"));
            }
            partitions.extend(observed);
        }
        partitions.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        observation.object.partitions = Some(partitions);
        Ok(())
    }
}
