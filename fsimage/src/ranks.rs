//! The ranks of the members of a set of numbers: a bit for each number that is possible, and for
//! each word of bits how many members are before it.

#[derive(Debug)]
pub(crate) struct Ranks {
    words: Vec<u64>,
    before: Vec<u32>,
}

/// The bytes that the ranks among so many places take.
pub(crate) const fn bytes_for(places: usize) -> usize {
    places.div_ceil(64).saturating_mul(size_of::<u64>() + size_of::<u32>())
}

impl Ranks {
    /// None of so many places has a member.
    pub(crate) fn of_places(places: usize) -> Self {
        let words = places.div_ceil(64);
        Self { words: vec![0; words], before: vec![0; words] }
    }

    /// A member. Ranks are right only after [`Self::count`].
    pub(crate) fn include(&mut self, place: usize) {
        self.words[place / 64] |= 1 << (place % 64);
    }

    /// Counts the members before each word.
    pub(crate) fn count(&mut self) {
        let mut members = 0;
        for (word, before) in self.words.iter().zip(&mut self.before) {
            *before = members;
            members += word.count_ones();
        }
    }

    /// How many members are before a member; nothing for a place without one.
    #[inline]
    pub(crate) fn rank(&self, place: usize) -> Option<usize> {
        let word = *self.words.get(place / 64)?;
        let bit = 1 << (place % 64);
        (word & bit != 0).then(|| self.before[place / 64] as usize + (word & (bit - 1)).count_ones() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_numbered_and_others_are_not() {
        let mut ranks = Ranks::of_places(300);
        let members = [0, 1, 63, 64, 200, 299];
        for place in members {
            ranks.include(place);
        }
        ranks.count();
        for place in 0..400 {
            assert_eq!(ranks.rank(place), members.iter().position(|member| *member == place), "{place}");
        }
    }
}
