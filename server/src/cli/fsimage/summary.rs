//! `sextant fsimage FILE summary`.

use std::io::Write;

use serde_json::{Value, json};
use sextant_fsimage::{Count, DirectorySlot, Part, SumOptions, Sums, Tree, WriteError};

use super::super::terminal::{Terminal, counted};
use super::super::{Outcome, Output};
use super::meter::Meter;
use super::units::{bar, parse_size, size};
use super::{described, image_error, unwritten};

/// Add up files by directory, owner, age and size.
#[derive(Debug, clap::Args)]
pub(super) struct SummaryArguments {
    /// How many names deep directories are shown.
    #[arg(long, value_name = "NAMES", default_value_t = DEFAULT_DEPTH)]
    depth: usize,
    /// How many of the largest directories in each, and of the owners, are shown.
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_TOP)]
    top: usize,
    /// A file below this size is small.
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = parse_size)]
    small: u64,
}

const DEFAULT_DEPTH: usize = 3;
const DEFAULT_TOP: usize = 8;
const DEFAULT_SMALL_BYTES: u64 = 1 << 20;

impl Default for SummaryArguments {
    fn default() -> Self {
        Self { depth: DEFAULT_DEPTH, top: DEFAULT_TOP, small: DEFAULT_SMALL_BYTES }
    }
}

pub(super) fn run(tree: &Tree<'_>, arguments: &SummaryArguments, output: Output) -> Result<Outcome, WriteError> {
    let sums = read_sums(tree, arguments.small)?;
    let mut rows = Vec::new();
    add_rows(tree, &sums, arguments, tree.root(), 0, &mut rows);
    let mut out = std::io::stdout().lock();
    match output {
        Output::Json => {
            let answer = as_json(tree, &sums, &rows);
            serde_json::to_writer_pretty(&mut out, &answer).map_err(|error| unwritten(error.into()))?;
            writeln!(out).map_err(unwritten)?;
        }
        Output::Table => {
            as_tables(Terminal::of_stdout(), &mut out, tree, &sums, &rows, arguments).map_err(unwritten)?;
        }
    }
    out.flush().map_err(unwritten)?;
    Ok(Outcome::Done)
}

/// Reads all files, with a bar.
pub(super) fn read_sums(tree: &Tree<'_>, small_below_bytes: u64) -> Result<Sums, WriteError> {
    let meter = Meter::new("files");
    let options = SumOptions { small_below_bytes, now_ms: crate::clock::now().as_millis() };
    let sums = Sums::read(tree, options, &mut |progress| meter.show(progress)).map_err(image_error)?;
    meter.finish();
    Ok(sums)
}

/// A directory that is shown.
struct Row {
    slot: DirectorySlot,
    depth: usize,
}

fn add_rows(
    tree: &Tree<'_>,
    sums: &Sums,
    arguments: &SummaryArguments,
    slot: DirectorySlot,
    depth: usize,
    rows: &mut Vec<Row>,
) {
    rows.push(Row { slot, depth });
    if depth == arguments.depth {
        return;
    }
    for directory in largest_in(tree, sums, slot, arguments.top) {
        add_rows(tree, sums, arguments, directory, depth + 1, rows);
    }
}

/// The directories in that one which take the most, the largest first.
pub(super) fn largest_in(tree: &Tree<'_>, sums: &Sums, slot: DirectorySlot, top: usize) -> Vec<DirectorySlot> {
    let mut directories: Vec<DirectorySlot> = tree.directories_in(slot).map(|directory| directory.slot()).collect();
    directories.sort_by_key(|directory| {
        let count = sums.of(*directory);
        (std::cmp::Reverse((count.space, count.files)), *directory)
    });
    directories.truncate(top);
    directories
}

fn as_tables(
    terminal: Terminal,
    out: &mut dyn Write,
    tree: &Tree<'_>,
    sums: &Sums,
    rows: &[Row],
    arguments: &SummaryArguments,
) -> std::io::Result<()> {
    let image = tree.image();
    let total = sums.of(tree.root());
    writeln!(
        out,
        "layout {}, transaction {}, {}",
        image.layout_version(),
        image.namespace().transaction_id,
        image.codec().name().unwrap_or("not compressed"),
    )?;
    writeln!(
        out,
        "{} in {}, {} of content, {} on disks, {} below {}, {} only in snapshots",
        counted(total.files, "file", "files"),
        counted(total.directories, "directory", "directories"),
        size(total.bytes),
        size(total.space),
        total.small_files,
        size(arguments.small),
        sums.visited.only_in_snapshots,
    )?;
    writeln!(out)?;
    let directories: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let name = String::from_utf8_lossy(tree.directory(row.slot).name()).into_owned();
            let name = if row.depth == 0 { "/".to_owned() } else { format!("{}{name}", "  ".repeat(row.depth)) };
            row_of(name, sums.of(row.slot), total)
        })
        .collect();
    terminal.table(out, &["DIRECTORY", "ON DISKS", "CONTENT", "FILES", "SMALL", "SHARE"], &directories)?;
    for (heading, parts) in parts(sums, arguments.top) {
        writeln!(out)?;
        let rows: Vec<Vec<String>> = parts.iter().map(|part| row_of(part.name.clone(), &part.count, total)).collect();
        terminal.table(out, &[heading, "ON DISKS", "CONTENT", "FILES", "SMALL", "SHARE"], &rows)?;
    }
    Ok(())
}

fn parts(sums: &Sums, top: usize) -> [(&'static str, &[Part]); 3] {
    let owners = &sums.by_owner[..sums.by_owner.len().min(top)];
    [("OWNER", owners), ("LAST CHANGE", &sums.by_age), ("FILE SIZE", &sums.by_size)]
}

/// A line of a table: the share is that of the bytes on disks.
pub(super) fn row_of(name: String, count: &Count, total: &Count) -> Vec<String> {
    vec![
        name,
        size(count.space),
        size(count.bytes),
        count.files.to_string(),
        count.small_files.to_string(),
        bar(count.space, total.space),
    ]
}

fn as_json(tree: &Tree<'_>, sums: &Sums, rows: &[Row]) -> Value {
    let directories: Vec<Value> = rows
        .iter()
        .map(|row| with_name("path", &tree.directory(row.slot).path().unwrap_or_default(), sums.of(row.slot)))
        .collect();
    let parts = |parts: &[Part]| -> Vec<Value> {
        parts.iter().map(|part| with_name("name", &part.name, &part.count)).collect()
    };
    json!({
        "image": described(tree),
        "onlyInSnapshots": sums.visited.only_in_snapshots,
        "directories": directories,
        "owners": parts(&sums.by_owner),
        "ages": parts(&sums.by_age),
        "sizes": parts(&sums.by_size),
    })
}

/// A count as an object.
pub(super) fn with_name(key: &str, name: &str, count: &Count) -> Value {
    json!({
        key: name,
        "files": count.files,
        "smallFiles": count.small_files,
        "directories": count.directories,
        "bytes": count.bytes,
        "bytesOnDisks": count.space,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sextant_fsimage::Image;
    use std::path::Path;

    #[test]
    fn directories_are_shown_with_what_is_below_them() {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fsimage/tests/data/stack.fsimage");
        let image = Image::open(&sample).unwrap();
        let tree = image.read_tree(&mut |_| {}).unwrap();
        let arguments = SummaryArguments { depth: 2, top: 1, ..SummaryArguments::default() };
        let sums = read_sums(&tree, arguments.small).unwrap();
        let mut rows = Vec::new();
        add_rows(&tree, &sums, &arguments, tree.root(), 0, &mut rows);
        let mut out = Vec::new();
        as_tables(Terminal::plain(), &mut out, &tree, &sums, &rows, &arguments).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = "\
layout -63, transaction 579, not compressed
26 files in 36 directories, 5.7 KiB of content, 17.1 KiB on disks, 26 below 1.0 MiB, 0 only in snapshots

DIRECTORY  ON DISKS  CONTENT  FILES  SMALL  SHARE
/          17.1 KiB  5.7 KiB  26     26     ████████████████████ 100.0 %
  user     17.0 KiB  5.7 KiB  25     25     ████████████████████  99.7 %
    spark  12.1 KiB  4.0 KiB  8      8      ██████████████░░░░░░  70.6 %

OWNER  ON DISKS  CONTENT  FILES  SMALL  SHARE
root   17.1 KiB  5.7 KiB  26     26     ████████████████████ 100.0 %
";
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(as_json(&tree, &sums, &rows)["directories"][2]["path"], "/user/spark");
    }
}
