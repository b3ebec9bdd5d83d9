//! What could not be read.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sextant_model::{EntityId, Viewer};
use utoipa::IntoParams;

use super::parameters::{Parameters, number_within};
use super::{ApiError, Shared, blocking};
use crate::view;

/// Bytes of each stretch that a list shows.
const LISTED_BYTES: u64 = 200;
/// Bytes that the single stretch shows: 1 MiB.
const SHOWN_BYTES: u64 = 1 << 20;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct QuarantineParameters {
    /// How many of the newest to leave out.
    #[serde(default)]
    skip: u64,
    /// At most this many, 1 to 1,000.
    #[serde(default = "default_limit")]
    limit: u64,
}

const fn default_limit() -> u64 {
    100
}

/// Stretches of input that could not be read, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/quarantine",
    tag = "state",
    params(QuarantineParameters),
    responses((status = 200, description = "`{total, results: [{id, kind, reason, host, file, offset, …}]}`", body = Value))
)]
pub(super) async fn quarantine(
    State(server): Shared,
    Parameters(parameters): Parameters<QuarantineParameters>,
) -> Result<Json<Value>, ApiError> {
    let limit = number_within("limit", parameters.limit, 1..=1_000)?;
    blocking(&server, move |server| {
        let viewer = Viewer::all();
        let counts = server.store.counts(&viewer)?;
        let total: u64 = counts.quarantined.iter().map(|(_, count)| count).sum();
        let results: Vec<Value> = server
            .store
            .quarantined(&viewer, parameters.skip, limit, LISTED_BYTES)?
            .iter()
            .map(|stored| Value::Object(view::quarantine::quarantined(stored)))
            .collect();
        Ok(Json(json!({ "total": total, "results": results })))
    })
    .await
}

/// One stretch, with its text.
#[utoipa::path(
    get,
    path = "/api/v1/quarantine/{id}",
    tag = "state",
    params(("id" = String, Path, description = "its id")),
    responses((status = 200, description = "the stretch", body = Value), (status = 404, description = "no such id", body = Value))
)]
pub(super) async fn one(State(server): Shared, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let id: EntityId = id.parse().map_err(|error| ApiError::bad_request(format!("{error}")))?;
    blocking(&server, move |server| {
        if let Some(stored) = server.store.quarantined_by_id(&Viewer::all(), id, SHOWN_BYTES)? {
            return Ok(Json(Value::Object(view::quarantine::quarantined(&stored))));
        }
        Err(ApiError::new(StatusCode::NOT_FOUND, format!("nothing in the quarantine has the id {id}")))
    })
    .await
}
