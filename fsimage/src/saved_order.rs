//! The order in which the NameNode saves its inodes.
//!
//! It keeps them in a hash table with a power of two of buckets, an inode's bucket is the lower
//! bits of its id, and it saves bucket by bucket. Ids grow with the age of the namespace and few
//! are still there after years, so they have gone round the table several times: inodes that are
//! neighbours in the image have ids far apart, but neighbouring buckets. Inodes that were created
//! together, as the files of a directory, have neighbouring buckets as well.

/// How ids are divided into the bucket, by which they are saved, and the lap, the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SavedOrder {
    bucket_bits: u32,
}

/// More than any table has, and the most that leaves something to shift.
const MOST_BUCKET_BITS: u32 = 63;

impl SavedOrder {
    /// All ids are of one lap.
    pub(crate) const fn by_id() -> Self {
        Self { bucket_bits: MOST_BUCKET_BITS }
    }

    /// The order that the first ids of an image show. Where they show none, ids count as of one
    /// lap. Other ids may break the order; it costs memory only.
    pub(crate) fn of(ids: &[u64]) -> Self {
        let orders = (0..=MOST_BUCKET_BITS).rev().map(|bucket_bits| Self { bucket_bits });
        let mut fitting = orders.filter(|order| ids.is_sorted_by_key(|id| order.bucket(*id)));
        // With 0 bits everything is sorted.
        fitting.next().filter(|order| order.bucket_bits > 0).unwrap_or(Self::by_id())
    }

    #[inline]
    const fn bucket(self, id: u64) -> u64 {
        id & ((1 << self.bucket_bits) - 1)
    }

    #[inline]
    const fn lap(self, id: u64) -> u64 {
        id >> self.bucket_bits
    }
}

/// A range of buckets in a range of laps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ids {
    lowest_bucket: u64,
    highest_bucket: u64,
    lowest_lap: u64,
    highest_lap: u64,
}

impl Ids {
    /// One id.
    pub(crate) const fn of(order: SavedOrder, id: u64) -> Self {
        let (bucket, lap) = (order.bucket(id), order.lap(id));
        Self { lowest_bucket: bucket, highest_bucket: bucket, lowest_lap: lap, highest_lap: lap }
    }

    /// Widens the ranges to one more id.
    #[inline]
    pub(crate) fn include(&mut self, order: SavedOrder, id: u64) {
        *self = self.joined(Self::of(order, id));
    }

    #[inline]
    pub(crate) fn joined(self, other: Self) -> Self {
        Self {
            lowest_bucket: self.lowest_bucket.min(other.lowest_bucket),
            highest_bucket: self.highest_bucket.max(other.highest_bucket),
            lowest_lap: self.lowest_lap.min(other.lowest_lap),
            highest_lap: self.highest_lap.max(other.highest_lap),
        }
    }

    const fn laps(self) -> u64 {
        self.highest_lap - self.lowest_lap + 1
    }

    /// How many ids are in the ranges.
    pub(crate) fn places(self) -> usize {
        let buckets = self.highest_bucket - self.lowest_bucket + 1;
        usize::try_from(buckets.saturating_mul(self.laps())).unwrap_or(usize::MAX)
    }

    /// Where an id is among those in the ranges, in the order in which they are saved.
    #[inline]
    pub(crate) fn place(self, order: SavedOrder, id: u64) -> Option<usize> {
        let bucket = order.bucket(id).wrapping_sub(self.lowest_bucket);
        let lap = order.lap(id).wrapping_sub(self.lowest_lap);
        let is_within = bucket <= self.highest_bucket - self.lowest_bucket && lap < self.laps();
        is_within.then(|| (bucket * self.laps() + lap) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_seen_in_the_ids() {
        let two_laps: Vec<u64> = (0..64).flat_map(|bucket| [64 + bucket, bucket]).collect();
        assert_eq!(SavedOrder::of(&two_laps), SavedOrder { bucket_bits: 6 });
        assert_eq!(SavedOrder::of(&[3, 4, 9, 100]), SavedOrder::by_id());
        assert_eq!(SavedOrder::of(&[3, 2, 1, 0]), SavedOrder::by_id());
    }

    #[test]
    fn every_id_of_the_ranges_has_a_place_of_its_own() {
        let order = SavedOrder { bucket_bits: 4 };
        let ids = Ids::of(order, 16 + 3).joined(Ids::of(order, 48 + 5));
        let mut places: Vec<usize> = (0..100).filter_map(|id| ids.place(order, id)).collect();
        places.sort_unstable();
        assert_eq!(places, (0..ids.places()).collect::<Vec<_>>());
        assert_eq!(ids.places(), 9);
    }
}
