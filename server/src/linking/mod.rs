//! The one thread that links.
//!
//! It takes what agents delivered from the inbox, lets the extractors read it and the linker
//! decide, and commits facts together with the inbox position they came from: after a crash
//! nothing is lost and nothing counts twice. The steps of pull passes run on the same thread
//! ([`Linker::run`]), between two commits, so that no two decisions are made at once. A long
//! link never delays an acknowledgement: receiving does not wait for this thread.

mod entry;
mod retention;
mod tally;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sextant_linker::operations::{SourcedRecord, link};
use sextant_model::delivery::BatchHeader;
use sextant_model::problem::Problem;
use sextant_store::{Carry, Changes, Facts, InboxEntry, Quarantined, Store, StoreError};
use tokio::sync::oneshot;

use crate::agents::{Agents, Outcome};
use crate::clock::now;
use crate::clusters::Clusters;
use crate::metrics::Metrics;
use crate::progress::Progress;
use entry::{EntryReader, ReadEntry};
use retention::Retention;
use tally::Tallies;
pub use tally::Tally;

/// How many records are linked in one transaction, at most. Ids are hashes, so that nearly every page of their indexes
/// is written anew by every transaction: larger ones write less. When there is little to link they are small anyway.
const RECORDS_PER_COMMIT: usize = 8_000;
/// How many bytes of the inbox are read at a time.
const BYTES_PER_STEP: usize = 16 << 20;
/// Problems of one commit that are logged one by one.
const LOGGED_PROBLEMS: usize = 10;
/// How long to wait before a failed step is tried again.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest such wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

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
}

/// What the thread shows of itself.
struct Shared {
    /// The inbox entry up to which everything is in the facts.
    linked: Progress,
    tallies: Mutex<Tallies>,
    /// Why linking stands still, while it does.
    trouble: Mutex<Option<String>>,
}

/// The linking thread is gone, because the server is going down.
#[derive(Debug, thiserror::Error)]
#[error("the server is shutting down")]
pub struct Stopped;

impl Linker {
    /// Makes the handle and the work for its thread. `committed` is called after every commit with the feed's newest
    /// position.
    pub fn prepare(
        store: Arc<dyn Store>,
        clusters: Clusters,
        agents: Arc<Agents>,
        metrics: Arc<Metrics>,
        committed: Box<dyn Fn(u64) + Send>,
    ) -> Result<(Self, Work), StoreError> {
        let position = store.inbox_position()?;
        let shared = Arc::new(Shared {
            linked: Progress::starting_at(position),
            tallies: Mutex::default(),
            trouble: Mutex::default(),
        });
        let (messages, inbox) = channel();
        let worker = Worker {
            store,
            reader: EntryReader::new(clusters),
            agents,
            metrics,
            committed,
            shared: Arc::clone(&shared),
            retention: Retention::default(),
            position,
        };
        Ok((Self { messages, shared }, Box::new(move || worker.work(&inbox))))
    }

    /// Tells the thread that something arrived.
    pub fn wake(&self) {
        let _ = self.messages.send(Message::Wake);
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
        let step: Step = Box::new(move |store| {
            let _ = answer.send(step(store));
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

struct Worker {
    store: Arc<dyn Store>,
    reader: EntryReader,
    agents: Arc<Agents>,
    metrics: Arc<Metrics>,
    committed: Box<dyn Fn(u64) + Send>,
    shared: Arc<Shared>,
    retention: Retention,
    position: u64,
}

impl Worker {
    fn work(mut self, messages: &Receiver<Message>) {
        let mut pause = FIRST_PAUSE;
        // `true` while the inbox may hold more than what is linked.
        let mut behind = true;
        let mut failed = false;
        let mut last_attempt = Instant::now();
        loop {
            let mut message = if failed {
                messages.recv_timeout(pause)
            } else if behind {
                messages.recv_timeout(Duration::ZERO)
            } else {
                messages.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            // Everything that was asked for meanwhile, before the next stretch of the inbox.
            loop {
                match message {
                    Ok(Message::Wake) => behind = true,
                    Ok(Message::Run(step)) => self.run_step(step),
                    Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => break,
                }
                message = messages.recv_timeout(Duration::ZERO);
            }
            failed &= last_attempt.elapsed() < pause;
            if !behind || failed {
                continue;
            }
            last_attempt = Instant::now();
            match catch_unwind(AssertUnwindSafe(|| self.link_next())) {
                Ok(Ok(linked_something)) => {
                    behind = linked_something;
                    pause = FIRST_PAUSE;
                    self.set_trouble(None);
                }
                Ok(Err(error)) => {
                    tracing::error!(error = %error, retry_in_ms = pause.as_millis() as u64, "linking stands still");
                    self.set_trouble(Some(error.to_string()));
                    (failed, pause) = (true, (pause * 2).min(LONGEST_PAUSE));
                }
                Err(_) => {
                    let message = format!(
                        "linking the inbox entry after {} failed inside sextant; please report it with the log",
                        self.position
                    );
                    tracing::error!(retry_in_ms = pause.as_millis() as u64, "{message}");
                    self.set_trouble(Some(message));
                    (failed, pause) = (true, (pause * 2).min(LONGEST_PAUSE));
                }
            }
        }
    }

    /// Runs a step of a pull pass. Its own waiter learns of a panic by the answer that never comes.
    fn run_step(&self, step: Step) {
        if catch_unwind(AssertUnwindSafe(|| step(self.store.as_ref()))).is_err() {
            tracing::error!("a step of an extractor's pass failed inside sextant; please report it with the log");
        }
        match self.store.newest_change() {
            Ok(newest) => (self.committed)(newest),
            Err(error) => tracing::error!(error = %error, "cannot read the change feed"),
        }
    }

    /// Links the next stretch of the inbox. False when there is none.
    fn link_next(&mut self) -> Result<bool, StoreError> {
        let entries = self.store.entries_after(self.position, BYTES_PER_STEP)?;
        if entries.is_empty() {
            return Ok(false);
        }
        let mut carries: HashMap<(String, String), Option<Carry>> = HashMap::new();
        let mut pending = Pending::default();
        for entry in &entries {
            let key = (entry.header.host.clone(), entry.header.generation.0.clone());
            let carry = match carries.get_mut(&key) {
                Some(carry) => carry.take(),
                None => self.store.carry(&key.0, &key.1)?,
            };
            let read = self.reader.read(entry, carry);
            carries.insert(key.clone(), Some(read.carry.clone()));
            pending.add(entry, read);
            if pending.records.len() >= RECORDS_PER_COMMIT {
                self.commit(&pending)?;
                pending = Pending::default();
            }
        }
        if pending.last_entry.is_some() {
            self.commit(&pending)?;
        }
        Ok(true)
    }

    /// Commits what was read. All but the last of several commits leave the inbox position where
    /// it is; repeating them after a crash changes nothing.
    fn commit(&mut self, pending: &Pending) -> Result<(), StoreError> {
        let Some(last_entry) = pending.last_entry else {
            return Ok(());
        };
        let mut rest = pending.records.as_slice();
        let mut feed;
        loop {
            let (chunk, after) = rest.split_at(rest.len().min(RECORDS_PER_COMMIT));
            rest = after;
            let mut changes = if chunk.is_empty() { Changes::default() } else { link(self.facts(), chunk)? };
            if rest.is_empty() {
                changes.quarantined.extend(pending.quarantined.iter().cloned());
                changes.carries.extend(pending.carries.values().cloned());
                changes.inbox_position = Some(last_entry);
            }
            feed = self.store.commit(&changes)?.seq;
            if rest.is_empty() {
                break;
            }
        }
        self.position = last_entry;
        self.shared.tallies.lock().unwrap_or_else(PoisonError::into_inner).add(&pending.tallies);
        self.tell_agents(pending);
        self.tell_problems(&pending.quarantined);
        self.metrics.records_linked(pending.records.len() as u64);
        (self.committed)(feed);
        self.shared.linked.advance(last_entry);
        if let Some(through) = self.retention.note(&pending.entry_sizes) {
            self.store.drop_entries_through(through)?;
        }
        Ok(())
    }

    /// Notes what came of each agent's files, for whoever looks after agents.
    fn tell_agents(&self, pending: &Pending) {
        let at = now();
        for (key, tally) in &pending.tallies {
            let Some(header) = pending.origins.get(key) else { continue };
            let of_this_file = |stretch: &&Quarantined| stretch.host == key.0 && stretch.generation == key.1;
            let last_problem = pending.quarantined.iter().rev().find(of_this_file).map(|stretch| {
                let Problem { offset, reason, .. } = &stretch.problem;
                format!("quarantined from {} at byte {offset}: {reason}", stretch.file)
            });
            let outcome =
                Outcome { records: tally.records, problems: tally.problems, last_problem: last_problem.as_deref() };
            self.agents.linked(header, outcome, at);
        }
    }

    /// Counts every problem and logs the first ones of a commit; all are in the quarantine.
    fn tell_problems(&self, quarantined: &[Quarantined]) {
        for stretch in quarantined {
            self.metrics.problem(stretch.problem.kind);
        }
        for stretch in quarantined.iter().take(LOGGED_PROBLEMS) {
            tracing::warn!(
                extractor = stretch.format,
                host = stretch.host,
                file = stretch.file,
                generation = stretch.generation,
                offset = stretch.problem.offset,
                kind = stretch.problem.kind.as_str(),
                id = %stretch.id,
                "quarantined: {}",
                stretch.problem.reason
            );
        }
        if quarantined.len() > LOGGED_PROBLEMS {
            tracing::warn!(more = quarantined.len() - LOGGED_PROBLEMS, "quarantined; see `sextant quarantine list`");
        }
    }

    fn facts(&self) -> &dyn Facts {
        self.store.as_ref()
    }

    fn set_trouble(&self, trouble: Option<String>) {
        *self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// What was read and is not committed yet.
#[derive(Default)]
struct Pending {
    records: Vec<SourcedRecord>,
    quarantined: Vec<Quarantined>,
    carries: HashMap<(String, String), Carry>,
    tallies: HashMap<(String, String), Tally>,
    /// A header of each file that something was read of.
    origins: HashMap<(String, String), BatchHeader>,
    entry_sizes: Vec<(u64, u64)>,
    last_entry: Option<u64>,
}

impl Pending {
    fn add(&mut self, entry: &InboxEntry, read: ReadEntry) {
        let key = (entry.header.host.clone(), entry.header.generation.0.clone());
        let tally = self.tallies.entry(key.clone()).or_default();
        tally.records += read.records.len() as u64;
        tally.problems += read.quarantined.len() as u64;
        tally.ignored_lines += read.ignored_lines;
        if !self.origins.contains_key(&key) {
            self.origins.insert(key.clone(), entry.header.clone());
        }
        self.records.extend(read.records);
        self.quarantined.extend(read.quarantined);
        self.carries.insert(key, read.carry);
        self.entry_sizes.push((entry.seq, entry.bytes.len() as u64));
        self.last_entry = Some(entry.seq);
    }
}
