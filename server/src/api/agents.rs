//! Who delivers.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use sextant_model::Viewer;

use super::{ApiError, Shared, blocking};
use crate::clock::now;
use crate::view;

/// Everybody who ever delivered: last contact, version, and every spool with how far it is behind, what came of its
/// records, and what went wrong last.
#[utoipa::path(
    get,
    path = "/api/v1/agents",
    tag = "state",
    responses((status = 200, description = "`{results: [{agent, host, version, lastContact, silent, inWords, generations, bytes, lastError: {at, inWords}, spools: [{path, format, cluster, reported, filesKnown, bytesBehind, secondsBehind, trouble, recordsLastHour, problemsLastHour, lastError, inWords}]}]}`; numbers are null where the agent did not tell them", body = Value))
)]
pub(super) async fn agents(State(server): Shared) -> Result<Json<Value>, ApiError> {
    blocking(&server, |server| {
        let at = now();
        let known = server.known_agents(&Viewer::all(), at)?;
        let results: Vec<Value> = known.iter().map(|known| Value::Object(view::agent::agent(known, at))).collect();
        Ok(Json(json!({ "results": results })))
    })
    .await
}
