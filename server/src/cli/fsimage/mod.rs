//! `sextant fsimage`: a NameNode's image, read without Hadoop and without a server.
//!
//! The reader, the sums and the writers are the crate `sextant-fsimage`; here are arguments and
//! the terminal.

mod destination;
mod du;
mod find;
mod meter;
mod on_terminal;
mod summary;
mod units;

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use sextant_fsimage::{
    Compatibility, DelimitedOptions, Error, Image, Tree, Visited, WriteError, Zone, write_delimited, write_json_lines,
    write_parquet,
};

use super::terminal::counted;
use super::{Outcome, Output, complain, say};
use destination::Destination;
use meter::Meter;

/// Read an image of HDFS's NameNode (Hadoop 2.4 and later, any codec) as a stream.
///
/// Memory is bounded by the number of directories. The image is got by `hdfs dfsadmin
/// -fetchImage DIRECTORY`, or is the newest fsimage_… in the NameNode's `current` directory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sextant fsimage fsimage_0000000000012345678
  sextant fsimage fsimage_0000000000012345678 --format delimited > files.tsv
  sextant fsimage fsimage_0000000000012345678 --format parquet --to files.parquet
  sextant fsimage fsimage_0000000000012345678 du /user/hive/warehouse
  sextant fsimage fsimage_0000000000012345678 find --owner etl --older 365d --larger 1G")]
pub(super) struct FsimageArguments {
    /// The image.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What is written of it.
    #[arg(long, value_enum, default_value_t = Format::Summary)]
    format: Format,
    /// Write delimited, jsonl or parquet into this file, which is there only when it is whole.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// How many threads write delimited, jsonl and what is found [default: as many as there are processors].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    #[command(flatten)]
    delimited: DelimitedArguments,
    #[command(subcommand)]
    question: Option<Question>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Sums by directory, owner, age and size.
    Summary,
    /// A line for each inode, as `hdfs oiv -p Delimited` writes it.
    Delimited,
    /// An object for each inode, with everything that is known of it.
    Jsonl,
    /// A table with a row for each inode, for Spark, Trino and DuckDB.
    Parquet,
}

/// How `--format delimited` writes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Delimited")]
struct DelimitedArguments {
    /// What stands between fields [default: a tab].
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    delimiter: Option<String>,
    /// Add the id of the storage policy, as oiv's -sp does.
    #[arg(long)]
    storage_policy: bool,
    /// Add the name of the erasure coding policy, as oiv's -ec does.
    #[arg(long)]
    erasure_coding: bool,
    /// Write what the viewer of this version writes [default: 3.5].
    #[arg(long, value_name = "VERSION", value_enum)]
    compat: Option<Version>,
    /// Write times in UTC instead of the machine's zone.
    #[arg(long)]
    utc: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Version {
    /// A header, and awkward paths in quotes.
    #[value(name = "3.5")]
    Hadoop35,
    /// Neither.
    #[value(name = "2.7")]
    Hadoop27,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// Add up files by directory, owner, age and size.
    Summary(summary::SummaryArguments),
    /// Add up what is in a directory and each directory in it.
    Du(du::DuArguments),
    /// List what fits.
    Find(find::FindArguments),
}

pub(super) fn run(arguments: &FsimageArguments, output: Output) -> Outcome {
    match answer(arguments, output) {
        Ok(outcome) => outcome,
        // A reader that has seen enough (`| head`) is no failure.
        Err(WriteError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Outcome::Done,
        Err(error) => {
            complain(&in_words(&error), None);
            Outcome::Failed
        }
    }
}

fn answer(arguments: &FsimageArguments, output: Output) -> Result<Outcome, WriteError> {
    if arguments.question.is_some() && arguments.format != Format::Summary {
        complain("--format writes the whole image; a question has an answer of its own, with -o json as JSON", None);
        return Ok(Outcome::Usage);
    }
    let writes_rows = arguments.question.is_none() && arguments.format != Format::Summary;
    if arguments.to.is_some() && !writes_rows {
        complain("--to is for --format delimited, jsonl and parquet", None);
        return Ok(Outcome::Usage);
    }
    if let Some(refusal) = arguments.means_nothing() {
        complain(&refusal, None);
        return Ok(Outcome::Usage);
    }
    if arguments.format == Format::Parquet && arguments.to.is_none() && std::io::stdout().is_terminal() {
        complain("parquet is not for a terminal", Some("give --to FILE, or send the output into a file"));
        return Ok(Outcome::Usage);
    }
    let image = Image::open(&arguments.file)?;
    if image.is_newer_than_known() {
        say(&format!("note: layout {} is newer than this reader; what it adds is left out", image.layout_version()));
    }
    let meter = Meter::new("directories");
    let tree = image.read_tree(&mut |progress| meter.show(progress))?;
    meter.finish();
    match &arguments.question {
        Some(Question::Summary(summary)) => summary::run(&tree, summary, output),
        Some(Question::Du(du)) => du::run(&tree, du, output),
        Some(Question::Find(find)) => find::run(&tree, find, arguments.threads(), output),
        None => match arguments.format {
            Format::Summary => summary::run(&tree, &summary::SummaryArguments::default(), output),
            Format::Delimited | Format::Jsonl | Format::Parquet => write_rows(&tree, arguments),
        },
    }
}

/// Writes every inode.
fn write_rows(tree: &Tree<'_>, arguments: &FsimageArguments) -> Result<Outcome, WriteError> {
    let mut out = Destination::open(arguments.to.as_deref()).map_err(unwritten)?;
    let meter = Meter::new("files");
    let mut show = |progress| meter.show(progress);
    let threads = arguments.threads();
    let visited = match arguments.format {
        Format::Delimited => write_delimited(tree, &arguments.delimited.options(), threads, &mut out, &mut show)?,
        Format::Parquet => write_parquet(tree, &mut out, &mut show)?,
        Format::Jsonl | Format::Summary => write_json_lines(tree, threads, &mut out, &mut show)?,
    };
    meter.finish();
    out.finish().map_err(unwritten)?;
    tell_of_snapshots(visited);
    Ok(Outcome::Done)
}

impl FsimageArguments {
    /// Which of the flags that were given does nothing for what was asked.
    fn means_nothing(&self) -> Option<String> {
        let is_delimited = self.question.is_none() && self.format == Format::Delimited;
        if let Some(flag) = self.delimited.first_given().filter(|_| !is_delimited) {
            return Some(format!("{flag} is for --format delimited"));
        }
        let has_threads = match self.question {
            Some(Question::Find(_)) => true,
            Some(Question::Summary(_) | Question::Du(_)) => false,
            None => matches!(self.format, Format::Delimited | Format::Jsonl),
        };
        (self.threads.is_some() && !has_threads)
            .then(|| "--threads is for --format delimited and jsonl, and for find".to_owned())
    }

    fn threads(&self) -> usize {
        match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        }
    }
}

impl DelimitedArguments {
    fn first_given(&self) -> Option<&'static str> {
        let flags = [
            ("--delimiter", self.delimiter.is_some()),
            ("--storage-policy", self.storage_policy),
            ("--erasure-coding", self.erasure_coding),
            ("--compat", self.compat.is_some()),
            ("--utc", self.utc),
        ];
        flags.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    fn options(&self) -> DelimitedOptions {
        DelimitedOptions {
            delimiter: self.delimiter.clone().unwrap_or_else(|| "\t".to_owned()),
            with_storage_policy: self.storage_policy,
            with_erasure_coding_policy: self.erasure_coding,
            compatibility: match self.compat.unwrap_or(Version::Hadoop35) {
                Version::Hadoop35 => Compatibility::Hadoop3,
                Version::Hadoop27 => Compatibility::Hadoop27,
            },
            zone: if self.utc { Zone::Utc } else { Zone::Local },
        }
    }
}

fn tell_of_snapshots(visited: Visited) {
    if visited.only_in_snapshots > 0 {
        let inodes = counted(visited.only_in_snapshots, "inode", "inodes");
        say(&format!("left out: {inodes} that only snapshots have"));
    }
}

/// An error with its causes.
fn in_words(error: &WriteError) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(source) = cause {
        words = format!("{words}: {source}");
        cause = source.source();
    }
    words
}

fn unwritten(error: std::io::Error) -> WriteError {
    WriteError::Output(error)
}

/// The image's own description, beside what is asked of it.
fn described(tree: &Tree<'_>) -> serde_json::Value {
    let image = tree.image();
    serde_json::json!({
        "layoutVersion": image.layout_version(),
        "transactionId": image.namespace().transaction_id,
        "namespaceId": image.namespace().id,
        "codec": image.codec().name(),
    })
}

/// A path that the image does not have as a directory.
fn no_directory(path: &str) -> Outcome {
    complain(&format!("{path} is no directory in this image"), None);
    Outcome::NotFound
}

/// What cannot go wrong but by the image.
fn image_error(error: Error) -> WriteError {
    WriteError::Image(error)
}
