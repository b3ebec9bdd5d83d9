//! The lineage picture in a browser: first paint, layout, panning.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use sextant_tests::project_path;

use crate::report::Report;

/// Lets the console measure itself, which tells one figure a line: what, a tab, the figure.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    let mut console = Command::new("npm")
        .args(["run", "--silent", "measure"])
        .current_dir(project_path("console"))
        .stdout(Stdio::piped())
        .spawn()
        .context("npm")?;
    let figures = console.stdout.take().context("its output")?;
    for line in BufReader::new(figures).lines() {
        let line = line?;
        let (what, figure) = line.split_once('\t').with_context(|| format!("not a figure: {line}"))?;
        report.row(what, figure);
    }
    let status = console.wait()?;
    ensure!(status.success(), "the measurement in the browser ended with {status}");
    Ok(())
}
