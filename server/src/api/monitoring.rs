//! For whatever watches the server.

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::gauges;

/// Counters and gauges in Prometheus' text form.
#[utoipa::path(get, path = "/metrics", tag = "monitoring", responses((status = 200, description = "counters and gauges", body = String)))]
pub(super) async fn metrics(State(server): Shared) -> Result<impl IntoResponse, ApiError> {
    let text = blocking(&server, |server| {
        let behind = server.lag()?;
        let gauges = gauges::gather(server)?;
        Ok(server.metrics.text(behind.inbox_entries, behind.index_changes, behind.newest_change, &gauges))
    })
    .await?;
    Ok(([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text))
}

/// Whether the process answers.
#[utoipa::path(get, path = "/healthz", tag = "monitoring", responses((status = 200, description = "it does", body = String)))]
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the server can do its work: the store answers and linking does not stand still.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "monitoring",
    responses((status = 200, description = "it can", body = String), (status = 503, description = "why not", body = ErrorAnswer))
)]
pub(super) async fn readyz(State(server): Shared) -> Result<&'static str, ApiError> {
    blocking(&server, |server| {
        server.store.newest_change()?;
        let trouble = server.linker.trouble().or_else(|| server.indexer.trouble());
        match trouble {
            None => Ok("ready\n"),
            Some(reason) => Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, reason)),
        }
    })
    .await
}
