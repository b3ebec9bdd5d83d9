//! A quick "surely not" for ids: a bitmap over their lower bits.
//!
//! Nearly all children are files, and children of a directory have neighbouring ids, so asking
//! here first touches little memory where asking the map would miss the processor's cache.

pub(crate) struct IdFilter {
    bits: Vec<u64>,
    mask: u64,
}

/// One id in sixteen is sent to the map in vain.
const BITS_PER_ID: usize = 16;

impl IdFilter {
    pub(crate) fn of(ids: &[u64]) -> Self {
        let length = (ids.len() * BITS_PER_ID).next_power_of_two().max(64);
        let mut filter = Self { bits: vec![0; length / 64], mask: length as u64 - 1 };
        for id in ids {
            let (word, bit) = filter.place(*id);
            filter.bits[word] |= bit;
        }
        filter
    }

    #[inline]
    fn place(&self, id: u64) -> (usize, u64) {
        let index = id & self.mask;
        ((index >> 6) as usize, 1 << (index & 63))
    }

    /// False only where the id is not among those of [`Self::of`].
    #[inline]
    pub(crate) fn may_hold(&self, id: u64) -> bool {
        let (word, bit) = self.place(id);
        self.bits[word] & bit != 0
    }
}
