//! `sextant server`.

use std::path::PathBuf;

use super::{Outcome, complain, say};
use crate::config::{Flags, load, unknown_variables};
use crate::extraction::ExtractionError;
use crate::server::ServerError;
use crate::{logging, server};

/// Run the server: receive lineage from agents, visit the configured sources, and answer.
///
/// Flags win over SEXTANT_… variables, variables over the configuration file. Without a file
/// there are no extractors, but agents and `sextant import` can deliver.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sextant server --config /etc/sextant/sextant.toml
  sextant server --data ./data                       # no extractors, only what is delivered
  sextant server --data ./data --listen 127.0.0.1:0  # any free port; see data/address

Variables: SEXTANT_CONFIG, SEXTANT_LISTEN, SEXTANT_PUBLIC_URL, SEXTANT_DATA_DIR, SEXTANT_LOG_LEVEL,
SEXTANT_LOG_FILE")]
pub(super) struct ServerArguments {
    /// The configuration file.
    #[arg(long, value_name = "FILE", env = "SEXTANT_CONFIG")]
    config: Option<PathBuf>,
    /// Where the database and the search index live (/var/lib/sextant where nothing says otherwise).
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The address to listen on (127.0.0.1:7187 where nothing says otherwise).
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Which log lines are written: error, warn, info, debug, trace.
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
    /// A file to log into as well, rotated at 50 MiB.
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// Listen on an address that others can reach although nobody has to log in.
    #[arg(long)]
    unsafe_listen_without_authentication: bool,
}

pub(super) fn run(arguments: ServerArguments) -> Outcome {
    let flags = Flags {
        listen: arguments.listen,
        data: arguments.data,
        log_level: arguments.log_level,
        log_file: arguments.log_file,
        unsafe_listen_without_authentication: arguments.unsafe_listen_without_authentication,
    };
    let environment = |name: &str| std::env::var(name).ok();
    let config = match load(arguments.config.as_deref(), &environment, &flags) {
        Ok(config) => config,
        Err(error) => {
            say(&error.to_string());
            return Outcome::Usage;
        }
    };
    let _log = match logging::start(&config.server) {
        Ok(guard) => guard,
        Err(error) => {
            complain(&error.to_string(), None);
            return Outcome::Failed;
        }
    };
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for variable in unknown_variables(variables) {
        tracing::warn!(variable, "this variable means nothing to sextant");
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("cannot start: {error}"), None);
            return Outcome::Failed;
        }
    };
    let ended = runtime.block_on(async {
        // Before anything starts: a signal during the start must not kill in the middle of it.
        let stop = stop_signal().map_err(ServerError::Signals)?;
        server::run(&config, stop).await
    });
    // Runs in progress are abandoned; they delete nothing.
    runtime.shutdown_background();
    match ended {
        Ok(()) => Outcome::Done,
        Err(error) => {
            complain(&error.to_string(), None);
            match error {
                // The configuration names it, and `sextant config check` refuses it too.
                ServerError::Extraction(ExtractionError::Source { .. }) => Outcome::Usage,
                _ => Outcome::Failed,
            }
        }
    }
}

/// Begins to listen for signals; what it answers with is over at SIGTERM or SIGINT.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
