//! Mutated images, for as long as `SEXTANT_FUZZ_SECONDS` says: no reader panics, hangs or takes
//! memory without bound, whatever an image holds.
//!
//! Mutations are of real images and of made ones. They are made in the fields of messages, and
//! the sections are framed and compressed anew, so that they come through to what is behind.
//! An image with an outcome that was not met before is mutated further. With
//! `SEXTANT_FUZZ_KEEP=1` those that are small are kept in `tests/data/corpus`; one that a reader
//! fails on always is. `SEXTANT_SEED` repeats a run.

mod fields;
mod generated;
mod limits;
#[path = "../image/made.rs"]
mod made;
mod mutation;
mod readers;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use limits::Watch;
use mutation::Mutant;

const DEFAULT_SECONDS: u64 = 5;
/// So many images are mutated further; one more takes the place of another.
const POOL: usize = 2000;
const SMALL_BYTES: usize = 1500;

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder)
}

fn images_in(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|ext| ext == "fsimage")).collect();
    paths.sort();
    paths
}

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}

#[test]
#[expect(clippy::print_stderr, reason = "a run without its seed cannot be repeated")]
fn mutated_images_are_read_to_an_end() {
    let seed = number_of("SEXTANT_SEED").unwrap_or_else(|| fastrand::u64(..));
    let seconds = number_of("SEXTANT_FUZZ_SECONDS").unwrap_or(DEFAULT_SECONDS);
    let keeps = number_of("SEXTANT_FUZZ_KEEP").is_some_and(|keep| keep > 0);
    eprintln!("SEXTANT_SEED={seed}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fsimage");
    let watch = Watch::start(data("corpus"), seed);
    let mut random = fastrand::Rng::with_seed(seed);

    let mut pool: Vec<Mutant> = Vec::new();
    let mut outcomes = HashSet::new();
    for known in images_in(".").iter().chain(&images_in("corpus")) {
        let bytes = std::fs::read(known).unwrap();
        outcomes.insert(watch.run(&bytes, || readers::outcome(&bytes, &path)));
        pool.push(mutation::taken_apart(known).map_or(Mutant::Bytes(bytes), Mutant::Made));
    }
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut images = 0_u64;
    while Instant::now() < end {
        images += 1;
        let mut mutant = if random.u8(..) < 16 {
            Mutant::Made(generated::image(&mut random))
        } else {
            pool[random.usize(..pool.len())].clone()
        };
        mutant.mutate(&mut random);
        let bytes = mutant.to_bytes(&mut random);
        let outcome = watch.run(&bytes, || readers::outcome(&bytes, &path));
        if !outcomes.insert(outcome.clone()) {
            continue;
        }
        if keeps && bytes.len() <= SMALL_BYTES {
            std::fs::write(data("corpus").join(name_of(&outcome)), &bytes).unwrap();
        }
        if pool.len() < POOL {
            pool.push(mutant);
        } else {
            let place = random.usize(..pool.len());
            pool[place] = mutant;
        }
    }
    watch.finish();
    eprintln!("{images} images, {} outcomes", outcomes.len());
    assert!(images > 0);
}

/// Its first words, so that a person knows what it is.
fn name_of(outcome: &str) -> String {
    let words = outcome.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(12).collect();
    format!("{}.fsimage", words.join("-").to_lowercase())
}
