//! What agents (and `sextant import`) talk to.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use sextant_model::delivery::{Hello, MAX_BATCH_BYTES, MAX_HEADER_BYTES, MAX_LINE_BYTES, Positions, Receipt};
use utoipa::ToSchema;

use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::clock::now;
use crate::intake::{self, Refusal};
use crate::pushback;

/// A line of the greatest length that does not compress, its header, and the compressor's own
/// overhead.
pub(super) const MAX_BODY_BYTES: usize = MAX_LINE_BYTES + MAX_BATCH_BYTES + MAX_HEADER_BYTES;

/// What the server holds of an agent's files.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PositionsAnswer {
    positions: Vec<PositionAnswer>,
}

/// How far one file generation is kept.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PositionAnswer {
    generation: String,
    /// Everything before this byte offset is kept.
    offset: u64,
}

impl From<Positions> for PositionsAnswer {
    fn from(held: Positions) -> Self {
        let mut positions = Vec::with_capacity(held.positions.len());
        for position in held.positions {
            positions.push(PositionAnswer { generation: position.generation.0, offset: position.offset });
        }
        Self { positions }
    }
}

/// The answer to a batch.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ReceiptAnswer {
    /// Everything before this offset of the generation is kept.
    offset: u64,
}

impl From<Receipt> for ReceiptAnswer {
    fn from(receipt: Receipt) -> Self {
        Self { offset: receipt.offset }
    }
}

/// Tells an agent how far each of its files is kept.
#[utoipa::path(
    post,
    path = "/api/v1/agent/positions",
    tag = "agent",
    request_body(content = serde_json::Value, description = "`{agent, host, version}`"),
    responses((status = 200, description = "how far each of its files is kept", body = PositionsAnswer))
)]
pub(super) async fn positions(State(server): Shared, body: Bytes) -> Result<Json<PositionsAnswer>, ApiError> {
    let hello: Hello = serde_json::from_slice(&body)
        .map_err(|error| ApiError::bad_request(format!("the greeting is not understood: {error}")))?;
    let positions = blocking(&server, move |server| Ok(intake::greet(server, &hello)?)).await?;
    Ok(Json(PositionsAnswer::from(positions)))
}

/// Takes note of how an agent's spools stand.
#[utoipa::path(
    post,
    path = "/api/v1/agent/spools",
    tag = "agent",
    request_body(
        content = serde_json::Value,
        description = "`{agent, host, version, spools: [{path, format, cluster, filesKnown, bytesBehind, secondsBehind, trouble}], stopped}`: at most 64 spools, a path of at most 1,024 bytes, every other name of at most 255; a longer `trouble` is cut; `stopped` says that the agent was told to stop"
    ),
    responses((status = 204, description = "noted"), (status = 400, description = "no report, or one beyond these limits", body = ErrorAnswer))
)]
pub(super) async fn spools(State(server): Shared, body: Bytes) -> Result<StatusCode, ApiError> {
    let report = intake::spools_report(&body).map_err(ApiError::bad_request)?;
    let leaving = report.stopped.then(|| (report.agent.clone(), report.host.clone()));
    server.agents.report(report, now());
    if let Some((agent, host)) = leaving {
        blocking(&server, move |server| Ok(intake::take_leave(server, &agent, &host)?)).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Keeps a batch of raw bytes.
#[utoipa::path(
    post,
    path = "/api/v1/agent/batches",
    tag = "agent",
    request_body(
        content_type = "application/octet-stream",
        content = Vec<u8>,
        description = "one JSON line (agent, host, generation, path, format, cluster, start, end), a line feed, and \
                       the bytes as a zstd frame"
    ),
    responses(
        (status = 200, description = "`{offset}`: everything before it is kept", body = ErrorAnswer),
        (status = 409, description = "bytes before the batch are missing; `offset` says from where", body = ReceiptAnswer),
        (status = 422, description = "no room for records of a format that this server does not read: keep the file \
                                      and try again later", body = ErrorAnswer),
        (status = 429, description = "not now; `Retry-After` says when to try again, and nothing of the batch is \
                                      kept", body = ErrorAnswer)
    )
)]
pub(super) async fn batches(State(server): Shared, body: Bytes) -> Result<Response, ApiError> {
    blocking(&server, move |server| match intake::receive(server, &body) {
        Ok(receipt) => Ok(Json(ReceiptAnswer::from(receipt)).into_response()),
        Err(Refusal::Ahead(receipt)) => Ok((StatusCode::CONFLICT, Json(ReceiptAnswer::from(receipt))).into_response()),
        Err(Refusal::Unreadable(reason)) => Err(ApiError::bad_request(reason)),
        Err(Refusal::Busy(reason)) => Ok(busy(reason)),
        Err(Refusal::NoRoomForFormat(reason)) => Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, reason)
            .hint("install a version of sextant that reads the format, or raise the limit")),
        Err(Refusal::Store(error)) => Err(error.into()),
    })
    .await
}

fn busy(reason: String) -> Response {
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, reason)
        .hint("nothing is lost: agents keep the files and try again by themselves")
        .retry_after_in_body(pushback::RETRY_AFTER_SECONDS)
        .into_response()
}
