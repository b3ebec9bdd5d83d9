//! Answering a query: the total, the facets, and one page of hits.
//!
//! The documents that the index tells are joined as bit sets, one bit a document: counting a
//! million of them takes a millisecond or a few. What remains to be checked against the true
//! values is slower. Where wildcards leave more candidates than [`Effort::checked_exactly`], the
//! candidates are counted, and a random sample of them is checked for the total and the facets,
//! which are marked as estimates. For the page, only those candidates are checked that would
//! stand on it. So every hit shown is a true one, in the right order. When the sample shows that
//! hardly any candidate is true, all are checked after all.

use tantivy::SegmentReader;

use sextant_model::{EntityId, Viewer};

use crate::Error;
use crate::bits::Bits;
use crate::evaluate::Evaluator;
use crate::order::Sort;
use crate::page::Page;
use crate::plan::{self, Plan, Planner};
use crate::query::Query;
use crate::sampling::sample_for;
use crate::schema::IndexSchema;
use crate::snapshot::{Segment, Snapshot};
use crate::tally::{Facets, LocalTally, Tally, scaled};
use crate::walk::Walk;

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
    let page = Page::new(searcher, &bound, options)?;
    let walk = Walk::new(searcher, &bound)?;
    let asked = Asked { snapshot, rest: plan.rest(), options };

    let sample = if matches!(asked.rest, Plan::All) { None } else { asked.sample(&bound, schema, effort)? };
    let mut tally = Tally::new(snapshot);
    let mut candidates = 0;
    let mut first_hits = Vec::with_capacity(snapshot.segments.len());
    for (reader, segment) in asked.segments() {
        let mut documents = walk.documents(reader)?;
        let unchecked = if sample.is_none() {
            asked.retain_matching(reader, segment, &mut documents)?;
            asked.count(segment, &documents, &mut tally)?;
            &Plan::All
        } else {
            candidates += documents.count();
            &asked.rest
        };
        first_hits.push(page.first_hits(searcher, reader, segment, &documents, unchecked)?);
    }
    let (hits, next) = page.put_together(snapshot, first_hits);
    let total_is_exact = sample.is_none();
    // As many of all candidates are true as of those in the sample.
    let (tally, factor) = match sample {
        Some(sample) => (sample.tally, candidates as f64 / sample.candidates as f64),
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
        let walk = Walk::new(searcher, &bound.within_sample(schema, small))?;
        let mut candidates = 0;
        for (reader, _) in self.segments() {
            candidates += walk.documents(reader)?.count() << small;
        }
        if candidates <= effort.checked_exactly {
            return Ok(None);
        }
        let sample = sample_for(candidates, effort.checked_in_sample);
        let walk = Walk::new(searcher, &bound.within_sample(schema, sample))?;
        let mut sample = Sample { tally: Tally::new(self.snapshot), candidates: 0 };
        for (reader, segment) in self.segments() {
            let mut documents = walk.documents(reader)?;
            sample.candidates += documents.count();
            self.retain_matching(reader, segment, &mut documents)?;
            self.count(segment, &documents, &mut sample.tally)?;
        }
        Ok((sample.tally.total >= effort.too_few_in_sample).then_some(sample))
    }

    /// Checks all documents.
    fn retain_matching(&self, reader: &SegmentReader, segment: &Segment, documents: &mut Bits) -> tantivy::Result<()> {
        if !matches!(self.rest, Plan::All) {
            let mut evaluator = Evaluator::new(&self.rest, &self.snapshot.searcher, reader)?;
            documents.retain(|document| evaluator.matches(document, &segment.values));
        }
        Ok(())
    }

    fn count(&self, segment: &Segment, documents: &Bits, tally: &mut Tally) -> tantivy::Result<()> {
        let mut counts = LocalTally::new(segment, self.options.facets);
        counts.count(documents, tally);
        counts.finish(tally)
    }
}
