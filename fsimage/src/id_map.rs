//! A map from inode ids to numbers: open addressing, 12 bytes a place, no deletion.

/// An id that is none: HDFS counts from 16385, and -1 is its "no id".
const FREE: u64 = u64::MAX;

#[derive(Debug)]
pub(crate) struct IdMap {
    ids: Vec<u64>,
    values: Vec<u32>,
    length: usize,
    shift: u32,
}

/// The bytes that a map of so many ids takes.
pub(crate) const fn bytes_for(length: usize) -> usize {
    places_for(length) * (size_of::<u64>() + size_of::<u32>())
}

const fn places_for(length: usize) -> usize {
    let wanted = (length + length / 2).next_power_of_two();
    if wanted < 16 { 16 } else { wanted }
}

impl IdMap {
    pub(crate) fn with_capacity(length: usize) -> Self {
        let places = places_for(length);
        Self { ids: vec![FREE; places], values: vec![0; places], length: 0, shift: 64 - places.ilog2() }
    }

    /// The place of an id, or the free one where it belongs. Neighbouring ids get places far
    /// apart, so the runs that HDFS counts in do not become long probes.
    #[inline]
    fn place(&self, id: u64) -> usize {
        let mut place = (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        while self.ids[place] != id && self.ids[place] != FREE {
            place = (place + 1) & (self.ids.len() - 1);
        }
        place
    }

    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        let place = self.place(id);
        (self.ids[place] == id && id != FREE).then(|| self.values[place])
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut u32> {
        let place = self.place(id);
        (self.ids[place] == id && id != FREE).then(|| &mut self.values[place])
    }

    /// Sets the value of an id; true when the id is new.
    pub(crate) fn insert(&mut self, id: u64, value: u32) -> bool {
        if id == FREE {
            return false;
        }
        if places_for(self.length + 1) > self.ids.len() {
            self.grow();
        }
        let place = self.place(id);
        let is_new = self.ids[place] != id;
        self.ids[place] = id;
        self.values[place] = value;
        self.length += usize::from(is_new);
        is_new
    }

    fn grow(&mut self) {
        let mut grown = Self::with_capacity(self.length * 2);
        for (place, id) in self.ids.iter().enumerate() {
            if *id != FREE {
                grown.insert(*id, self.values[place]);
            }
        }
        *self = grown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ids_are_found_and_others_are_not() {
        let mut map = IdMap::with_capacity(0);
        for id in 0..10_000 {
            assert!(map.insert(16_385 + id * 7, id as u32));
        }
        assert!(!map.insert(16_385, 0));
        for id in 0..10_000 {
            assert_eq!(map.get(16_385 + id * 7), Some(id as u32));
            assert_eq!(map.get(16_386 + id * 7), None);
        }
        assert_eq!(map.get(u64::MAX), None);
    }
}
