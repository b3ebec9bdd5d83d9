//! Walking the documents that a plan without checks matches, in blocks.

use tantivy::query::{EnableScoring, Scorer, Weight};
use tantivy::{BitSet, DocId, DocSet, Searcher, SegmentReader, TERMINATED};

use crate::plan::Plan;

/// Documents that are handed on together, so that columns are read for many at once.
pub(crate) const BLOCK: usize = tantivy::COLLECT_BLOCK_BUFFER_LEN;

/// A plan without checks, made ready for all segments.
pub(crate) struct Walk {
    whole: Box<dyn Weight>,
    /// The conditions one by one, where all of them must hold and nothing is scored.
    conditions: Vec<Box<dyn Weight>>,
    is_scored: bool,
}

/// Documents in ascending order, with their scores.
pub(crate) struct Block<'a> {
    pub(crate) documents: &'a [DocId],
    pub(crate) scores: &'a [f32],
}

impl Walk {
    /// With `is_scored`, documents come with scores; they are zero otherwise.
    pub(crate) fn new(searcher: &Searcher, plan: &Plan, is_scored: bool) -> tantivy::Result<Self> {
        let scoring = if is_scored {
            EnableScoring::enabled_from_searcher(searcher)
        } else {
            EnableScoring::disabled_from_searcher(searcher)
        };
        let weight = |plan: &Plan| plan.to_query(is_scored).weight(scoring);
        let conditions = match plan {
            Plan::And { required, .. } if !is_scored => required.iter().map(weight).collect::<tantivy::Result<_>>()?,
            _ => Vec::new(),
        };
        Ok(Self { whole: weight(plan)?, conditions, is_scored })
    }

    /// Hands all documents of a segment to `visit`, deleted ones too.
    pub(crate) fn for_each_block(&self, reader: &SegmentReader, mut visit: impl FnMut(Block)) -> tantivy::Result<()> {
        if let Some(dense) = self.dense_conditions(reader)? {
            for_each_in_all(dense, &mut visit);
            return Ok(());
        }
        let mut matching = self.whole.scorer(reader, 1.0)?;
        let mut documents = [0; BLOCK];
        let mut scores = [0.0; BLOCK];
        loop {
            let mut filled = 0;
            if self.is_scored {
                while filled < BLOCK && matching.doc() != TERMINATED {
                    documents[filled] = matching.doc();
                    scores[filled] = matching.score();
                    matching.advance();
                    filled += 1;
                }
            } else {
                filled = matching.fill_buffer(&mut documents);
            }
            visit(Block { documents: &documents[..filled], scores: &scores[..filled] });
            if filled < BLOCK {
                return Ok(());
            }
        }
    }

    /// How many documents there are in a segment, deleted ones too.
    pub(crate) fn count(&self, reader: &SegmentReader) -> tantivy::Result<u64> {
        Ok(u64::from(self.whole.scorer(reader, 1.0)?.count_including_deleted()))
    }

    /// The conditions, when each of them holds for many documents of the segment: then joining
    /// them as bit masks is faster than leaping from one to the other.
    fn dense_conditions(&self, reader: &SegmentReader) -> tantivy::Result<Option<Vec<Box<dyn Scorer>>>> {
        let mut scorers = Vec::with_capacity(self.conditions.len());
        for condition in &self.conditions {
            let scorer = condition.scorer(reader, 1.0)?;
            if scorer.size_hint() < reader.max_doc() / 32 {
                return Ok(None);
            }
            scorers.push(scorer);
        }
        Ok((!scorers.is_empty()).then_some(scorers))
    }
}

/// Documents whose bits are joined at once.
const MASKS: usize = 16;
const MASK_BITS: u32 = 64;

fn for_each_in_all(mut conditions: Vec<Box<dyn Scorer>>, visit: &mut impl FnMut(Block)) {
    let empty = [BitSet::with_max_value(MASK_BITS).tinyset(0); MASKS];
    let scores = [0.0; BLOCK];
    let mut documents = [0; BLOCK];
    let mut filled = 0;
    let mut base = conditions.iter().map(DocSet::doc).max().unwrap_or(TERMINATED);
    while base < TERMINATED {
        let mut joined = empty;
        let mut next = conditions[0].fill_bitset_block(base, &mut joined);
        for condition in &mut conditions[1..] {
            let mut masks = empty;
            next = next.max(condition.fill_bitset_block(base, &mut masks));
            for (joined, mask) in joined.iter_mut().zip(masks) {
                *joined = joined.intersect(mask);
            }
        }
        for (index, mut mask) in joined.into_iter().enumerate() {
            while let Some(bit) = mask.pop_lowest() {
                documents[filled] = base + index as u32 * MASK_BITS + bit;
                filled += 1;
                if filled == BLOCK {
                    visit(Block { documents: &documents, scores: &scores });
                    filled = 0;
                }
            }
        }
        base = next;
    }
    visit(Block { documents: &documents[..filled], scores: &scores[..filled] });
}
