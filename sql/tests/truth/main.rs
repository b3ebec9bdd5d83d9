//! Lineage read from text against what the engines themselves recorded of the same statements.
//!
//! The public records are read in place (`$SEXTANT_CORPORA`, or beside the project). The statements
//! are in two halves by a hash of their text: faults were looked for in one half only.

mod hive;
mod impala;
mod score;

use std::path::PathBuf;

/// The folder of public records, or nothing where it is not at hand.
fn corpus(folder: &str) -> Option<Vec<String>> {
    let root = std::env::var_os("SEXTANT_CORPORA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpora")), PathBuf::from);
    let mut paths: Vec<_> = std::fs::read_dir(root.join(folder)).ok()?.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let is_record = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    Some(
        paths
            .iter()
            .filter(|path| is_record(path))
            .map(|path| {
                format!("{}\n{}", path.file_name().unwrap().to_string_lossy(), std::fs::read_to_string(path).unwrap())
            })
            .collect(),
    )
}

#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn say_left_out() {
    eprintln!("left out: the public corpora are not there (set SEXTANT_CORPORA)");
}
