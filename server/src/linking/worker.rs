//! The loop of the linking thread.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use sextant_linker::operations::SourcedRecord;
use sextant_model::delivery::BatchHeader;
use sextant_model::problem::Problem;
use sextant_store::{Carry, Changes, InboxEntry, Quarantined, Store, StoreError};

use super::careful::{Failure, Link, as_facts, attempt, commit_all_but_failing};
use super::entry::{EntryReader, ReadEntry, quarantine_failed};
use super::retention::Retention;
use super::tally::Tally;
use super::{Listeners, Message, Shared, Step};
use crate::agents::Outcome;
use crate::clock::now;
use crate::pause::Pause;

/// How many records are linked in one transaction, at most. Ids are hashes, so that nearly every page of their indexes
/// is written anew by every transaction: larger ones write less. When there is little to link they are small anyway.
const RECORDS_PER_COMMIT: usize = 8_000;
/// How many bytes of the inbox are read at a time.
const BYTES_PER_STEP: usize = 16 << 20;
/// Problems of one commit that are logged one by one.
const LOGGED_PROBLEMS: usize = 10;
/// After so many failures over the same entries that are not the disk's, the record that causes them is looked for.
const TRIES: u32 = 3;

pub(super) struct Worker {
    link: Link,
    store: Arc<dyn Store>,
    reader: Arc<EntryReader>,
    listeners: Listeners,
    shared: Arc<Shared>,
    retention: Retention,
    position: u64,
    /// The last entry of the step that was tried last.
    step_end: u64,
    /// Failures over the entries up to there that waiting will not mend.
    lasting_failures: u32,
}

impl Worker {
    pub(super) fn new(
        link: Link,
        store: Arc<dyn Store>,
        reader: Arc<EntryReader>,
        listeners: Listeners,
        shared: Arc<Shared>,
        position: u64,
    ) -> Self {
        let retention = Retention::default();
        Self { link, store, reader, listeners, shared, retention, position, step_end: position, lasting_failures: 0 }
    }

    pub(super) fn work(mut self, messages: &Receiver<Message>) {
        let mut pause = Pause::default();
        // `true` while the inbox may hold more than what is linked.
        let mut behind = true;
        let mut failed = false;
        let mut last_attempt = Instant::now();
        loop {
            let mut message = if failed {
                messages.recv_timeout(pause.length())
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
            failed &= last_attempt.elapsed() < pause.length();
            if !behind || failed {
                continue;
            }
            last_attempt = Instant::now();
            let is_careful = self.lasting_failures >= TRIES;
            match attempt(|| if is_careful { self.link_next_carefully() } else { self.link_next() }) {
                Ok(linked_something) => {
                    behind = linked_something;
                    pause = Pause::default();
                    if self.position >= self.step_end {
                        self.lasting_failures = 0;
                    }
                    self.set_trouble(None);
                }
                Err(failure) => {
                    let reason = match &failure {
                        Failure::Passing(error) => error.to_string(),
                        Failure::Lasting(reason) => {
                            self.lasting_failures = self.lasting_failures.saturating_add(1);
                            format!("behind entry {} of the inbox: {reason}", self.position)
                        }
                    };
                    tracing::error!(error = %reason, retry_in_ms = pause.length().as_millis() as u64, "linking stands still");
                    self.set_trouble(Some(reason));
                    failed = true;
                    pause.lengthen();
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
            Ok(newest) => (self.listeners.committed)(newest),
            Err(error) => tracing::error!(error = %error, "cannot read the change feed"),
        }
    }

    /// Links the next stretch of the inbox. False when there is none.
    fn link_next(&mut self) -> Result<bool, StoreError> {
        let entries = self.store.entries_after(self.position, BYTES_PER_STEP)?;
        let Some(last) = entries.last() else {
            return Ok(false);
        };
        self.step_end = last.seq;
        let mut carries: HashMap<(String, String), Option<Carry>> = HashMap::new();
        let mut pending = Pending::default();
        for entry in &entries {
            if self.reader.lets_wait(entry) {
                self.let_wait(entry)?;
                pending.add_waiting(entry);
                continue;
            }
            let key = generation_of(entry);
            let carry = match carries.get_mut(&key) {
                Some(carry) => carry.take(),
                None => self.store.carry(&key.0, &key.1)?,
            };
            let read = self.reader.read(entry, carry);
            carries.insert(key, Some(read.carry(entry)));
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

    /// Links the next entry alone, and quarantines the records in it that fail alone.
    fn link_next_carefully(&mut self) -> Result<bool, StoreError> {
        // At least one comes, however long it is.
        let entries = self.store.entries_after(self.position, 1)?;
        let Some(entry) = entries.first() else {
            return Ok(false);
        };
        let mut pending = Pending::default();
        if self.reader.lets_wait(entry) {
            self.let_wait(entry)?;
            pending.add_waiting(entry);
            self.commit(&pending)?;
            return Ok(true);
        }
        let (host, generation) = generation_of(entry);
        let carry = self.store.carry(&host, &generation)?;
        let mut read = self.reader.read(entry, carry.clone());
        let failing = commit_all_but_failing(self.store.as_ref(), self.link, &read.records)?;
        for (index, reason) in &failing {
            let record = &read.records[*index];
            read.quarantined.push(quarantine_failed(entry, carry.as_ref(), record, reason));
        }
        let linked = read.records.len() - failing.len();
        read.records.clear();
        pending.add(entry, read);
        if let Some(tally) = pending.tallies.values_mut().next() {
            tally.records += linked as u64;
        }
        self.commit(&pending)?;
        self.listeners.metrics.records_linked(linked as u64);
        Ok(true)
    }

    fn let_wait(&self, entry: &InboxEntry) -> Result<(), StoreError> {
        let more = self.store.let_wait(entry.seq)?;
        self.shared.waiting_bytes.fetch_add(more, Ordering::Relaxed);
        Ok(())
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
            let mut changes =
                if chunk.is_empty() { Changes::default() } else { (self.link)(as_facts(self.store.as_ref()), chunk)? };
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
        self.shared.unlinked_bytes.fetch_sub(pending.bytes as i64, Ordering::Relaxed);
        self.shared.tallies.lock().unwrap_or_else(PoisonError::into_inner).add(&pending.tallies);
        self.tell_agents(pending);
        self.tell_problems(&pending.quarantined);
        self.listeners.metrics.records_linked(pending.records.len() as u64);
        (self.listeners.committed)(feed);
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
            if header.agent.is_empty() {
                // A damaged entry does not tell whose it is.
                continue;
            }
            let of_this_file = |stretch: &&Quarantined| stretch.host == key.0 && stretch.generation == key.1;
            let last_problem = pending.quarantined.iter().rev().find(of_this_file).map(|stretch| {
                let Problem { offset, reason, .. } = &stretch.problem;
                format!("quarantined from {} at byte {offset}: {reason}", stretch.file)
            });
            let outcome =
                Outcome { records: tally.records, problems: tally.problems, last_problem: last_problem.as_deref() };
            self.listeners.agents.linked(header, outcome, at);
        }
    }

    /// Counts every problem and logs the first ones of a commit; all are in the quarantine.
    fn tell_problems(&self, quarantined: &[Quarantined]) {
        for stretch in quarantined {
            self.listeners.metrics.problem(stretch.problem.kind);
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

    fn set_trouble(&self, trouble: Option<String>) {
        *self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// Host and generation: whose unfinished end an entry may go on with.
fn generation_of(entry: &InboxEntry) -> (String, String) {
    (entry.header.host.clone(), entry.header.generation.0.clone())
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
    bytes: u64,
    last_entry: Option<u64>,
}

impl Pending {
    fn add(&mut self, entry: &InboxEntry, read: ReadEntry) {
        let key = generation_of(entry);
        let tally = self.tallies.entry(key.clone()).or_default();
        tally.records += read.records.len() as u64;
        tally.problems += read.quarantined.len() as u64;
        tally.ignored_lines += read.ignored_lines;
        if !self.origins.contains_key(&key) {
            self.origins.insert(key.clone(), entry.header.clone());
        }
        self.carries.insert(key, read.carry(entry));
        self.records.extend(read.records);
        self.quarantined.extend(read.quarantined);
        self.entry_sizes.push((entry.seq, entry.bytes.len() as u64));
        self.pass(entry);
    }

    /// Passes an entry by that stays in the inbox.
    fn add_waiting(&mut self, entry: &InboxEntry) {
        self.tallies.entry(generation_of(entry)).or_default().waiting_bytes += entry.bytes.len() as u64;
        self.pass(entry);
    }

    fn pass(&mut self, entry: &InboxEntry) {
        self.bytes += entry.length;
        self.last_entry = Some(entry.seq);
    }
}
