//! An operation with everything that proves it.

use serde::Serialize;
use sextant_model::{EntityId, Viewer};
use sextant_store::{Facts, OperationSummary, StoreError};
use utoipa::ToSchema;

use super::execution::{ExecutionAnswer, executions};
use super::operation::EndAnswer;
use super::single::{WholeOperationAnswer, single_operation};
use super::user::{RunnersAnswer, runners};

/// Newest runs that are looked at for who ran the operation.
const LOOKED_AT_RUNS: u64 = 1_000;
/// Ends that are known by name only and are named, of each side.
const NAMED_ENDS: usize = 5;

/// An operation with who ran it, its first and last run, and what is missing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProvenOperationAnswer {
    #[serde(flatten)]
    operation: WholeOperationAnswer,
    #[serde(flatten)]
    runners: RunnersAnswer,
    /// Its first run, with the place where its record was read.
    #[schema(required)]
    first_run: Option<ExecutionAnswer>,
    /// Its last run, with the place where its record was read.
    #[schema(required)]
    last_run: Option<ExecutionAnswer>,
    /// What a reader must know of what is missing, one sentence each; empty when nothing is.
    problems: Vec<String>,
}

/// An operation with what proves it.
pub fn proven_operation(
    facts: &dyn Facts,
    viewer: &Viewer,
    summary: &OperationSummary,
) -> Result<ProvenOperationAnswer, StoreError> {
    let operation = single_operation(facts, viewer, summary)?;
    let (first_run, last_run) = match summary.seen {
        Some(seen) => (run(facts, viewer, seen.first_execution)?, run(facts, viewer, seen.last_execution)?),
        None => (None, None),
    };
    let mut problems = Vec::new();
    if !summary.operation.lineage_known {
        problems.push("no record told its flows: its lineage is unknown, not empty".to_owned());
    }
    problems.extend(of_ends(&operation.inputs, "reads"));
    problems.extend(of_ends(&operation.outputs, "writes"));
    let runners = runners(facts, viewer, summary, LOOKED_AT_RUNS)?;
    Ok(ProvenOperationAnswer { operation, runners, first_run, last_run, problems })
}

fn run(facts: &dyn Facts, viewer: &Viewer, id: EntityId) -> Result<Option<ExecutionAnswer>, StoreError> {
    let found = facts.executions(viewer, &[id])?;
    Ok(executions(facts, viewer, &found)?.pop())
}

/// That ends are known by name only.
fn of_ends(ends: &[EndAnswer], verb: &str) -> Option<String> {
    let unlinked: Vec<&str> = ends.iter().filter(|end| !end.linked).map(|end| end.name.as_str()).collect();
    if unlinked.is_empty() {
        return None;
    }
    let mut names = unlinked[..unlinked.len().min(NAMED_ENDS)].join(", ");
    if unlinked.len() > NAMED_ENDS {
        names = format!("{names} and {} more", unlinked.len() - NAMED_ENDS);
    }
    Some(format!("no source has shown {names}, which it {verb}"))
}
