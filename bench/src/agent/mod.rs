//! The agent by itself: how fast it reads a backlog, what it costs when nothing happens, and how long
//! a written record takes until it is found.
//!
//! `SEXTANT_BENCH_BACKLOG_MB` (2048), `SEXTANT_BENCH_IDLE_SECONDS` (60) and `SEXTANT_BENCH_SAMPLES` (200)
//! make a run shorter or longer. The peer is rsyslog, where `rsyslogd` is in `PATH` (Debian's package: rsyslog).

mod backlog;
mod idle;
mod latency;
mod process;
mod sink;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use anyhow::{Context, Result};

use crate::intake::{Running, program, start};
use crate::report::Report;

/// Everything about the agent.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    report.row("load of the machine before the measurement (1, 5, 15 minutes)", load()?);
    backlog::measure(report)?;
    idle::measure(report)?;
    latency::measure(report)
}

/// Starts an agent that follows `spool`; `more` stands in its `[agent]` table.
fn start_agent(folder: &Path, url: &str, spool: &Path, more: &str) -> Result<Running> {
    start(Command::new(program("sextant-agent")?).arg("--config").arg(configuration(folder, url, spool, more)?))
}

fn configuration(folder: &Path, url: &str, spool: &Path, more: &str) -> Result<PathBuf> {
    let path = folder.join("agent.toml");
    let state_dir = folder.join("state");
    let text = format!(
        "[server]\nurl = \"{url}\"\n[agent]\nstate_dir = \"{}\"\n{more}[[spool]]\npath = \"{}\"\nformat = \"impala\"\n\
         [log]\nlevel = \"warn\"\n",
        state_dir.display(),
        spool.display()
    );
    fs::write(&path, text)?;
    Ok(path)
}

/// A number from the environment.
fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn load() -> Result<String> {
    let text = fs::read_to_string("/proc/loadavg").context("/proc/loadavg")?;
    Ok(text.split_whitespace().take(3).collect::<Vec<_>>().join(", "))
}
