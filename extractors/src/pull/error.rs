//! Why a pass, or a part of it, could not be read.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What went wrong while reading a source.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The configuration names no source.
    #[error("no metastore address is configured: set `uri` to `thrift://host:9083`")]
    NoUri,
    /// An address that is not one.
    #[error(
        "`{uri}` is no address of a metastore: {reason} (expected `thrift://host:9083`, or \
         `file:///path` for a recording)"
    )]
    BadUri {
        /// The address as configured.
        uri: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An include or exclude pattern that cannot be read.
    #[error("pattern `{pattern}` cannot be read: {reason} (expected `db`, `db.table`, `db.tmp_*`)")]
    BadPattern {
        /// The pattern as configured.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No connection came about.
    #[error("cannot connect to the metastore at {uri}: check that it runs and that the address is right")]
    Connect {
        /// The metastore.
        uri: String,
        /// The cause.
        source: io::Error,
    },
    /// The metastore was silent for too long.
    #[error(
        "{uri} did not answer `{method}` within {} s: it is overloaded, or speaks another transport \
         (framed/SASL mismatch?)",
        waited.as_secs_f64()
    )]
    NoAnswer {
        /// The metastore.
        uri: String,
        /// The Thrift method.
        method: &'static str,
        /// For how long it was waited.
        waited: Duration,
    },
    /// The connection ended before the answer did.
    #[error(
        "the connection to {uri} broke during `{method}`: see the metastore's log; it may speak another \
         transport (framed/SASL mismatch?)"
    )]
    Broken {
        /// The metastore.
        uri: String,
        /// The Thrift method.
        method: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The answer is not what the method promises.
    #[error("the answer of {uri} to `{method}` cannot be read: {reason} (framed/SASL mismatch?)")]
    Unreadable {
        /// The metastore.
        uri: String,
        /// The Thrift method.
        method: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The metastore is of a version without this method.
    #[error("{uri} has no method `{method}`: its version is not supported")]
    UnknownMethod {
        /// The metastore.
        uri: String,
        /// The Thrift method.
        method: &'static str,
    },
    /// The metastore says that the object is not there.
    #[error("{uri} has no such object: {message}")]
    NoSuchObject {
        /// The metastore.
        uri: String,
        /// What it says.
        message: String,
    },
    /// The metastore answered with an exception that the method declares.
    #[error("{uri} refused `{method}` with {exception}: {message}")]
    Refused {
        /// The metastore.
        uri: String,
        /// The Thrift method.
        method: &'static str,
        /// The exception's name in the metastore's interface.
        exception: &'static str,
        /// What it says.
        message: String,
    },
    /// The metastore failed inside, beyond what the method declares.
    #[error("{uri} failed in `{method}`: {message} (the metastore's log tells why)")]
    Failed {
        /// The metastore.
        uri: String,
        /// The Thrift method.
        method: &'static str,
        /// What it says.
        message: String,
    },
    /// Nobody takes the steps of the pass any more.
    #[error("the pass was abandoned: nobody takes its steps")]
    Abandoned,
    /// A recorded metastore cannot be opened, read or written.
    #[error("cannot read or write the recorded metastore {}", path.display())]
    RecordingFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line of a recorded metastore is not an object.
    #[error("line {line} of the recorded metastore {} is no object: {reason}", path.display())]
    RecordingLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// What a pass showed could not be written.
    #[error("cannot write what the pass showed")]
    Record(#[source] io::Error),
}

impl ExtractError {
    /// Whether the connection, not the answer, is at fault: it is of no more use.
    pub(super) fn is_transport(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::NoAnswer { .. } | Self::Broken { .. } | Self::Unreadable { .. })
    }

    /// Whether asking again may help. A metastore reports a lost database connection as a
    /// `MetaException` or as an undeclared failure.
    pub(super) fn may_pass(&self) -> bool {
        self.is_transport() || matches!(self, Self::Failed { .. } | Self::Refused { exception: "MetaException", .. })
    }

    /// The error and its causes in one line.
    pub fn in_words(&self) -> String {
        let mut words = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let _ = write!(words, ": {error}");
            cause = error.source();
        }
        words
    }
}
