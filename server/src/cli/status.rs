//! `sextant status`.

use std::io::Write;

use serde_json::Value;

use super::terminal::{Terminal, counted, printable};
use super::{CommandError, Outcome, Session, run_log};
use crate::client::segment;

#[derive(Debug, clap::Args)]
pub(super) struct StatusArguments {
    /// Forget the agent of a host that is gone for good, instead.
    ///
    /// It is neither shown nor missed any more. What it delivered stays.
    #[arg(long, value_name = "HOST")]
    forget_agent: Option<String>,
    /// Show the newest lines that the last run of an extractor logged, instead; while it runs, what
    /// it has logged so far.
    #[arg(long, value_name = "EXTRACTOR", conflicts_with = "forget_agent")]
    log: Option<String>,
    /// Show those of the run that began at this time.
    #[arg(long, value_name = "TIME", requires = "log")]
    run: Option<String>,
}

pub(super) async fn run(session: &Session, arguments: &StatusArguments) -> Result<Outcome, CommandError> {
    if let Some(host) = &arguments.forget_agent {
        let answer = session.client.delete(&format!("/api/v1/agents/{}", segment(host)), &[]).await?;
        session.show(&answer, |_, out, answer| {
            let forgotten = answer["forgotten"].as_u64().unwrap_or_default();
            writeln!(out, "forgot {} on {}", counted(forgotten, "agent", "agents"), printable(host))
        })?;
        return Ok(Outcome::Done);
    }
    if let Some(extractor) = &arguments.log {
        return run_log::show(session, extractor, arguments.run.as_ref()).await;
    }
    let answer = session.client.get("/api/v1/status", &[]).await?;
    session.show(&answer, |terminal, out, status| write_status(terminal, out, status))?;
    Ok(Outcome::Done)
}

fn write_status(terminal: Terminal, out: &mut dyn Write, status: &Value) -> std::io::Result<()> {
    let list = |key: &str| status[key].as_array().map_or(&[][..], Vec::as_slice);
    let attention = list("attention");
    let lead = if attention.is_empty() { "all is well" } else { "needs attention" };
    writeln!(out, "sextant {}: {lead}", status["version"].as_str().unwrap_or_default())?;
    for sentence in attention.iter().filter_map(Value::as_str) {
        writeln!(out, "  ! {}", printable(sentence))?;
    }
    writeln!(out, "\n{}", terminal.bold("extractors"))?;
    if list("extractors").is_empty() {
        writeln!(out, "  none is configured")?;
    }
    for extractor in list("extractors") {
        write_extractor(out, extractor)?;
    }
    writeln!(out, "\n{}", terminal.bold("agents"))?;
    if list("agents").is_empty() {
        writeln!(out, "  none has delivered yet")?;
    }
    for agent in list("agents") {
        write_agent(out, agent)?;
    }
    let intake = &status["intake"];
    writeln!(out, "\n{}", terminal.bold("on the way"))?;
    writeln!(
        out,
        "  {} received, {} waiting to be linked; {} not searchable yet",
        counted(intake["received"].as_u64().unwrap_or_default(), "batch", "batches"),
        intake["waiting"],
        counted(intake["notSearchable"].as_u64().unwrap_or_default(), "change", "changes"),
    )?;
    for waiting in intake["waitingForFormat"].as_array().into_iter().flatten() {
        writeln!(
            out,
            "  {} ({}) wait for a version that reads the format {}, since {}",
            counted(waiting["entries"].as_u64().unwrap_or_default(), "batch", "batches"),
            counted(waiting["bytes"].as_u64().unwrap_or_default(), "byte", "bytes"),
            printable(waiting["format"].as_str().unwrap_or_default()),
            printable(waiting["oldest"].as_str().unwrap_or_default()),
        )?;
    }
    writeln!(out, "\n{}", terminal.bold("known"))?;
    let counts = &status["counts"];
    writeln!(out, "  living      {}", numbers(&counts["living"], true))?;
    writeln!(out, "  deleted     {}", numbers(&counts["deleted"], true))?;
    writeln!(out, "  statements  {} with {} runs", counts["operations"], counts["executions"])?;
    writeln!(
        out,
        "  by name only  {}",
        counted(status["unlinkedNames"].as_u64().unwrap_or_default(), "name", "names")
    )?;
    for name in list("mostUsedUnlinkedNames") {
        let statements = counted(name["operations"].as_u64().unwrap_or_default(), "statement", "statements");
        writeln!(out, "    {} ({statements})", printable(name["name"].as_str().unwrap_or_default()))?;
    }
    writeln!(out, "  quarantine  {}", numbers(&status["quarantine"], false))?;
    writeln!(out, "  disk        {}", printable(status["disk"]["inWords"].as_str().unwrap_or("unknown")))
}

fn write_extractor(out: &mut dyn Write, extractor: &Value) -> std::io::Result<()> {
    let text = |value: &Value| printable(value.as_str().unwrap_or_default());
    let clusters: Vec<&str> =
        extractor["clusters"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    writeln!(
        out,
        "  {} ({}, cluster {})",
        text(&extractor["name"]),
        text(&extractor["uri"]),
        printable(&clusters.join(", "))
    )?;
    if let Some(running) = extractor["running"].as_object() {
        let seen = running["counts"]["seen"].as_u64().unwrap_or_default();
        writeln!(
            out,
            "    now       {}, {} so far, since {}",
            text(&running["phase"]),
            counted(seen, "object", "objects"),
            text(&running["since"])
        )?;
    }
    if let Some(state) = extractor["state"].as_object() {
        writeln!(out, "    state     {} (from {})", text(&state["inWords"]), text(&state["origin"]))?;
    }
    match extractor["lastRun"].as_object() {
        None => writeln!(out, "    last run  none yet")?,
        Some(run) => {
            writeln!(out, "    last run  {}: {}", text(&run["finished"]), text(&run["inWords"]))?;
            for problem in run["problems"].as_array().into_iter().flatten().take(10) {
                let object = problem["object"].as_str().unwrap_or("the pass as a whole");
                writeln!(out, "      {}: {}", printable(object), text(&problem["reason"]))?;
            }
        }
    }
    writeln!(out, "    next run  {}", extractor["nextRun"].as_str().unwrap_or("not scheduled"))?;
    let skipped = extractor["skipped"].as_u64().unwrap_or_default();
    if skipped > 0 {
        writeln!(out, "    skipped   {} because one was in progress", counted(skipped, "run", "runs"))?;
    }
    Ok(())
}

fn write_agent(out: &mut dyn Write, agent: &Value) -> std::io::Result<()> {
    let text = |value: &Value| printable(value.as_str().unwrap_or_default());
    writeln!(
        out,
        "  {} (agent {}, version {})",
        text(&agent["host"]),
        text(&agent["agent"]),
        printable(agent["version"].as_str().unwrap_or("unknown"))
    )?;
    writeln!(out, "    contact   {}", text(&agent["inWords"]))?;
    writeln!(
        out,
        "    kept      {} bytes of {}",
        agent["bytes"],
        counted(agent["generations"].as_u64().unwrap_or_default(), "file", "files")
    )?;
    for spool in agent["spools"].as_array().into_iter().flatten() {
        writeln!(
            out,
            "    spool     {} ({}, cluster {})",
            text(&spool["path"]),
            text(&spool["format"]),
            text(&spool["cluster"])
        )?;
        writeln!(out, "      {}", spool_in_words(spool))?;
        if let Some(trouble) = spool["trouble"].as_str() {
            writeln!(out, "      trouble: {}", printable(trouble))?;
        }
    }
    if let Some(error) = agent["lastError"].as_object() {
        writeln!(out, "    last error  {}: {}", text(&error["at"]), text(&error["inWords"]))?;
    }
    Ok(())
}

/// `2 files, up to date; in the last hour 120 records, 1 problem`.
fn spool_in_words(spool: &Value) -> String {
    let number = |key: &str| spool[key].as_u64();
    let files = number("filesKnown").map_or_else(String::new, |files| format!("{}, ", counted(files, "file", "files")));
    let records = counted(number("recordsLastHour").unwrap_or_default(), "record", "records");
    let problems = counted(number("problemsLastHour").unwrap_or_default(), "problem", "problems");
    let lag = printable(spool["inWords"].as_str().unwrap_or_default());
    format!("{files}{lag}; in the last hour {records}, {problems}")
}

/// `3 tables, 1 view`; words that are no nouns stay as they are.
fn numbers(counts: &Value, noun: bool) -> String {
    let words: Vec<String> = counts
        .as_object()
        .into_iter()
        .flatten()
        .map(|(word, count)| {
            let word = printable(&word.to_lowercase());
            let word = if noun && *count != 1 { plural(&word) } else { word };
            format!("{count} {word}")
        })
        .collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_spool_is_said_on_one_line() {
        let spool = json!({"filesKnown": 1, "inWords": "up to date", "recordsLastHour": 120, "problemsLastHour": 0});
        assert_eq!(spool_in_words(&spool), "1 file, up to date; in the last hour 120 records, 0 problems");
        let untold = json!({"filesKnown": null, "inWords": "the agent has not said how far it is behind"});
        assert!(spool_in_words(&untold).starts_with("the agent has not said"));
    }

    #[test]
    fn nouns_have_their_plural() {
        let counts = json!({"DIRECTORY": 2, "FILE": 1, "TABLE": 3});
        assert_eq!(numbers(&counts, true), "2 directories, 1 file, 3 tables");
        assert_eq!(numbers(&json!({"stray": 2}), false), "2 stray");
    }
}
