//! One page of hits.

use std::collections::HashSet;

use tantivy::query::{EnableScoring, Weight};
use tantivy::{Searcher, SegmentReader};

use sextant_model::EntityId;

use crate::Error;
use crate::bits::{BLOCK, Bits};
use crate::evaluate::Evaluator;
use crate::hits::{Candidate, FirstHits};
use crate::order::{LocalOrder, Place, Sort};
use crate::plan::{Plan, Scoring};
use crate::search::{Hit, MAX_LIMIT, Options};
use crate::snapshot::{Segment, Snapshot};
use crate::walk::{Block, for_each_scored_block};

/// What is wanted, made ready for all segments.
pub(crate) struct Page {
    sort: Sort,
    /// One more than wanted, which tells whether there is a next page.
    capacity: usize,
    cursor: Option<Place>,
    scores: Scores,
}

enum Scores {
    Same(f32),
    Varied(Box<dyn Weight>),
}

impl Page {
    /// A page of the documents of `bound`, a plan without checks.
    pub(crate) fn new(searcher: &Searcher, bound: &Plan, options: &Options) -> Result<Self, Error> {
        let scores = match bound.scoring() {
            _ if options.sort != Sort::Relevance => Scores::Same(0.0),
            Scoring::Same(score) => Scores::Same(score),
            Scoring::Varied => {
                Scores::Varied(bound.to_query(true).weight(EnableScoring::enabled_from_searcher(searcher))?)
            }
        };
        let cursor = options.cursor.as_deref().map(|cursor| Place::from_cursor(cursor, options.sort)).transpose()?;
        let capacity = if options.limit == 0 { 0 } else { options.limit.min(MAX_LIMIT) + 1 };
        Ok(Self { sort: options.sort, capacity, cursor, scores })
    }

    /// The first of `documents` that pass `rest`, in order.
    pub(crate) fn first_hits(
        &self,
        searcher: &Searcher,
        reader: &SegmentReader,
        segment: &Segment,
        documents: &Bits,
        rest: &Plan,
    ) -> tantivy::Result<Vec<Candidate>> {
        if self.capacity == 0 {
            return Ok(Vec::new());
        }
        let behind = match &self.cursor {
            Some(place) => Some((LocalOrder::new(segment, self.sort).key_of_place(place)?, place.entity)),
            None => None,
        };
        let mut hits = FirstHits::new(segment, self.sort, self.capacity, behind);
        match &self.scores {
            Scores::Same(score) if self.sort == Sort::Relevance && self.is_dense(documents, reader) => {
                hits.take_in_page_order(documents, *score, |ascending| {
                    let mut evaluator = Evaluator::new(rest, searcher, reader)?;
                    ascending.retain(|document| evaluator.matches(*document, &segment.values));
                    Ok(())
                })?;
            }
            Scores::Same(score) => {
                let mut evaluator = Evaluator::new(rest, searcher, reader)?;
                let scores = [*score; BLOCK];
                documents.for_each_block(|block| {
                    let block = Block { documents: block, scores: &scores[..block.len()] };
                    hits.offer(&block, |document| evaluator.matches(document, &segment.values));
                });
            }
            Scores::Varied(weight) => {
                let mut evaluator = Evaluator::new(rest, searcher, reader)?;
                for_each_scored_block(weight.as_ref(), reader, |block| {
                    hits.offer(&block, |document| {
                        documents.contains(document) && evaluator.matches(document, &segment.values)
                    });
                })?;
            }
        }
        Ok(hits.into_candidates())
    }

    /// Whether the first of `documents` are found sooner by going through the segment in the
    /// order of the page than by comparing them all.
    fn is_dense(&self, documents: &Bits, reader: &SegmentReader) -> bool {
        let count = documents.count();
        count * count > self.capacity as u64 * u64::from(reader.max_doc())
    }

    /// Puts the first hits of all segments together. Tells the cursor of the next page, too.
    pub(crate) fn put_together(
        &self,
        snapshot: &Snapshot,
        candidates: Vec<Vec<Candidate>>,
    ) -> (Vec<Hit>, Option<String>) {
        let mut placed = Vec::new();
        for (segment, candidates) in snapshot.segments.iter().zip(candidates) {
            let order = LocalOrder::new(segment, self.sort);
            for candidate in candidates {
                placed.push((order.place(candidate.document, candidate.score), segment, candidate.document));
            }
        }
        placed.sort_by(|left, right| left.0.compare(&right.0, self.sort));
        let mut entities = HashSet::new();
        placed.retain(|(place, ..)| entities.insert(place.entity));
        let has_next = self.capacity > 0 && placed.len() >= self.capacity;
        placed.truncate(self.capacity.saturating_sub(1));
        let next = placed.last().filter(|_| has_next).map(|(place, ..)| place.to_cursor(self.sort));
        let mut hits = Vec::with_capacity(placed.len());
        for (place, segment, document) in placed {
            let entity = EntityId::from_bytes(place.entity.to_be_bytes());
            let matched_key = segment.values.key(document).unwrap_or(entity);
            hits.push(Hit { entity, matched_key, score: place.score });
        }
        (hits, next)
    }
}
