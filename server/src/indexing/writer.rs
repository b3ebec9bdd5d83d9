//! Brings documents of the facts into the index.

use std::sync::Arc;

use sextant_model::feed::{Change, Subject, What};
use sextant_search::Index;
use sextant_store::Store;

use super::{DOCUMENTS_PER_COMMIT, IndexingError, documents};
use crate::metrics::Metrics;

/// Changes read at a time.
const CHANGES_PER_STEP: u64 = 5_000;
/// Things read at a time when everything is built anew.
const SCANNED_PER_STEP: u64 = 2_000;
/// The index, and how far it is filled.
pub(super) struct Writer {
    index: Arc<Index>,
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    /// Changes up to here are in the index, committed or not.
    position: u64,
    /// Changes up to here are committed.
    committed: u64,
    /// Documents of changes up to here may have been given to the index, committed or not.
    given: u64,
    /// Documents that are not committed.
    pending: usize,
}

impl Writer {
    pub(super) fn new(index: Arc<Index>, store: Arc<dyn Store>, metrics: Arc<Metrics>, position: u64) -> Self {
        // An index with documents and no position is one whose rebuilding was interrupted: it may have any of them.
        let given = if position == 0 && index.documents() > 0 { u64::MAX } else { position };
        Self { index, store, metrics, position, committed: position, given, pending: 0 }
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
        let full = changes.len() as u64 == CHANGES_PER_STEP;
        let given_before = self.given;
        let (new, known): (Vec<Change>, Vec<Change>) =
            changes.into_iter().partition(|change| change.seq > given_before && is_first_telling(change));
        let new = documents::of_changes(self.store.as_ref(), &new)?;
        let known = documents::of_changes(self.store.as_ref(), &known)?;
        self.given = given_before.max(position);
        // In this order: what was told for the first time may have changed since.
        self.index.add(&new)?;
        self.index.update(&known, &[])?;
        let documents = new.len() + known.len();
        self.metrics.documents_indexed(documents as u64);
        self.pending += documents;
        self.position = position;
        Ok(full)
    }

    /// Whether the inbox holds what is not linked yet, so that more changes are to come at once.
    pub(super) fn more_is_coming(&self) -> Result<bool, IndexingError> {
        Ok(self.store.newest_entry()? > self.store.inbox_position()?)
    }

    /// Makes everything that was taken in searchable.
    pub(super) fn commit(&mut self) -> Result<(), IndexingError> {
        if self.pending > 0 {
            self.index.commit(self.position)?;
            self.note_commit();
        }
        Ok(())
    }

    /// The same while more is coming: what can be done later is.
    pub(super) fn commit_midway(&mut self) -> Result<(), IndexingError> {
        if self.pending > 0 {
            self.index.commit_midway(self.position)?;
            self.note_commit();
        }
        Ok(())
    }

    fn note_commit(&mut self) {
        self.committed = self.position;
        self.pending = 0;
    }

    /// Empties the index and fills it from the facts; answers with the number of documents.
    ///
    /// The position is the feed's before the first fact is read: what changes meanwhile is read
    /// once more afterwards.
    pub(super) fn rebuild(&mut self) -> Result<u64, IndexingError> {
        let position = self.store.newest_change()?;
        self.given = u64::MAX;
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
                self.index.add(&documents)?;
                self.metrics.documents_indexed(documents.len() as u64);
                total += documents.len() as u64;
                since_commit += documents.len() as u64;
                if since_commit >= DOCUMENTS_PER_COMMIT as u64 {
                    // Position 0: should this be interrupted, everything is read again.
                    self.index.commit_midway(0)?;
                    since_commit = 0;
                }
            }
        }
        self.index.commit(position)?;
        (self.position, self.committed) = (position, position);
        self.given = self.store.newest_change()?;
        Ok(total)
    }
}

/// Whether nothing of it can be in an index that follows the feed. Of runs and texts, which are many, this is certain.
fn is_first_telling(change: &Change) -> bool {
    matches!(change.subject, Subject::Execution | Subject::Text) && change.what == What::Created
}
