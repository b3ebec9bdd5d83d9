//! `sextant config`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Outcome, say};
use crate::config::{Flags, load};
use crate::extraction::open_source;

#[derive(Debug, clap::Subcommand)]
pub(super) enum ConfigCommand {
    /// Say what is wrong in a configuration file, and where. Starts and connects to nothing.
    ///
    /// Exits with 0 when it is good and with 2 when it is not, as `sextant server` would.
    #[command(after_help = "Example:
  sextant config check /etc/sextant/sextant.toml
  /etc/sextant/sextant.toml:9: key extractor.framed: true or false (found string)")]
    Check {
        /// The configuration file.
        file: PathBuf,
    },
}

pub(super) fn run(command: &ConfigCommand) -> Outcome {
    let ConfigCommand::Check { file } = command;
    match check(file) {
        Ok(said) => {
            let _ = writeln!(std::io::stdout().lock(), "{said}");
            Outcome::Done
        }
        Err(error) => {
            say(&error);
            Outcome::Usage
        }
    }
}

fn check(file: &Path) -> Result<String, String> {
    // The environment is left out: the file is what is asked about.
    let config = load(Some(file), &|_| None, &Flags::default()).map_err(|error| error.to_string())?;
    for extractor in &config.extractors {
        open_source(extractor, extractor.retries, &config.server.data_dir, &Arc::default())
            .map_err(|error| format!("extractor {}: {error}", extractor.name))?;
    }
    let extractors = super::terminal::counted(config.extractors.len() as u64, "extractor", "extractors");
    Ok(format!("{}: good: {extractors}, listens on {}", file.display(), config.server.listen))
}
