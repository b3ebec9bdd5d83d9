//! What could not be read: shown, read again, dropped.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sextant_model::problem::ProblemKind;
use sextant_model::{EntityId, Viewer};
use sextant_store::QuarantineFilter;
use utoipa::{IntoParams, ToSchema};

use super::parameters::{Parameters, number_within, switch};
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::linking::{ReplayError, Replayed};
use crate::view::quarantine::{QuarantineGroupAnswer, QuarantinedAnswer, group, quarantined, whole};

/// Bytes of each stretch that a list shows.
const LISTED_BYTES: u64 = 200;
/// How long a replay that is linked waits until it is searchable as well.
const SEARCHABLE_WITHIN: Duration = Duration::from_secs(25);

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct QuarantineParameters {
    /// Only stretches of this kind: malformed, not-a-record, inconsistent, too-long, cut-off, unknown-format, failed.
    kind: Option<String>,
    /// Only stretches of this host.
    host: Option<String>,
    /// Only stretches of spools of this format.
    format: Option<String>,
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

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ChosenStretches {
    /// Only the stretch with this id.
    id: Option<String>,
    /// Only stretches of this kind: malformed, not-a-record, inconsistent, too-long, cut-off, unknown-format, failed.
    kind: Option<String>,
    /// Only stretches of this host.
    host: Option<String>,
    /// Only stretches of spools of this format.
    format: Option<String>,
    /// All of them; to drop without any other parameter, it has to be said.
    #[serde(default, deserialize_with = "switch")]
    all: bool,
}

impl ChosenStretches {
    fn filter(&self) -> Result<QuarantineFilter, ApiError> {
        let mut filter = filter(self.kind.as_deref(), self.host.as_ref(), self.format.as_ref())?;
        filter.id = self.id.as_deref().map(parsed_id).transpose()?;
        if self.all && filter != QuarantineFilter::default() {
            return Err(ApiError::bad_request("all=true goes with no other parameter"));
        }
        Ok(filter)
    }
}

fn filter(kind: Option<&str>, host: Option<&String>, format: Option<&String>) -> Result<QuarantineFilter, ApiError> {
    let kind = match kind {
        None => None,
        Some(word) => Some(ProblemKind::from_word(word).ok_or_else(|| {
            let known = ProblemKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ");
            let word: String = word.chars().take(80).collect();
            ApiError::bad_request(format!("kind={word}: there are {known}"))
        })?),
    };
    Ok(QuarantineFilter { id: None, kind, host: host.cloned(), format: format.cloned() })
}

/// What a filter lets through.
fn in_words(filter: &QuarantineFilter) -> String {
    let QuarantineFilter { id, kind, host, format } = filter;
    let given = [
        id.map(|id| format!("id {id}")),
        kind.map(|kind| format!("kind {}", kind.as_str())),
        host.as_ref().map(|host| format!("host {host:?}")),
        format.as_ref().map(|format| format!("format {format:?}")),
    ];
    let given: Vec<String> = given.into_iter().flatten().collect();
    if given.is_empty() { "everything".to_owned() } else { given.join(", ") }
}

fn parsed_id(text: &str) -> Result<EntityId, ApiError> {
    text.parse().map_err(|error| ApiError::bad_request(format!("{error}")))
}

/// What could not be read.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct QuarantineAnswer {
    /// How many stretches the parameters let through.
    total: u64,
    /// These in groups, the largest first.
    groups: Vec<QuarantineGroupAnswer>,
    /// These one by one, newest first.
    results: Vec<QuarantinedAnswer>,
}

/// What was dropped.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DroppedAnswer {
    /// How many stretches.
    dropped: u64,
}

/// Stretches of input that could not be read: in groups, and one by one, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/quarantine",
    tag = "state",
    params(QuarantineParameters),
    responses((
        status = 200,
        description = "stretches in groups and one by one",
        body = QuarantineAnswer
    ))
)]
pub(super) async fn quarantine(
    State(server): Shared,
    Parameters(parameters): Parameters<QuarantineParameters>,
) -> Result<Json<QuarantineAnswer>, ApiError> {
    let limit = number_within("limit", parameters.limit, 1..=1_000)?;
    let filter = filter(parameters.kind.as_deref(), parameters.host.as_ref(), parameters.format.as_ref())?;
    blocking(&server, move |server| {
        let viewer = Viewer::all();
        let groups = server.store.quarantine_groups(&viewer, &filter)?;
        let total: u64 = groups.iter().map(|group| group.stretches).sum();
        let results = server
            .store
            .quarantined(&viewer, &filter, parameters.skip, limit, LISTED_BYTES)?
            .iter()
            .map(quarantined)
            .collect();
        Ok(Json(QuarantineAnswer { total, groups: groups.into_iter().map(group).collect(), results }))
    })
    .await
}

/// One stretch, whole.
#[utoipa::path(
    get,
    path = "/api/v1/quarantine/{id}",
    tag = "state",
    params(("id" = String, Path, description = "its id")),
    responses(
        (status = 200, description = "the stretch; `text` as far as it is text, `base64` as it was", body = QuarantinedAnswer),
        (status = 404, description = "no such id", body = ErrorAnswer)
    )
)]
pub(super) async fn stretch(
    State(server): Shared,
    Path(id): Path<String>,
) -> Result<Json<QuarantinedAnswer>, ApiError> {
    let id = parsed_id(&id)?;
    blocking(&server, move |server| match server.store.quarantined_by_id(&Viewer::all(), id, u64::MAX)? {
        Some(stored) => Ok(Json(whole(&stored))),
        None => Err(nothing_has(id)),
    })
    .await
}

/// Reads stretches again, after a fix or with a newer version. What can be read now is linked and
/// leaves the quarantine; the rest stays, with its present reason. Without a parameter all are read.
#[utoipa::path(
    post,
    path = "/api/v1/quarantine/replay",
    tag = "state",
    params(ChosenStretches),
    responses(
        (status = 200, description = "what came of it, once all of it is linked; it is \
                                      searchable as well, unless that takes more than 25 s", body = Replayed),
        (status = 404, description = "no such id", body = ErrorAnswer)
    )
)]
pub(super) async fn replay(
    State(server): Shared,
    Parameters(chosen): Parameters<ChosenStretches>,
) -> Result<Json<Replayed>, ApiError> {
    let filter = chosen.filter()?;
    let id = filter.id;
    let replayed = server.linker.replay(filter).await.map_err(|error| match error {
        ReplayError::Store(error) => ApiError::from(error),
        ReplayError::Stopped(_) => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    })?;
    if let Some(id) = id
        && replayed.stretches == 0
    {
        return Err(nothing_has(id));
    }
    let newest = blocking(&server, |server| Ok(server.store.newest_change()?)).await?;
    let _ = tokio::time::timeout(SEARCHABLE_WITHIN, server.indexer.searchable(newest)).await;
    Ok(Json(replayed))
}

/// Forgets stretches and their bytes for good. At least one parameter has to be given.
#[utoipa::path(
    delete,
    path = "/api/v1/quarantine",
    tag = "state",
    params(ChosenStretches),
    responses(
        (status = 200, description = "how many", body = DroppedAnswer),
        (status = 404, description = "no such id", body = ErrorAnswer)
    )
)]
pub(super) async fn drop(
    State(server): Shared,
    Parameters(chosen): Parameters<ChosenStretches>,
) -> Result<Json<DroppedAnswer>, ApiError> {
    let filter = chosen.filter()?;
    if filter == QuarantineFilter::default() && !chosen.all {
        return Err(ApiError::bad_request("nothing says what to drop")
            .hint("give id, kind, host or format, or all=true for everything"));
    }
    let id = filter.id;
    let asked_for = in_words(&filter);
    // Between two commits, so that nothing is dropped that is being read again.
    let dropped = server
        .linker
        .run(move |store| store.drop_quarantined(&filter))
        .await
        .map_err(|error| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))??;
    match id {
        Some(id) if dropped == 0 => Err(nothing_has(id)),
        _ => {
            tracing::info!(dropped, "dropped from the quarantine for good: {asked_for}");
            Ok(Json(DroppedAnswer { dropped }))
        }
    }
}

fn nothing_has(id: EntityId) -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, format!("nothing in the quarantine has the id {id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_said_in_words() {
        assert_eq!(in_words(&QuarantineFilter::default()), "everything");
        let filter = filter(Some("malformed"), Some(&"hs2\n1".to_owned()), None).unwrap();
        assert_eq!(in_words(&filter), "kind malformed, host \"hs2\\n1\"");
    }
}
