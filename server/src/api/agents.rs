//! Who delivers.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};
use sextant_model::Viewer;

use super::{ApiError, Shared, blocking};
use crate::agents::{IMPORTER, Silence};
use crate::clock::now;
use crate::view;

/// Everybody who ever delivered: last contact, version, and every spool with how far it is behind, what came of its
/// records, and what went wrong last.
#[utoipa::path(
    get,
    path = "/api/v1/agents",
    tag = "state",
    responses((status = 200, description = "`{results: [{agent, host, version, lastContact, silent, stopped, inWords, generations, bytes, lastError: {at, inWords}, spools: [{path, format, cluster, reported, filesKnown, bytesBehind, secondsBehind, trouble, recordsLastHour, problemsLastHour, lastError, inWords}]}]}`; numbers are null where the agent did not tell them", body = Value))
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

/// Forgets whoever delivered from a host that is gone for good: it is neither shown nor missed any more. Its records
/// stay, and so does how far its files are kept; one that is heard again is shown again.
#[utoipa::path(
    delete,
    path = "/api/v1/agents/{host}",
    tag = "state",
    params(("host" = String, Path, description = "its host, as `GET /api/v1/agents` shows it")),
    responses(
        (status = 200, description = "`{forgotten}`: how many", body = Value),
        (status = 404, description = "nobody was heard from that host", body = Value),
        (status = 409, description = "the agent on it runs: stop it first", body = Value)
    )
)]
pub(super) async fn forget(State(server): Shared, Path(host): Path<String>) -> Result<Json<Value>, ApiError> {
    blocking(&server, move |server| {
        let known = server.known_agents(&Viewer::all(), now())?;
        let of_host: Vec<_> = known.iter().filter(|known| known.contact.host == host).collect();
        let name: String = host.chars().take(255).collect();
        if of_host.is_empty() {
            return Err(ApiError::new(StatusCode::NOT_FOUND, format!("no agent was heard from a host {name:?}"))
                .hint("`sextant status` shows all agents with their hosts"));
        }
        let runs = |id: &str, silence| silence == Silence::None && !id.starts_with(IMPORTER);
        if of_host.iter().any(|known| runs(&known.contact.agent, known.silence)) {
            return Err(ApiError::new(StatusCode::CONFLICT, format!("the agent on {name} was heard just now"))
                .hint("stop it first; who still delivers is not forgotten"));
        }
        let forgotten = server.store.forget_agents(&host)?;
        for known in &of_host {
            server.agents.forget(&known.contact.agent);
        }
        tracing::info!(host, agents = forgotten, "agents of a host are forgotten");
        Ok(Json(json!({ "forgotten": forgotten })))
    })
    .await
}
