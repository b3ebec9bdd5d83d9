//! The search index as a whole.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::{ApiError, Shared};

/// Builds the search index anew from the facts; answers when that is done.
#[utoipa::path(
    post,
    path = "/api/v1/index/rebuild",
    tag = "state",
    responses((status = 200, description = "`{documents, searchable}`", body = Value))
)]
pub(super) async fn rebuild(State(server): Shared) -> Result<Json<Value>, ApiError> {
    let documents = server.indexer.rebuild().await.map_err(|error| {
        ApiError::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, format!("the index was not built: {error}"))
    })?;
    let searchable = server.indexer.position();
    Ok(Json(json!({ "documents": documents, "searchable": searchable })))
}
