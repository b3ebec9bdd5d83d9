//! `sextant quarantine`.

use serde_json::Value;

use super::terminal::{counted, printable, printable_lines};
use super::{CommandError, Outcome, Session};
use crate::client::segment;
use crate::view::one_line;

#[derive(Debug, clap::Subcommand)]
pub(super) enum QuarantineCommand {
    /// List what could not be read, newest first.
    List {
        /// At most this many.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1000))]
        limit: u64,
        /// How many of the newest to leave out.
        #[arg(long, default_value_t = 0)]
        skip: u64,
    },
    /// Show one stretch with its text.
    Show {
        /// Its id, from the list.
        id: String,
    },
}

pub(super) async fn run(session: &Session, command: &QuarantineCommand) -> Result<Outcome, CommandError> {
    match command {
        QuarantineCommand::List { limit, skip } => {
            let parameters = [("limit", limit.to_string()), ("skip", skip.to_string())];
            let answer = session.client.get("/api/v1/quarantine", &parameters).await?;
            session.show(&answer, |terminal, out, answer| {
                let results = answer["results"].as_array().map_or(&[][..], Vec::as_slice);
                if results.is_empty() {
                    return writeln!(out, "nothing: everything that arrived could be read");
                }
                let rows: Vec<Vec<String>> = results.iter().map(row).collect();
                terminal.table(out, &["ID", "KIND", "WHERE", "REASON"], &rows)?;
                let total = answer["total"].as_u64().unwrap_or_default();
                writeln!(out, "{} of {}", results.len(), counted(total, "stretch", "stretches"))
            })?;
        }
        QuarantineCommand::Show { id } => {
            let answer = session.client.get(&format!("/api/v1/quarantine/{}", segment(id)), &[]).await?;
            session.show(&answer, |terminal, out, answer| {
                for key in ["id", "kind", "reason", "host", "file", "offset", "length", "format", "cluster", "received"]
                {
                    let value = answer[key].as_str().map_or_else(|| answer[key].to_string(), str::to_owned);
                    writeln!(out, "{} {}", terminal.dim(&format!("{key:>9}")), printable(&value))?;
                }
                writeln!(out, "\n{}", printable_lines(answer["text"].as_str().unwrap_or_default()))
            })?;
        }
    }
    Ok(Outcome::Done)
}

fn row(stretch: &Value) -> Vec<String> {
    let text = |key: &str| stretch[key].as_str().unwrap_or_default().to_owned();
    vec![
        text("id"),
        text("kind"),
        format!("{}:{}+{}", text("host"), text("file"), stretch["offset"]),
        one_line(&text("reason"), 100),
    ]
}
