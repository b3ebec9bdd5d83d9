//! Very many short lists in one allocation.
//!
//! A list is a place and a length, 8 bytes; its room is what its length is rounded up to. Room
//! that is given back is kept for lists of the same size.

use std::collections::HashMap;

/// How many bits of a [`Slab`] tell its length; the rest tell its place.
const LENGTH_BITS: u32 = 27;
const LENGTH_MASK: u64 = (1 << LENGTH_BITS) - 1;

/// A list in [`Slabs`]. The empty one has no place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Slab(u64);

impl Slab {
    fn new(place: usize, length: usize) -> Self {
        debug_assert!(length as u64 <= LENGTH_MASK, "lists are cut to MOST items");
        Self((place as u64) << LENGTH_BITS | length as u64)
    }

    fn place(self) -> usize {
        (self.0 >> LENGTH_BITS) as usize
    }

    pub(super) fn len(self) -> usize {
        (self.0 & LENGTH_MASK) as usize
    }
}

/// The lists.
#[derive(Debug)]
pub(super) struct Slabs<T> {
    items: Vec<T>,
    /// By their size, places that were given back.
    free: HashMap<usize, Vec<usize>>,
}

impl<T> Default for Slabs<T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: HashMap::new() }
    }
}

impl<T: Copy + Default + PartialEq> Slabs<T> {
    /// A list has at most this many items; what is put to a longer one is dropped. 134 million.
    const MOST: usize = LENGTH_MASK as usize;

    pub(super) fn get(&self, slab: Slab) -> &[T] {
        &self.items[slab.place()..slab.place() + slab.len()]
    }

    /// Puts a list in the place of another.
    pub(super) fn set(&mut self, slab: &mut Slab, items: &[T]) {
        let items = &items[..items.len().min(Self::MOST)];
        let place = if room_of(slab.len()) == room_of(items.len()) {
            slab.place()
        } else {
            self.give_back(*slab);
            self.take_room(items.len())
        };
        self.items[place..place + items.len()].copy_from_slice(items);
        *slab = Slab::new(place, items.len());
    }

    /// Adds an item at the end.
    pub(super) fn push(&mut self, slab: &mut Slab, item: T) {
        let (place, length) = (slab.place(), slab.len());
        if length == Self::MOST {
            return;
        }
        let mut grown = place;
        if room_of(length) < length + 1 {
            grown = self.take_room(length + 1);
            self.items.copy_within(place..place + length, grown);
            self.give_back(*slab);
        }
        self.items[grown + length] = item;
        *slab = Slab::new(grown, length + 1);
    }

    /// Takes an item out; the last one takes its place.
    pub(super) fn remove(&mut self, slab: &mut Slab, item: T) {
        let (place, length) = (slab.place(), slab.len());
        let Some(at) = self.get(*slab).iter().position(|known| *known == item) else {
            return;
        };
        self.items[place + at] = self.items[place + length - 1];
        if room_of(length - 1) == room_of(length) {
            *slab = Slab::new(place, length - 1);
            return;
        }
        let shrunk = self.take_room(length - 1);
        self.items.copy_within(place..place + length - 1, shrunk);
        self.give_back(*slab);
        *slab = Slab::new(shrunk, length - 1);
    }

    fn take_room(&mut self, length: usize) -> usize {
        let room = room_of(length);
        if room == 0 {
            return 0;
        }
        if let Some(place) = self.free.get_mut(&room).and_then(Vec::pop) {
            return place;
        }
        let place = self.items.len();
        if self.items.capacity() - place < room {
            // Not twice as much: the largest allocations of the process are these.
            self.items.reserve_exact(room.max(place / 8));
        }
        self.items.resize(place + room, T::default());
        place
    }

    fn give_back(&mut self, slab: Slab) {
        let room = room_of(slab.len());
        if room > 0 {
            self.free.entry(room).or_default().push(slab.place());
        }
    }

    /// Bytes that are allocated.
    pub(super) fn bytes(&self) -> usize {
        let free: usize = self.free.values().map(|places| places.capacity() * size_of::<usize>()).sum();
        self.items.capacity() * size_of::<T>() + free
    }
}

/// The length rounded up, so that a growing list seldom moves and few sizes exist.
fn room_of(length: usize) -> usize {
    if length <= 8 {
        return length;
    }
    length.next_multiple_of(length.next_power_of_two() / 8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Push(usize, u32),
        Remove(usize, u32),
        Set(usize, Vec<u32>),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => (0..4_usize, 0..9_u32).prop_map(|(list, item)| Step::Push(list, item)),
            3 => (0..4_usize, 0..9_u32).prop_map(|(list, item)| Step::Remove(list, item)),
            1 => (0..4_usize, proptest::collection::vec(0..9_u32, 0..20)).prop_map(|(list, items)| Step::Set(list, items)),
        ];
        proptest::collection::vec(step, 0..120)
    }

    proptest! {
        #[test]
        fn lists_do_not_get_into_each_others_way(steps in steps()) {
            let mut slabs = Slabs::default();
            let mut lists = [Slab::default(); 4];
            let mut expected: [Vec<u32>; 4] = Default::default();
            for step in steps {
                match step {
                    Step::Push(list, item) => {
                        slabs.push(&mut lists[list], item);
                        expected[list].push(item);
                    }
                    Step::Remove(list, item) => {
                        slabs.remove(&mut lists[list], item);
                        if let Some(at) = expected[list].iter().position(|known| *known == item) {
                            expected[list].swap_remove(at);
                        }
                    }
                    Step::Set(list, items) => {
                        slabs.set(&mut lists[list], &items);
                        expected[list] = items;
                    }
                }
                for (list, expected) in lists.iter().zip(&expected) {
                    prop_assert_eq!(slabs.get(*list), expected.as_slice());
                }
            }
        }
    }

    #[test]
    fn room_that_was_given_back_is_used_again() {
        let mut slabs = Slabs::default();
        let mut list = Slab::default();
        (0..1_000).for_each(|number| slabs.push(&mut list, number));
        let bytes = slabs.items.len();
        for _ in 0..100 {
            slabs.set(&mut list, &[]);
            (0..1_000).for_each(|number| slabs.push(&mut list, number));
        }
        assert_eq!(slabs.items.len(), bytes);
    }
}
