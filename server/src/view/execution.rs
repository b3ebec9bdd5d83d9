//! Executions.

use std::collections::HashMap;

use serde_json::Value;
use sextant_model::operation::{Execution, Operation, StatementText};
use sextant_model::{EntityId, Viewer};
use sextant_store::{Facts, StoreError};

use super::{Object, json, put_user};

/// Executions as the API shows them, in the order given.
pub fn executions(facts: &dyn Facts, viewer: &Viewer, runs: &[Execution]) -> Result<Vec<Object>, StoreError> {
    let texts: Vec<EntityId> = runs.iter().map(|run| run.text).collect();
    let texts: HashMap<EntityId, StatementText> =
        facts.texts(viewer, &texts)?.into_iter().map(|text| (text.id, text)).collect();
    let operations: Vec<EntityId> = runs.iter().map(|run| run.operation).collect();
    let operations: HashMap<EntityId, Operation> =
        facts.bare_operations(viewer, &operations)?.into_iter().map(|operation| (operation.id, operation)).collect();
    Ok(runs.iter().map(|run| execution(run, operations.get(&run.operation), texts.get(&run.text))).collect())
}

fn execution(run: &Execution, operation: Option<&Operation>, text: Option<&StatementText>) -> Object {
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("id", json(run.id));
    put("type", "OPERATION_EXECUTION".into());
    put("sourceType", json(operation.map(|operation| operation.source_type)));
    put("cluster", json(operation.map(|operation| &operation.cluster)));
    put("originalName", json(&run.query_id));
    put("parentPath", Value::Null);
    put("qualifiedName", Value::Null);
    put("deleted", json(false));
    put("operation", json(run.operation));
    put("queryText", json(text.map(|text| &text.text)));
    put("started", json(run.started));
    put("ended", json(run.ended));
    put("received", json(run.received));
    put("queryId", json(&run.query_id));
    put("engine", json(&run.engine));
    put("jobIds", json(&run.job_ids));
    put("evidence", json(&run.evidence));
    put_user(&mut object, run.user.as_deref());
    object
}
