//! A number for each id of some range: in a vector where nearly every id is there, else by its
//! rank among those that are, and in a map where there is hardly one.
//!
//! How dense ids are is seen in the order in which the NameNode saves them, see [`SavedOrder`].

use crate::id_map::{self, IdMap};
use crate::ranks::{self, Ranks};
use crate::saved_order::{Ids, SavedOrder};

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

/// How many ids there are, and between which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdRange {
    pub(crate) count: u64,
    pub(crate) ids: Ids,
    pub(crate) order: SavedOrder,
}

/// Up to so many a vector with room for every id is taken: it needs not be told the ids first.
const MOST_PLACES_PER_ID: usize = 4;

/// How numbers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A number for each id that is possible.
    Dense,
    /// A bit for each id that is possible, a number for each that is there.
    Ranked,
    /// A map.
    Sparse,
}

impl IdRange {
    pub(crate) fn joined(self, next: Self) -> Self {
        Self { count: self.count + next.count, ids: self.ids.joined(next.ids), order: self.order }
    }

    pub(crate) fn layout(self) -> Layout {
        if self.ids.places() <= self.count as usize * MOST_PLACES_PER_ID {
            Layout::Dense
        } else if self.ranked_bytes() <= id_map::bytes_for(self.count as usize) {
            Layout::Ranked
        } else {
            Layout::Sparse
        }
    }

    /// The memory that numbers for it take.
    pub(crate) fn bytes(self) -> usize {
        match self.layout() {
            Layout::Dense => self.ids.places().saturating_mul(size_of::<u32>()),
            Layout::Ranked => self.ranked_bytes(),
            Layout::Sparse => id_map::bytes_for(self.count as usize),
        }
    }

    fn ranked_bytes(self) -> usize {
        ranks::bytes_for(self.ids.places()).saturating_add(self.count as usize * size_of::<u32>())
    }

    /// Whether the ids must be told before numbers can be set.
    pub(crate) fn needs_ids(self) -> bool {
        self.layout() != Layout::Dense
    }

    /// Room for the numbers, none of them known.
    pub(crate) fn numbers(self) -> IdNumbers {
        let Self { count, ids, order } = self;
        match self.layout() {
            Layout::Dense => IdNumbers::Dense { ids, order, slots: vec![NONE; ids.places()] },
            Layout::Ranked => IdNumbers::Ranked {
                ids,
                order,
                ranks: Ranks::of_places(ids.places()),
                slots: vec![NONE; count as usize],
            },
            Layout::Sparse => IdNumbers::Sparse(IdMap::with_capacity(count as usize)),
        }
    }
}

/// The numbers of ids.
#[derive(Debug)]
pub(crate) enum IdNumbers {
    Dense { ids: Ids, order: SavedOrder, slots: Vec<u32> },
    Ranked { ids: Ids, order: SavedOrder, ranks: Ranks, slots: Vec<u32> },
    Sparse(IdMap),
}

impl IdNumbers {
    /// Of no ids.
    pub(crate) fn none() -> Self {
        Self::Sparse(IdMap::with_capacity(0))
    }

    /// Tells an id that is there.
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

    /// All ids were told.
    pub(crate) fn all_expected(&mut self) {
        if let Self::Ranked { ranks, .. } = self {
            ranks.count();
        }
    }

    /// Sets the number of an id, if the id is there and has none yet; whether it did.
    #[inline]
    pub(crate) fn set(&mut self, id: u64, number: u32) -> bool {
        let slot = match self {
            Self::Dense { ids, order, slots } => ids.place(*order, id).and_then(|place| slots.get_mut(place)),
            Self::Ranked { ids, order, ranks, slots } => {
                let rank = ids.place(*order, id).and_then(|place| ranks.rank(place));
                rank.and_then(|rank| slots.get_mut(rank))
            }
            Self::Sparse(map) => map.get_mut(id),
        };
        match slot {
            Some(slot) if *slot == NONE => {
                *slot = number;
                true
            }
            _ => false,
        }
    }

    /// The number of an id, or `NONE`.
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
