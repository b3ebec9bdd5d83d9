//! How far what arrived has come, and waiting for it.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::parameters::{Parameters, switch};
use super::{ApiError, Shared, blocking};
use crate::linking::Tally;

/// The longest a request waits before it answers how far things are; the caller asks again.
const LONGEST_WAIT: Duration = Duration::from_secs(25);

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct IntakeParameters {
    /// Wait (up to 25 s) until this inbox entry is linked and searchable.
    wait_for: Option<u64>,
    /// Wait (up to 25 s) until everything that is here now is linked and searchable.
    #[serde(default, deserialize_with = "switch")]
    wait: bool,
    /// Also say what came of this file generation.
    generation: Option<String>,
    /// The host of that generation.
    host: Option<String>,
}

/// How far what arrived has come.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct IntakeAnswer {
    /// The newest entry of the inbox, by number.
    received: u64,
    /// The newest entry that is linked.
    linked: u64,
    /// The newest change, by number.
    newest_change: u64,
    /// The newest change that is searchable.
    searchable: u64,
    /// Whether what was waited for is linked and searchable.
    done: bool,
    /// What came of the file generation that was asked for.
    #[schema(required)]
    tally: Option<Tally>,
    /// Why linking or indexing stands still, if it does.
    #[schema(required)]
    trouble: Option<String>,
}

/// How far what arrived has come.
#[utoipa::path(
    get,
    path = "/api/v1/intake",
    tag = "state",
    params(IntakeParameters),
    responses((
        status = 200,
        description = "inbox entries and changes by number",
        body = IntakeAnswer
    ))
)]
pub(super) async fn intake(
    State(server): Shared,
    Parameters(parameters): Parameters<IntakeParameters>,
) -> Result<Json<IntakeAnswer>, ApiError> {
    let received = blocking(&server, |server| Ok(server.store.newest_entry()?)).await?;
    let wanted = match parameters.wait_for {
        Some(entry) if entry > received => {
            return Err(ApiError::bad_request(format!("waitFor={entry}: only {received} entries have arrived")));
        }
        Some(entry) => Some(entry),
        None => parameters.wait.then_some(received),
    };
    let mut done = true;
    if let Some(entry) = wanted {
        let waiting = async {
            server.linker.linked().reached(entry).await;
            let newest = blocking(&server, |server| Ok(server.store.newest_change()?)).await?;
            server.indexer.searchable(newest).await;
            Ok::<(), ApiError>(())
        };
        match tokio::time::timeout(LONGEST_WAIT, waiting).await {
            Ok(outcome) => outcome?,
            Err(_) => done = false,
        }
    }
    let newest_change = blocking(&server, |server| Ok(server.store.newest_change()?)).await?;
    let tally = match (&parameters.host, &parameters.generation) {
        (Some(host), Some(generation)) => server.linker.tally(host, generation),
        _ => None,
    };
    Ok(Json(IntakeAnswer {
        received,
        linked: server.linker.linked().position(),
        newest_change,
        searchable: server.indexer.position(),
        done,
        tally,
        trouble: server.linker.trouble().or_else(|| server.indexer.trouble()),
    }))
}
