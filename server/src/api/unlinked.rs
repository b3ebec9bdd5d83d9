//! Names that no source has shown.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use sextant_model::Viewer;
use utoipa::{IntoParams, ToSchema};

use super::parameters::{Parameters, number_within};
use super::{ApiError, Shared, blocking};
use crate::view::status::{UnlinkedNameAnswer, unlinked_name};

/// Names of the list that can be reached: the most used ones.
const MAX_REACHED: u64 = 10_000;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct UnlinkedParameters {
    /// How many to leave out at the beginning; together with `limit` at most 10,000.
    #[serde(default)]
    skip: u64,
    /// At most this many, 1 to 1,000.
    #[serde(default = "default_limit")]
    limit: u64,
}

const fn default_limit() -> u64 {
    100
}

/// Names that operations use and no source has shown.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UnlinkedNamesAnswer {
    /// How many there are.
    total: u64,
    results: Vec<UnlinkedNameAnswer>,
    /// The `skip` of the next part; null when there is none, or when it lies beyond the first 10,000.
    #[schema(required)]
    next: Option<u64>,
}

/// Names that operations use and no source has shown, those that most operations use first.
#[utoipa::path(
    get,
    path = "/api/v1/unlinked",
    tag = "read",
    params(UnlinkedParameters),
    responses((status = 200, description = "a part of the names", body = UnlinkedNamesAnswer))
)]
pub(super) async fn unlinked(
    State(server): Shared,
    Parameters(parameters): Parameters<UnlinkedParameters>,
) -> Result<Json<UnlinkedNamesAnswer>, ApiError> {
    let limit = number_within("limit", parameters.limit, 1..=1_000)?;
    let skip = number_within("skip", parameters.skip, 0..=MAX_REACHED - limit)?;
    blocking(&server, move |server| {
        let viewer = Viewer::all();
        let end = skip + limit;
        let names = server.facts().unlinked_names(&viewer, end)?;
        let total = server.facts().counts(&viewer)?.unlinked_names;
        let results =
            names.iter().skip(skip as usize).map(|(name, operations)| unlinked_name(name, *operations)).collect();
        Ok(Json(UnlinkedNamesAnswer { total, results, next: (end < total.min(MAX_REACHED)).then_some(end) }))
    })
    .await
}
