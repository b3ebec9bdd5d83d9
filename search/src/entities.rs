//! Numbers for the entities that have several documents, so that counting each of them once
//! needs one bit an entity.
//!
//! The same entity has the same number in all segments, as long as these stay open. The numbers
//! live in memory only.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The number of documents whose entity has no other document.
pub(crate) const UNNUMBERED: u32 = u32::MAX;

/// The numbers given so far. An entity is known by the half of its id that is as good as the
/// whole: of a million entities, two have the same one once in 37 million times.
#[derive(Default)]
pub(crate) struct EntityNumbers(HashMap<u64, u32, BuildHasherDefault<IdHasher>>);

impl EntityNumbers {
    /// The number of an entity, a new one where it has none.
    pub(crate) fn of(&mut self, half_of_entity: u64) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(half_of_entity).or_insert(next)
    }

    /// How many numbers were given: all are below.
    pub(crate) fn given(&self) -> u32 {
        self.0.len() as u32
    }
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
