//! The change feed.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::parameters::{Parameters, number_within};
use super::{ApiError, Shared, blocking};

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ChangesParameters {
    /// Position after which to begin; 0 is the beginning.
    #[serde(default)]
    after: u64,
    /// At most this many, 1 to 10,000.
    #[serde(default = "default_limit")]
    limit: u64,
}

const fn default_limit() -> u64 {
    1_000
}

/// What changed, in commit order, without bodies.
#[utoipa::path(
    get,
    path = "/api/v1/changes",
    tag = "state",
    params(ChangesParameters),
    responses((status = 200, description = "`{results: [{seq, subject, id, what}], newest}`", body = Value))
)]
pub(super) async fn changes(
    State(server): Shared,
    Parameters(parameters): Parameters<ChangesParameters>,
) -> Result<Json<Value>, ApiError> {
    let limit = number_within("limit", parameters.limit, 1..=10_000)?;
    blocking(&server, move |server| {
        let results = server.store.changes_after(parameters.after, limit)?;
        let newest = server.store.newest_change()?;
        Ok(Json(json!({ "results": results, "newest": newest })))
    })
    .await
}
