//! The first hits of a segment, one per entity.

use tantivy::DocId;

use crate::order::{LocalKey, LocalOrder, Sort};
use crate::snapshot::Segment;

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
        Self { segment, order: LocalOrder::new(segment, sort), capacity, behind, candidates: Vec::new() }
    }

    /// Takes the document in if it is among the first and `matches` says so.
    pub(crate) fn offer(&mut self, document: DocId, score: f32, matches: impl FnOnce() -> bool) {
        let key = self.order.key(document, score);
        let worst = if self.candidates.len() == self.capacity { self.candidates.last() } else { None };
        if self.capacity == 0 || worst.is_some_and(|worst| key > worst.key) {
            return;
        }
        if self.behind.is_some_and(|(behind, _)| key < behind) {
            return;
        }
        let entity = self.segment.entity(document);
        if self.behind.is_some_and(|behind| (key, entity) <= behind)
            || worst.is_some_and(|worst| (key, entity) >= (worst.key, worst.entity))
            || !matches()
        {
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
