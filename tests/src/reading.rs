//! What `tests/independent_reader.py`, which shares no code with the engine, reads in lineage records.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::program::Finished;
use crate::project_path;

/// One record as the independent reader understands it. An edge is source, target, and
/// `DATA_FLOW` or `CONTROL_FLOW`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reading {
    /// The file it is in.
    pub file: PathBuf,
    /// The statement.
    pub query_text: String,
    /// Whether the record says what flowed.
    pub known: bool,
    /// The tables that something flowed from.
    pub inputs: Vec<String>,
    /// The tables that something flowed to, constants included.
    pub outputs: Vec<String>,
    /// Edges between tables, `db.table`.
    pub tables: Vec<(String, String, String)>,
    /// Edges between columns, `db.table.column`.
    pub columns: Vec<(String, String, String)>,
}

/// Reads Hive's and Impala's lineage files; an error if any record in them cannot be read.
pub fn independent_reading(files: &[&Path]) -> Result<Vec<Reading>> {
    let reader = project_path("tests/independent_reader.py");
    let printed = Finished::run(Command::new("python3").arg(reader).args(files))?.success()?;
    let mut readings = Vec::new();
    for line in printed.lines() {
        readings.push(serde_json::from_str(line).with_context(|| format!("no reading: {line}"))?);
    }
    Ok(readings)
}

/// The folder of public lineage records, `$SEXTANT_CORPORA` or beside the project; where it is not
/// there, a line on stderr tells what is left out.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
pub fn corpora(what_is_left_out: &str) -> Option<PathBuf> {
    let folder = match env::var_os("SEXTANT_CORPORA") {
        Some(folder) => PathBuf::from(folder),
        None => project_path("../shared/corpora"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("left out, since {} is not there: {what_is_left_out}", folder.display());
    None
}
