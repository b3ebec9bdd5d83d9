//! The change feed.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use sextant_model::EntityId;
use sextant_model::feed::{Change, Subject, What};
use utoipa::{IntoParams, ToSchema};

use super::parameters::{Parameters, number_within};
use super::{ApiError, Shared, blocking};
use crate::view::words::{SubjectWord, WhatWord};

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

/// A part of the change feed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChangesAnswer {
    results: Vec<ChangeAnswer>,
    /// The position of the newest change; 0 when there is none.
    newest: u64,
}

/// One entry of the change feed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChangeAnswer {
    /// Position in commit order, from 1.
    seq: u64,
    #[schema(value_type = SubjectWord)]
    subject: Subject,
    #[schema(value_type = String)]
    id: EntityId,
    #[schema(value_type = WhatWord)]
    what: What,
}

impl From<Change> for ChangeAnswer {
    fn from(change: Change) -> Self {
        let Change { seq, subject, id, what } = change;
        Self { seq, subject, id, what }
    }
}

/// What changed, in commit order, without bodies.
#[utoipa::path(
    get,
    path = "/api/v1/changes",
    tag = "state",
    params(ChangesParameters),
    responses((status = 200, description = "changes, the oldest first", body = ChangesAnswer))
)]
pub(super) async fn changes(
    State(server): Shared,
    Parameters(parameters): Parameters<ChangesParameters>,
) -> Result<Json<ChangesAnswer>, ApiError> {
    let limit = number_within("limit", parameters.limit, 1..=10_000)?;
    blocking(&server, move |server| {
        let results =
            server.store.changes_after(parameters.after, limit)?.into_iter().map(ChangeAnswer::from).collect();
        let newest = server.store.newest_change()?;
        Ok(Json(ChangesAnswer { results, newest }))
    })
    .await
}
