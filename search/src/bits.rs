//! Sets of small numbers, one bit each: documents of a segment, or entities by their number.

use tantivy::{BitSet, DocId, SegmentReader};

/// Numbers that are handed on together, so that columns are read for many at once.
pub(crate) const BLOCK: usize = tantivy::COLLECT_BLOCK_BUFFER_LEN;

const WORD_BITS: u32 = u64::BITS;

/// A set of numbers below a limit.
pub(crate) struct Bits {
    words: Vec<u64>,
    limit: u32,
}

impl Bits {
    /// The empty set of numbers below `limit`.
    pub(crate) fn below(limit: u32) -> Self {
        Self { words: vec![0; limit.div_ceil(WORD_BITS) as usize], limit }
    }

    /// Adds a number below the limit; tells whether it was new.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let word = &mut self.words[(number / WORD_BITS) as usize];
        let bit = 1 << (number % WORD_BITS);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Adds the members of `words`, whose first bit is the number `base`. Bits beyond the limit
    /// are left out.
    pub(crate) fn insert_words(&mut self, base: u32, words: &[u64]) {
        let (first, shift) = ((base / WORD_BITS) as usize, base % WORD_BITS);
        for (index, word) in words.iter().enumerate() {
            let behind = word.checked_shr(WORD_BITS - shift).unwrap_or(0);
            for (place, bits) in [(first + index, word << shift), (first + index + 1, behind)] {
                if let Some(word) = self.words.get_mut(place) {
                    *word |= bits;
                }
            }
        }
        let in_last_word = self.limit % WORD_BITS;
        if in_last_word > 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << in_last_word) - 1;
        }
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words[(number / WORD_BITS) as usize] >> (number % WORD_BITS) & 1 == 1
    }

    pub(crate) fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Takes out the documents that are deleted.
    pub(crate) fn retain_alive(&mut self, reader: &SegmentReader) {
        let Some(alive) = reader.alive_bitset() else { return };
        let mut documents = BitSet::with_max_value_and_full(reader.max_doc());
        documents.intersect_update(alive.bitset());
        for (bucket, bits) in self.words.iter_mut().enumerate() {
            *bits &= u64::from_le_bytes(documents.tinyset(bucket as u32).into_bytes());
        }
    }

    /// Takes out what `keeps` says no to. Numbers are asked about in ascending order.
    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(u32) -> bool) {
        for (index, bits) in self.words.iter_mut().enumerate() {
            let mut asked = *bits;
            while asked != 0 {
                let lowest = asked.trailing_zeros();
                asked &= asked - 1;
                if !keeps(index as u32 * WORD_BITS + lowest) {
                    *bits &= !(1 << lowest);
                }
            }
        }
    }

    /// Hands all numbers to `visit`, in ascending order, up to [`BLOCK`] at once.
    pub(crate) fn for_each_block(&self, mut visit: impl FnMut(&[DocId])) {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        for (index, bits) in self.words.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                block[filled] = index as u32 * WORD_BITS + bits.trailing_zeros();
                bits &= bits - 1;
                filled += 1;
                if filled == BLOCK {
                    visit(&block);
                    filled = 0;
                }
            }
        }
        visit(&block[..filled]);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn numbers(bits: &Bits) -> Vec<u32> {
        let mut numbers = Vec::new();
        bits.for_each_block(|block| numbers.extend(block));
        numbers
    }

    proptest! {
        #[test]
        fn bits_are_a_set(inserted in proptest::collection::vec(0_u32..300, 0..400)) {
            let mut bits = Bits::below(300);
            let mut expected = BTreeSet::new();
            for number in inserted {
                prop_assert_eq!(bits.insert(number), expected.insert(number));
            }
            bits.retain(|number| number % 3 != 0);
            expected.retain(|number| number % 3 != 0);
            prop_assert_eq!(bits.count(), expected.len() as u64);
            prop_assert!((0..300).all(|number| bits.contains(number) == expected.contains(&number)));
            prop_assert_eq!(numbers(&bits), expected.into_iter().collect::<Vec<u32>>());
        }

        #[test]
        fn words_begin_at_any_number_and_end_at_the_limit(
            limit in 300_u32..=320,
            base in 0_u32..300,
            words in proptest::collection::vec(any::<u64>(), 0..4),
        ) {
            let mut bits = Bits::below(limit);
            bits.insert_words(base, &words);
            let is_set = |offset: &u32| words[(offset / 64) as usize] >> (offset % 64) & 1 == 1;
            let offsets = (0..words.len() as u32 * 64).filter(is_set);
            let expected: Vec<u32> = offsets.map(|offset| base + offset).filter(|number| *number < limit).collect();
            prop_assert_eq!(numbers(&bits), expected);
        }
    }
}
