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
    pub(super) fn rebuild(&mut self) -> Result<u64, IndexingError> {
        let begun_at = self.store.newest_change()?;
        self.given = u64::MAX;
        self.index.clear()?;
        (self.position, self.committed, self.pending) = (0, 0, 0);
        let documents = self.add_everything()?;
        self.catch_up(begun_at)?;
        Ok(documents)
    }

    /// Adds the documents of all facts to an empty index, without a position.
    fn add_everything(&mut self) -> Result<u64, IndexingError> {
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
        Ok(total)
    }

    /// Follows the feed over what changed since the facts began to be read, and commits only then: documents of such
    /// changes may stand in the index already, which nobody would know after a restart at an earlier position.
    fn catch_up(&mut self, begun_at: u64) -> Result<(), IndexingError> {
        let given = self.store.newest_change()?;
        (self.position, self.given) = (begun_at, given);
        while self.position < given {
            self.read_next()?;
        }
        self.index.commit(self.position)?;
        self.note_commit();
        Ok(())
    }
}

/// Whether nothing of it can be in an index that follows the feed. Of runs and texts, which are many, this is certain.
fn is_first_telling(change: &Change) -> bool {
    matches!(change.subject, Subject::Execution | Subject::Text) && change.what == What::Created
}

#[cfg(test)]
mod tests {
    use sextant_model::operation::{Operation, StatementText};
    use sextant_model::{EntityId, SourceType, Timestamp};
    use sextant_store::{Changes, Facts, SqliteStore};

    use super::*;

    #[test]
    fn what_is_added_while_the_index_is_built_anew_is_there_once_after_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&directory.path().join("data")).unwrap());
        let begun_at = store.newest_change().unwrap();
        let id = EntityId::derive("test", &[]);
        let operation = Operation {
            id,
            source_type: SourceType::Hive,
            cluster: "prod".to_owned(),
            operation_type: None,
            lineage_known: false,
            pairs: Vec::new(),
        };
        let text =
            StatementText { id, operation: id, text: "select 1".to_owned(), first_seen: Timestamp::from_seconds(1) };
        store.commit(&Changes { operations: vec![operation], texts: vec![text], ..Changes::default() }).unwrap();
        let path = directory.path().join("index");
        let opened = || {
            let opened = Index::open(&path).unwrap();
            let position = opened.position;
            Writer::new(Arc::new(opened.index), Arc::<SqliteStore>::clone(&store), Arc::new(Metrics::new()), position)
        };
        // The text came after the rebuilding had begun, and before the texts were read.
        let mut writer = opened();
        writer.add_everything().unwrap();
        writer.catch_up(begun_at).unwrap();
        drop(writer);
        let mut restarted = opened();
        while restarted.read_next().unwrap() {}
        restarted.commit().unwrap();
        assert_eq!(restarted.index.documents(), 1);
    }
}
