//! Finds the number of an id without keeping the id a second time.

use hashbrown::HashTable;
use sextant_model::EntityId;

/// Numbers by their ids, which whoever asks keeps in a list.
#[derive(Debug, Default)]
pub(super) struct Numbers(HashTable<u32>);

impl Numbers {
    pub(super) fn find(&self, id: EntityId, id_of: impl Fn(u32) -> EntityId) -> Option<u32> {
        self.0.find(hash(id), |&number| id_of(number) == id).copied()
    }

    pub(super) fn insert(&mut self, id: EntityId, number: u32, id_of: impl Fn(u32) -> EntityId) {
        self.0.insert_unique(hash(id), number, |&number| hash(id_of(number)));
    }

    /// Bytes that are allocated.
    pub(super) fn bytes(&self) -> usize {
        self.0.allocation_size()
    }
}

/// Ids are hashes already.
fn hash(id: EntityId) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&id.as_bytes()[..8]);
    u64::from_le_bytes(first)
}
