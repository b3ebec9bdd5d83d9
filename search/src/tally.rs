//! Counting: the total, and how often the values of the facet fields occur. Entities are
//! counted, not documents.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use tantivy::DocId;

use crate::snapshot::Segment;
use crate::walk::BLOCK;

/// How many values of a facet are told: the most frequent ones.
const VALUES_TOLD: usize = 100;

/// Per facet field its values with their counts, most frequent first.
pub type Facets = BTreeMap<String, Vec<(String, u64)>>;

/// The count so far, over all segments.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) total: u64,
    /// Entities counted by one of several documents, by the half of their id that is as good as
    /// the whole: of a million entities, two have the same one once in 37 million times.
    shared: HashSet<u64, BuildHasherDefault<IdHasher>>,
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

    /// Counts those documents of a block that `matches` says yes to, each entity once.
    pub(crate) fn count(&mut self, documents: &[DocId], mut matches: impl FnMut(DocId) -> bool, tally: &mut Tally) {
        let mut counted = [0; BLOCK];
        let mut length = 0;
        for document in documents {
            let mut is_new = || {
                !self.segment.shares_entity(*document) || tally.shared.insert(self.segment.half_of_entity(*document))
            };
            if matches(*document) && is_new() {
                counted[length] = *document;
                length += 1;
            }
        }
        tally.total += length as u64;
        for ((_, facet), counts) in self.segment.facets.iter().zip(&mut self.counts) {
            facet.for_each_ordinal(&counted[..length], |ordinal| {
                if let Some(count) = counts.get_mut(ordinal as usize) {
                    *count += 1;
                }
            });
        }
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

/// Ids are evenly distributed as they are.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id;
    }
}
