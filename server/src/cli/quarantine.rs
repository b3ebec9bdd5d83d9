//! `sextant quarantine`.

use std::io::{BufRead, IsTerminal, Write};

use serde_json::Value;

use super::terminal::{Terminal, counted, printable, printable_lines};
use super::{CommandError, Outcome, Session, complain, say};
use crate::client::segment;
use crate::view::one_line;

#[derive(Debug, clap::Subcommand)]
pub(super) enum QuarantineCommand {
    /// List what could not be read: in groups, then the newest.
    #[command(after_help = "Examples:
  sextant quarantine list
  sextant quarantine list --kind cut-off --host hs2-1")]
    List {
        #[command(flatten)]
        which: Which,
        /// At most this many.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1000))]
        limit: u64,
        /// How many of the newest to leave out.
        #[arg(long, default_value_t = 0)]
        skip: u64,
    },
    /// Show one stretch with all its text.
    ///
    /// Bytes that are no text are shown as U+FFFD; `-o json` gives them as they were, in base64.
    #[command(after_help = "Examples:
  sextant quarantine show 9f5d0ade7023596a7a5dd9e23ced292c
  sextant quarantine show 9f5d0ade7023596a7a5dd9e23ced292c -o json | jq -r .base64 | base64 -d")]
    Show {
        /// Its id, from the list.
        id: String,
    },
    /// Read it again, with the version of sextant that runs now.
    ///
    /// What can be read is linked as if it had just come, counts once however often it is read, and
    /// leaves the quarantine. What cannot stays, with its present reason. Without an id or a filter
    /// everything is read.
    #[command(after_help = "Examples:
  sextant quarantine replay
  sextant quarantine replay 9f5d0ade7023596a7a5dd9e23ced292c
  sextant quarantine replay --kind unknown-format --format spark")]
    Replay {
        /// The id of a single one.
        id: Option<String>,
        #[command(flatten)]
        which: Which,
    },
    /// Forget it and its bytes, for good.
    ///
    /// Asks before it does, unless --yes is given.
    #[command(after_help = "Examples:
  sextant quarantine drop 9f5d0ade7023596a7a5dd9e23ced292c
  sextant quarantine drop --kind malformed --host hs2-1 --yes
  sextant quarantine drop --all")]
    Drop {
        /// The id of a single one.
        id: Option<String>,
        #[command(flatten)]
        which: Which,
        /// All of it.
        #[arg(long, conflicts_with_all = ["id", "kind", "host", "format"])]
        all: bool,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}

/// Which part of the quarantine is meant.
#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// Only what is there for this reason: malformed, not-a-record, inconsistent, too-long, cut-off,
    /// unknown-format, failed.
    #[arg(long, visible_alias = "reason")]
    kind: Option<String>,
    /// Only what came from this host.
    #[arg(long)]
    host: Option<String>,
    /// Only what came from spools of this format.
    #[arg(long)]
    format: Option<String>,
}

impl Which {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let given = [("kind", &self.kind), ("host", &self.host), ("format", &self.format)];
        given.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
    }

    fn with_id(&self, id: Option<&String>) -> Vec<(&'static str, String)> {
        let mut parameters = self.parameters();
        parameters.extend(id.map(|id| ("id", id.clone())));
        parameters
    }
}

pub(super) async fn run(session: &Session, command: &QuarantineCommand) -> Result<Outcome, CommandError> {
    match command {
        QuarantineCommand::List { which, limit, skip } => {
            let mut parameters = which.parameters();
            parameters.extend([("limit", limit.to_string()), ("skip", skip.to_string())]);
            let answer = session.client.get("/api/v1/quarantine", &parameters).await?;
            session.show(&answer, list)?;
            Ok(Outcome::Done)
        }
        QuarantineCommand::Show { id } => {
            let answer = session.client.get(&format!("/api/v1/quarantine/{}", segment(id)), &[]).await?;
            session.show(&answer, show)?;
            Ok(Outcome::Done)
        }
        QuarantineCommand::Replay { id, which } => {
            let parameters = which.with_id(id.as_ref());
            let answer = session.client.post("/api/v1/quarantine/replay", &parameters, None).await?;
            if answer["stretches"] == 0 {
                return nothing_matches(session, &answer);
            }
            session.show(&answer, |_, out, answer| replayed(out, answer))?;
            Ok(Outcome::Done)
        }
        QuarantineCommand::Drop { id, which, all, yes } => drop(session, id.as_ref(), which, *all, *yes).await,
    }
}

fn list(terminal: Terminal, out: &mut dyn Write, answer: &Value) -> std::io::Result<()> {
    let items = |key: &str| answer[key].as_array().map_or(&[][..], Vec::as_slice);
    if items("groups").is_empty() {
        return writeln!(out, "nothing is in quarantine of what was asked for");
    }
    let groups: Vec<Vec<String>> = items("groups").iter().map(group_row).collect();
    terminal.table(out, &["KIND", "HOST", "FORMAT", "STRETCHES", "BYTES", "NEWEST"], &groups)?;
    let rows: Vec<Vec<String>> = items("results").iter().map(row).collect();
    if !rows.is_empty() {
        writeln!(out)?;
        terminal.table(out, &["ID", "KIND", "WHERE", "REASON"], &rows)?;
    }
    let total = answer["total"].as_u64().unwrap_or_default();
    writeln!(out, "{} of {}", rows.len(), counted(total, "stretch", "stretches"))
}

fn group_row(group: &Value) -> Vec<String> {
    let text = |key: &str| group[key].as_str().unwrap_or_default().to_owned();
    vec![
        text("kind"),
        text("host"),
        text("format"),
        group["stretches"].to_string(),
        group["bytes"].to_string(),
        text("newest"),
    ]
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

fn show(terminal: Terminal, out: &mut dyn Write, answer: &Value) -> std::io::Result<()> {
    for key in ["id", "kind", "reason", "host", "file", "offset", "length", "format", "cluster", "received"] {
        let value = answer[key].as_str().map_or_else(|| answer[key].to_string(), str::to_owned);
        writeln!(out, "{} {}", terminal.dim(&format!("{key:>9}")), printable(&value))?;
    }
    if answer["replayable"] == false {
        let kept = counted(answer["kept"].as_u64().unwrap_or_default(), "byte is", "bytes are");
        writeln!(out, "{} no: only the first {kept} kept", terminal.dim("   replay"))?;
    }
    writeln!(out, "\n{}", printable_lines(answer["text"].as_str().unwrap_or_default()))
}

fn replayed(out: &mut dyn Write, answer: &Value) -> std::io::Result<()> {
    let number = |key: &str| answer[key].as_u64().unwrap_or_default();
    writeln!(
        out,
        "read again: {} of {}, with {}",
        number("read"),
        counted(number("stretches"), "stretch", "stretches"),
        counted(number("records"), "record", "records")
    )?;
    if number("remaining") > 0 {
        writeln!(out, "{} still not to be read (see `sextant quarantine list`)", are(number("remaining")))?;
    }
    if number("notWhole") > 0 {
        writeln!(out, "{} too long: only the beginning is kept, so there is nothing to read", are(number("notWhole")))?;
    }
    Ok(())
}

fn are(number: u64) -> String {
    if number == 1 { "1 is".to_owned() } else { format!("{number} are") }
}

async fn drop(
    session: &Session,
    id: Option<&String>,
    which: &Which,
    all: bool,
    yes: bool,
) -> Result<Outcome, CommandError> {
    let mut parameters = which.with_id(id);
    if parameters.is_empty() && !all {
        complain("nothing says what to drop", Some("give an id, --kind, --host or --format, or --all"));
        return Ok(Outcome::Usage);
    }
    if !yes {
        let Some(question) = question(session, id, which).await? else {
            return nothing_matches(session, &serde_json::json!({ "dropped": 0 }));
        };
        if !std::io::stdin().is_terminal() {
            complain(&format!("{question}: not without being told to"), Some("add --yes"));
            return Ok(Outcome::Usage);
        }
        if !confirmed(&question)? {
            say("nothing is dropped");
            return Ok(Outcome::Failed);
        }
    }
    if all {
        parameters.push(("all", "true".to_owned()));
    }
    let answer = session.client.delete("/api/v1/quarantine", &parameters).await?;
    if answer["dropped"] == 0 {
        return nothing_matches(session, &answer);
    }
    session.show(&answer, |_, out, answer| {
        let dropped = answer["dropped"].as_u64().unwrap_or_default();
        writeln!(out, "dropped {}", counted(dropped, "stretch", "stretches"))
    })?;
    Ok(Outcome::Done)
}

/// Programs get the answer all the same.
fn nothing_matches(session: &Session, answer: &Value) -> Result<Outcome, CommandError> {
    complain("nothing in the quarantine matches", None);
    session.show(answer, |_, _, _| Ok(()))?;
    Ok(Outcome::NotFound)
}

/// What would be dropped, in words; `None` when that is nothing.
async fn question(session: &Session, id: Option<&String>, which: &Which) -> Result<Option<String>, CommandError> {
    if let Some(id) = id {
        let stretch = session.client.get(&format!("/api/v1/quarantine/{}", segment(id)), &[]).await?;
        return Ok(Some(format!("drop {id} ({})", stretch["reason"].as_str().unwrap_or_default())));
    }
    let mut parameters = which.parameters();
    parameters.push(("limit", "1".to_owned()));
    let found = session.client.get("/api/v1/quarantine", &parameters).await?;
    let total = found["total"].as_u64().unwrap_or_default();
    Ok((total > 0).then(|| format!("drop {} with their bytes", counted(total, "stretch", "stretches"))))
}

fn confirmed(question: &str) -> Result<bool, CommandError> {
    say(&format!("{}? There is no way back. [y/N]", printable(question)));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
