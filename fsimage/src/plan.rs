//! Which inodes are given their parents together, so that never all are in memory.
//!
//! While the directories are read, a mark is kept for each few ten thousand inodes: between which
//! ids they are. Marks are then joined to chunks as far as the parents of a chunk fit into a fixed
//! amount of memory: in a vector where the ids are dense, else by their rank among the ids that
//! are there, and in a map where there is hardly one.
//!
//! Whether ids are dense is seen in the order in which the NameNode saves them, see [`SavedOrder`].

use crate::id_map::{self, IdMap};
use crate::ranks::{self, Ranks};
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
    pub(crate) fn chunks(&self, bytes: usize) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = Vec::new();
        for mark in &self.all {
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

    fn layout(self) -> Layout {
        if self.ids.places() <= self.count as usize * MOST_PLACES_PER_INODE {
            Layout::Dense
        } else if self.ranked_bytes() <= id_map::bytes_for(self.count as usize) {
            Layout::Ranked
        } else {
            Layout::Sparse
        }
    }

    fn bytes(self) -> usize {
        match self.layout() {
            Layout::Dense => self.ids.places().saturating_mul(size_of::<u32>()),
            Layout::Ranked => self.ranked_bytes(),
            Layout::Sparse => id_map::bytes_for(self.count as usize),
        }
    }

    fn ranked_bytes(self) -> usize {
        ranks::bytes_for(self.ids.places()).saturating_add(self.count as usize * size_of::<u32>())
    }

    /// Whether the ids must be known before the parents are looked for.
    pub(crate) fn needs_ids(self) -> bool {
        self.layout() != Layout::Dense
    }

    /// Room for the parents, none of them known.
    pub(crate) fn parents(self) -> Parents {
        let Self { count, ids, order } = self;
        match self.layout() {
            Layout::Dense => Parents::Dense { ids, order, slots: vec![NONE; ids.places()] },
            Layout::Ranked => {
                Parents::Ranked { ids, order, ranks: Ranks::of_places(ids.places()), slots: vec![NONE; count as usize] }
            }
            Layout::Sparse => Parents::Sparse(IdMap::with_capacity(count as usize)),
        }
    }
}

/// Up to so many a vector with room for every id is taken: it needs no reading ahead.
const MOST_PLACES_PER_INODE: usize = 4;

/// How the parents of a chunk are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// A number for each id that is possible.
    Dense,
    /// A bit for each id that is possible, a number for each that is there.
    Ranked,
    /// A map.
    Sparse,
}

/// The parents of a chunk's inodes.
pub(crate) enum Parents {
    Dense { ids: Ids, order: SavedOrder, slots: Vec<u32> },
    Ranked { ids: Ids, order: SavedOrder, ranks: Ranks, slots: Vec<u32> },
    Sparse(IdMap),
}

impl Parents {
    /// An inode of the chunk.
    pub(crate) fn expect(&mut self, id: u64) {
        match self {
            Self::Dense { .. } => {}
            Self::Ranked { ids, order, ranks, .. } => {
                if let Some(place) = ids.place(*order, id) {
                    ranks.include(place);
                }
            }
            Self::Sparse(map) => {
                map.insert(id, NONE);
            }
        }
    }

    /// All inodes of the chunk were expected.
    pub(crate) fn all_expected(&mut self) {
        if let Self::Ranked { ranks, .. } = self {
            ranks.count();
        }
    }

    /// Sets a parent if the inode is of the chunk and has none yet.
    #[inline]
    pub(crate) fn set(&mut self, id: u64, parent: u32) {
        let slot = match self {
            Self::Dense { ids, order, slots } => ids.place(*order, id).and_then(|place| slots.get_mut(place)),
            Self::Ranked { ids, order, ranks, slots } => {
                let rank = ids.place(*order, id).and_then(|place| ranks.rank(place));
                rank.and_then(|rank| slots.get_mut(rank))
            }
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
        let slot = match self {
            Self::Dense { ids, order, slots } => ids.place(*order, id).and_then(|place| slots.get(place)).copied(),
            Self::Ranked { ids, order, ranks, slots } => {
                let rank = ids.place(*order, id).and_then(|place| ranks.rank(place));
                rank.and_then(|rank| slots.get(rank)).copied()
            }
            Self::Sparse(map) => map.get(id),
        };
        slot.unwrap_or(NONE)
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
        let mut parents = chunks[0].parents();
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
        let mut parents = chunks[0].parents();
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
