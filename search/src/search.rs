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

use tantivy::query::{EnableScoring, Scorer, Weight};
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocId, DocSet, Searcher, SegmentReader, TERMINATED};

use sextant_model::{EntityId, Viewer};

use crate::evaluate::Evaluator;
use crate::hits::{Candidate, FirstHits};
use crate::order::{LocalOrder, Place, Sort};
use crate::plan::{self, Plan, Planner};
use crate::query::Query;
use crate::sampling::sample_for;
use crate::schema::IndexSchema;
use crate::snapshot::{Segment, Snapshot};
use crate::tally::{Facets, LocalTally, Tally, scaled};
use crate::Error;

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
    pub(crate) const NORMAL: Self = Self { checked_exactly: 20_000, checked_in_sample: 6_000, too_few_in_sample: 200 };
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
    let walk = Walk { snapshot, rest: plan.rest(), weight: weight(searcher, &bound, is_scored)?, is_scored, options };
    let cursor = options.cursor.as_deref().map(|cursor| Place::from_cursor(cursor, options.sort)).transpose()?;
    // One more than wanted tells whether there is a next page.
    let capacity = if options.limit == 0 { 0 } else { options.limit.min(MAX_LIMIT) + 1 };

    let estimate = if matches!(walk.rest, Plan::All) { None } else { walk.estimate(bound, schema, effort)? };
    let mut tally = Tally::default();
    let mut candidates = Vec::with_capacity(snapshot.segments.len());
    for (reader, segment) in walk.segments() {
        let order = LocalOrder::new(segment, options.sort);
        let behind = match &cursor {
            Some(place) => Some((order.key_of_place(place)?, place.entity)),
            None => None,
        };
        let mut hits = FirstHits::new(segment, options.sort, capacity, behind);
        if estimate.is_none() {
            walk.count_and_keep(reader, segment, &mut tally, &mut hits)?;
        } else {
            walk.keep(reader, segment, &mut hits)?;
        }
        candidates.push(hits.into_candidates());
    }
    let (hits, next) = page(snapshot, candidates, capacity, options.sort);
    let (total, facets, total_is_exact) = match estimate {
        Some(estimate) => (estimate.total, estimate.facets, false),
        None => (tally.total, tally.facets(1.0), true),
    };
    Ok(Found { total, total_is_exact, hits, facets, next })
}

fn weight(searcher: &Searcher, plan: &Plan, is_scored: bool) -> tantivy::Result<Box<dyn Weight>> {
    let scoring = if is_scored {
        EnableScoring::enabled_from_searcher(searcher)
    } else {
        EnableScoring::disabled_from_searcher(searcher)
    };
    plan.to_query(is_scored).weight(scoring)
}

struct Estimate {
    total: u64,
    facets: Facets,
}

/// A walk over the documents of the upper bound.
struct Walk<'a> {
    snapshot: &'a Snapshot,
    rest: Plan,
    weight: Box<dyn Weight>,
    is_scored: bool,
    options: &'a Options,
}

impl<'a> Walk<'a> {
    fn segments(&self) -> impl Iterator<Item = (&'a SegmentReader, &'a Segment)> + use<'a> {
        self.snapshot.searcher.segment_readers().iter().zip(self.snapshot.segments.iter().map(AsRef::as_ref))
    }

    /// An estimate of total and facets, when counting would take too long and guessing works.
    fn estimate(&self, bound: Plan, schema: &IndexSchema, effort: Effort) -> tantivy::Result<Option<Estimate>> {
        let mut candidates = 0;
        for (reader, _) in self.segments() {
            candidates += u64::from(self.weight.scorer(reader, 1.0)?.count_including_deleted());
        }
        if candidates <= effort.checked_exactly {
            return Ok(None);
        }
        let sample = bound.within_sample(schema, sample_for(candidates, effort.checked_in_sample));
        let weight = weight(&self.snapshot.searcher, &sample, false)?;
        let mut sampled = 0;
        let mut tally = Tally::default();
        for (reader, segment) in self.segments() {
            let mut evaluator = Evaluator::new(&self.rest, &self.snapshot.searcher, reader)?;
            let mut counts = LocalTally::new(segment, self.options.facets);
            for_each_document(weight.scorer(reader, 1.0)?, false, |document, _| {
                sampled += 1;
                if is_alive(reader, document) && evaluator.matches(document, &segment.values) {
                    counts.count(document, &mut tally);
                }
            });
            counts.finish(&mut tally)?;
        }
        if tally.total < effort.too_few_in_sample {
            return Ok(None);
        }
        let factor = candidates as f64 / f64::from(sampled);
        Ok(Some(Estimate { total: scaled(tally.total, factor), facets: tally.facets(factor) }))
    }

    /// Checks all documents; counts those that match, and keeps the first.
    fn count_and_keep(
        &self,
        reader: &SegmentReader,
        segment: &Segment,
        tally: &mut Tally,
        hits: &mut FirstHits,
    ) -> tantivy::Result<()> {
        let mut evaluator = Evaluator::new(&self.rest, &self.snapshot.searcher, reader)?;
        let mut counts = LocalTally::new(segment, self.options.facets);
        for_each_document(self.weight.scorer(reader, 1.0)?, self.is_scored, |document, score| {
            if is_alive(reader, document) && evaluator.matches(document, &segment.values) {
                counts.count(document, tally);
                hits.offer(document, score, || true);
            }
        });
        counts.finish(tally)
    }

    /// Keeps the first documents, and checks only those that would be among them.
    fn keep(&self, reader: &SegmentReader, segment: &Segment, hits: &mut FirstHits) -> tantivy::Result<()> {
        let mut evaluator = Evaluator::new(&self.rest, &self.snapshot.searcher, reader)?;
        for_each_document(self.weight.scorer(reader, 1.0)?, self.is_scored, |document, score| {
            hits.offer(document, score, || is_alive(reader, document) && evaluator.matches(document, &segment.values));
        });
        Ok(())
    }
}

fn is_alive(reader: &SegmentReader, document: DocId) -> bool {
    !reader.is_deleted(document)
}

fn for_each_document(mut scorer: Box<dyn Scorer>, is_scored: bool, mut visit: impl FnMut(DocId, f32)) {
    if is_scored {
        while scorer.doc() != TERMINATED {
            visit(scorer.doc(), scorer.score());
            scorer.advance();
        }
        return;
    }
    let mut block = [0; COLLECT_BLOCK_BUFFER_LEN];
    loop {
        let filled = scorer.fill_buffer(&mut block);
        for document in &block[..filled] {
            visit(*document, 0.0);
        }
        if filled < block.len() {
            return;
        }
    }
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
