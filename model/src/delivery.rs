//! The protocol between agent and server.
//!
//! The agent sends raw bytes of whole lines together with where they came from. The server keeps
//! bytes and position in one transaction and then acknowledges with the position it holds. The
//! agent's truth about what is delivered is only ever what the server last said.
//!
//! - `POST /api/v1/agent/positions` with [`Hello`] answers [`Positions`].
//! - `POST /api/v1/agent/batches` with a body of one JSON line ([`BatchHeader`]), a line feed, and
//!   the payload (zstd) answers [`Receipt`]: 200 when the bytes are kept (now or before), 409 when
//!   `start` lies beyond what the server has: the agent goes back to the position it is told.
//! - `POST /api/v1/agent/spools` with [`SpoolsReport`] answers 204. It is for people who watch: a
//!   server that does not know it (404) misses nothing that it needs, and an agent that never sends
//!   it delivers all the same.

use serde::{Deserialize, Serialize};

/// The largest payload of one batch before compression: 8 MiB, unless a single line is longer.
pub const MAX_BATCH_BYTES: usize = 8 << 20;
/// The longest line that is delivered: 64 MiB.
pub const MAX_LINE_BYTES: usize = 64 << 20;
/// The longest header line: 64 KiB.
pub const MAX_HEADER_BYTES: usize = 64 << 10;
/// The most spools that one report tells of; a report of more is refused.
pub const MAX_REPORTED_SPOOLS: usize = 64;
/// The longest path or pattern of a spool, bytes.
pub const MAX_SPOOL_PATH_BYTES: usize = 1_024;
/// The longest host, cluster, format, agent id or version of a report, bytes.
pub const MAX_SPOOL_NAME_BYTES: usize = 255;
/// The longest text of what is wrong with a spool that is sent, bytes; the server may keep less of it.
pub const MAX_TROUBLE_BYTES: usize = 1_024;

/// One life of a spool file: (device, inode, fingerprint of its head).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Generation(pub String);

/// An agent tells who it is, at start and after every reconnect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The agent's own id, made once and kept in its state directory.
    pub agent: String,
    /// The host it runs on.
    pub host: String,
    /// Its version.
    pub version: String,
}

/// What the server holds of an agent's files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Positions {
    /// Per generation the offset up to which the bytes are kept.
    pub positions: Vec<Position>,
}

/// How far one generation is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// Which file generation.
    pub generation: Generation,
    /// Everything before this byte offset is kept.
    pub offset: u64,
}

/// What stands before the payload of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchHeader {
    /// The agent's id.
    pub agent: String,
    /// The host the file is on.
    pub host: String,
    /// Which file generation.
    pub generation: Generation,
    /// The file's path when it was read.
    pub path: String,
    /// The spool's configured format; the agent does not look at it.
    pub format: String,
    /// The spool's configured cluster.
    pub cluster: String,
    /// Offset of the first byte of the payload in the generation.
    pub start: u64,
    /// Offset behind the last byte. The payload holds `end - start` bytes, except for a
    /// `skipped` line.
    pub end: u64,
    /// Set when the payload is only the beginning of a line that is longer than
    /// [`MAX_LINE_BYTES`]: the server quarantines it; the rest was not sent.
    #[serde(default)]
    pub skipped: Option<SkippedLine>,
    /// Set when no byte will follow in this generation (a newer file of its family exists, or it
    /// is gone): what is unfinished is damaged.
    #[serde(default)]
    pub last: bool,
}

/// A line that was too long to be delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedLine {
    /// Its length in bytes.
    pub length: u64,
    /// BLAKE3 of the whole line, in hexadecimal.
    pub hash: String,
}

/// The server's answer to a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Everything before this offset of the generation is kept.
    pub offset: u64,
}

/// An agent tells how its spools stand: after looks, and at least once a minute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpoolsReport {
    /// The agent's id.
    pub agent: String,
    /// The host it runs on.
    pub host: String,
    /// Its version.
    pub version: String,
    /// Every configured spool, the first [`MAX_REPORTED_SPOOLS`] of them.
    pub spools: Vec<SpoolState>,
    /// Set when it is the last report, because the agent was told to stop.
    #[serde(default)]
    pub stopped: bool,
}

/// How one spool stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpoolState {
    /// The directory, file or pattern, as it is configured.
    pub path: String,
    /// Its format.
    pub format: String,
    /// Its cluster.
    pub cluster: String,
    /// Files that are followed and not gone.
    pub files_known: u64,
    /// Bytes in them that the server has not acknowledged.
    pub bytes_behind: u64,
    /// For how long, at least, the oldest of those bytes has been in its file: since the agent saw it first, or since
    /// the file was changed last, whichever is longer ago; 0 when there is none.
    pub seconds_behind: u64,
    /// What keeps the spool or one of its files from being read or delivered, in words.
    #[serde(default)]
    pub trouble: Option<String>,
}
