//! `sextant fsimage FILE find`.

use std::io::{IsTerminal, Write};

use clap::ValueEnum;
use sextant_fsimage::{Filter, FilterKind, FoundFormat, Pattern, Tree, WriteError, write_found};

use super::super::terminal::counted;
use super::super::{Outcome, Output, complain, say};
use super::meter::Meter;
use super::on_terminal::OnTerminal;
use super::units::{parse_age, parse_size};

/// List what fits everything that is asked: a path a line, or with `-o json` an object a line.
///
/// In a path, spaces, backslashes, control characters and bytes that are no text are written as `ls -b` writes them.
#[derive(Debug, clap::Args)]
pub(super) struct FindArguments {
    /// Names such as '*.orc', or with a slash whole paths such as '/data/**/dt=2019*'.
    pattern: Option<String>,
    /// Of this owner.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Of this group.
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// Files of at least this size, such as 1G.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    larger: Option<u64>,
    /// Files below this size, such as 16M.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    smaller: Option<u64>,
    /// Not changed for this long, such as 90d.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    older: Option<i64>,
    /// Changed within this long, such as 12h.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    newer: Option<i64>,
    /// Only files, directories or symbolic links.
    #[arg(long = "type", value_enum)]
    kind: Option<KindArgument>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindArgument {
    /// Files.
    #[value(alias = "f")]
    File,
    /// Directories.
    #[value(alias = "d")]
    Directory,
    /// Symbolic links.
    #[value(alias = "l")]
    Link,
}

pub(super) fn run(
    tree: &Tree<'_>,
    arguments: &FindArguments,
    threads: usize,
    output: Output,
) -> Result<Outcome, WriteError> {
    let pattern = match arguments.pattern.as_deref().map(Pattern::new).transpose() {
        Ok(pattern) => pattern,
        Err(error) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            complain(&format!("{error}: {cause}"), None);
            return Ok(Outcome::Usage);
        }
    };
    let now_ms = crate::clock::now().as_millis();
    let filter = Filter {
        owner: arguments.owner.clone(),
        group: arguments.group.clone(),
        min_bytes: arguments.larger,
        below_bytes: arguments.smaller,
        changed_before_ms: arguments.older.map(|age| now_ms.saturating_sub(age)),
        changed_since_ms: arguments.newer.map(|age| now_ms.saturating_sub(age)),
        kind: arguments.kind.map(|kind| match kind {
            KindArgument::File => FilterKind::File,
            KindArgument::Directory => FilterKind::Directory,
            KindArgument::Link => FilterKind::Symlink,
        }),
        pattern,
    };
    let format = match output {
        Output::Table => FoundFormat::Paths,
        Output::Json => FoundFormat::JsonLines,
    };
    let meter = Meter::new("files");
    let out = std::io::stdout().lock();
    let out: Box<dyn Write> = if out.is_terminal() { Box::new(OnTerminal::new(out)) } else { Box::new(out) };
    let (found, visited) = write_found(tree, &filter, format, threads, out, &mut |progress| meter.show(progress))?;
    meter.finish();
    say(&format!("{found} of {}", counted(visited.inodes, "inode", "inodes")));
    Ok(if found > 0 { Outcome::Done } else { Outcome::NotFound })
}
