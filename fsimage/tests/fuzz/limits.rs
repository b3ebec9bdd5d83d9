//! What reading an image may take.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Far more than the slowest takes on a busy machine: a reader that takes longer does not end.
const HANG: Duration = Duration::from_mins(1);
/// The images are small; readers begin with buffers of some hundred kilobytes.
const PEAK_BYTES: u64 = 512 << 20;
/// What the process may hold at its end beyond what it held after the first images.
const GROWTH_BYTES: u64 = 64 << 20;
const WARM_UP: u64 = 500;

/// Looks after the reading of images, from a thread of its own.
pub(crate) struct Watch {
    current: Arc<Mutex<Option<Current>>>,
    corpus: PathBuf,
    seed: u64,
    progress: std::cell::Cell<Progress>,
}

#[derive(Clone, Copy, Default)]
struct Progress {
    images: u64,
    bytes_after_warm_up: u64,
}

struct Current {
    since: Instant,
    bytes: Vec<u8>,
}

impl Watch {
    /// An image that a reader fails on is put into `corpus`.
    pub(crate) fn start(corpus: PathBuf, seed: u64) -> Self {
        let current: Arc<Mutex<Option<Current>>> = Arc::default();
        let (watched, kept_in) = (Arc::clone(&current), corpus.clone());
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(2));
                let watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(current) = &*watched else { continue };
                let resident = resident_bytes();
                if current.since.elapsed() > HANG {
                    stop(&kept_in, seed, &current.bytes, "a reader does not end");
                } else if resident > PEAK_BYTES {
                    stop(&kept_in, seed, &current.bytes, &format!("the process holds {resident} bytes"));
                }
            }
        });
        Self { current, corpus, seed, progress: std::cell::Cell::default() }
    }

    /// Reads an image.
    pub(crate) fn run<T>(&self, bytes: &[u8], read: impl FnOnce() -> T) -> T {
        self.set(Some(Current { since: Instant::now(), bytes: bytes.to_vec() }));
        let answer = catch_unwind(AssertUnwindSafe(read));
        self.set(None);
        let mut progress = self.progress.get();
        progress.images += 1;
        if progress.images == WARM_UP {
            progress.bytes_after_warm_up = resident_bytes();
        }
        self.progress.set(progress);
        answer.unwrap_or_else(|panic| {
            keep(&self.corpus, self.seed, bytes, "a reader panicked");
            resume_unwind(panic)
        })
    }

    /// Looks whether memory has grown.
    pub(crate) fn finish(&self) {
        let Progress { images, bytes_after_warm_up } = self.progress.get();
        let held = resident_bytes();
        assert!(
            images < WARM_UP || held <= bytes_after_warm_up + GROWTH_BYTES,
            "memory grew from {bytes_after_warm_up} to {held} bytes in {images} images (SEXTANT_SEED={})",
            self.seed
        );
    }

    fn set(&self, current: Option<Current>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = current;
    }
}

/// A thread that does not end can only be stopped with its process.
fn stop(corpus: &Path, seed: u64, bytes: &[u8], why: &str) -> ! {
    keep(corpus, seed, bytes, why);
    std::process::abort()
}

#[expect(clippy::print_stderr, reason = "the process may be about to be aborted")]
fn keep(corpus: &Path, seed: u64, bytes: &[u8], why: &str) {
    let path = corpus.join(format!("failed-{seed:016x}.fsimage"));
    match std::fs::write(&path, bytes) {
        Ok(()) => eprintln!("{why} on {} (SEXTANT_SEED={seed})", path.display()),
        Err(error) => eprintln!("{why} (SEXTANT_SEED={seed}); the image cannot be kept: {error}"),
    }
}

/// What the process holds; 0 where the system does not tell.
fn resident_bytes() -> u64 {
    const PAGE_BYTES: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * PAGE_BYTES
}
