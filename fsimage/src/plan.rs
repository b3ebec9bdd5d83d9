//! Which inodes are given their parents together, so that never all are in memory.
//!
//! While the directories are read, a mark is kept for each few ten thousand inodes: between which
//! ids they are. Marks are then joined to chunks as far as the parents of a chunk fit into a fixed
//! amount of memory: in a vector where the ids are dense, else in a map.
//!
//! Whether ids are dense is seen in the order in which the NameNode saves them, see [`SavedOrder`].

use crate::id_map::{self, IdMap};
use crate::saved_order::{Ids, SavedOrder};
use crate::tree::NONE;

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
    marks: Vec<Mark>,
}

impl Marks {
    pub(crate) fn new(length: u32) -> Self {
        Self { length, first: Vec::new(), order: SavedOrder::by_id(), marks: Vec::new() }
    }

    /// The next inode of the section.
    #[inline]
    pub(crate) fn count(&mut self, id: u64) {
        match self.marks.last_mut() {
            Some(mark) if mark.count < self.length => {
                mark.count += 1;
                mark.ids.include(self.order, id);
            }
            Some(_) => self.marks.push(Mark { count: 1, ids: Ids::of(self.order, id) }),
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
        self.marks.push(mark);
    }

    /// All inodes of the section were counted.
    pub(crate) fn end(&mut self) {
        self.end_first();
    }

    /// The section in chunks, each of which fits into `bytes`.
    pub(crate) fn chunks(&self, bytes: usize) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = Vec::new();
        for mark in &self.marks {
            let next = Chunk { count: u64::from(mark.count), ids: mark.ids, order: self.order };
            match chunks.last_mut() {
                Some(last) if last.joined(next).bytes() <= bytes => *last = last.joined(next),
                _ => chunks.push(next),
            }
        }
        chunks
    }
}

/// Inodes that are given their parents together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) count: u64,
    ids: Ids,
    order: SavedOrder,
}

impl Chunk {
    fn joined(self, next: Self) -> Self {
        Self { count: self.count + next.count, ids: self.ids.joined(next.ids), order: self.order }
    }

    /// Whether a vector takes less than a map, so that the ids need not be known.
    pub(crate) fn is_dense(self) -> bool {
        self.dense_bytes() <= id_map::bytes_for(self.count as usize)
    }

    fn dense_bytes(self) -> usize {
        self.ids.places().saturating_mul(size_of::<u32>())
    }

    fn bytes(self) -> usize {
        self.dense_bytes().min(id_map::bytes_for(self.count as usize))
    }

    /// Room for the parents, none of them known. A map must be told the ids.
    pub(crate) fn parents(self) -> Parents {
        if self.is_dense() {
            Parents::Dense { ids: self.ids, order: self.order, slots: vec![NONE; self.ids.places()] }
        } else {
            Parents::Sparse(IdMap::with_capacity(self.count as usize))
        }
    }
}

/// The parents of a chunk's inodes.
pub(crate) enum Parents {
    Dense { ids: Ids, order: SavedOrder, slots: Vec<u32> },
    Sparse(IdMap),
}

impl Parents {
    /// An inode of the chunk.
    pub(crate) fn expect(&mut self, id: u64) {
        if let Self::Sparse(map) = self {
            map.insert(id, NONE);
        }
    }

    /// Sets a parent if the inode is of the chunk and has none yet.
    #[inline]
    pub(crate) fn set(&mut self, id: u64, parent: u32) {
        let slot = match self {
            Self::Dense { ids, order, slots } => ids.place(*order, id).and_then(|place| slots.get_mut(place)),
            Self::Sparse(map) => map.get_mut(id),
        };
        if let Some(slot) = slot
            && *slot == NONE
        {
            *slot = parent;
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: u64) -> u32 {
        match self {
            Self::Dense { ids, order, slots } => {
                ids.place(*order, id).and_then(|place| slots.get(place)).copied().unwrap_or(NONE)
            }
            Self::Sparse(map) => map.get(id).unwrap_or(NONE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(ids: impl Iterator<Item = u64>) -> Marks {
        let mut marks = Marks::new(4);
        ids.for_each(|id| marks.count(id));
        marks.end();
        marks
    }

    #[test]
    fn dense_ids_are_joined_to_vectors_as_far_as_they_fit() {
        let chunks = marks(100..150).chunks(4 * 20);
        assert!(chunks.iter().all(|chunk| chunk.is_dense() && chunk.count <= 20));
        assert_eq!(chunks.iter().map(|chunk| chunk.count).sum::<u64>(), 50);
        assert_eq!(chunks.len(), 3);
    }

    #[test]
    fn ids_far_apart_make_a_map() {
        let chunks = marks((0..8).map(|id| id * 1_000_000)).chunks(1 << 10);
        assert_eq!(chunks.len(), 1);
        assert!(!chunks[0].is_dense());
    }

    /// Three laps through a table of 1024 buckets, as the NameNode saves it.
    #[test]
    fn ids_in_the_order_of_a_hash_table_are_dense() {
        let saved = |bucket: u64| [2048 + bucket, 1024 + bucket, bucket];
        let chunks = marks((0..1024).flat_map(saved)).chunks(4 * 300);
        assert_eq!(chunks.iter().map(|chunk| chunk.count).sum::<u64>(), 3072);
        assert!(chunks.iter().all(|chunk| chunk.is_dense()), "{chunks:?}");
        assert_eq!(chunks.len(), 11);
        let mut parents = chunks[0].parents();
        parents.set(2048, 7);
        parents.set(1024, 8);
        parents.set(1024 + 1023, 9);
        assert_eq!([2048, 1024, 0, 1024 + 1023, 3072].map(|id| parents.get(id)), [7, 8, NONE, NONE, NONE]);
    }
}
