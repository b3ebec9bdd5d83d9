//! `sextant fsimage`: a NameNode's image, read without Hadoop and without a server.
//!
//! The reader, the sums and the writers are the crate `sextant-fsimage`; here are arguments and
//! the terminal.

mod du;
mod find;
mod meter;
mod summary;
mod units;

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use sextant_fsimage::{
    Compatibility, DelimitedOptions, Error, Image, Tree, Visited, WriteError, Zone, write_delimited, write_json_lines,
};

use super::terminal::counted;
use super::{Outcome, Output, complain, say};
use meter::Meter;

/// Read an image of HDFS's NameNode (Hadoop 2.4 and later, any codec) as a stream.
///
/// Memory is bounded by the number of directories. The image is got by `hdfs dfsadmin
/// -fetchImage DIRECTORY`, or is the newest fsimage_… in the NameNode's `current` directory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sextant fsimage fsimage_0000000000012345678
  sextant fsimage fsimage_0000000000012345678 --format delimited > files.tsv
  sextant fsimage fsimage_0000000000012345678 du /user/hive/warehouse
  sextant fsimage fsimage_0000000000012345678 find --owner etl --older 365d --larger 1G")]
pub(super) struct FsimageArguments {
    /// The image.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What is written of it.
    #[arg(long, value_enum, default_value_t = Format::Summary)]
    format: Format,
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
    /// Write what the viewer of this version writes.
    #[arg(long, value_name = "VERSION", value_enum, default_value_t = Version::Hadoop35)]
    compat: Version,
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
        Some(Question::Find(find)) => find::run(&tree, find, output),
        None => match arguments.format {
            Format::Summary => summary::run(&tree, &summary::SummaryArguments::default(), output),
            Format::Delimited => delimited(&tree, &arguments.delimited),
            Format::Jsonl => {
                let meter = Meter::new("files");
                let out = std::io::stdout().lock();
                write_json_lines(&tree, out, &mut |progress| meter.show(progress))?;
                meter.finish();
                Ok(Outcome::Done)
            }
        },
    }
}

fn delimited(tree: &Tree<'_>, arguments: &DelimitedArguments) -> Result<Outcome, WriteError> {
    let options = DelimitedOptions {
        delimiter: arguments.delimiter.clone().unwrap_or_else(|| "\t".to_owned()),
        with_storage_policy: arguments.storage_policy,
        with_erasure_coding_policy: arguments.erasure_coding,
        compatibility: match arguments.compat {
            Version::Hadoop35 => Compatibility::Hadoop3,
            Version::Hadoop27 => Compatibility::Hadoop27,
        },
        zone: if arguments.utc { Zone::Utc } else { Zone::Local },
    };
    let meter = Meter::new("files");
    let out = std::io::stdout().lock();
    let visited = write_delimited(tree, &options, out, &mut |progress| meter.show(progress))?;
    meter.finish();
    tell_of_snapshots(visited);
    Ok(Outcome::Done)
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
