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

/// The flags of [`Asking`] that say whom to ask, by their ids.
const WHOM: [&str; 2] = ["server", "token_file"];
/// All flags of [`Asking`].
const ALL: [&str; 3] = ["server", "token_file", "output"];
/// The commands that ask no server, and the flags that mean nothing to them. `fsimage` and `sql` write their answer
/// in either way, the others have none.
const COMMANDS_WITHOUT: [(&str, &[&str]); 5] =
    [("server", &ALL), ("config", &ALL), ("record", &ALL), ("fsimage", &WHOM), ("sql", &WHOM)];

/// Hides the flags in the help of the commands that ask no server.
pub(super) fn hidden_where_they_mean_nothing(mut command: Command) -> Command {
    // Only now every command has the flags.
    command.build();
    command.mut_subcommands(|command| match COMMANDS_WITHOUT.iter().find(|(name, _)| *name == command.get_name()) {
        Some((_, flags)) => hidden(command, flags),
        None => command,
    })
}

fn hidden(command: Command, flags: &'static [&'static str]) -> Command {
    let is_one = |flag: &Arg| flags.contains(&flag.get_id().as_str());
    command
        .mut_args(|flag| if is_one(&flag) { flag.hide(true) } else { flag })
        .mut_subcommands(|command| hidden(command, flags))
}
