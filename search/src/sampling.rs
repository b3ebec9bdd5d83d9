//! Nested random samples of all entities, kept in the index: sample `k` holds one in 2^k.
//!
//! A document belongs to a sample by a hash of its entity, so that all documents of an entity
//! belong to the same ones: counting distinct entities in a sample and multiplying is fair.

/// The number of the smallest sample.
const SMALLEST_SAMPLE: u32 = 30;

/// The names of the samples that an entity belongs to.
pub(crate) fn samples_of(entity: u128) -> impl Iterator<Item = String> {
    let depth = scrambled((entity >> 64) as u64 ^ entity as u64).trailing_zeros();
    (1..=depth.min(SMALLEST_SAMPLE)).map(name)
}

/// The name of sample `k`, which holds one entity in 2^k; `k` from 1.
pub(crate) fn name(k: u32) -> String {
    k.to_string()
}

/// The largest sample that holds about `wanted` of `total`.
pub(crate) fn sample_for(total: u64, wanted: u64) -> u32 {
    (total / wanted.max(1)).max(2).ilog2().min(SMALLEST_SAMPLE)
}

/// The finaliser of SplitMix64: ids of any making fall evenly into the samples.
fn scrambled(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_holds_its_share() {
        let in_third = (0..80_000_u128).filter(|id| samples_of(*id).any(|sample| sample == name(3))).count();
        assert!((9_500..10_500).contains(&in_third), "{in_third} of 80,000");
    }
}
