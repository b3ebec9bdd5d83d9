//! Log lines: to stderr, and into a rotated file where one is configured. Those of extractors' runs
//! are kept with them, too ([`KeepsRunLines`]).

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use logroller::{LogRollerBuilder, Rotation, RotationSize};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

use crate::config::ServerSettings;
use crate::extraction::KeepsRunLines;

/// A log file is rotated at this size: 50 MiB.
const ROTATE_AT_MEBIBYTES: u64 = 50;
/// Rotated files that are kept.
const KEPT_FILES: u64 = 10;

/// The log file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: cannot write the log file: {reason}; give another log_file or make its directory writable")]
pub struct LogFileError {
    path: PathBuf,
    reason: String,
}

/// Keeps the log file's writer alive. What was logged is on disk once it is dropped.
#[derive(Debug)]
pub struct LogGuard(#[expect(dead_code, reason = "only its drop matters")] Option<WorkerGuard>);

/// Starts logging. A second call in one process changes nothing.
pub fn start(settings: &ServerSettings) -> Result<LogGuard, LogFileError> {
    // The scheduler tells at INFO when its own parts begin.
    let directives = format!("tokio_cron_scheduler=warn,{}", settings.log_level);
    let filter = EnvFilter::try_new(directives).unwrap_or_else(|_| EnvFilter::new("info"));
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let to_stderr = fmt::layer().with_writer(std::io::stderr).with_ansi(colours).with_target(false);
    let (to_file, guard) = match &settings.log_file {
        None => (None, None),
        Some(path) => {
            let (writer, guard) = file_writer(path)?;
            (Some(fmt::layer().with_writer(writer).with_ansi(false).with_target(false)), Some(guard))
        }
    };
    let _ = tracing_subscriber::registry()
        .with(to_stderr.and_then(to_file).with_filter(filter))
        // A run tells what it does also where the log is asked for less.
        .with(KeepsRunLines.with_filter(LevelFilter::INFO))
        .try_init();
    Ok(LogGuard(guard))
}

fn file_writer(path: &Path) -> Result<(tracing_appender::non_blocking::NonBlocking, WorkerGuard), LogFileError> {
    let failed = |reason: String| LogFileError { path: path.to_owned(), reason };
    let name = path.file_name().ok_or_else(|| failed("it names no file".to_owned()))?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory).map_err(|error| failed(error.to_string()))?;
    let roller = LogRollerBuilder::new(directory, Path::new(name))
        .rotation(Rotation::SizeBased(RotationSize::MB(ROTATE_AT_MEBIBYTES)))
        .max_keep_files(KEPT_FILES)
        .build()
        .map_err(|error| failed(error.to_string()))?;
    // Lossy by default: a line that does not fit into the queue would be lost without a word.
    Ok(NonBlockingBuilder::default().lossy(false).finish(roller))
}
