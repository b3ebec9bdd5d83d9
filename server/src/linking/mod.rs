//! The one thread that links.
//!
//! It takes what agents delivered from the inbox, lets the extractors read it and the linker
//! decide, and commits facts together with the inbox position they came from: after a crash
//! nothing is lost and nothing counts twice. The steps of pull passes run on the same thread
//! ([`Linker::run`]), between two commits, so that no two decisions are made at once. A long
//! link never delays an acknowledgement: receiving does not wait for this thread.
//!
//! One record never stops the others. What cannot be read is quarantined; a record that linking or
//! storing fails over is tried a few times, then found among its neighbours and quarantined as
//! well ([`careful`]). An entry that the disk has damaged is quarantined, too. A full disk and other
//! troubles that pass are waited for. What is in the quarantine can be read again
//! ([`Linker::replay`]). Entries of a format that this server does not read stay in the inbox for
//! one that does.

mod careful;
mod entry;
mod replay;
mod retention;
mod tally;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use sextant_extractors::push::Formats;
use sextant_model::Viewer;
use sextant_store::{Store, StoreError};
use tokio::sync::oneshot;

use crate::agents::Agents;
use crate::clusters::Clusters;
use crate::metrics::Metrics;
use crate::progress::Progress;
use careful::Link;
use entry::EntryReader;
pub use replay::{ReplayError, Replayed};
use tally::Tallies;
pub use tally::Tally;
use worker::Worker;

/// What a thread does until it is told to stop.
pub type Work = Box<dyn FnOnce() + Send>;

type Step = Box<dyn FnOnce(&dyn Store) + Send>;

enum Message {
    /// Something arrived in the inbox.
    Wake,
    /// A step of a pull pass.
    Run(Step),
    /// The server is going down.
    Stop,
}

/// The handle of the linking thread.
pub struct Linker {
    messages: Sender<Message>,
    shared: Arc<Shared>,
    reader: Arc<EntryReader>,
    link: Link,
    metrics: Arc<Metrics>,
}

/// What the thread shows of itself.
struct Shared {
    /// The inbox entry up to which everything is in the facts.
    linked: Progress,
    /// Bytes of the entries behind that. An entry may be linked before its arrival is noted, so
    /// that this is below zero for a moment.
    unlinked_bytes: AtomicI64,
    /// Bytes of the entries that wait for a server which reads their format. They are released only before the thread
    /// begins, so that it alone changes the sum.
    waiting_bytes: AtomicU64,
    tallies: Mutex<Tallies>,
    /// Why linking stands still, while it does.
    trouble: Mutex<Option<String>>,
}

/// The linking thread is gone, because the server is going down.
#[derive(Debug, thiserror::Error)]
#[error("the server is shutting down")]
pub struct Stopped;

/// Who is told of every commit.
pub struct Listeners {
    /// What came of each agent's files.
    pub agents: Arc<Agents>,
    /// How much was linked.
    pub metrics: Arc<Metrics>,
    /// The feed's newest position.
    pub committed: Box<dyn Fn(u64) + Send>,
}

#[cfg(test)]
impl Default for Listeners {
    fn default() -> Self {
        Self { agents: Arc::default(), metrics: Arc::new(Metrics::new()), committed: Box::new(|_| {}) }
    }
}

impl Linker {
    /// Makes the handle and the work for its thread.
    pub fn prepare(
        store: Arc<dyn Store>,
        clusters: Clusters,
        formats: Formats,
        listeners: Listeners,
    ) -> Result<(Self, Work), StoreError> {
        let link = sextant_linker::operations::link;
        Self::prepare_with(link, store, EntryReader::new(clusters, formats), listeners)
    }

    fn prepare_with(
        link: Link,
        store: Arc<dyn Store>,
        reader: EntryReader,
        listeners: Listeners,
    ) -> Result<(Self, Work), StoreError> {
        let position = store.inbox_position()?;
        let waiting = store.waiting(&Viewer::all())?;
        let shared = Arc::new(Shared {
            linked: Progress::starting_at(position),
            unlinked_bytes: AtomicI64::new(store.bytes_after(position)? as i64),
            waiting_bytes: AtomicU64::new(waiting.iter().map(|entries| entries.bytes).sum()),
            tallies: Mutex::default(),
            trouble: Mutex::default(),
        });
        let reader = Arc::new(reader);
        let (messages, inbox) = channel();
        let metrics = Arc::clone(&listeners.metrics);
        let worker = Worker::new(link, store, Arc::clone(&reader), listeners, Arc::clone(&shared), position);
        Ok((Self { messages, shared, reader, link, metrics }, Box::new(move || worker.work(&inbox))))
    }

    /// Tells the thread that so many bytes have arrived in the inbox.
    pub fn arrived(&self, bytes: u64) {
        self.shared.unlinked_bytes.fetch_add(bytes as i64, Ordering::Relaxed);
        let _ = self.messages.send(Message::Wake);
    }

    /// Bytes that have arrived and are not linked.
    pub fn unlinked_bytes(&self) -> u64 {
        u64::try_from(self.shared.unlinked_bytes.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Bytes that wait for a server which reads their format.
    pub fn waiting_bytes(&self) -> u64 {
        self.shared.waiting_bytes.load(Ordering::Relaxed)
    }

    /// Asks the thread to end after the present step.
    pub fn stop(&self) {
        let _ = self.messages.send(Message::Stop);
    }

    /// Runs a step on the linking thread, between two commits.
    pub async fn run<T: Send + 'static>(
        &self,
        step: impl FnOnce(&dyn Store) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let (answer, answered) = oneshot::channel();
        // What the step logs belongs to whoever asked for it.
        let span = tracing::Span::current();
        let step: Step = Box::new(move |store| {
            let _ = answer.send(span.in_scope(|| step(store)));
        });
        self.messages.send(Message::Run(step)).map_err(|_| Stopped)?;
        answered.await.map_err(|_| Stopped)
    }

    /// How far the inbox is linked.
    pub fn linked(&self) -> &Progress {
        &self.shared.linked
    }

    /// Why linking stands still, while it does.
    pub fn trouble(&self) -> Option<String> {
        self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What came of a file generation since the server started.
    pub fn tally(&self, host: &str, generation: &str) -> Option<Tally> {
        self.shared.tallies.lock().unwrap_or_else(PoisonError::into_inner).get(host, generation)
    }
}
