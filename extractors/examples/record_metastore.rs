//! Records a metastore: `cargo run --example record_metastore thrift://127.0.0.1:9083 > snapshot.jsonl`.
//! `--partitions` reads partitions too. What was read, and how fast, is told on stderr.
#![expect(clippy::print_stderr, reason = "this is a command-line program")]

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use sextant_extractors::pull::hms::{HmsConfig, HmsExtractor, PartitionDetail};
use sextant_extractors::pull::recorded::record;

#[tokio::main]
async fn main() -> ExitCode {
    let (flags, uris): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let partitions = if flags.is_empty() { PartitionDetail::Count } else { PartitionDetail::All };
    let config = HmsConfig { uris, partitions, ..HmsConfig::default() };
    let started = Instant::now();
    let recorded = match HmsExtractor::new(&config) {
        Ok(extractor) => record(&extractor, io::stdout().lock()).await,
        Err(error) => Err(error),
    };
    match recorded {
        Ok(recording) => {
            let seconds = started.elapsed().as_secs_f64();
            let rate = recording.objects as f64 / seconds;
            eprintln!("{} objects in {seconds:.1} s: {rate:.0} a second", recording.objects);
            for problem in recording.problems {
                eprintln!("problem: {problem:?}");
            }
            for database in recording.summary.incomplete_databases {
                eprintln!("incomplete: {database}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {}", error.in_words());
            ExitCode::FAILURE
        }
    }
}
