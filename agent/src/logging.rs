//! Where log lines go: standard error, or a file that starts anew at a size.

use std::io;
use std::path::Path;

use logroller::{LogRollerBuilder, Rotation, RotationSize};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

use crate::config::LogConfig;
use crate::error::Error;

/// Starts logging for the process. Lines may wait in memory until the guard is dropped.
pub fn start(config: &LogConfig) -> Result<Option<WorkerGuard>, Error> {
    // The libraries below speak in their own words; theirs are for debugging.
    let libraries = if config.level == "trace" { "debug" } else { "warn" };
    let filter = EnvFilter::new(format!("{libraries},sextant_agent={}", config.level));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_target(false).with_ansi(false);
    let Some(path) = &config.file else {
        subscriber.with_writer(io::stderr).init();
        return Ok(None);
    };
    let unusable = |problem: String| Error::Log { path: path.clone(), problem };
    let name = path.file_name().ok_or_else(|| unusable("it has no file name".to_owned()))?;
    let directory = path.parent().unwrap_or(Path::new("."));
    let appender = LogRollerBuilder::new(directory, Path::new(name))
        .rotation(Rotation::SizeBased(RotationSize::Bytes(config.rotate_size)))
        .max_keep_files(config.keep)
        .build()
        .map_err(|error| unusable(error.to_string()))?;
    let (writer, guard) = tracing_appender::non_blocking(appender);
    subscriber.with_writer(writer).init();
    Ok(Some(guard))
}
