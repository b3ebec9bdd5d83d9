//! Every reader, one after the other.

use std::path::Path;

use sextant_fsimage::{
    Compatibility, DelimitedOptions, Error, Filter, FoundFormat, Image, Pattern, SumOptions, Sums, WriteError, Zone,
    write_delimited, write_found, write_json_lines, write_parquet,
};

/// Threads that write texts.
const THREADS: usize = 2;

/// In words without numbers, so that images that end alike have the same.
pub(crate) fn outcome(bytes: &[u8], path: &Path) -> String {
    std::fs::write(path, bytes).unwrap();
    let outcome = match read(path) {
        Ok(outcome) => outcome,
        Err(WriteError::Image(error)) => match &error {
            Error::Damaged { section, what, .. } => format!("{} {what}", known_section(section)),
            Error::NotAnImage { reason, .. } => reason.clone(),
            Error::UnknownCodec { .. } => "unknown codec".to_owned(),
            other => other.to_string(),
        },
        Err(WriteError::Output(error)) => panic!("nothing is written that could fail: {error:?}"),
    };
    outcome.chars().filter(|character| character.is_ascii() && !character.is_ascii_digit()).take(100).collect()
}

fn read(path: &Path) -> Result<String, WriteError> {
    let image = Image::open(path)?;
    let tree = image.read_tree(&mut |_| {})?;
    let mut linked = 0;
    for directory in tree.directories() {
        linked += usize::from(directory.is_linked());
        let _text = format!("{:?} {:?} {:?}", directory.path(), directory.acl(), directory.xattrs());
        let _names = (directory.owner(), directory.group(), directory.type_quotas().all());
    }
    let _found = tree.directory_at("/user/hive/warehouse");
    let mut files = 0;
    let visited = tree.visit::<Error>(&mut |_| {}, |entry| {
        files += 1;
        let _text = format!("{entry:?}");
        Ok(())
    })?;
    for compatibility in [Compatibility::Hadoop3, Compatibility::Hadoop27] {
        let options = DelimitedOptions {
            compatibility,
            with_storage_policy: true,
            with_erasure_coding_policy: true,
            zone: Zone::Utc,
            ..DelimitedOptions::default()
        };
        assert_eq!(write_delimited(&tree, &options, THREADS, std::io::sink(), &mut |_| {})?, visited);
    }
    let mut lines = Vec::new();
    assert_eq!(write_json_lines(&tree, THREADS, &mut lines, &mut |_| {})?, visited);
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let object: serde_json::Value = serde_json::from_slice(line).unwrap();
        assert!(object["path"].as_str().is_some_and(|path| path.starts_with('/')));
    }
    assert_eq!(write_parquet(&tree, std::io::sink(), &mut |_| {})?, visited);
    let filter = Filter { pattern: Pattern::new("/**/*part*").ok(), ..Filter::default() };
    write_found(&tree, &filter, FoundFormat::JsonLines, THREADS, std::io::sink(), &mut |_| {})?;
    let sums = Sums::read(&tree, SumOptions { small_below_bytes: 1 << 20, now_ms: 1_796_000_000_000 }, &mut |_| {})?;
    assert_eq!(sums.visited, visited);
    // Of what is good the rough shape.
    let rough = |number: u64| "abcdefgh".as_bytes()[(64 - number.leading_zeros() as usize).min(7)] as char;
    let total = sums.of(tree.root());
    Ok(format!(
        "read {}{}{}{}{}",
        rough(linked as u64),
        rough(files),
        rough(visited.only_in_snapshots),
        rough(total.files),
        if total.bytes > 1 << 50 { " vast" } else { "" },
    ))
}

/// Names that mutations make up are all the same.
fn known_section(section: &str) -> &str {
    let known = ["NS_INFO", "STRING_TABLE", "INODE", "INODE_DIR", "INODE_REFERENCE", "ERASURE_CODING", "FileSummary"];
    if known.contains(&section) { section } else { "another section" }
}
