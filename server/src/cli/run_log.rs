//! `sextant status --log EXTRACTOR`.

use std::io::Write;

use serde_json::Value;

use super::terminal::{counted, printable};
use super::{CommandError, Outcome, Session};
use crate::client::segment;

pub(super) async fn show(session: &Session, extractor: &str, run: Option<&String>) -> Result<Outcome, CommandError> {
    let parameters: Vec<(&str, String)> = run.map(|run| ("run", run.clone())).into_iter().collect();
    let answer = session.client.get(&format!("/api/v1/extractors/{}/log", segment(extractor)), &parameters).await?;
    session.show(&answer, |_, out, log| write_log(out, log))?;
    Ok(if answer["kept"] == true { Outcome::Done } else { Outcome::NotFound })
}

fn write_log(out: &mut dyn Write, log: &Value) -> std::io::Result<()> {
    let text = |value: &Value| printable(value.as_str().unwrap_or_default());
    let extractor = text(&log["extractor"]);
    if log["kept"] != true {
        return match log["started"].as_str() {
            Some(started) => writeln!(out, "no log is kept of a run of {extractor} at {}", printable(started)),
            None => writeln!(out, "{extractor} has not run yet"),
        };
    }
    let state = if log["running"] == true { "it runs" } else { "it is over" };
    writeln!(out, "run of {extractor} at {}: {state}", text(&log["started"]))?;
    if let Some(dropped @ 1..) = log["dropped"].as_u64() {
        writeln!(out, "  {} not kept", counted(dropped, "older line is", "older lines are"))?;
    }
    for line in log["lines"].as_array().into_iter().flatten() {
        let level = text(&line["level"]).to_uppercase();
        writeln!(out, "  {} {level:<5} {}", text(&line["time"]), text(&line["text"]))?;
    }
    Ok(())
}
