//! Reading again what is in the quarantine.
//!
//! The kept bytes go through the same readers and the same linker as an agent's. What a stretch
//! gives and that it leaves the quarantine are one transaction, so a crash in between changes
//! nothing; and a record that is in the facts already counts once, whatever happens.

use std::sync::Arc;

use serde::Serialize;
use sextant_linker::operations::SourcedRecord;
use sextant_store::{Changes, QuarantineFilter, Quarantined, Store, StoreError, StoredQuarantined};

use super::careful::{Failure, Link, as_facts, attempt, commit_all_but_failing};
use super::entry::{EntryReader, quarantine_failed_again};
use super::{Linker, Stopped};

/// At most so many stretches are read in one transaction.
const STRETCHES_PER_STEP: u64 = 500;
/// At most so many bytes of them, unless a single one has more.
const BYTES_PER_STEP: u64 = 16 << 20;

/// What came of reading the quarantine again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Replayed {
    /// Stretches that were looked at.
    pub stretches: u64,
    /// Stretches that could be read and are in the quarantine no more.
    pub read: u64,
    /// Records that they held, those that were known already included.
    pub records: u64,
    /// Stretches of which a part or all could still not be read; it stays, with its present reason.
    pub remaining: u64,
    /// Stretches that cannot be read again, since only their beginning is kept.
    pub not_whole: u64,
}

/// Why the quarantine could not be read again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The server goes down.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The store refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a step came to, and behind which place the next one begins.
struct Step {
    replayed: Replayed,
    /// `None` when nothing is left.
    next: Option<u64>,
}

impl Linker {
    /// Reads what a filter lets through again, between the commits of what arrives meanwhile.
    pub async fn replay(&self, filter: QuarantineFilter) -> Result<Replayed, ReplayError> {
        let mut sum = Replayed::default();
        let mut after = 0;
        let through = self.run(|store| store.last_quarantined()).await??;
        loop {
            let replay = Replay { link: self.link, reader: Arc::clone(&self.reader) };
            let filter = filter.clone();
            let step = self.run(move |store| replay.step(store, &filter, after, through)).await??;
            self.metrics.records_linked(step.replayed.records);
            sum.add(step.replayed);
            let Some(next) = step.next else {
                return Ok(sum);
            };
            after = next;
        }
    }
}

impl Replayed {
    fn add(&mut self, more: Self) {
        self.stretches += more.stretches;
        self.read += more.read;
        self.records += more.records;
        self.remaining += more.remaining;
        self.not_whole += more.not_whole;
    }
}

struct Replay {
    link: Link,
    reader: Arc<EntryReader>,
}

impl Replay {
    fn step(&self, store: &dyn Store, filter: &QuarantineFilter, after: u64, through: u64) -> Result<Step, StoreError> {
        let stretches = store.quarantined_after(filter, after, through, STRETCHES_PER_STEP, BYTES_PER_STEP)?;
        let mut replayed = Replayed { stretches: stretches.len() as u64, ..Replayed::default() };
        let mut records = Vec::new();
        let mut changes = Changes::default();
        for stretch in &stretches {
            if !stretch.is_whole() {
                replayed.not_whole += 1;
                continue;
            }
            let Some(read) = self.reader.read_again(stretch) else {
                replayed.remaining += 1;
                continue;
            };
            if is_the_same(stretch, &read.records, &read.quarantined) {
                replayed.remaining += 1;
                continue;
            }
            replayed.records += read.records.len() as u64;
            if read.quarantined.is_empty() {
                replayed.read += 1;
            } else {
                replayed.remaining += 1;
            }
            changes.released.push(stretch.id);
            changes.quarantined.extend(read.quarantined);
            records.extend(read.records);
        }
        let tried = attempt(|| {
            let mut linked = (self.link)(as_facts(store), &records)?;
            linked.released.clone_from(&changes.released);
            linked.quarantined.clone_from(&changes.quarantined);
            store.commit(&linked)
        });
        match tried {
            Ok(_) => {}
            Err(Failure::Passing(error)) => return Err(error),
            Err(Failure::Lasting(_)) => {
                replayed = Replayed { stretches: stretches.len() as u64, ..Replayed::default() };
                for stretch in &stretches {
                    self.carefully(store, stretch, &mut replayed)?;
                }
            }
        }
        Ok(Step { replayed, next: stretches.last().map(|stretch| stretch.place) })
    }

    /// Reads one stretch again, and keeps the records in it that linking fails over.
    fn carefully(
        &self,
        store: &dyn Store,
        stretch: &StoredQuarantined,
        replayed: &mut Replayed,
    ) -> Result<(), StoreError> {
        if !stretch.is_whole() {
            replayed.not_whole += 1;
            return Ok(());
        }
        let Some(mut read) = self.reader.read_again(stretch) else {
            replayed.remaining += 1;
            return Ok(());
        };
        let failing = commit_all_but_failing(store, self.link, &read.records)?;
        for (index, reason) in &failing {
            let failed = quarantine_failed_again(stretch, &read.records[*index], reason);
            read.quarantined.push(failed);
        }
        replayed.records += (read.records.len() - failing.len()) as u64;
        if read.quarantined.is_empty() {
            replayed.read += 1;
        } else {
            replayed.remaining += 1;
        }
        let changes = Changes { released: vec![stretch.id], quarantined: read.quarantined, ..Changes::default() };
        store.commit(&changes).map(drop)
    }
}

/// Whether a stretch came to what it is already: one problem, all of it, for the same reason.
fn is_the_same(stretch: &StoredQuarantined, records: &[SourcedRecord], quarantined: &[Quarantined]) -> bool {
    records.is_empty() && matches!(quarantined, [only] if only.problem == stretch.problem)
}
