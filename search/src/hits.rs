//! The first hits of a segment, one per entity.

use tantivy::DocId;

use crate::order::{LocalKey, LocalOrder, Sort};
use crate::snapshot::Segment;
use crate::walk::{BLOCK, Block};

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
    /// Whether documents are ordered by type and name before anything else.
    has_coarse_places: bool,
    /// In order.
    candidates: Vec<Candidate>,
}

impl<'a> FirstHits<'a> {
    pub(crate) fn new(
        segment: &'a Segment,
        sort: Sort,
        is_scored: bool,
        capacity: usize,
        behind: Option<(LocalKey, u128)>,
    ) -> Self {
        let has_coarse_places = sort == Sort::Relevance && !is_scored;
        let order = LocalOrder::new(segment, sort);
        Self { segment, order, capacity, behind, has_coarse_places, candidates: Vec::new() }
    }

    /// Takes those documents of a block in that are among the first and that `matches` says yes
    /// to; the others are not asked about.
    pub(crate) fn offer(&mut self, block: &Block, mut matches: impl FnMut(DocId) -> bool) {
        if self.capacity == 0 {
            return;
        }
        let mut keys = [LocalKey::default(); BLOCK];
        if !self.has_coarse_places || self.candidates.len() < self.capacity {
            self.order.keys(block, &mut keys);
            for (index, document) in block.documents.iter().enumerate() {
                self.offer_one(*document, keys[index], block.scores[index], &mut matches);
            }
            return;
        }
        for (document, score) in block.documents.iter().zip(block.scores) {
            let worst = self.candidates.last().map(|worst| self.segment.coarse_place(worst.document));
            if worst.is_some_and(|worst| self.segment.coarse_place(*document) <= worst) {
                let single = Block { documents: &[*document], scores: &[*score] };
                self.order.keys(&single, &mut keys);
                self.offer_one(*document, keys[0], *score, &mut matches);
            }
        }
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
