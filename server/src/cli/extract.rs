//! `sextant extract`.

use serde_json::Value;

use super::{CommandError, Outcome, Session, complain, terminal};
use crate::client::segment;

/// Run a pull extractor now and wait until what it saw is linked and searchable.
///
/// Waits for a run in progress, then does a whole run of its own.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sextant extract hive
  sextant extract hive --accept-deletions   # after a run was held because much vanished at once")]
pub(super) struct ExtractArguments {
    /// The extractor's name, as configured.
    name: String,
    /// Flag everything that the source says is gone, however much it is.
    #[arg(long)]
    accept_deletions: bool,
    /// Return at once.
    #[arg(long)]
    no_wait: bool,
}

pub(super) async fn run(session: &Session, arguments: &ExtractArguments) -> Result<Outcome, CommandError> {
    let parameters =
        [("acceptDeletions", arguments.accept_deletions.to_string()), ("wait", (!arguments.no_wait).to_string())];
    let path = format!("/api/v1/extractors/{}/run", segment(&arguments.name));
    let answer = session.client.post(&path, &parameters, None).await?;
    if arguments.no_wait {
        session.show(&answer, |_, out, _| writeln!(out, "{}: the run is on its way", arguments.name))?;
        return Ok(Outcome::Done);
    }
    let in_words = answer.get("inWords").and_then(Value::as_str).unwrap_or("it ended without a word");
    let failed = answer["outcome"] == "failed";
    if failed {
        complain(&format!("{}: {in_words}", arguments.name), None);
        if session.output == super::Output::Table {
            return Ok(Outcome::Failed);
        }
    }
    session.show(&answer, |_, out, _| {
        writeln!(out, "{}: {}", arguments.name, terminal::printable_lines(in_words))?;
        for problem in answer["problems"].as_array().into_iter().flatten() {
            let object = problem["object"].as_str().unwrap_or("the pass as a whole");
            let reason = problem["reason"].as_str().unwrap_or_default();
            writeln!(out, "  {}: {}", terminal::printable(object), terminal::printable(reason))?;
        }
        for pattern in answer["idlePatterns"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            writeln!(out, "  the pattern {} matches nothing in the source", terminal::printable(pattern))?;
        }
        Ok(())
    })?;
    Ok(if failed { Outcome::Failed } else { Outcome::Done })
}
