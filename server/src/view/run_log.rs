//! What a run logged.

use serde::Serialize;
use sextant_model::Timestamp;
use sextant_store::{LogLevel, LogLine, RunLog};
use utoipa::ToSchema;

use super::words::LogLevelWord;

/// The newest lines that a run of a pull extractor logged.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunLogAnswer {
    extractor: String,
    /// When the run began; null when no run was asked for and none has logged anything.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    started: Option<Timestamp>,
    /// Whether it still runs.
    running: bool,
    /// Whether its log is kept: that of the newest 100 runs is, unless the server went down in the
    /// middle of the run.
    kept: bool,
    /// The oldest first, at most 200.
    lines: Vec<LogLineAnswer>,
    /// How many older lines are not kept.
    dropped: u64,
}

/// One line of a log.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogLineAnswer {
    #[schema(value_type = String, format = DateTime)]
    time: Timestamp,
    #[schema(value_type = LogLevelWord)]
    level: LogLevel,
    /// The message and its fields.
    text: String,
}

/// A log as the API shows it; nothing where it is not kept.
pub fn run_log(extractor: String, asked: Option<Timestamp>, log: Option<RunLog>, running: bool) -> RunLogAnswer {
    let kept = log.is_some();
    let (started, lines, dropped) = match log {
        Some(log) => (Some(log.started), log.lines, log.dropped),
        None => (asked, Vec::new(), 0),
    };
    let lines = lines.into_iter().map(|LogLine { time, level, text }| LogLineAnswer { time, level, text }).collect();
    RunLogAnswer { extractor, started, running, kept, lines, dropped }
}
