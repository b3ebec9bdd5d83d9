//! How everything stands.

use axum::Json;
use axum::extract::State;
use serde_json::Value;

use super::{ApiError, Shared};
use crate::overview;

/// Extractors, agents, what is behind, what could not be read, and how much is known.
#[utoipa::path(
    get,
    path = "/api/v1/status",
    tag = "state",
    responses((status = 200, description = "`{version, started, extractors, agents, intake, graph, counts, quarantine, unlinkedNames, attention}`", body = Value))
)]
pub(super) async fn status(State(server): Shared) -> Result<Json<Value>, ApiError> {
    Ok(Json(overview::status(&server).await?))
}
