//! The command line.
//!
//! Data goes to stdout, everything else to stderr. Exit codes: 0 found or done, 1 failure,
//! 2 usage (command line, configuration or query; an ambiguous name lists its candidates),
//! 3 not found.

mod asking;
mod config;
mod entity;
mod extract;
mod fsimage;
mod history;
mod import;
mod index;
mod lineage;
mod physical;
mod quarantine;
mod record;
mod run_log;
mod search;
mod server;
mod sql;
mod status;
mod terminal;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use reqwest::StatusCode;
use serde_json::Value;

use crate::client::{Client, ClientError};
use asking::{Asking, Output};
use terminal::Terminal;

/// Metadata and lineage of Hadoop clusters: where does this data come from and go to, who touched
/// it with which query, and why is something missing.
#[derive(Debug, Parser)]
#[command(
    name = "sextant",
    version,
    max_term_width = 100,
    after_help = "Examples:
  sextant server --config /etc/sextant/sextant.toml
  sextant import /var/log/hive/lineage.log --format hive --cluster prod
  sextant search 'type:table owner:etl'
  sextant lineage sales.orders --direction upstream --depth 3
  sextant fsimage fsimage_0000000000012345678 du /user/hive/warehouse
  sextant sql load.sql --schema tables.txt
  sextant status

Exit codes: 0 found or done, 1 failure, 2 wrong command line, configuration or query (an ambiguous
name lists its candidates), 3 not found."
)]
struct Arguments {
    #[command(flatten)]
    asking: Asking,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server.
    Server(server::ServerArguments),
    /// Check a configuration without starting anything.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Send lineage files to the server.
    Import(import::ImportArguments),
    /// Run a pull extractor now.
    Extract(extract::ExtractArguments),
    /// Say how everything stands.
    Status(status::StatusArguments),
    /// Search entities, statements and runs.
    Search(search::SearchArguments),
    /// Show one entity, operation or run.
    Entity(entity::EntityArguments),
    /// Show where data comes from and goes to.
    Lineage(lineage::LineageArguments),
    /// Look after the search index.
    #[command(subcommand)]
    Index(index::IndexCommand),
    /// Show what could not be read, read it again, or drop it.
    #[command(subcommand)]
    Quarantine(quarantine::QuarantineCommand),
    /// Write what a metastore shows into a file.
    Record(record::RecordArguments),
    /// Read a NameNode's image: sums, a search, text, JSON, Parquet.
    Fsimage(fsimage::FsimageArguments),
    /// Say what SQL statements read, write and compute.
    Sql(sql::SqlArguments),
}

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Found or done.
    Done,
    /// Something went wrong.
    Failed,
    /// The command line, the configuration, a name or a query is wrong.
    Usage,
    /// Nothing is called so.
    NotFound,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::Usage => 2,
            Outcome::NotFound => 3,
        })
    }
}

/// Why a client command ends early.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A file cannot be read.
    #[error("cannot read: {0}")]
    File(std::io::Error),
    #[error("{0}")]
    Other(String),
    /// Whoever reads the output has gone.
    #[error("the output is closed")]
    Output(#[from] std::io::Error),
}

/// What client commands work with.
struct Session {
    client: Client,
    output: Output,
    terminal: Terminal,
}

impl Session {
    /// Writes an answer: as JSON, or for people by `table`.
    fn show(
        &self,
        answer: &Value,
        table: impl FnOnce(Terminal, &mut dyn Write, &Value) -> std::io::Result<()>,
    ) -> Result<(), CommandError> {
        let mut out = std::io::stdout().lock();
        match self.output {
            Output::Json => {
                serde_json::to_writer_pretty(&mut out, answer).map_err(std::io::Error::from)?;
                writeln!(out)?;
            }
            Output::Table => table(self.terminal, &mut out, answer)?,
        }
        out.flush()?;
        Ok(())
    }
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let arguments = arguments().unwrap_or_else(|refused| refused.exit());
    let outcome = match arguments.command {
        Command::Server(server) => server::run(server),
        Command::Config(command) => config::run(&command),
        Command::Record(record) => on_runtime(record::run(record)),
        Command::Fsimage(fsimage) => fsimage::run(&fsimage, arguments.asking.output),
        Command::Sql(sql) => sql::run(&sql, arguments.asking.output),
        client_command => on_runtime(run_client(client_command, arguments.asking)),
    };
    outcome.into()
}

/// Reads what was typed. An error is help or the version as well.
fn arguments() -> Result<Arguments, clap::Error> {
    let mut command = asking::hidden_where_they_mean_nothing(Arguments::command());
    let typed = std::env::args_os().map(never_a_flag_with_colon);
    let given = command.try_get_matches_from_mut(typed)?;
    Arguments::from_arg_matches(&given)
}

/// `-deleted:true` is a term of a query, not a flag: no flag with one dash has a colon.
fn never_a_flag_with_colon(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(term) if term.starts_with('-') && !term.starts_with("--") && term.contains(':') => {
            format!(" {term}").into()
        }
        _ => argument,
    }
}

fn on_runtime(command: impl Future<Output = Outcome>) -> Outcome {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(command),
        Err(error) => {
            complain(&format!("cannot start: {error}"), None);
            Outcome::Failed
        }
    }
}

async fn run_client(command: Command, asking: Asking) -> Outcome {
    let client = match Client::new(&asking.server, asking.token_file.as_ref()) {
        Ok(client) => client,
        Err(error) => return refuse(&CommandError::Client(error)),
    };
    let session = Session { client, output: asking.output, terminal: Terminal::of_stdout() };
    let ended = match command {
        Command::Import(import) => import::run(&session, &import).await,
        Command::Extract(extract) => extract::run(&session, &extract).await,
        Command::Status(status) => status::run(&session, &status).await,
        Command::Search(search) => search::run(&session, &search).await,
        Command::Entity(entity) => entity::run(&session, &entity).await,
        Command::Lineage(lineage) => lineage::run(&session, &lineage).await,
        Command::Index(command) => index::run(&session, &command).await,
        Command::Quarantine(command) => quarantine::run(&session, &command).await,
        Command::Server(_) | Command::Config(_) | Command::Record(_) | Command::Fsimage(_) | Command::Sql(_) => {
            Ok(Outcome::Usage)
        }
    };
    match ended {
        Ok(outcome) => outcome,
        // A reader that has seen enough (`| head`) is no failure.
        Err(CommandError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Outcome::Done,
        Err(error) => refuse(&error),
    }
}

/// Says what went wrong, and with which exit code it ends.
fn refuse(error: &CommandError) -> Outcome {
    match error {
        CommandError::Client(ClientError::Refused { status, body }) => {
            match body.get("detail").and_then(Value::as_str) {
                // It repeats message and hint around the query with its mark.
                Some(detail) => complain(detail, None),
                None => complain(&error.to_string(), body.get("hint").and_then(Value::as_str)),
            }
            match *status {
                StatusCode::NOT_FOUND => Outcome::NotFound,
                StatusCode::CONFLICT => {
                    list_candidates(body);
                    Outcome::Usage
                }
                StatusCode::BAD_REQUEST => Outcome::Usage,
                _ => Outcome::Failed,
            }
        }
        CommandError::Client(ClientError::Unreachable { .. }) => {
            complain(&error.to_string(), Some("is `sextant server` running? another address is given with --server"));
            Outcome::Failed
        }
        CommandError::Client(ClientError::Address(_)) => {
            complain(&error.to_string(), None);
            Outcome::Usage
        }
        _ => {
            complain(&error.to_string(), None);
            Outcome::Failed
        }
    }
}

fn list_candidates(body: &Value) {
    let candidates = body.get("candidates").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for candidate in candidates {
        let text = |key: &str| candidate.get(key).and_then(Value::as_str).unwrap_or("name only").to_owned();
        let state = if candidate["deleted"] == true { " (deleted)" } else { "" };
        let name = text("qualifiedName");
        let line = format!("{}  {}  cluster {}  {name}{state}", text("id"), text("type"), text("cluster"));
        say(&format!("  {}", terminal::printable(&line)));
    }
}

/// An error and what to do about it, on stderr.
fn complain(error: &str, hint: Option<&str>) {
    say(&format!("error: {}", terminal::printable_lines(error)));
    if let Some(hint) = hint {
        say(&format!("hint: {}", terminal::printable_lines(hint)));
    }
}

/// A line on stderr.
fn say(line: &str) {
    // Nobody is left to be told when stderr is closed.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
