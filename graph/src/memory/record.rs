//! An operation's uses and pairs in few bytes: a dozen for each name.
//!
//! ```text
//! names   count, then each as the distance from the one before (ascending)
//! uses    count, then each: name (its place above), life, role and whether the times are those of
//!         the use before; else first (as the distance from the first use's) and last - first
//! pairs   count, then each: input and output (their places above), data, control
//! ```
//!
//! All are numbers of seven bits a byte. The bytes are written and read by this process alone.

use sextant_model::Timestamp;
use sextant_model::operation::Role;

use super::NameNumber;
use crate::lives::LifeUse;
use crate::operations::{KnownOperation, NamePair, NameUse};

/// Writes uses and pairs in the place of what is there. Their order is not kept.
pub(super) fn encode(uses: &mut [NameUse], pairs: &[NamePair], bytes: &mut Vec<u8>) {
    bytes.clear();
    let ends = pairs.iter().flat_map(|pair| [pair.input, pair.output]);
    let mut names: Vec<NameNumber> = uses.iter().map(|used| used.name).chain(ends).collect();
    names.sort_unstable();
    names.dedup();
    put(bytes, names.len() as u64);
    let mut before = 0;
    for name in &names {
        put(bytes, u64::from(name.0 - before));
        before = name.0;
    }
    let place = |name: NameNumber| names.partition_point(|known| *known < name) as u64;

    uses.sort_unstable_by_key(|used| (used.name, used.role, used.at.life));
    put(bytes, uses.len() as u64);
    let mut known: Option<(Timestamp, Timestamp)> = None;
    let base = uses.first().map_or(0, |used| used.at.first.as_millis());
    for used in &*uses {
        put(bytes, place(used.name));
        let same = known == Some((used.at.first, used.at.last));
        put(bytes, u64::from(used.at.life) << 2 | u64::from(same) << 1 | u64::from(used.role == Role::Output));
        if !same {
            let from = if known.is_some() { base } else { 0 };
            put_signed(bytes, used.at.first.as_millis().wrapping_sub(from));
            put_signed(bytes, used.at.last.as_millis().wrapping_sub(used.at.first.as_millis()));
            known = Some((used.at.first, used.at.last));
        }
    }
    put(bytes, pairs.len() as u64);
    for pair in pairs {
        put(bytes, place(pair.input));
        put(bytes, place(pair.output) << 2 | u64::from(pair.control) << 1 | u64::from(pair.data));
    }
}

/// What [`encode`] wrote, in the place of what was read before.
pub(super) fn decode(bytes: &[u8], into: &mut KnownOperation) {
    let KnownOperation { names, uses, pairs, .. } = into;
    let mut reader = Reader(bytes);
    names.clear();
    reader.names(names);
    uses.clear();
    reader.uses(|place, role, at| uses.push(NameUse { name: names[place], role, at }));
    pairs.clear();
    for _ in 0..reader.count() {
        let (input, output) = (reader.number() as usize, reader.number());
        pairs.push(NamePair {
            input: names[input],
            output: names[(output >> 2) as usize],
            data: output & 1 != 0,
            control: output & 2 != 0,
        });
    }
}

/// Adds the names alone.
pub(super) fn names(bytes: &[u8], names: &mut Vec<NameNumber>) {
    Reader(bytes).names(names);
}

/// The names and roles alone, as often as there are lives.
pub(super) fn used_names(bytes: &[u8], mut take: impl FnMut(NameNumber, Role)) {
    let mut reader = Reader(bytes);
    let mut names = Vec::new();
    reader.names(&mut names);
    reader.uses(|place, role, _| take(names[place], role));
}

/// When a name was used in a role.
pub(super) fn uses_of(bytes: &[u8], name: NameNumber, wanted: Role, mut take: impl FnMut(LifeUse)) {
    let mut reader = Reader(bytes);
    let (mut place_of_name, mut number) = (None, 0);
    for place in 0..reader.count() {
        number += reader.number() as u32;
        if number == name.0 {
            place_of_name = Some(place);
        }
    }
    reader.uses(|place, role, at| {
        if Some(place) == place_of_name && role == wanted {
            take(at);
        }
    });
}

pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Small numbers of either sign stay small.
pub(super) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put(bytes, (number << 1 ^ number >> 63) as u64);
}

/// Reads what was written above; what is missing reads as 0.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    pub(super) fn number(&mut self) -> u64 {
        let mut number = 0;
        let mut shift = 0;
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        number
    }

    pub(super) fn signed(&mut self) -> i64 {
        let number = self.number();
        (number >> 1) as i64 ^ -((number & 1) as i64)
    }

    pub(super) fn bytes<const LENGTH: usize>(&mut self) -> [u8; LENGTH] {
        let (bytes, rest) = self.0.split_first_chunk().unwrap_or((&[0; LENGTH], &[]));
        self.0 = rest;
        *bytes
    }

    fn count(&mut self) -> usize {
        self.number() as usize
    }

    fn names(&mut self, names: &mut Vec<NameNumber>) {
        let mut number = 0;
        for _ in 0..self.count() {
            number += self.number() as u32;
            names.push(NameNumber(number));
        }
    }

    fn uses(&mut self, mut take: impl FnMut(usize, Role, LifeUse)) {
        let count = self.count();
        let (mut first, mut last, mut base) = (0_i64, 0_i64, 0_i64);
        for number in 0..count {
            let (place, word) = (self.count(), self.number());
            if word & 2 == 0 {
                first = base.wrapping_add(self.signed());
                last = first.wrapping_add(self.signed());
                if number == 0 {
                    base = first;
                }
            }
            let role = if word & 1 == 0 { Role::Input } else { Role::Output };
            let at = LifeUse {
                life: (word >> 2) as u32,
                first: Timestamp::from_millis(first),
                last: Timestamp::from_millis(last),
            };
            take(place, role, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn uses() -> impl Strategy<Value = Vec<NameUse>> {
        let time = prop_oneof![Just(0_i64), Just(1_790_000_000_000), any::<i64>()];
        let used =
            (0..9_u32, any::<bool>(), 0..3_u32, time.clone(), time).prop_map(|(name, output, life, first, last)| {
                NameUse {
                    name: NameNumber(name * 400_000_000),
                    role: if output { Role::Output } else { Role::Input },
                    at: LifeUse { life, first: Timestamp::from_millis(first), last: Timestamp::from_millis(last) },
                }
            });
        proptest::collection::vec(used, 0..9).prop_map(|mut uses| {
            uses.sort_unstable_by_key(|used| (used.name, used.role, used.at.life));
            uses.dedup_by_key(|used| (used.name, used.role, used.at.life));
            uses
        })
    }

    fn pairs() -> impl Strategy<Value = Vec<NamePair>> {
        let pair = (0..12_u32, 0..12_u32, any::<[bool; 2]>()).prop_map(|(input, output, [data, control])| NamePair {
            input: NameNumber(input),
            output: NameNumber(output),
            data,
            control,
        });
        proptest::collection::vec(pair, 0..9)
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(uses in uses(), pairs in pairs()) {
            let mut bytes = vec![7];
            encode(&mut uses.clone(), &pairs, &mut bytes);
            let mut read = KnownOperation::default();
            decode(&bytes, &mut read);
            prop_assert_eq!((&read.uses, &read.pairs), (&uses, &pairs));
            decode(&bytes, &mut read);
            prop_assert_eq!(&read.uses, &uses, "in its own place");
            let mut named = Vec::new();
            used_names(&bytes, |name, role| named.push((name, role)));
            prop_assert_eq!(named, uses.iter().map(|used| (used.name, used.role)).collect::<Vec<_>>());
            for used in &uses {
                let mut found = Vec::new();
                uses_of(&bytes, used.name, used.role, |at| found.push(at));
                prop_assert!(found.contains(&used.at));
            }
        }
    }

    #[test]
    fn a_usual_operation_has_few_bytes() {
        let at = LifeUse {
            life: 1,
            first: Timestamp::from_seconds(1_790_000_000),
            last: Timestamp::from_seconds(1_790_900_000),
        };
        let named = |name, role| NameUse { name: NameNumber(name), role, at };
        let mut uses = [
            named(250_000, Role::Input),
            named(900_000, Role::Input),
            named(7, Role::Input),
            named(1_000_000, Role::Output),
        ];
        let pairs = [7, 250_000, 900_000].map(|input| NamePair {
            input: NameNumber(input),
            output: NameNumber(1_000_000),
            data: true,
            control: false,
        });
        let mut bytes = Vec::new();
        encode(&mut uses, &pairs, &mut bytes);
        assert!(bytes.len() <= 44, "{}", bytes.len());
    }
}
