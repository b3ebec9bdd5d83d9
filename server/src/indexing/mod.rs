//! The follower that makes facts searchable.
//!
//! It reads the change feed behind its own position, hydrates the documents of what changed from
//! the facts, and commits them together with the position they came from. A commit comes at most
//! every half second, or at once when somebody waits ([`Indexer::searchable`]). While the inbox holds
//! what is not linked yet, more is coming: then a commit comes every five seconds or 100,000
//! documents. An index that cannot be used is begun anew at position 0 and filled by the feed; one
//! that is ahead of the facts (which were restored) is emptied and built from them. Nothing is lost
//! by that.

mod documents;
mod writer;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sextant_search::{Index, Opened};
use sextant_store::{Store, StoreError};
use tokio::sync::oneshot;

use crate::linking::Work;
use crate::metrics::Metrics;
use crate::pause::Pause;
use crate::progress::Progress;
use writer::Writer;

/// The shortest time between two commits that nobody waits for.
const COMMIT_EVERY: Duration = Duration::from_millis(500);
/// The same while more is coming. Every commit writes segments with dictionaries of their own, which are merged later:
/// fewer commits make that cheaper.
const COMMIT_MIDWAY_EVERY: Duration = Duration::from_secs(5);
/// So many documents are committed at once, whatever comes.
const DOCUMENTS_PER_COMMIT: usize = 100_000;

/// Why something is not searchable.
#[derive(Debug, thiserror::Error)]
pub enum IndexingError {
    /// The index refuses.
    #[error(transparent)]
    Index(#[from] sextant_search::Error),
    /// The facts cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The server is going down.
    #[error("the server is shutting down")]
    Stopped,
}

enum Message {
    /// Something changed, or somebody waits.
    Wake,
    /// Build everything anew.
    Rebuild(oneshot::Sender<Result<u64, IndexingError>>),
    /// The server is going down.
    Stop,
}

/// The handle of the indexing thread.
pub struct Indexer {
    index: Arc<Index>,
    messages: Sender<Message>,
    shared: Arc<Shared>,
}

struct Shared {
    /// Everything up to here is searchable.
    searchable: Progress,
    /// Somebody waits for this position.
    wanted: AtomicU64,
    trouble: Mutex<Option<String>>,
}

impl Indexer {
    /// Opens the index in `path`; answers with the handle and the work for its thread.
    pub fn prepare(path: &Path, store: Arc<dyn Store>, metrics: Arc<Metrics>) -> Result<(Self, Work), IndexingError> {
        let Opened { index, position } = Index::open(path)?;
        let index = Arc::new(index);
        let newest = store.newest_change()?;
        let ahead = position > newest;
        if ahead {
            tracing::warn!(position, newest, "the search index is ahead of the facts (restored?); it is built anew");
        }
        let position = if ahead { 0 } else { position };
        let shared = Arc::new(Shared {
            searchable: Progress::starting_at(position),
            wanted: AtomicU64::new(0),
            trouble: Mutex::default(),
        });
        let (messages, inbox) = channel();
        let writer = Writer::new(Arc::clone(&index), store, metrics, position);
        let worker = Worker { writer, shared: Arc::clone(&shared), rebuild_first: ahead, commit_every: COMMIT_EVERY };
        Ok((Self { index, messages, shared }, Box::new(move || worker.work(&inbox))))
    }

    /// The index, to search in.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Tells that something changed.
    pub fn wake(&self) {
        let _ = self.messages.send(Message::Wake);
    }

    /// Asks the thread to end.
    pub fn stop(&self) {
        let _ = self.messages.send(Message::Stop);
    }

    /// The change up to which everything is searchable.
    pub fn position(&self) -> u64 {
        self.shared.searchable.position()
    }

    /// Returns once everything up to a change is searchable; hurries the next commit.
    pub async fn searchable(&self, position: u64) {
        self.shared.wanted.fetch_max(position, Ordering::Relaxed);
        self.wake();
        self.shared.searchable.reached(position).await;
    }

    /// Why nothing new becomes searchable, while that is so.
    pub fn trouble(&self) -> Option<String> {
        self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Builds the index anew from the facts; answers with the number of documents.
    pub async fn rebuild(&self) -> Result<u64, IndexingError> {
        let (answer, answered) = oneshot::channel();
        self.messages.send(Message::Rebuild(answer)).map_err(|_| IndexingError::Stopped)?;
        answered.await.map_err(|_| IndexingError::Stopped)?
    }
}

struct Worker {
    writer: Writer,
    shared: Arc<Shared>,
    rebuild_first: bool,
    /// The shortest time between two commits at present.
    commit_every: Duration,
}

impl Worker {
    fn work(mut self, messages: &Receiver<Message>) {
        let mut pause = Pause::default();
        let mut behind = true;
        let mut failed_at: Option<Instant> = None;
        let mut last_commit = Instant::now();
        loop {
            let wait = match failed_at {
                Some(since) => Some(pause.length().saturating_sub(since.elapsed())),
                None if behind => Some(Duration::ZERO),
                None if self.writer.pending() > 0 => Some(self.commit_every.saturating_sub(last_commit.elapsed())),
                None => None,
            };
            let mut message = match wait {
                Some(wait) => messages.recv_timeout(wait),
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            loop {
                match message {
                    Ok(Message::Wake) => behind = true,
                    Ok(Message::Rebuild(answer)) => {
                        let rebuilt = self.rebuild();
                        self.set_trouble(None);
                        behind = true;
                        let _ = answer.send(rebuilt);
                    }
                    Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => {
                        return self.finish();
                    }
                    Err(RecvTimeoutError::Timeout) => break,
                }
                message = messages.recv_timeout(Duration::ZERO);
            }
            if failed_at.is_some_and(|since| since.elapsed() < pause.length()) {
                continue;
            }
            match catch_unwind(AssertUnwindSafe(|| self.step(&mut behind, &mut last_commit))) {
                Ok(Ok(())) => {
                    (failed_at, pause) = (None, Pause::default());
                    self.set_trouble(None);
                }
                Ok(Err(error)) => {
                    if failed_at.is_some() {
                        pause.lengthen();
                    }
                    tracing::error!(error = %error, retry_in_ms = pause.length().as_millis() as u64, "indexing stands still");
                    self.set_trouble(Some(error.to_string()));
                    failed_at = Some(Instant::now());
                    self.writer.forget_pending();
                    behind = true;
                }
                Err(_) => {
                    if failed_at.is_some() {
                        pause.lengthen();
                    }
                    let message = "indexing failed inside sextant; please report it with the log".to_owned();
                    tracing::error!("{message}");
                    self.set_trouble(Some(message));
                    failed_at = Some(Instant::now());
                    self.writer.forget_pending();
                    behind = true;
                }
            }
        }
    }

    fn finish(mut self) {
        if let Err(error) = self.writer.commit() {
            tracing::warn!(error = %error, "the last documents are indexed after the next start");
        }
    }

    fn step(&mut self, behind: &mut bool, last_commit: &mut Instant) -> Result<(), IndexingError> {
        if self.rebuild_first {
            self.rebuild()?;
            self.rebuild_first = false;
        }
        if *behind {
            *behind = self.writer.read_next()?;
        }
        let wanted = self.shared.wanted.load(Ordering::Relaxed);
        let somebody_waits = wanted > self.shared.searchable.position();
        let more_is_coming = *behind || self.writer.more_is_coming()?;
        self.commit_every = if more_is_coming { COMMIT_MIDWAY_EVERY } else { COMMIT_EVERY };
        let due = self.writer.pending() >= DOCUMENTS_PER_COMMIT
            || !*behind && (somebody_waits || last_commit.elapsed() >= self.commit_every);
        if self.writer.pending() > 0 && due {
            if more_is_coming {
                self.writer.commit_midway()?;
            } else {
                self.writer.commit()?;
            }
            *last_commit = Instant::now();
        }
        if self.writer.pending() == 0 {
            self.shared.searchable.advance(self.writer.position());
        }
        Ok(())
    }

    fn rebuild(&mut self) -> Result<u64, IndexingError> {
        self.set_trouble(Some("the search index is being built anew; searches find a part of everything".to_owned()));
        let began = Instant::now();
        let documents = self.writer.rebuild()?;
        self.shared.searchable.advance(self.writer.position());
        let took_ms = began.elapsed().as_millis() as u64;
        tracing::info!(documents, took_ms, "the search index is built anew");
        Ok(documents)
    }

    fn set_trouble(&self, trouble: Option<String>) {
        *self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}
