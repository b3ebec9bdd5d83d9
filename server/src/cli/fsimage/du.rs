//! `sextant fsimage FILE du PATH`.

use std::io::Write;

use serde_json::json;
use sextant_fsimage::{Count, Tree, WriteError};

use super::super::terminal::Terminal;
use super::super::{Outcome, Output};
use super::summary::{largest_in, read_sums, row_of, with_name};
use super::units::parse_size;
use super::{described, no_directory, unwritten};

/// Add up what is in a directory and in each directory in it, the largest first.
#[derive(Debug, clap::Args)]
pub(super) struct DuArguments {
    /// The directory.
    #[arg(default_value = "/")]
    path: String,
    /// A file below this size is small.
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = parse_size)]
    small: u64,
}

pub(super) fn run(tree: &Tree<'_>, arguments: &DuArguments, output: Output) -> Result<Outcome, WriteError> {
    let Some(slot) = tree.directory_at(&arguments.path) else { return Ok(no_directory(&arguments.path)) };
    let sums = read_sums(tree, arguments.small)?;
    let total = sums.of(slot);
    let directories = largest_in(tree, &sums, slot, usize::MAX);
    let mut here = Count { directories: 1, ..*total };
    for directory in &directories {
        let count = sums.of(*directory);
        here.files -= count.files;
        here.small_files -= count.small_files;
        here.bytes = here.bytes.saturating_sub(count.bytes);
        here.space = here.space.saturating_sub(count.space);
    }
    let mut out = std::io::stdout().lock();
    match output {
        Output::Json => {
            let rows: Vec<_> = directories
                .iter()
                .map(|directory| {
                    with_name("path", &tree.directory(*directory).path().unwrap_or_default(), sums.of(*directory))
                })
                .collect();
            let path = tree.directory(slot).path().unwrap_or_default();
            let answer = json!({
                "image": described(tree),
                "total": with_name("path", &path, total),
                "filesHere": with_name("path", &path, &here),
                "directories": rows,
            });
            serde_json::to_writer_pretty(&mut out, &answer).map_err(|error| unwritten(error.into()))?;
            writeln!(out).map_err(unwritten)?;
        }
        Output::Table => {
            let mut rows = vec![row_of("(all)".to_owned(), total, total)];
            for directory in &directories {
                let name = String::from_utf8_lossy(tree.directory(*directory).name()).into_owned();
                rows.push(row_of(format!("{name}/"), sums.of(*directory), total));
            }
            if here.files > 0 {
                rows.push(row_of("(files here)".to_owned(), &here, total));
            }
            let headings = ["DIRECTORY", "ON DISKS", "CONTENT", "FILES", "SMALL", "SHARE"];
            Terminal::of_stdout().table(&mut out, &headings, &rows).map_err(unwritten)?;
        }
    }
    out.flush().map_err(unwritten)?;
    Ok(Outcome::Done)
}
