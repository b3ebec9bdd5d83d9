//! The HTTP API under `/api/v1`, described at `/api/openapi.json`.
//!
//! - Every answer is JSON; an error is `{"error": …, "hint": …}`, lower case, one sentence.
//! - A parameter that does not exist is refused, not ignored.
//! - Reads that block run outside the runtime's own threads, each with a time limit; only what
//!   waits on purpose (`extractors/{name}/run`, `intake`, `quarantine/replay`) has none.
//! - Requests from pages of other sites are refused ([`guard`]): nobody has to log in yet.

mod agent;
mod agents;
mod changes;
mod completions;
mod entities;
mod error;
mod extractors;
mod guard;
mod history;
mod index;
mod intake;
mod lineage;
mod monitoring;
mod operations;
mod parameters;
mod paths;
mod quarantine;
mod search;
mod status;
mod unlinked;
mod uses;
mod walks;

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::timeout::TimeoutLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::server::Server;
pub use error::{ApiError, Candidate, ErrorAnswer};

/// The longest an ordinary answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// The longest that receiving a batch may take.
const RECEIVED_WITHIN: Duration = Duration::from_mins(5);
/// The largest body of an ordinary request: 1 MiB.
const MAX_BODY_BYTES: usize = 1 << 20;

#[derive(OpenApi)]
#[openapi(info(
    title = "Sextant",
    description = "Metadata and lineage of Hadoop clusters. Field names are camelCase and follow Navigator's \
                   property names; times are RFC 3339 in UTC; a name in a path is percent-encoded."
))]
struct Description;

/// What every handler is given.
pub(crate) type Shared = State<Arc<Server>>;

/// All routes and their description.
pub fn router(server: Arc<Server>) -> Router {
    let (router, description) = routes_and_description();
    let description = Arc::new(description);
    let router = router
        .route("/api/openapi.json", get(move || async move { Json(description.as_ref().clone()) }))
        .fallback(crate::console::fallback)
        .method_not_allowed_fallback(wrong_method);
    router
        .layer(from_fn_with_state(Arc::clone(&server), count))
        .layer(from_fn_with_state(Arc::clone(&server), guard::check))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(CompressionLayer::new())
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
        .with_state(server)
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The description of the API.
pub fn description() -> utoipa::openapi::OpenApi {
    routes_and_description().1
}

fn routes_and_description() -> (Router<Arc<Server>>, utoipa::openapi::OpenApi) {
    let answering = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(search::search))
        .routes(routes!(completions::completions))
        .routes(routes!(entities::entity_by_parameter))
        .routes(routes!(entities::entity))
        .routes(routes!(entities::children))
        .routes(routes!(entities::executions))
        .routes(routes!(uses::operations))
        .routes(routes!(unlinked::unlinked))
        .routes(routes!(history::history))
        .routes(routes!(lineage::lineage_by_parameter))
        .routes(routes!(lineage::lineage))
        .routes(routes!(paths::paths))
        .routes(routes!(operations::latest))
        .routes(routes!(operations::statement))
        .routes(routes!(operations::flows))
        .routes(routes!(changes::changes))
        .routes(routes!(status::status))
        .routes(routes!(extractors::extractors))
        .routes(routes!(extractors::runs))
        .routes(routes!(extractors::log))
        .routes(routes!(agents::agents))
        .routes(routes!(agents::forget))
        .routes(routes!(quarantine::quarantine, quarantine::drop))
        .routes(routes!(quarantine::stretch))
        .routes(routes!(agent::positions))
        .routes(routes!(agent::spools))
        .routes(routes!(monitoring::metrics))
        .routes(routes!(monitoring::healthz))
        .routes(routes!(monitoring::readyz))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, ANSWER_WITHIN));
    let waiting = OpenApiRouter::new()
        .routes(routes!(extractors::run))
        .routes(routes!(intake::intake))
        .routes(routes!(index::rebuild))
        .routes(routes!(quarantine::replay))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES));
    let receiving = OpenApiRouter::new()
        .routes(routes!(agent::batches))
        .layer(DefaultBodyLimit::max(agent::MAX_BODY_BYTES))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, RECEIVED_WITHIN));
    answering.merge(waiting).merge(receiving).split_for_parts()
}

/// Reads something from the store without holding up the runtime.
pub(crate) async fn blocking<T: Send + 'static>(
    server: &Arc<Server>,
    read: impl FnOnce(&Server) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let server = Arc::clone(server);
    match tokio::task::spawn_blocking(move || read(&server)).await {
        Ok(answer) => answer,
        Err(failure) => {
            tracing::error!(error = %failure, "a read failed inside sextant");
            Err(ApiError::internal())
        }
    }
}

async fn wrong_method() -> ApiError {
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "this address does not take that method")
        .hint("the methods are listed at /api/openapi.json")
}

fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    tracing::error!("answering a request failed inside sextant; please report it with the log");
    ApiError::internal().into_response()
}

async fn count(State(server): Shared, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().as_str().to_owned();
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let mut response = error::in_our_form(next.run(request).await).await;
    let headers = response.headers_mut();
    headers.entry("x-content-type-options").or_insert(HeaderValue::from_static("nosniff"));
    headers.entry("cache-control").or_insert(HeaderValue::from_static("no-store"));
    headers.entry("content-security-policy").or_insert(HeaderValue::from_static("default-src 'none'"));
    let status = response.status().as_u16();
    let seconds = began.elapsed().as_secs_f64();
    server.metrics.request(&method, &route, status, seconds);
    tracing::debug!(method, route, status, took_ms = (seconds * 1000.0) as u64, "answered");
    response
}
