//! How everything stands.

use axum::Json;
use axum::extract::State;

use super::{ApiError, Shared};
use crate::overview;
use crate::view::status::StatusAnswer;

/// Extractors, agents, what is behind, what could not be read, and how much is known.
#[utoipa::path(
    get,
    path = "/api/v1/status",
    tag = "state",
    responses((status = 200, description = "how everything stands", body = StatusAnswer))
)]
pub(super) async fn status(State(server): Shared) -> Result<Json<StatusAnswer>, ApiError> {
    Ok(Json(overview::status(&server).await?))
}
