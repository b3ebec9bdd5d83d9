//! Which inodes are given their parents together, so that never all are in memory.
//!
//! While the directories are read, a mark is kept for each few ten thousand inodes: the lowest
//! and the highest id. Marks are then joined to chunks as far as the parents of a chunk fit into
//! a fixed amount of memory: in a vector where the ids are dense, else in a map.

use crate::id_map::{self, IdMap};
use crate::tree::NONE;

/// The memory for the parents of a chunk, in bytes: 16 million inodes with dense ids.
pub(crate) const PARENT_BYTES: usize = 64 << 20;

/// What is known of some inodes that follow each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    count: u32,
    lowest: u64,
    highest: u64,
}

impl Mark {
    pub(crate) const LENGTH: u32 = 1 << 16;
}

#[derive(Debug)]
pub(crate) struct Marks {
    length: u32,
    marks: Vec<Mark>,
}

impl Marks {
    pub(crate) const fn new(length: u32) -> Self {
        Self { length, marks: Vec::new() }
    }

    /// The next inode of the section.
    #[inline]
    pub(crate) fn count(&mut self, id: u64) {
        match self.marks.last_mut() {
            Some(mark) if mark.count < self.length => {
                mark.count += 1;
                mark.lowest = mark.lowest.min(id);
                mark.highest = mark.highest.max(id);
            }
            _ => self.marks.push(Mark { count: 1, lowest: id, highest: id }),
        }
    }

    /// The section in chunks, each of which fits into `bytes`.
    pub(crate) fn chunks(&self, bytes: usize) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = Vec::new();
        for mark in &self.marks {
            let next = Chunk { count: u64::from(mark.count), lowest: mark.lowest, highest: mark.highest };
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
    lowest: u64,
    highest: u64,
}

impl Chunk {
    fn joined(self, next: Self) -> Self {
        Self {
            count: self.count + next.count,
            lowest: self.lowest.min(next.lowest),
            highest: self.highest.max(next.highest),
        }
    }

    /// Whether a vector takes less than a map, so that the ids need not be known.
    pub(crate) fn is_dense(self) -> bool {
        self.dense_bytes() <= id_map::bytes_for(self.count as usize)
    }

    fn dense_bytes(self) -> usize {
        let span = usize::try_from(self.highest - self.lowest).unwrap_or(usize::MAX);
        span.saturating_add(1).saturating_mul(size_of::<u32>())
    }

    fn bytes(self) -> usize {
        self.dense_bytes().min(id_map::bytes_for(self.count as usize))
    }

    /// Room for the parents, none of them known. A map must be told the ids.
    pub(crate) fn parents(self) -> Parents {
        if self.is_dense() {
            let span = (self.highest - self.lowest) as usize + 1;
            Parents::Dense { lowest: self.lowest, slots: vec![NONE; span] }
        } else {
            Parents::Sparse(IdMap::with_capacity(self.count as usize))
        }
    }
}

/// The parents of a chunk's inodes.
pub(crate) enum Parents {
    Dense { lowest: u64, slots: Vec<u32> },
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
            Self::Dense { lowest, slots } => slots.get_mut(id.wrapping_sub(*lowest) as usize),
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
            Self::Dense { lowest, slots } => slots.get(id.wrapping_sub(*lowest) as usize).copied().unwrap_or(NONE),
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
}
