//! The lines of the pipe.

use serde::{Deserialize, Serialize};

/// What is asked.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Question {
    /// What is in the directory at this path.
    List(String),
    /// What is at this path.
    Entry(String),
}

/// What is answered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    /// Connected; the version of these lines.
    Ready(u32),
    Entry(Entry),
    /// The answer is complete, with so many entries.
    End(u64),
    Failed(Failed),
}

/// A file or directory.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) is_directory: bool,
    pub(crate) owner: String,
    pub(crate) group: String,
    /// The permission bits as a number.
    pub(crate) mode: u16,
    /// Milliseconds since 1970; the client tells whole seconds.
    pub(crate) modified_ms: i64,
    pub(crate) accessed_ms: i64,
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) replication: u16,
    /// Bytes.
    pub(crate) block_size: u64,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Failed {
    pub(crate) kind: FailedKind,
    pub(crate) reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailedKind {
    Gone,
    Denied,
    /// The file system does not even answer for its root.
    Away,
    Other,
}
