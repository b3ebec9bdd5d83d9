//! Pull extractors: what they did, and running one now.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use sextant_model::Viewer;
use utoipa::{IntoParams, ToSchema};

use super::parameters::{Parameters, number_within, switch, time};
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::clock::now;
use crate::extraction::Extractor;
use crate::overview;
use crate::server::Server;
use crate::view;
use crate::view::run::RunAnswer;
use crate::view::run_log::RunLogAnswer;
use crate::view::status::{ExtractorAnswer, PushExtractorAnswer};

/// All extractors.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ExtractorsAnswer {
    /// The pull extractors.
    results: Vec<ExtractorAnswer>,
    /// The push extractors.
    push: Vec<PushExtractorAnswer>,
}

/// Runs of an extractor, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RunsAnswer {
    results: Vec<RunAnswer>,
}

/// A run that nobody waits for.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StartedAnswer {
    extractor: String,
    /// Always true.
    started: bool,
}

/// Every pull extractor with its last run and the next one, and every push extractor with what it made of records.
#[utoipa::path(
    get,
    path = "/api/v1/extractors",
    tag = "state",
    responses((status = 200, description = "all extractors", body = ExtractorsAnswer))
)]
pub(super) async fn extractors(State(server): Shared) -> Result<Json<ExtractorsAnswer>, ApiError> {
    let results = overview::extractors(&server).await?;
    let push =
        blocking(&server, |server| Ok(overview::push_extractors(&server.known_agents(&Viewer::all(), now())?))).await?;
    Ok(Json(ExtractorsAnswer { results, push }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct RunsParameters {
    /// At most this many, 1 to 1,000.
    #[serde(default = "default_limit")]
    limit: u64,
}

const fn default_limit() -> u64 {
    20
}

/// The runs of an extractor, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/extractors/{name}/runs",
    tag = "state",
    params(("name" = String, Path, description = "the extractor's name"), RunsParameters),
    responses(
        (status = 200, description = "its runs", body = RunsAnswer),
        (status = 404, description = "no such extractor", body = ErrorAnswer)
    )
)]
pub(super) async fn runs(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(parameters): Parameters<RunsParameters>,
) -> Result<Json<RunsAnswer>, ApiError> {
    let limit = number_within("limit", parameters.limit, 1..=1_000)?;
    named(&server, &name)?;
    blocking(&server, move |server| {
        let runs = server.store.runs(&Viewer::all(), &name, limit)?;
        Ok(Json(RunsAnswer { results: runs.iter().map(view::run::run).collect() }))
    })
    .await
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LogParameters {
    /// When the run began, as in the list of runs; without it the run in progress, else the last
    /// one.
    run: Option<String>,
}

/// The newest lines that a run of an extractor logged, at the levels info, warn and error: at most
/// 200 of them and 32 KiB, also while it runs.
#[utoipa::path(
    get,
    path = "/api/v1/extractors/{name}/log",
    tag = "state",
    params(("name" = String, Path, description = "the extractor's name"), LogParameters),
    responses(
        (status = 200, description = "what the run logged", body = RunLogAnswer),
        (status = 404, description = "no such extractor", body = ErrorAnswer)
    )
)]
pub(super) async fn log(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(parameters): Parameters<LogParameters>,
) -> Result<Json<RunLogAnswer>, ApiError> {
    let asked = time("run", parameters.run.as_deref())?;
    let extractor = named(&server, &name)?;
    blocking(&server, move |server| {
        let log = match extractor.log_of_this_process(asked) {
            Some(log) => Some(log),
            None => server.store.run_log(&Viewer::all(), &name, asked)?,
        };
        let running = extractor.running().map(|running| running.since);
        let is_running = log.as_ref().is_some_and(|log| running == Some(log.started));
        Ok(Json(view::run_log::run_log(name, asked, log, is_running)))
    })
    .await
}

/// The extractor of that name.
fn named(server: &Server, name: &str) -> Result<Arc<Extractor>, ApiError> {
    if let Some(extractor) = server.extraction.extractor(name) {
        return Ok(Arc::clone(extractor));
    }
    let known: Vec<&str> = server.extraction.extractors().iter().map(|known| known.name()).collect();
    let hint = if known.is_empty() {
        "no extractor is configured: add an [[extractor]] to the server's configuration".to_owned()
    } else {
        format!("the extractors are {}", known.join(", "))
    };
    let name: String = name.chars().take(200).collect();
    Err(ApiError::new(StatusCode::NOT_FOUND, format!("no extractor is called {name:?}")).hint(hint))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct RunParameters {
    /// Flag everything that the source says is gone, however much it is.
    #[serde(default, deserialize_with = "switch")]
    accept_deletions: bool,
    /// Answer when the run is over and searchable (the default), or at once.
    #[serde(default = "waits", deserialize_with = "switch")]
    wait: bool,
}

const fn waits() -> bool {
    true
}

/// Runs an extractor: waits for a run in progress, then does a whole one.
#[utoipa::path(
    post,
    path = "/api/v1/extractors/{name}/run",
    tag = "state",
    params(("name" = String, Path, description = "the extractor's name"), RunParameters),
    responses(
        (status = 200, description = "how the run ended", body = RunAnswer),
        (status = 202, description = "it will run (`wait=false`)", body = StartedAnswer),
        (status = 404, description = "no such extractor", body = ErrorAnswer)
    )
)]
pub(super) async fn run(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(parameters): Parameters<RunParameters>,
) -> Result<Response, ApiError> {
    let extractor = named(&server, &name)?;
    // On a task of its own: a client that hangs up does not end the run.
    let running = tokio::spawn(async move { extractor.run_on_demand(parameters.accept_deletions).await });
    if !parameters.wait {
        let answer = StartedAnswer { extractor: name, started: true };
        return Ok((StatusCode::ACCEPTED, Json(answer)).into_response());
    }
    let ended = running.await.map_err(|_| ApiError::internal())?;
    let newest = blocking(&server, |server| Ok(server.store.newest_change()?)).await?;
    server.indexer.searchable(newest).await;
    Ok(Json(view::run::run(&ended)).into_response())
}
