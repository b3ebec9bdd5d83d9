//! `sextant entity NAME --history`.

use std::io::Write;

use serde_json::Value;

use super::terminal::{Terminal, counted, printable};
use super::{CommandError, Outcome, Session};

/// Asks for the history at `path` and shows it.
pub(super) async fn show(
    session: &Session,
    path: &str,
    parameters: &[(&str, String)],
) -> Result<Outcome, CommandError> {
    let answer = session.client.get(&format!("{path}/history"), parameters).await?;
    session.show(&answer, |terminal, out, history| write_history(terminal, out, history))?;
    Ok(Outcome::Done)
}

fn write_history(terminal: Terminal, out: &mut dyn Write, history: &Value) -> std::io::Result<()> {
    let list = |key: &str| history[key].as_array().map_or(&[][..], Vec::as_slice);
    let text = |value: &Value| printable(value.as_str().unwrap_or_default());
    writeln!(out, "{}", terminal.bold("lives"))?;
    if list("lives").is_empty() {
        writeln!(out, "  none are kept for it")?;
    }
    for life in list("lives") {
        let time = |key: &str, words: &str| {
            life[key].as_str().map(|time| format!(", {words} {}", printable(time))).unwrap_or_default()
        };
        let times = [
            time("created", "created"),
            time("firstSeen", "first seen"),
            time("lastSeen", "last seen"),
            time("over", "found to be gone"),
        ];
        writeln!(out, "  life {}{}", life["number"], times.concat())?;
    }
    writeln!(out, "\n{}", terminal.bold("names"))?;
    for name in list("names") {
        let former = if name["present"] == true { "" } else { " (former)" };
        writeln!(out, "  {}{former}", text(&name["qualifiedName"]))?;
    }
    writeln!(out, "\n{}", terminal.bold("changes"))?;
    if list("changes").is_empty() {
        writeln!(out, "  no run has found a change")?;
    }
    for change in list("changes") {
        writeln!(
            out,
            "  {}, run of {} at {}",
            text(&change["time"]),
            text(&change["extractor"]),
            text(&change["run"])
        )?;
        for difference in change["differences"].as_array().into_iter().flatten() {
            writeln!(out, "    {}", text(&difference["inWords"]))?;
        }
        if let Some(more @ 1..) = change["more"].as_u64() {
            writeln!(out, "    and {}", counted(more, "more difference", "more differences"))?;
        }
    }
    if let Some(forgotten @ 1..) = history["changesForgotten"].as_u64() {
        writeln!(out, "  {} no longer kept", counted(forgotten, "older change is", "older changes are"))?;
    }
    Ok(())
}
