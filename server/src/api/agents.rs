//! Who delivers.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use sextant_model::Viewer;

use super::{ApiError, Shared, blocking};

/// Everybody who ever delivered.
#[utoipa::path(
    get,
    path = "/api/v1/agents",
    tag = "state",
    responses((status = 200, description = "`{results: [{agent, host, version, lastContact, generations, bytes}]}`", body = Value))
)]
pub(super) async fn agents(State(server): Shared) -> Result<Json<Value>, ApiError> {
    blocking(&server, |server| {
        let agents = server.store.agents(&Viewer::all())?;
        Ok(Json(json!({ "results": agents })))
    })
    .await
}
