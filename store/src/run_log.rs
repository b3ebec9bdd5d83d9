//! What a run of a pull extractor logged.

use serde::{Deserialize, Serialize};

use sextant_model::Timestamp;

/// Of so many runs of each extractor what they logged is kept, the newest.
pub const KEPT_RUN_LOGS: u64 = 100;

/// The newest lines that one run logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLog {
    /// The extractor.
    pub source: String,
    /// When the run began.
    pub started: Timestamp,
    /// The oldest first.
    pub lines: Vec<LogLine>,
    /// How many older lines are not kept.
    pub dropped: u64,
}

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// When it was logged.
    pub time: Timestamp,
    /// How grave it is.
    pub level: LogLevel,
    /// The message and its fields.
    pub text: String,
}

/// How grave a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// What happens.
    Info,
    /// Something is not as it should be, and the run goes on.
    Warn,
    /// The run failed, or something in it did.
    Error,
}

impl LogLevel {
    /// Every value, in the order of declaration.
    pub const ALL: &'static [Self] = &[Self::Info, Self::Warn, Self::Error];
}
