//! What could not be read.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use sextant_model::problem::ProblemKind;
use sextant_model::{EntityId, Timestamp};
use sextant_store::{QuarantineGroup, StoredQuarantined};
use utoipa::ToSchema;

use super::words::ProblemKindWord;

/// A stretch of input that was not understood.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuarantinedAnswer {
    #[schema(value_type = String)]
    id: EntityId,
    #[schema(value_type = ProblemKindWord)]
    kind: ProblemKind,
    /// What was wrong, in words.
    reason: String,
    /// The host whose agent sent it.
    host: String,
    /// The spool file.
    file: String,
    /// Byte offset in that file.
    offset: u64,
    /// How many bytes it has.
    length: u64,
    /// How many of these are kept.
    kept: u64,
    /// Whether all of it is kept, so that it can be read again.
    replayable: bool,
    /// The spool's format.
    format: String,
    /// The spool's cluster.
    cluster: String,
    #[schema(value_type = String, format = DateTime)]
    received: Timestamp,
    /// Its bytes, in a list the first 200; what is no text becomes U+FFFD.
    text: String,
    /// Its bytes as they were. Only of a single stretch.
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// A quarantined stretch as the API shows it; bytes that are no text become U+FFFD.
pub fn quarantined(stored: &StoredQuarantined) -> QuarantinedAnswer {
    QuarantinedAnswer {
        id: stored.id,
        kind: stored.problem.kind,
        reason: stored.problem.reason.clone(),
        host: stored.host.clone(),
        file: stored.file.clone(),
        offset: stored.problem.offset,
        length: stored.problem.length,
        kept: stored.kept,
        replayable: stored.is_whole(),
        format: stored.format.clone(),
        cluster: stored.cluster.clone(),
        received: stored.received,
        text: String::from_utf8_lossy(&stored.bytes).into(),
        base64: None,
    }
}

/// The same with its bytes as they were.
pub fn whole(stored: &StoredQuarantined) -> QuarantinedAnswer {
    QuarantinedAnswer { base64: Some(BASE64_STANDARD.encode(&stored.bytes)), ..quarantined(stored) }
}

/// Stretches that have kind, host and format in common.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineGroupAnswer {
    #[schema(value_type = ProblemKindWord)]
    kind: ProblemKind,
    host: String,
    format: String,
    /// How many.
    stretches: u64,
    /// How long they were in their files, bytes.
    bytes: u64,
    /// When the first of them was received.
    #[schema(value_type = String, format = DateTime)]
    oldest: Timestamp,
    /// When the last of them was received.
    #[schema(value_type = String, format = DateTime)]
    newest: Timestamp,
}

/// A group as the API shows it.
pub fn group(group: QuarantineGroup) -> QuarantineGroupAnswer {
    let QuarantineGroup { kind, host, format, stretches, bytes, oldest, newest } = group;
    QuarantineGroupAnswer { kind, host, format, stretches, bytes, oldest, newest }
}
