//! Counting: the total, and how often the values of the facet fields occur. Entities are
//! counted, not documents.

use std::collections::{BTreeMap, HashMap};

use crate::bits::{BLOCK, Bits};
use crate::entities::UNNUMBERED;
use crate::snapshot::{Segment, Snapshot};

/// How many values of a facet are told: the most frequent ones.
const VALUES_TOLD: usize = 100;

/// Per facet field its values with their counts, most frequent first.
pub type Facets = BTreeMap<String, Vec<(String, u64)>>;

/// The count so far, over all segments.
pub(crate) struct Tally {
    pub(crate) total: u64,
    /// The numbers of those entities that were counted and may have other documents.
    counted: Bits,
    facets: BTreeMap<&'static str, HashMap<String, u64>>,
}

/// The count within one segment.
pub(crate) struct LocalTally<'a> {
    segment: &'a Segment,
    /// Per facet of the segment, how often each of its values was counted; empty when facets are
    /// not wanted.
    counts: Vec<Vec<u64>>,
}

impl<'a> LocalTally<'a> {
    pub(crate) fn new(segment: &'a Segment, with_facets: bool) -> Self {
        let facets = segment.facets.iter().filter(|_| with_facets);
        Self { segment, counts: facets.map(|(_, facet)| vec![0; facet.column.num_terms()]).collect() }
    }

    /// Counts the entities of `documents`, each once.
    pub(crate) fn count(&mut self, documents: &Bits, tally: &mut Tally) {
        let numbers = self.segment.entity_numbers.as_slice();
        if numbers.is_empty() && self.counts.is_empty() {
            tally.total += documents.count();
            return;
        }
        documents.for_each_block(|block| {
            let mut counted = [0; BLOCK];
            let mut length = 0;
            for document in block {
                let number = numbers.get(*document as usize).copied().unwrap_or(UNNUMBERED);
                let is_new = number == UNNUMBERED || tally.counted.insert(number);
                counted[length] = *document;
                length += usize::from(is_new);
            }
            tally.total += length as u64;
            for ((_, facet), counts) in self.segment.facets.iter().zip(&mut self.counts) {
                facet.for_each_ordinal(&counted[..length], |ordinal| {
                    if let Some(count) = counts.get_mut(ordinal as usize) {
                        *count += 1;
                    }
                });
            }
        });
    }

    /// Adds the counts of this segment to all.
    pub(crate) fn finish(self, tally: &mut Tally) -> tantivy::Result<()> {
        for ((field, facet), counts) in self.segment.facets.iter().zip(self.counts) {
            let values = tally.facets.entry(field.name).or_default();
            let mut value = String::new();
            for (ordinal, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                facet.column.ord_to_str(ordinal as u64, &mut value)?;
                *values.entry(value.clone()).or_default() += count;
            }
        }
        Ok(())
    }
}

impl Tally {
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        Self { total: 0, counted: Bits::below(snapshot.numbered_entities), facets: BTreeMap::new() }
    }

    /// The facets, every count multiplied by `factor`.
    pub(crate) fn facets(self, factor: f64) -> Facets {
        let told = |counts: HashMap<String, u64>| {
            let mut values: Vec<(String, u64)> =
                counts.into_iter().map(|(value, count)| (value, scaled(count, factor))).collect();
            values.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
            values.truncate(VALUES_TOLD);
            values
        };
        self.facets.into_iter().map(|(field, counts)| (field.to_owned(), told(counts))).collect()
    }
}

/// `count` times `factor`, to the nearest whole number.
pub(crate) fn scaled(count: u64, factor: f64) -> u64 {
    (count as f64 * factor).round() as u64
}
