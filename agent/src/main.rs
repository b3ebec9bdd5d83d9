//! The command line of the agent.

use std::error::Error as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use sextant_agent::{Agent, Config, Error, check, config, logging, status};

const FAILURE: u8 = 1;
const USAGE: u8 = 2;

/// Follows lineage files on this host and delivers them to the Sextant server.
///
/// Runs until it gets SIGTERM or SIGINT. It only reads the files: it never changes one, and removes
/// none unless told by `retention`; a server that is away costs nothing but their space on disk. What is delivered is what the
/// server has acknowledged; after a restart it goes on there.
#[derive(Parser)]
#[command(name = "sextant-agent", version, after_long_help = after_help())]
struct CommandLine {
    /// The configuration file.
    #[arg(
        long,
        value_name = "FILE",
        env = "SEXTANT_AGENT_CONFIG",
        default_value = "/etc/sextant/agent.toml",
        global = true
    )]
    config: PathBuf,

    /// Look once, deliver what is there, and exit.
    #[arg(long)]
    once: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Say which files would be read, whether they may be, and whether the server answers.
    ///
    /// Exits with 0 when all is well, 1 when something is not, 2 when the configuration is wrong.
    Check,
    /// Say what has been delivered, from the state file; works while the agent runs.
    Status,
}

fn after_help() -> String {
    format!(
        "A small configuration:\n\n\
         \x20 [server]\n\
         \x20 url = \"http://sextant.example.com:7187\"\n\n\
         \x20 [[spool]]\n\
         \x20 path = \"/var/log/impalad/lineage/impala_lineage_log_1.0-*\"\n\
         \x20 format = \"impala\"\n\
         \x20 cluster = \"prod\"\n\n\
         All settings:\n\n{}\n\
         A setting of [agent] can be given as SEXTANT_AGENT_<KEY>, one of [server] or [log] as\n\
         SEXTANT_AGENT_SERVER_<KEY> or SEXTANT_AGENT_LOG_<KEY>; the environment wins over the file.\n\n\
         Exit codes: 0 done, 1 failure, 2 wrong command line or configuration.",
        config::reference()
    )
}

fn main() -> ExitCode {
    let command_line = CommandLine::parse();
    match run(&command_line) {
        Ok(code) => code,
        // Whoever reads has seen enough.
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(if error.is_usage() { USAGE } else { FAILURE })
        }
    }
}

fn run(command_line: &CommandLine) -> Result<ExitCode, Error> {
    let config = Config::load(&command_line.config)?;
    match command_line.command {
        Some(Command::Status) => {
            status::status(&config, &mut io::stdout().lock())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Check) => {
            let is_well = runtime()?.block_on(check::check(&config, &mut io::stdout()))?;
            Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(FAILURE) })
        }
        None => follow(config, command_line.once),
    }
}

fn follow(config: Config, once: bool) -> Result<ExitCode, Error> {
    let _log = logging::start(&config.log)?;
    for variable in &config.unknown_variables {
        tracing::warn!(variable, "this environment variable is no setting of the agent");
    }
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut agent = Agent::new(config)?;
        if once {
            return Ok(match agent.deliver_once().await {
                Ok(()) => ExitCode::SUCCESS,
                // It is logged already.
                Err(_) => ExitCode::from(FAILURE),
            });
        }
        let stop = async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        agent.run(stop).await;
        Ok(ExitCode::SUCCESS)
    });
    // A look at a dead mount may never return.
    runtime.shutdown_timeout(Duration::from_millis(100));
    result
}

/// One thread is enough: reading and compressing happen on threads of their own.
fn runtime() -> Result<Runtime, Error> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// The error with its causes, on one line.
fn complain(error: &Error) {
    let mut text = format!("sextant-agent: {error}");
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    let _ = writeln!(io::stderr(), "{text}");
}
