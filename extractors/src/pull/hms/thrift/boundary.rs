//! Where a message ends that has no length in front of it.
//!
//! A buffered Thrift transport sends messages back to back, so only their structure tells where
//! one is over. [`Boundary`] walks over that structure as bytes arrive and goes on where it
//! stopped; it builds nothing and looks at each byte at most once.

use super::message::{KIND_MASK, VERSION_1, VERSION_MASK};
use super::{MAX_DEPTH, MAX_MESSAGE_BYTES, Malformed, wire_type};

/// What has to come next.
#[derive(Debug, Clone, Copy)]
enum Expected {
    /// The word with version and message kind.
    Version,
    /// A length and that many bytes.
    Text,
    /// Bytes of no interest.
    Bytes(usize),
    /// A field's type, or the end of the struct.
    Field,
    /// A list or set: element type and count.
    ListHeader,
    /// A map: key type, value type and count.
    MapHeader,
    /// Elements that are left of a list, set or map; their types in turn.
    Elements { left: usize, types: [u8; 2], next: usize },
}

/// Finds the end of one message.
#[derive(Debug)]
pub(crate) struct Boundary {
    /// Everything before it has been looked at. May lie behind the bytes that have arrived.
    position: usize,
    expected: Vec<Expected>,
}

impl Boundary {
    /// At the beginning of a message.
    pub(crate) fn new() -> Self {
        // Last in, first out: version, method name, sequence number, struct.
        Self { position: 0, expected: vec![Expected::Field, Expected::Bytes(4), Expected::Text, Expected::Version] }
    }

    /// Goes on over `bytes`, which begin where the message begins and are as many as have
    /// arrived. The answer is the message's length once it is over.
    pub(crate) fn find(&mut self, bytes: &[u8]) -> Result<Option<usize>, Malformed> {
        while let Some(expected) = self.expected.pop() {
            if !self.step(expected, bytes)? {
                self.expected.push(expected);
                return Ok(None);
            }
            if self.position > MAX_MESSAGE_BYTES {
                return Err(Malformed::TooLong);
            }
        }
        Ok((self.position <= bytes.len()).then_some(self.position))
    }

    /// Deals with what was expected; false when too few bytes have arrived for it.
    fn step(&mut self, expected: Expected, bytes: &[u8]) -> Result<bool, Malformed> {
        match expected {
            Expected::Version => {
                let Some(word) = self.word(bytes) else {
                    return Ok(false);
                };
                if word as u32 & VERSION_MASK != VERSION_1 || word as u32 & !(VERSION_MASK | KIND_MASK) != 0 {
                    return Err(Malformed::NotThrift(word as u32));
                }
            }
            Expected::Text => {
                let Some(length) = self.length(bytes)? else {
                    return Ok(false);
                };
                self.position += length;
            }
            Expected::Bytes(count) => self.position += count,
            Expected::Field => {
                let Some(&field_type) = bytes.get(self.position) else {
                    return Ok(false);
                };
                self.position += 1;
                if field_type != wire_type::STOP {
                    self.position += 2;
                    self.expected.push(Expected::Field);
                    self.expect_value(field_type)?;
                }
            }
            Expected::ListHeader => {
                let Some(&element_type) = bytes.get(self.position) else {
                    return Ok(false);
                };
                self.position += 1;
                let Some(count) = self.length(bytes)? else {
                    self.position -= 1;
                    return Ok(false);
                };
                self.expect_elements(count, [element_type; 2]);
            }
            Expected::MapHeader => {
                let Some(&[key_type, value_type]) = bytes.get(self.position..self.position + 2) else {
                    return Ok(false);
                };
                self.position += 2;
                let Some(count) = self.length(bytes)? else {
                    self.position -= 2;
                    return Ok(false);
                };
                self.expect_elements(2 * count, [key_type, value_type]);
            }
            Expected::Elements { left, types, next } => {
                if left > 1 {
                    self.expected.push(Expected::Elements { left: left - 1, types, next: 1 - next });
                }
                self.expect_value(types[next])?;
            }
        }
        Ok(true)
    }

    fn expect_elements(&mut self, left: usize, types: [u8; 2]) {
        if left == 0 {
            return;
        }
        match (wire_type::fixed_bytes(types[0]), wire_type::fixed_bytes(types[1])) {
            // Two types in turn, `left` elements in all: an even number for maps.
            (Some(first), Some(second)) => self.position += left * (first + second) / 2,
            _ => self.expected.push(Expected::Elements { left, types, next: 0 }),
        }
    }

    fn expect_value(&mut self, value_type: u8) -> Result<(), Malformed> {
        if self.expected.len() > 2 * MAX_DEPTH {
            return Err(Malformed::TooDeep);
        }
        if let Some(bytes) = wire_type::fixed_bytes(value_type) {
            self.position += bytes;
            return Ok(());
        }
        self.expected.push(match value_type {
            wire_type::STRING => Expected::Text,
            wire_type::STRUCT => Expected::Field,
            wire_type::LIST | wire_type::SET => Expected::ListHeader,
            wire_type::MAP => Expected::MapHeader,
            other => return Err(Malformed::UnknownType(other)),
        });
        Ok(())
    }

    fn length(&mut self, bytes: &[u8]) -> Result<Option<usize>, Malformed> {
        let Some(length) = self.word(bytes) else {
            return Ok(None);
        };
        match usize::try_from(length) {
            Ok(length) if length <= MAX_MESSAGE_BYTES => Ok(Some(length)),
            _ => Err(Malformed::Length(i64::from(length))),
        }
    }

    fn word(&mut self, bytes: &[u8]) -> Option<i32> {
        let word = bytes.get(self.position..)?.first_chunk::<4>()?;
        self.position += 4;
        Some(i32::from_be_bytes(*word))
    }
}
