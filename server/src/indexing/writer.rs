//! Brings documents of the facts into the index.

use std::sync::Arc;

use sextant_model::feed::Subject;
use sextant_search::Index;
use sextant_store::Store;

use super::IndexingError;
use super::documents;
use crate::metrics::Metrics;

/// Changes read at a time.
const CHANGES_PER_STEP: u64 = 5_000;
/// Things read at a time when everything is built anew.
const SCANNED_PER_STEP: u64 = 2_000;
/// Documents of one commit when everything is built anew.
const DOCUMENTS_PER_COMMIT: u64 = 50_000;

/// The index, and how far it is filled.
pub(super) struct Writer {
    index: Arc<Index>,
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    /// Changes up to here are in the index, committed or not.
    position: u64,
    /// Changes up to here are committed.
    committed: u64,
    /// Documents that are not committed.
    pending: usize,
}

impl Writer {
    pub(super) fn new(index: Arc<Index>, store: Arc<dyn Store>, metrics: Arc<Metrics>, position: u64) -> Self {
        Self { index, store, metrics, position, committed: position, pending: 0 }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn pending(&self) -> usize {
        self.pending
    }

    /// Goes back to what is committed, after a step that failed. Documents that were given
    /// already are given again, each in place of itself.
    pub(super) fn forget_pending(&mut self) {
        self.position = self.committed;
        self.pending = 0;
    }

    /// Takes in the next changes. False when there are no more.
    pub(super) fn read_next(&mut self) -> Result<bool, IndexingError> {
        let changes = self.store.changes_after(self.position, CHANGES_PER_STEP)?;
        let Some(last) = changes.last() else {
            return Ok(false);
        };
        let position = last.seq;
        let documents = documents::of_changes(self.store.as_ref(), &changes)?;
        self.index.update(&documents, &[])?;
        self.metrics.documents_indexed(documents.len() as u64);
        self.pending += documents.len();
        self.position = position;
        Ok(changes.len() as u64 == CHANGES_PER_STEP)
    }

    /// Makes everything that was taken in searchable.
    pub(super) fn commit(&mut self) -> Result<(), IndexingError> {
        if self.pending == 0 {
            return Ok(());
        }
        self.index.commit(self.position)?;
        self.committed = self.position;
        self.pending = 0;
        Ok(())
    }

    /// Empties the index and fills it from the facts; answers with the number of documents.
    ///
    /// The position is the feed's before the first fact is read: what changes meanwhile is read
    /// once more afterwards.
    pub(super) fn rebuild(&mut self) -> Result<u64, IndexingError> {
        let position = self.store.newest_change()?;
        self.index.clear()?;
        (self.position, self.committed, self.pending) = (0, 0, 0);
        let mut total = 0;
        let mut since_commit = 0;
        for subject in [Subject::Entity, Subject::Text, Subject::Execution] {
            let mut after = None;
            loop {
                let ids = self.store.scan(subject, after, SCANNED_PER_STEP)?;
                let Some(last) = ids.last() else { break };
                after = Some(*last);
                let documents = documents::of_subject(self.store.as_ref(), subject, &ids)?;
                self.index.update(&documents, &[])?;
                self.metrics.documents_indexed(documents.len() as u64);
                total += documents.len() as u64;
                since_commit += documents.len() as u64;
                if since_commit >= DOCUMENTS_PER_COMMIT {
                    // Position 0: should this be interrupted, everything is read again.
                    self.index.commit(0)?;
                    since_commit = 0;
                }
            }
        }
        self.index.commit(position)?;
        (self.position, self.committed) = (position, position);
        Ok(total)
    }
}
