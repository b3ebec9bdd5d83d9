//! Where data lies, on a terminal: a table's directory, and the tables around a path.

use std::io::Write;

use serde_json::Value;

use super::terminal::{Terminal, counted, printable};

/// Quarters that are listed; what was changed earlier is one number.
const LISTED_QUARTERS: usize = 8;

/// Writes what an entity's answer says of where data lies; nothing where it says nothing.
pub(super) fn write(terminal: Terminal, out: &mut dyn Write, entity: &Value) -> std::io::Result<()> {
    if entity["location"].is_object() {
        writeln!(out, "\n{}", terminal.bold("lies at"))?;
        write_location(out, &entity["location"])?;
    } else if entity["locatedBelow"].is_object() {
        let heading = if entity["type"] == "DIRECTORY" { "holds" } else { "belongs to" };
        writeln!(out, "\n{}", terminal.bold(heading))?;
        write_content(out, entity)?;
        write_way(out, entity)?;
        write_around(out, entity)?;
    } else {
        return Ok(());
    }
    match entity["namespaceState"]["inWords"].as_str() {
        Some(state) => writeln!(out, "  {}", printable(state)),
        None => Ok(()),
    }
}

fn write_location(out: &mut dyn Write, location: &Value) -> std::io::Result<()> {
    writeln!(out, "  {}", text(&location["written"]))?;
    if location["path"] != location["written"] {
        writeln!(out, "  which means {}", text(&location["path"]))?;
    }
    writeln!(out, "  ({})", text(&location["ruleInWords"]))?;
    write_note(out, location)?;
    let directory = &location["directory"];
    if directory.is_object() {
        let of = |key: &str| directory[key].as_str().map_or_else(|| "unknown".to_owned(), printable);
        writeln!(out, "  owner {}, group {}, {}", of("owner"), of("group"), of("permissions"))?;
        write_content(out, directory)?;
        write_way(out, directory)?;
    }
    write_owners(out, location, "alsoHere", "also here")
}

/// How much lies in a directory, by age, and its quotas.
fn write_content(out: &mut dyn Write, directory: &Value) -> std::io::Result<()> {
    let number = |key: &str| directory[key].as_u64();
    if let Some(files) = number("fileCount") {
        writeln!(
            out,
            "  {} in {} below, {}; with copies {}",
            counted(files, "file", "files"),
            counted(number("directoryCount").unwrap_or_default(), "directory", "directories"),
            bytes_in_words(number("totalSize").unwrap_or_default()),
            bytes_in_words(number("totalSizeWithCopies").unwrap_or_default()),
        )?;
        let small = number("smallFileCount").unwrap_or_default();
        if small > 0 {
            writeln!(out, "  {}", counted(small, "small file", "small files"))?;
        }
    }
    let quarters = directory["lastChanged"].as_array().map_or(&[][..], Vec::as_slice);
    for quarter in quarters.iter().take(LISTED_QUARTERS) {
        let bytes = bytes_in_words(quarter["bytes"].as_u64().unwrap_or_default());
        writeln!(out, "  {bytes} last changed in {}", text(&quarter["quarter"]))?;
    }
    let earlier: u64 = quarters.iter().skip(LISTED_QUARTERS).filter_map(|quarter| quarter["bytes"].as_u64()).sum();
    if earlier > 0 {
        writeln!(out, "  {} last changed earlier", bytes_in_words(earlier))?;
    }
    if let Some(names) = number("nameQuota") {
        // The directory itself counts as well.
        let used = 1 + number("fileCount").unwrap_or_default() + number("directoryCount").unwrap_or_default();
        writeln!(out, "  quota: {used} of {names} names")?;
    }
    if let Some(space) = number("spaceQuota") {
        let used = bytes_in_words(number("totalSizeWithCopies").unwrap_or_default());
        writeln!(out, "  quota: {used} of {} with copies", bytes_in_words(space))?;
    }
    Ok(())
}

/// Where a path was before, and whether it is in the trash.
fn write_way(out: &mut dyn Write, path: &Value) -> std::io::Result<()> {
    if path["movedToTrash"] == true {
        writeln!(out, "  in the trash: it was moved there")?;
    } else if path["trash"] == true {
        writeln!(out, "  in the trash")?;
    }
    for former in path["formerPaths"].as_array().into_iter().flatten() {
        writeln!(out, "  was {} before", text(former))?;
    }
    Ok(())
}

fn write_around(out: &mut dyn Write, path: &Value) -> std::io::Result<()> {
    write_note(out, path)?;
    let here = path["locatedHereTotal"].as_u64().unwrap_or_default();
    let above = path["locatedAboveTotal"].as_u64().unwrap_or_default();
    let below = &path["locatedBelow"];
    let number = |key: &str| below[key].as_u64().unwrap_or_default();
    let (databases, tables, partitions) = (number("databases"), number("tables"), number("partitions"));
    write_owners(out, path, "locatedHere", "here lies")?;
    write_owners(out, path, "locatedAbove", "in the directory of")?;
    if here + above + databases + tables + partitions == 0 {
        return writeln!(out, "  no table lies here, above or below");
    }
    if databases + tables + partitions > 0 {
        let at_least = if below["isExact"] == true { "" } else { "at least " };
        writeln!(
            out,
            "  below lie {at_least}{}, {}, {}",
            counted(tables, "table", "tables"),
            counted(databases, "database", "databases"),
            counted(partitions, "partition", "partitions"),
        )?;
        for table in below["first"].as_array().into_iter().flatten() {
            writeln!(out, "    {}  {}", text(&table["qualifiedName"]), text(&table["path"]))?;
        }
    }
    Ok(())
}

fn write_owners(out: &mut dyn Write, holder: &Value, key: &str, words: &str) -> std::io::Result<()> {
    let owners = holder[key].as_array().map_or(&[][..], Vec::as_slice);
    for owner in owners {
        let deleted = if owner["deleted"] == true { " (deleted)" } else { "" };
        let kind = text(&owner["type"]).to_lowercase();
        writeln!(out, "  {words} {kind} {}{deleted}  {}", text(&owner["qualifiedName"]), text(&owner["location"]))?;
    }
    let total = holder[format!("{key}Total")].as_u64().unwrap_or_default();
    let more = total.saturating_sub(owners.len() as u64);
    if more > 0 {
        writeln!(out, "  … and {more} more")?;
    }
    Ok(())
}

fn write_note(out: &mut dyn Write, holder: &Value) -> std::io::Result<()> {
    match holder["note"].as_str() {
        Some(note) => writeln!(out, "  {}", printable(note)),
        None => Ok(()),
    }
}

fn text(value: &Value) -> String {
    printable(value.as_str().unwrap_or_default())
}

/// `1.5 GB`, in powers of 1024 as queries have them.
fn bytes_in_words(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if bytes < 1_024 {
        return counted(bytes, "byte", "bytes");
    }
    let mut size = bytes as f64 / 1_024.0;
    let mut unit = 0;
    // What would be shown as 1024.0 is one of the next unit.
    while size >= 1_023.95 && unit + 1 < UNITS.len() {
        size /= 1_024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sizes_are_said_in_a_unit_that_fits() {
        let said: Vec<String> =
            [0, 1, 1_023, 1_024, 1_536, (1 << 20) - 1, 3 << 40, u64::MAX].into_iter().map(bytes_in_words).collect();
        assert_eq!(said, ["0 bytes", "1 byte", "1023 bytes", "1.0 KB", "1.5 KB", "1.0 MB", "3.0 TB", "16384.0 PB"]);
    }

    #[test]
    fn a_hostile_path_cannot_command_the_terminal() {
        let mut out = Vec::new();
        let entity = json!({
            "location": {"written": "/w/\u{1b}[31m\nx", "path": "/w/\u{1b}[31m\nx", "ruleInWords": "a rule",
                         "alsoHere": [{"type": "TABLE", "qualifiedName": "db.\n", "location": "/\r"}], "alsoHereTotal": 3},
        });
        write(Terminal::plain(), &mut out, &entity).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert_eq!(
            written,
            "\nlies at\n  /w/\u{fffd}[31m\u{fffd}x\n  (a rule)\n  also here table db.\u{fffd}  /\u{fffd}\n  … and 2 more\n"
        );
    }
}
