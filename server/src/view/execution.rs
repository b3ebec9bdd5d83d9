//! Executions.

use std::collections::HashMap;

use serde::Serialize;
use sextant_model::operation::{Evidence, Execution, Operation, StatementText};
use sextant_model::{EntityId, EntityType, SourceType, Timestamp, Viewer};
use sextant_store::{Facts, StoreError};
use utoipa::ToSchema;

use super::user::{UserAnswer, user};
use super::words::{ExecutionTypeWord, SourceTypeWord};

/// One run of an operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionAnswer {
    #[schema(value_type = String)]
    id: EntityId,
    #[serde(rename = "type")]
    #[schema(value_type = ExecutionTypeWord)]
    entity_type: EntityType,
    #[schema(value_type = Option<SourceTypeWord>, required)]
    source_type: Option<SourceType>,
    #[schema(required)]
    cluster: Option<String>,
    /// The engine's own id of the run.
    #[schema(required)]
    original_name: Option<String>,
    /// Always null.
    #[schema(required)]
    parent_path: Option<String>,
    /// Always null.
    #[schema(required)]
    qualified_name: Option<String>,
    /// Always false.
    deleted: bool,
    /// The operation's id.
    #[schema(value_type = String)]
    operation: EntityId,
    /// The text as logged, with its literals.
    #[schema(required)]
    query_text: Option<String>,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    started: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    ended: Option<Timestamp>,
    /// When the server received the record.
    #[schema(value_type = String, format = DateTime)]
    received: Timestamp,
    /// The engine's own id of the run.
    #[schema(required)]
    query_id: Option<String>,
    /// The execution engine: `mr`, `tez`, `spark`.
    #[schema(required)]
    engine: Option<String>,
    /// YARN job ids.
    job_ids: Vec<String>,
    evidence: EvidenceAnswer,
    #[serde(flatten)]
    user: UserAnswer,
}

/// Where a record was read.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceAnswer {
    /// The host whose agent sent it, or that ran `sextant import`.
    host: String,
    /// The spool file.
    file: String,
    /// Byte offset of the record in that file.
    offset: u64,
}

/// Where a record was read, as the API shows it.
pub fn evidence(evidence: &Evidence) -> EvidenceAnswer {
    EvidenceAnswer { host: evidence.host.clone(), file: evidence.file.clone(), offset: evidence.offset }
}

/// Executions as the API shows them, in the order given.
pub fn executions(facts: &dyn Facts, viewer: &Viewer, runs: &[Execution]) -> Result<Vec<ExecutionAnswer>, StoreError> {
    let texts: Vec<EntityId> = runs.iter().map(|run| run.text).collect();
    let texts: HashMap<EntityId, StatementText> =
        facts.texts(viewer, &texts)?.into_iter().map(|text| (text.id, text)).collect();
    let operations: Vec<EntityId> = runs.iter().map(|run| run.operation).collect();
    let operations: HashMap<EntityId, Operation> =
        facts.bare_operations(viewer, &operations)?.into_iter().map(|operation| (operation.id, operation)).collect();
    Ok(runs.iter().map(|run| execution(run, operations.get(&run.operation), texts.get(&run.text))).collect())
}

fn execution(run: &Execution, operation: Option<&Operation>, text: Option<&StatementText>) -> ExecutionAnswer {
    ExecutionAnswer {
        id: run.id,
        entity_type: EntityType::OperationExecution,
        source_type: operation.map(|operation| operation.source_type),
        cluster: operation.map(|operation| operation.cluster.clone()),
        original_name: run.query_id.clone(),
        parent_path: None,
        qualified_name: None,
        deleted: false,
        operation: run.operation,
        query_text: text.map(|text| text.text.clone()),
        started: run.started,
        ended: run.ended,
        received: run.received,
        query_id: run.query_id.clone(),
        engine: run.engine.clone(),
        job_ids: run.job_ids.clone(),
        evidence: evidence(&run.evidence),
        user: user(run.user.as_deref()),
    }
}
