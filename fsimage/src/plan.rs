//! Which inodes are given their parents together, so that never all are in memory.
//!
//! While the directories are read, a mark is kept for each few ten thousand inodes: between which
//! ids they are. Marks are then joined to chunks as far as the parents of a chunk, see
//! [`IdNumbers`](crate::id_numbers::IdNumbers), fit into a fixed amount of memory.

use crate::id_numbers::IdRange;
use crate::saved_order::{Ids, SavedOrder};

/// The memory for the parents of a chunk, in bytes: 32 million inodes with dense ids, 11 million
/// where only every third id is still there.
pub(crate) const PARENT_BYTES: usize = 128 << 20;

/// What is known of some inodes that follow each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    count: u32,
    ids: Ids,
}

impl Mark {
    pub(crate) const LENGTH: u32 = 1 << 16;
}

#[derive(Debug)]
pub(crate) struct Marks {
    length: u32,
    /// The ids of the first mark until it is full, because the order is seen in them.
    first: Vec<u64>,
    order: SavedOrder,
    all: Vec<Mark>,
}

impl Marks {
    pub(crate) fn new(length: u32) -> Self {
        Self { length, first: Vec::new(), order: SavedOrder::by_id(), all: Vec::new() }
    }

    /// The next inode of the section.
    #[inline]
    pub(crate) fn count(&mut self, id: u64) {
        match self.all.last_mut() {
            Some(mark) if mark.count < self.length => {
                mark.count += 1;
                mark.ids.include(self.order, id);
            }
            Some(_) => self.all.push(Mark { count: 1, ids: Ids::of(self.order, id) }),
            None => self.count_first(id),
        }
    }

    fn count_first(&mut self, id: u64) {
        self.first.push(id);
        if self.first.len() == self.length as usize {
            self.end_first();
        }
    }

    fn end_first(&mut self) {
        let ids = std::mem::take(&mut self.first);
        let Some(first) = ids.first() else { return };
        self.order = SavedOrder::of(&ids);
        let mut mark = Mark { count: ids.len() as u32, ids: Ids::of(self.order, *first) };
        for id in &ids {
            mark.ids.include(self.order, *id);
        }
        self.all.push(mark);
    }

    /// All inodes of the section were counted.
    pub(crate) fn end(&mut self) {
        self.end_first();
    }

    /// The section in chunks, each of which fits into `bytes`.
    pub(crate) fn chunks(&self, bytes: usize) -> Vec<IdRange> {
        let mut chunks: Vec<IdRange> = Vec::new();
        for mark in &self.all {
            let next = IdRange { count: u64::from(mark.count), ids: mark.ids, order: self.order };
            match chunks.last_mut() {
                Some(last) if last.joined(next).bytes() <= bytes => *last = last.joined(next),
                _ => chunks.push(next),
            }
        }
        chunks
    }

    /// The section as one, of which only `count` inodes are of interest.
    pub(crate) fn whole(&self, count: u64) -> IdRange {
        let mut ids = self.all.iter().map(|mark| mark.ids);
        let first = ids.next().unwrap_or(Ids::of(self.order, 0));
        IdRange { count, ids: ids.fold(first, Ids::joined), order: self.order }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id_numbers::{Layout, NONE};

    fn marks(ids: impl Iterator<Item = u64>) -> Marks {
        let mut marks = Marks::new(4);
        ids.for_each(|id| marks.count(id));
        marks.end();
        marks
    }

    #[test]
    fn dense_ids_are_joined_to_vectors_as_far_as_they_fit() {
        let chunks = marks(100..150).chunks(4 * 20);
        assert!(chunks.iter().all(|chunk| chunk.layout() == Layout::Dense && chunk.count <= 20));
        assert_eq!(chunks.iter().map(|chunk| chunk.count).sum::<u64>(), 50);
        assert_eq!(chunks.len(), 3);
    }

    #[test]
    fn ids_far_apart_make_a_map() {
        let chunks = marks((0..8).map(|id| id * 1_000_000)).chunks(1 << 10);
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].layout(), Layout::Sparse);
    }

    /// Three laps through a table of 1024 buckets, as the NameNode saves it.
    #[test]
    fn ids_in_the_order_of_a_hash_table_are_dense() {
        let saved = |bucket: u64| [2048 + bucket, 1024 + bucket, bucket];
        let chunks = marks((0..1024).flat_map(saved)).chunks(4 * 300);
        assert_eq!(chunks.iter().map(|chunk| chunk.count).sum::<u64>(), 3072);
        assert!(chunks.iter().all(|chunk| chunk.layout() == Layout::Dense), "{chunks:?}");
        assert_eq!(chunks.len(), 11);
        let mut parents = chunks[0].numbers();
        parents.set(2048, 7);
        parents.set(1024, 8);
        parents.set(1024 + 1023, 9);
        assert_eq!([2048, 1024, 0, 1024 + 1023, 3072].map(|id| parents.get(id)), [7, 8, NONE, NONE, NONE]);
    }

    #[test]
    fn ids_with_gaps_are_ranked() {
        let chunks = marks((0..80).map(|id| 100 + id * 20)).chunks(1 << 12);
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].layout(), Layout::Ranked);
        let mut parents = chunks[0].numbers();
        (0..80).for_each(|id| parents.expect(100 + id * 20));
        parents.all_expected();
        for id in 0..1700 {
            parents.set(id, id as u32);
        }
        for id in 0..1700 {
            let is_there = id >= 100 && id % 20 == 0 && id < 1700;
            assert_eq!(parents.get(id), if is_there { id as u32 } else { NONE }, "{id}");
        }
    }
}
