//! `sextant record`.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use sextant_extractors::pull::hms::{HmsConfig, HmsExtractor};
use sextant_extractors::pull::recorded::record;

use super::terminal::{counted, printable};
use super::{Outcome, complain, say};

/// Write what a metastore shows into a file, one object a line.
///
/// An extractor reads the file as if it were the metastore (`uri = "file:///…"`): for a
/// demonstration, or to report a fault. No server is needed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  sextant record --uri thrift://metastore-1:9083 --include 'sales.*' sales.jsonl")]
pub(super) struct RecordArguments {
    /// The metastore; several addresses, separated by commas, are tried in turn.
    #[arg(long, value_name = "URI")]
    uri: String,
    /// Only what this pattern covers; may be repeated.
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// Not what this pattern covers; may be repeated.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// The metastore wants framed transport.
    #[arg(long)]
    framed: bool,
    /// The file to write.
    file: PathBuf,
}

pub(super) async fn run(arguments: RecordArguments) -> Outcome {
    let config = HmsConfig {
        uris: vec![arguments.uri],
        include: arguments.include,
        exclude: arguments.exclude,
        framed: arguments.framed,
        ..HmsConfig::default()
    };
    let extractor = match HmsExtractor::new(&config) {
        Ok(extractor) => extractor,
        Err(error) => {
            complain(&error.in_words(), None);
            return Outcome::Usage;
        }
    };
    let file = match File::create(&arguments.file) {
        Ok(file) => file,
        Err(error) => {
            complain(&format!("{}: cannot write: {error}", arguments.file.display()), None);
            return Outcome::Failed;
        }
    };
    match record(&extractor, BufWriter::new(file)).await {
        Ok(recording) => {
            for problem in &recording.problems {
                let object = problem.object.as_ref().map_or_else(|| "the pass".to_owned(), ToString::to_string);
                say(&format!("not recorded: {}: {}", printable(&object), printable(&problem.reason)));
            }
            let objects = counted(recording.objects as u64, "object", "objects");
            say(&format!("{}: {objects}", arguments.file.display()));
            Outcome::Done
        }
        Err(error) => {
            complain(&error.in_words(), None);
            Outcome::Failed
        }
    }
}
