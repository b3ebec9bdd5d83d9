//! Answering a query: the total, the facets, and one page of hits.
//!
//! Everything exact comes from one walk over the documents. Where wildcards leave more candidates
//! than [`Effort::checked_exactly`], checking each of them would take too long; then a random sample is
//! checked for the total and the facets, which are marked as estimates, and the page is found
//! by checking only those candidates that would stand on it. So every hit shown is a true one,
//! in the right order. When the sample shows that hardly any candidate is true, all are checked
//! after all.

use std::collections::HashSet;
use std::sync::Arc;

use tantivy::{DocId, SegmentReader};

use sextant_model::{EntityId, Viewer};

use crate::Error;
use crate::evaluate::Evaluator;
use crate::hits::{Candidate, FirstHits};
use crate::order::{LocalOrder, Place, Sort};
use crate::plan::{self, Plan, Planner};
use crate::query::Query;
use crate::sampling::sample_for;
use crate::schema::IndexSchema;
use crate::snapshot::{Segment, Snapshot};
use crate::tally::{Facets, LocalTally, Tally, scaled};
use crate::walk::{BLOCK, Block, Walk};

/// How many candidates are checked against their true values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Up to so many candidates are all checked.
    pub(crate) checked_exactly: u64,
    /// About so many are checked for an estimate.
    pub(crate) checked_in_sample: u64,
    /// With fewer true ones in the sample, an estimate would say little, and a page would be
    /// hard to fill.
    pub(crate) too_few_in_sample: u64,
}

impl Effort {
    pub(crate) const NORMAL: Self = Self { checked_exactly: 20_000, checked_in_sample: 3_000, too_few_in_sample: 200 };
}

/// The most hits of one page.
pub const MAX_LIMIT: usize = 1000;

/// What a search is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The most hits wanted, up to [`MAX_LIMIT`]; 0 counts only.
    pub limit: usize,
    /// [`Found::next`] of the page before, which had the same query and order.
    pub cursor: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Whether facets are counted.
    pub facets: bool,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// How many entities match, on all pages.
    pub total: u64,
    /// Whether `total` and the facets are counted, not estimated from a sample.
    pub total_is_exact: bool,
    /// One page.
    pub hits: Vec<Hit>,
    /// Per facet field its most frequent values; empty unless asked for.
    pub facets: Facets,
    /// The cursor of the next page; `None` on the last one.
    pub next: Option<String>,
}

/// An entity that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The entity.
    pub entity: EntityId,
    /// The document of it that matched (the first in order, where several do).
    pub matched_key: EntityId,
    /// How well it matches; only comparable within one answer.
    pub score: f32,
}

pub(crate) fn search(
    snapshot: &Snapshot,
    schema: &IndexSchema,
    viewer: &Viewer,
    query: &Query,
    options: &Options,
    effort: Effort,
) -> Result<Found, Error> {
    let searcher = &snapshot.searcher;
    let plan = plan::restricted_to(viewer, Planner { schema, searcher }.plan(&query.root)?);
    let bound = plan.upper_bound();
    let is_scored = options.sort == Sort::Relevance && bound.has_scores();
    let asked = Asked { snapshot, rest: plan.rest(), options };
    let walk = Walk::new(searcher, &bound, is_scored)?;
    let cursor = options.cursor.as_deref().map(|cursor| Place::from_cursor(cursor, options.sort)).transpose()?;
    // One more than wanted tells whether there is a next page.
    let capacity = if options.limit == 0 { 0 } else { options.limit.min(MAX_LIMIT) + 1 };

    let sample = if matches!(asked.rest, Plan::All) { None } else { asked.sample(&bound, schema, effort)? };
    let mut walked = 0;
    let mut tally = Tally::default();
    let mut candidates = Vec::with_capacity(snapshot.segments.len());
    for (reader, segment) in asked.segments() {
        let order = LocalOrder::new(segment, options.sort);
        let behind = match &cursor {
            Some(place) => Some((order.key_of_place(place)?, place.entity)),
            None => None,
        };
        let mut hits = FirstHits::new(segment, options.sort, is_scored, capacity, behind);
        if sample.is_none() {
            asked.count_and_keep(&walk, reader, segment, &mut tally, &mut hits)?;
        } else {
            walked += asked.keep(&walk, reader, segment, &mut hits)?;
        }
        candidates.push(hits.into_candidates());
    }
    let (hits, next) = page(snapshot, candidates, capacity, options.sort);
    let total_is_exact = sample.is_none();
    // As many of all candidates are true as of those in the sample.
    let (tally, factor) = match sample {
        Some(sample) => (sample.tally, walked as f64 / sample.candidates as f64),
        None => (tally, 1.0),
    };
    Ok(Found { total: scaled(tally.total, factor), total_is_exact, hits, facets: tally.facets(factor), next })
}

/// What was found in a sample.
struct Sample {
    tally: Tally,
    candidates: u64,
}

/// What was asked, and of which state of the index.
struct Asked<'a> {
    snapshot: &'a Snapshot,
    /// What the documents of the upper bound still have to pass.
    rest: Plan,
    options: &'a Options,
}

impl<'a> Asked<'a> {
    fn segments(&self) -> impl Iterator<Item = (&'a SegmentReader, &'a Segment)> + use<'a> {
        self.snapshot.searcher.segment_readers().iter().zip(self.snapshot.segments.iter().map(AsRef::as_ref))
    }

    /// The count in a sample, when checking all candidates would take too long and the sample
    /// says enough.
    fn sample(&self, bound: &Plan, schema: &IndexSchema, effort: Effort) -> tantivy::Result<Option<Sample>> {
        let searcher = &self.snapshot.searcher;
        // A small sample of everything tells roughly how many candidates there are.
        let small = sample_for(searcher.num_docs(), effort.checked_in_sample / 2);
        let walk = Walk::new(searcher, &bound.within_sample(schema, small), false)?;
        let mut candidates = 0;
        for (reader, _) in self.segments() {
            candidates += walk.count(reader)? << small;
        }
        if candidates <= effort.checked_exactly {
            return Ok(None);
        }
        let sample = sample_for(candidates, effort.checked_in_sample);
        let walk = Walk::new(searcher, &bound.within_sample(schema, sample), false)?;
        let mut sample = Sample { tally: Tally::default(), candidates: 0 };
        for (reader, segment) in self.segments() {
            let mut evaluator = Evaluator::new(&self.rest, searcher, reader)?;
            let mut counts = LocalTally::new(segment, self.options.facets);
            walk.for_each_block(reader, |block| {
                sample.candidates += block.documents.len() as u64;
                let is_match = |document| is_alive(reader, document) && evaluator.matches(document, &segment.values);
                counts.count(block.documents, is_match, &mut sample.tally);
            })?;
            counts.finish(&mut sample.tally)?;
        }
        Ok((sample.tally.total >= effort.too_few_in_sample).then_some(sample))
    }

    /// Checks all documents; counts those that match, and keeps the first.
    fn count_and_keep(
        &self,
        walk: &Walk,
        reader: &SegmentReader,
        segment: &Segment,
        tally: &mut Tally,
        hits: &mut FirstHits,
    ) -> tantivy::Result<()> {
        let mut evaluator = Evaluator::new(&self.rest, &self.snapshot.searcher, reader)?;
        let mut counts = LocalTally::new(segment, self.options.facets);
        let mut matching = Vec::with_capacity(BLOCK);
        let mut scores = Vec::with_capacity(BLOCK);
        walk.for_each_block(reader, |block| {
            matching.clear();
            scores.clear();
            for (document, score) in block.documents.iter().zip(block.scores) {
                if is_alive(reader, *document) && evaluator.matches(*document, &segment.values) {
                    matching.push(*document);
                    scores.push(*score);
                }
            }
            counts.count(&matching, |_| true, tally);
            hits.offer(&Block { documents: &matching, scores: &scores }, |_| true);
        })?;
        counts.finish(tally)
    }

    /// Keeps the first documents, and checks only those that would be among them. Tells how many
    /// candidates there are.
    fn keep(
        &self,
        walk: &Walk,
        reader: &SegmentReader,
        segment: &Segment,
        hits: &mut FirstHits,
    ) -> tantivy::Result<u64> {
        let mut evaluator = Evaluator::new(&self.rest, &self.snapshot.searcher, reader)?;
        let mut candidates = 0;
        walk.for_each_block(reader, |block| {
            candidates += block.documents.len() as u64;
            let is_match = |document| is_alive(reader, document) && evaluator.matches(document, &segment.values);
            hits.offer(&block, is_match);
        })?;
        Ok(candidates)
    }
}

fn is_alive(reader: &SegmentReader, document: DocId) -> bool {
    !reader.is_deleted(document)
}

/// Puts the first hits of the segments together.
fn page(
    snapshot: &Snapshot,
    candidates: Vec<Vec<Candidate>>,
    capacity: usize,
    sort: Sort,
) -> (Vec<Hit>, Option<String>) {
    let mut placed = Vec::new();
    for (segment, candidates) in snapshot.segments.iter().zip(candidates) {
        let order = LocalOrder::new(segment, sort);
        for candidate in candidates {
            placed.push((order.place(candidate.document, candidate.score), segment, candidate.document));
        }
    }
    placed.sort_by(|left, right| left.0.compare(&right.0, sort));
    let mut entities = HashSet::new();
    placed.retain(|(place, ..)| entities.insert(place.entity));
    let has_next = capacity > 0 && placed.len() >= capacity;
    placed.truncate(capacity.saturating_sub(1));
    let next = placed.last().filter(|_| has_next).map(|(place, ..)| place.to_cursor(sort));
    let hit = |(place, segment, document): (Place, &Arc<Segment>, DocId)| {
        let entity = EntityId::from_bytes(place.entity.to_be_bytes());
        Hit { entity, matched_key: segment.values.key(document).unwrap_or(entity), score: place.score }
    };
    (placed.into_iter().map(hit).collect(), next)
}
