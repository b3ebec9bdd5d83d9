//! The first hits of a segment, one per entity.

use tantivy::DocId;

use crate::bits::{BLOCK, Bits};
use crate::order::{LocalKey, LocalOrder, Sort};
use crate::snapshot::Segment;
use crate::walk::Block;

/// A document on its way to becoming a hit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    key: LocalKey,
    entity: u128,
    pub(crate) document: DocId,
    pub(crate) score: f32,
}

/// Keeps the first `capacity` entities behind a cursor. Documents that are not among the first so
/// far are refused before anybody looks at their values.
pub(crate) struct FirstHits<'a> {
    segment: &'a Segment,
    order: LocalOrder<'a>,
    capacity: usize,
    behind: Option<(LocalKey, u128)>,
    /// In order.
    candidates: Vec<Candidate>,
}

impl<'a> FirstHits<'a> {
    pub(crate) fn new(segment: &'a Segment, sort: Sort, capacity: usize, behind: Option<(LocalKey, u128)>) -> Self {
        let order = LocalOrder::new(segment, sort);
        Self { segment, order, capacity, behind, candidates: Vec::new() }
    }

    /// Takes those documents of a block in that are among the first and that `matches` says yes
    /// to; the others are not asked about.
    pub(crate) fn offer(&mut self, block: &Block, mut matches: impl FnMut(DocId) -> bool) {
        let mut keys = [LocalKey::default(); BLOCK];
        self.order.keys(block, &mut keys);
        for (index, document) in block.documents.iter().enumerate() {
            self.offer_one(*document, keys[index], block.scores[index], &mut matches);
        }
    }

    /// Takes the first of `documents` in, which all have the same score and go by type and name.
    /// They are gone through in the order of the page, so that hardly more of them are asked
    /// about than there are hits. `retain_matching` takes out of an ascending list what does not
    /// match.
    pub(crate) fn take_in_page_order(
        &mut self,
        documents: &Bits,
        score: f32,
        mut retain_matching: impl FnMut(&mut Vec<DocId>) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let in_order = self.segment.in_page_order.as_slice();
        let start = self.behind.map_or(0, |behind| {
            in_order.partition_point(|document| (self.key(*document, score), self.segment.entity(*document)) <= behind)
        });
        let mut rest = in_order[start..].iter().copied().filter(|document| documents.contains(*document));
        let mut batch_size = 2 * self.capacity;
        while self.candidates.len() < self.capacity {
            let batch: Vec<DocId> = rest.by_ref().take(batch_size).collect();
            if batch.is_empty() {
                break;
            }
            let mut matching = batch.clone();
            matching.sort_unstable();
            retain_matching(&mut matching)?;
            for document in batch {
                if matching.binary_search(&document).is_ok() {
                    self.offer_one(document, self.key(document, score), score, &mut |_| true);
                }
            }
            batch_size *= 2;
        }
        Ok(())
    }

    fn key(&self, document: DocId, score: f32) -> LocalKey {
        let mut keys = [LocalKey::default(); BLOCK];
        self.order.keys(&Block { documents: &[document], scores: &[score] }, &mut keys);
        keys[0]
    }

    fn offer_one(&mut self, document: DocId, key: LocalKey, score: f32, matches: &mut impl FnMut(DocId) -> bool) {
        let worst = if self.candidates.len() == self.capacity { self.candidates.last() } else { None };
        if worst.is_some_and(|worst| key > worst.key) || self.behind.is_some_and(|(behind, _)| key < behind) {
            return;
        }
        let entity = self.segment.entity(document);
        let is_late = worst.is_some_and(|worst| (key, entity) >= (worst.key, worst.entity));
        if is_late || self.behind.is_some_and(|behind| (key, entity) <= behind) || !matches(document) {
            return;
        }
        if let Some(known) = self.candidates.iter().position(|candidate| candidate.entity == entity) {
            if self.candidates[known].key <= key {
                return;
            }
            self.candidates.remove(known);
        } else if self.candidates.len() == self.capacity {
            self.candidates.pop();
        }
        let place = self.candidates.partition_point(|candidate| (candidate.key, candidate.entity) < (key, entity));
        self.candidates.insert(place, Candidate { key, entity, document, score });
    }

    pub(crate) fn into_candidates(self) -> Vec<Candidate> {
        self.candidates
    }
}
