//! `sextant index`.

use super::{CommandError, Outcome, Session};

#[derive(Debug, clap::Subcommand)]
pub(super) enum IndexCommand {
    /// Build the search index anew from the facts. Searches go on while it runs.
    Rebuild,
}

pub(super) async fn run(session: &Session, command: &IndexCommand) -> Result<Outcome, CommandError> {
    let IndexCommand::Rebuild = command;
    let answer = session.client.post("/api/v1/index/rebuild", &[], None).await?;
    session.show(&answer, |_, out, answer| writeln!(out, "rebuilt: {} documents", answer["documents"]))?;
    Ok(Outcome::Done)
}
