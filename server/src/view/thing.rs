//! Whatever has an address: an entity, an operation or an execution.

use std::collections::HashMap;

use serde::Serialize;
use sextant_model::{EntityId, Viewer};
use sextant_store::{Facts, StoreError};
use utoipa::ToSchema;

use super::entity::{EntityAnswer, entity};
use super::execution::{ExecutionAnswer, executions};
use super::operation::{OperationAnswer, operation};

/// An entity, an operation or an execution: `type` says which.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ThingAnswer {
    /// Its type is OPERATION.
    Operation(Box<OperationAnswer>),
    /// Its type is OPERATION_EXECUTION.
    Execution(Box<ExecutionAnswer>),
    /// It has any other type.
    Entity(Box<EntityAnswer>),
}

/// The things with these ids, in the order given; one that is not there is left out.
pub fn things(facts: &dyn Facts, viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<ThingAnswer>, StoreError> {
    let mut shown: HashMap<EntityId, ThingAnswer> = HashMap::new();
    for found in facts.entities(viewer, ids)? {
        shown.insert(found.id, ThingAnswer::Entity(Box::new(entity(&found))));
    }
    let others = |shown: &HashMap<EntityId, ThingAnswer>| -> Vec<EntityId> {
        ids.iter().copied().filter(|id| !shown.contains_key(id)).collect()
    };
    let operations = others(&shown);
    if !operations.is_empty() {
        for summary in facts.operations(viewer, &operations)? {
            shown.insert(summary.operation.id, ThingAnswer::Operation(Box::new(operation(&summary))));
        }
    }
    let remaining = others(&shown);
    if !remaining.is_empty() {
        let runs = facts.executions(viewer, &remaining)?;
        let answers = executions(facts, viewer, &runs)?;
        for (run, answer) in runs.iter().zip(answers) {
            shown.insert(run.id, ThingAnswer::Execution(Box::new(answer)));
        }
    }
    Ok(ids.iter().filter_map(|id| shown.remove(id)).collect())
}
