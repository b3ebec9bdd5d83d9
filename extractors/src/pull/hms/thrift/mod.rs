//! Thrift's binary protocol, as far as a metastore client needs it, without generated code.
//!
//! A message is decoded into a tree of [`Value`]s. Its accessors check the wire type of each field
//! they are asked for, so a metastore whose structs have more, fewer or other fields than expected
//! leaves fields absent; it never shifts one field's bytes into another.
//!
//! The layers, from the bottom: [`transport`] moves whole messages over a byte stream and is where
//! a SASL session belongs, [`boundary`] finds where a message ends that has no length in front,
//! [`message`] is calls and replies, [`decode`] and [`encode`] are values.
//!
//! Guarantees: foreign bytes never panic; nesting, message length and the number of values are
//! limited; memory is reserved only for bytes that have arrived.

pub(super) mod boundary;
pub(super) mod decode;
pub(super) mod encode;
pub(super) mod message;
pub(super) mod transport;
pub(super) mod value;

pub(super) use value::Value;

#[cfg(test)]
mod tests;

/// No message may be longer than this: 256 MiB. A metastore's replies stay far below it.
pub(super) const MAX_MESSAGE_BYTES: usize = 256 << 20;

/// Structs and containers may nest this deep. The metastore's own structs need 6.
pub(super) const MAX_DEPTH: usize = 32;

/// A reply may hold this many values. It bounds the tree of a message of one-byte values, which
/// takes 32 times the memory of its bytes.
pub(super) const MAX_VALUES: usize = 16_000_000;

/// The type bytes of the binary protocol.
pub(super) mod wire_type {
    pub(crate) const STOP: u8 = 0;
    pub(crate) const BOOL: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const DOUBLE: u8 = 4;
    pub(crate) const I16: u8 = 6;
    pub(crate) const I32: u8 = 8;
    pub(crate) const I64: u8 = 10;
    pub(crate) const STRING: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
    pub(crate) const MAP: u8 = 13;
    pub(crate) const SET: u8 = 14;
    pub(crate) const LIST: u8 = 15;

    /// How many bytes a value of this type takes at least; `None` for an unknown type.
    pub(crate) const fn least_bytes(wire_type: u8) -> Option<usize> {
        match wire_type {
            BOOL | BYTE | STRUCT => Some(1),
            I16 => Some(2),
            I32 | STRING => Some(4),
            SET | LIST => Some(5),
            MAP => Some(6),
            I64 | DOUBLE => Some(8),
            _ => None,
        }
    }

    /// How many bytes every value of this type takes; `None` where it varies or is unknown.
    pub(crate) const fn fixed_bytes(wire_type: u8) -> Option<usize> {
        match wire_type {
            BOOL | BYTE => Some(1),
            I16 => Some(2),
            I32 => Some(4),
            I64 | DOUBLE => Some(8),
            _ => None,
        }
    }
}

/// Why bytes are not the message they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Malformed {
    #[error("the message ends in the middle of a value")]
    Truncated,
    #[error("unknown wire type {0}")]
    UnknownType(u8),
    #[error("a length of {0} is negative, or more than the message can hold")]
    Length(i64),
    #[error("the message is longer than {} MiB", MAX_MESSAGE_BYTES >> 20)]
    TooLong,
    #[error("values nest deeper than {MAX_DEPTH}")]
    TooDeep,
    #[error("the message holds more than {MAX_VALUES} values")]
    TooManyValues,
    #[error("it begins with {0:#010x}, which is no Thrift binary message")]
    NotThrift(u32),
    #[error("it answers `{method}` number {sequence}, which was not asked")]
    OtherReply { method: String, sequence: i32 },
    #[error("it is a message of kind {0}, not a reply")]
    NotAReply(u8),
}
