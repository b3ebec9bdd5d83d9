//! Statements.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sextant_model::{EntityId, Viewer};
use utoipa::{IntoParams, ToSchema};

use super::parameters::{Parameters, number_within};
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::view::evidence::{ProvenOperationAnswer, proven_operation};
use crate::view::flow::{FlowVariantAnswer, flow_variant};
use crate::view::operation::{OperationAnswer, operation};

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LatestParameters {
    /// At most this many, 1 to 200.
    #[serde(default = "default_limit")]
    limit: u64,
}

const fn default_limit() -> u64 {
    20
}

/// The operations that ran last, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LatestAnswer {
    results: Vec<OperationAnswer>,
}

/// The column flows of an operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlowsAnswer {
    /// Its id.
    #[schema(value_type = String)]
    operation: EntityId,
    /// Whether a record told its flows. If not, they are unknown, not empty.
    lineage_known: bool,
    variants: Vec<FlowVariantAnswer>,
}

/// The operations that ran last, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/operations/latest",
    tag = "read",
    params(LatestParameters),
    responses((status = 200, description = "operations", body = LatestAnswer))
)]
pub(super) async fn latest(
    State(server): Shared,
    Parameters(parameters): Parameters<LatestParameters>,
) -> Result<Json<LatestAnswer>, ApiError> {
    let limit = number_within("limit", parameters.limit, 1..=200)?;
    blocking(&server, move |server| {
        let operations = server.facts().latest_operations(&Viewer::all(), limit)?;
        Ok(Json(LatestAnswer { results: operations.iter().map(operation).collect() }))
    })
    .await
}

/// An operation: its text, what it reads and writes, who ran it, and where its first and last record were read.
#[utoipa::path(
    get,
    path = "/api/v1/operations/{id}",
    tag = "read",
    params(("id" = String, Path, description = "the operation's id")),
    responses(
        (status = 200, description = "the operation", body = ProvenOperationAnswer),
        (status = 404, description = "no such operation", body = ErrorAnswer)
    )
)]
pub(super) async fn statement(
    State(server): Shared,
    Path(id): Path<String>,
) -> Result<Json<ProvenOperationAnswer>, ApiError> {
    let id = parsed_id(&id)?;
    blocking(&server, move |server| {
        let viewer = Viewer::all();
        let summary = server.facts().operations(&viewer, &[id])?.pop().ok_or_else(|| no_operation(id))?;
        Ok(Json(proven_operation(server.facts(), &viewer, &summary)?))
    })
    .await
}

fn parsed_id(id: &str) -> Result<EntityId, ApiError> {
    id.parse().map_err(|error| ApiError::bad_request(format!("{error}")))
}

fn no_operation(id: EntityId) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, format!("there is no operation {id}"))
}

/// The column flows of an operation, as they are stored: every source of an edge flows into every
/// target of it.
#[utoipa::path(
    get,
    path = "/api/v1/operations/{id}/flows",
    tag = "read",
    params(("id" = String, Path, description = "the operation's id")),
    responses(
        (
            status = 200,
            description = "its flows, once for every meaning that `*` had in it",
            body = FlowsAnswer
        ),
        (status = 404, description = "no such operation", body = ErrorAnswer)
    )
)]
pub(super) async fn flows(State(server): Shared, Path(id): Path<String>) -> Result<Json<FlowsAnswer>, ApiError> {
    let id = parsed_id(&id)?;
    blocking(&server, move |server| {
        let viewer = Viewer::all();
        let operation = server.facts().bare_operations(&viewer, &[id])?.pop().ok_or_else(|| no_operation(id))?;
        let variants = server.facts().variants(&viewer, id)?;
        Ok(Json(FlowsAnswer {
            operation: operation.id,
            lineage_known: operation.lineage_known,
            variants: variants.iter().map(flow_variant).collect(),
        }))
    })
    .await
}
