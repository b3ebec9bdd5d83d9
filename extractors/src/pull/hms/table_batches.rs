//! Tables in batches, such that one that cannot be read does not hold up the others.
//!
//! A metastore answers for a whole batch or not at all: one broken row in its database fails the
//! request. A batch that keeps failing is therefore split in halves, down to the table that is to
//! blame. Before splitting, a failure of the connection is told from a failure of the metastore:
//! when it answers nothing else either, the pass ends.

use std::collections::HashMap;

use sextant_model::ObjectName;
use sextant_model::snapshot::PassProblem;
use tracing::debug;

use super::object::{Observation, observe_table};
use super::pool::Pool;
use super::question::{Question, UNKNOWN_DATABASE};
use crate::pull::ExtractError;

/// What became of the tables of a batch: each is in one of the two.
#[derive(Debug, Default)]
pub(super) struct ReadTables {
    pub(super) observations: Vec<Observation>,
    pub(super) problems: Vec<PassProblem>,
}

impl ReadTables {
    fn problem(&mut self, database: &str, table: &str, reason: String) {
        self.problems.push(PassProblem { object: Some(ObjectName::relation(database, table)), reason });
    }
}

/// Reads the tables of those names. An error means that the metastore is out of reach, or does
/// not know the methods.
pub(super) async fn read_tables(pool: &Pool, database: &str, tables: &[String]) -> Result<ReadTables, ExtractError> {
    let mut read = ReadTables::default();
    let mut missing = Vec::new();
    let mut parts = vec![tables];
    while let Some(part) = parts.pop() {
        let question = Question::tables(database, part);
        let is_whole_batch = part.len() == tables.len();
        let answered = if is_whole_batch { pool.ask(&question).await } else { pool.ask_once(&question).await };
        let error = match answered {
            Ok(records) => {
                let records = records.as_list().unwrap_or_default();
                let observations = records.iter().filter_map(|record| observe_table(record, database));
                missing.extend(take_asked(observations, database, part, &mut read.observations));
                continue;
            }
            Err(error @ ExtractError::UnknownMethod { .. }) => return Err(error),
            Err(error) => error,
        };
        if let ExtractError::Refused { exception: UNKNOWN_DATABASE, .. } = error {
            let reason = format!("the database vanished during the pass: {}", error.in_words());
            read.problems.push(PassProblem { object: Some(ObjectName::database(database)), reason });
            continue;
        }
        pool.end_if_unreachable(&error).await?;
        debug!(database, tables = part.len(), error = error.in_words(), "a batch of tables failed");
        if let [table] = part {
            read.problem(database, table, error.in_words());
        } else {
            let (first_half, second_half) = part.split_at(part.len() / 2);
            parts.push(second_half);
            parts.push(first_half);
        }
    }
    for table in missing {
        read_missing(pool, database, table, &mut read).await?;
    }
    Ok(read)
}

/// Keeps the observations that were asked for, and returns the names without one.
fn take_asked<'a>(
    observations: impl Iterator<Item = Observation>,
    database: &str,
    asked: &'a [String],
    kept: &mut Vec<Observation>,
) -> Vec<&'a String> {
    let mut open: HashMap<ObjectName, &String> =
        asked.iter().map(|table| (ObjectName::relation(database, table), table)).collect();
    for observation in observations {
        if open.remove(&observation.object.name).is_some() {
            kept.push(observation);
        }
    }
    let mut names: Vec<_> = open.into_values().collect();
    names.sort_unstable();
    names
}

/// Asks for a table by itself that was listed but not among the answers.
async fn read_missing(pool: &Pool, database: &str, table: &str, read: &mut ReadTables) -> Result<(), ExtractError> {
    match pool.ask(&Question::table(database, table)).await {
        Ok(record) => match observe_table(&record, database) {
            Some(observation) if observation.object.name == ObjectName::relation(database, table) => {
                read.observations.push(observation);
            }
            _ => read.problem(
                database,
                table,
                "the metastore's answer does not hold its name where it belongs: the metastore's version is \
                 not supported"
                    .to_owned(),
            ),
        },
        Err(ExtractError::NoSuchObject { .. }) => {
            let reason = "vanished during the pass: it was listed, and is not there any more".to_owned();
            read.problem(database, table, reason);
        }
        Err(error) => {
            pool.end_if_unreachable(&error).await?;
            read.problem(database, table, error.in_words());
        }
    }
    Ok(())
}
