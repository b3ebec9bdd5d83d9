//! The documents that a plan without checks matches.

use tantivy::query::{EnableScoring, Scorer, Weight};
use tantivy::{BitSet, DocId, DocSet, Searcher, SegmentReader, TERMINATED};

use crate::bits::{BLOCK, Bits};
use crate::plan::Plan;

/// A plan without checks, made ready for all segments.
pub(crate) struct Walk {
    whole: Box<dyn Weight>,
    /// The conditions one by one, where all of them must hold.
    conditions: Vec<Box<dyn Weight>>,
}

/// Documents in ascending order, with their scores.
pub(crate) struct Block<'a> {
    pub(crate) documents: &'a [DocId],
    pub(crate) scores: &'a [f32],
}

impl Walk {
    pub(crate) fn new(searcher: &Searcher, plan: &Plan) -> tantivy::Result<Self> {
        let weight = |plan: &Plan| plan.to_query(false).weight(EnableScoring::disabled_from_searcher(searcher));
        let conditions = match plan {
            Plan::And { required, .. } => required.iter().map(weight).collect::<tantivy::Result<_>>()?,
            _ => Vec::new(),
        };
        Ok(Self { whole: weight(plan)?, conditions })
    }

    /// The documents of a segment, without the deleted ones.
    pub(crate) fn documents(&self, reader: &SegmentReader) -> tantivy::Result<Bits> {
        let mut documents = Bits::below(reader.max_doc());
        if let Some(dense) = self.dense_conditions(reader)? {
            insert_common(dense, &mut documents);
        } else {
            let mut matching = self.whole.scorer(reader, 1.0)?;
            let mut block = [0; BLOCK];
            let mut filled = BLOCK;
            while filled == BLOCK {
                filled = matching.fill_buffer(&mut block);
                for document in &block[..filled] {
                    documents.insert(*document);
                }
            }
        }
        documents.retain_alive(reader);
        Ok(documents)
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

/// How many words of bits are joined at once.
const WORDS: usize = 16;

fn insert_common(mut conditions: Vec<Box<dyn Scorer>>, documents: &mut Bits) {
    let empty = [BitSet::with_max_value(u64::BITS).tinyset(0); WORDS];
    let mut base = conditions.iter().map(DocSet::doc).max().unwrap_or(TERMINATED);
    while base < TERMINATED {
        let mut common = [u64::MAX; WORDS];
        let mut next = 0;
        for condition in &mut conditions {
            let mut masks = empty;
            next = next.max(condition.fill_bitset_block(base, &mut masks));
            for (common, mask) in common.iter_mut().zip(masks) {
                *common &= u64::from_le_bytes(mask.into_bytes());
            }
        }
        documents.insert_words(base, &common);
        base = next;
    }
}

/// Hands the documents that a plan without checks matches to `visit` in blocks, with scores;
/// deleted documents too.
pub(crate) fn for_each_scored_block(
    weight: &dyn Weight,
    reader: &SegmentReader,
    mut visit: impl FnMut(Block),
) -> tantivy::Result<()> {
    let mut matching = weight.scorer(reader, 1.0)?;
    let mut documents = [0; BLOCK];
    let mut scores = [0.0; BLOCK];
    let mut filled = BLOCK;
    while filled == BLOCK {
        filled = 0;
        while filled < BLOCK && matching.doc() != TERMINATED {
            documents[filled] = matching.doc();
            scores[filled] = matching.score();
            matching.advance();
            filled += 1;
        }
        visit(Block { documents: &documents[..filled], scores: &scores[..filled] });
    }
    Ok(())
}
