//! Who delivers.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Serialize;
use sextant_model::Viewer;
use utoipa::ToSchema;

use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::agents::{IMPORTER, Silence};
use crate::clock::now;
use crate::view::agent::{AgentAnswer, agent};

/// Everybody who ever delivered.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AgentsAnswer {
    results: Vec<AgentAnswer>,
}

/// What was forgotten.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ForgottenAnswer {
    /// How many.
    forgotten: u64,
}

/// Everybody who ever delivered: last contact, version, and every spool with how far it is behind, what came of its
/// records, and what went wrong last.
#[utoipa::path(
    get,
    path = "/api/v1/agents",
    tag = "state",
    responses((status = 200, description = "everybody, by host and id", body = AgentsAnswer))
)]
pub(super) async fn agents(State(server): Shared) -> Result<Json<AgentsAnswer>, ApiError> {
    blocking(&server, |server| {
        let at = now();
        let known = server.known_agents(&Viewer::all(), at)?;
        let results = known.iter().map(|known| agent(known, at)).collect();
        Ok(Json(AgentsAnswer { results }))
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
        (status = 200, description = "how many", body = ForgottenAnswer),
        (status = 404, description = "nobody was heard from that host", body = ErrorAnswer),
        (status = 409, description = "the agent on it runs: stop it first", body = ErrorAnswer)
    )
)]
pub(super) async fn forget(State(server): Shared, Path(host): Path<String>) -> Result<Json<ForgottenAnswer>, ApiError> {
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
        Ok(Json(ForgottenAnswer { forgotten }))
    })
    .await
}
