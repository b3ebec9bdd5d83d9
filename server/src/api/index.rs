//! The search index as a whole.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ApiError, Shared};

/// A search index that was built anew.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RebuiltAnswer {
    /// How many documents it has.
    documents: u64,
    /// The newest change in it, by number.
    searchable: u64,
}

/// Builds the search index anew from the facts; answers when that is done.
#[utoipa::path(
    post,
    path = "/api/v1/index/rebuild",
    tag = "state",
    responses((status = 200, description = "what was built", body = RebuiltAnswer))
)]
pub(super) async fn rebuild(State(server): Shared) -> Result<Json<RebuiltAnswer>, ApiError> {
    let documents = server.indexer.rebuild().await.map_err(|error| {
        ApiError::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, format!("the index was not built: {error}"))
    })?;
    let searchable = server.indexer.position();
    Ok(Json(RebuiltAnswer { documents, searchable }))
}
