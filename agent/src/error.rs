//! What can stop the agent.
//!
//! Trouble with one file or with the server never does: it is logged, shown by `status`, and
//! tried again.

use std::io;
use std::path::PathBuf;

use crate::config::Place;

/// Why the agent does not start or cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A key or value of the configuration is wrong.
    #[error("{place}: {problem}")]
    Configuration {
        /// Where it is written.
        place: Place,
        /// Which key, what is wrong with it, and what is allowed.
        problem: String,
    },
    /// The configuration file cannot be read.
    #[error("cannot read the configuration {}", path.display())]
    ReadConfiguration {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The state directory cannot be created or written.
    #[error("cannot use the state directory {} ([agent] state_dir)", path.display())]
    StateDirectory {
        /// The directory or the file in it.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Another agent works with the same state directory.
    #[error(
        "the state directory {} is in use by another sextant-agent (pid {pid}): stop it, or give this one its own [agent] state_dir",
        path.display()
    )]
    StateInUse {
        /// The directory.
        path: PathBuf,
        /// The process id the other agent wrote, or `unknown`.
        pid: String,
    },
    /// The token file cannot be read or holds something else.
    #[error("cannot take the token from {} ([server] token_file): {problem}", path.display())]
    Token {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The certificate file cannot be read or holds something else.
    #[error("cannot take certificates from {} ([server] ca_file): {problem}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The HTTP client cannot be built.
    #[error("cannot set up the connection to the server")]
    Client(#[source] reqwest::Error),
    /// The log file cannot be opened.
    #[error("cannot log to {} ([log] file): {problem}", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// There is no state to show.
    #[error("no readable state in {}: {problem}", path.display())]
    NoState {
        /// The state file.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// What a command found cannot be written to standard output.
    #[error("cannot write the answer")]
    Output(#[from] io::Error),
}

impl Error {
    /// Whether the user has to change the command line or the configuration.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Configuration { .. }
                | Self::ReadConfiguration { .. }
                | Self::Token { .. }
                | Self::Certificates { .. }
        )
    }
}
