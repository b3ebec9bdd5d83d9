//! The flags that say how a server is asked.
//!
//! They stand before or after every command, so that a script may always give them; the commands
//! that ask no server do not show them.

use std::path::PathBuf;

use clap::{Arg, Command, ValueEnum};

/// What every command understands that asks a server.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Asking the server")]
pub(super) struct Asking {
    /// The server to ask.
    #[arg(long, global = true, value_name = "URL", env = "SEXTANT_SERVER", default_value = "http://127.0.0.1:7187")]
    pub(super) server: String,
    /// A file with the token to present to the server.
    #[arg(long, global = true, value_name = "FILE", env = "SEXTANT_TOKEN_FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// How answers are written: for people, or as the API's JSON for programs.
    #[arg(short, long, global = true, value_enum, default_value_t = Output::Table)]
    pub(super) output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// For people.
    Table,
    /// The API's answer, for programs.
    Json,
}

/// The flags of [`Asking`], by their ids.
const FLAGS: [&str; 3] = ["server", "token_file", "output"];
/// The commands that ask no server and have no answer to write as JSON either.
const COMMANDS_WITHOUT: [&str; 3] = ["server", "config", "record"];

/// Hides the flags in the help of the commands that ask no server.
pub(super) fn hidden_where_they_mean_nothing(mut command: Command) -> Command {
    // Only now every command has the flags.
    command.build();
    command.mut_subcommands(
        |command| if COMMANDS_WITHOUT.contains(&command.get_name()) { hidden(command) } else { command },
    )
}

fn hidden(command: Command) -> Command {
    let is_one = |flag: &Arg| FLAGS.contains(&flag.get_id().as_str());
    command.mut_args(|flag| if is_one(&flag) { flag.hide(true) } else { flag }).mut_subcommands(hidden)
}
