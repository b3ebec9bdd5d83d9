//! Calls and replies.

use super::decode::Reader;
use super::encode::{write_bytes, write_field};
use super::{MAX_MESSAGE_BYTES, Malformed, Value, wire_type};

/// The first word of a message: version 1 in the upper half, the kind in the lowest byte.
pub(crate) const VERSION_1: u32 = 0x8001_0000;
pub(super) const VERSION_MASK: u32 = 0xffff_0000;
pub(super) const KIND_MASK: u32 = 0x0000_00ff;

const KIND_CALL: u32 = 1;
const KIND_REPLY: u8 = 2;
const KIND_EXCEPTION: u8 = 3;

/// The kind of a TApplicationException that says the server has no such method.
const UNKNOWN_METHOD: i32 = 1;

/// What a server answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// The method's result; `None` where it returned null or is void.
    Success(Option<Value>),
    /// One of the exceptions that the method declares.
    Declared {
        /// Its number in the method's `throws` list, from 1.
        number: i16,
        /// What it says.
        message: String,
    },
    /// The server has no such method: it is of another version.
    UnknownMethod,
    /// The server failed in a way that the method does not declare.
    Failed {
        /// What it says.
        message: String,
    },
}

/// The bytes of a call. `arguments` are numbered from 1.
pub(crate) fn encode_call(method: &str, sequence: i32, arguments: &[Value]) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend((VERSION_1 | KIND_CALL).to_be_bytes());
    write_bytes(method.as_bytes(), &mut out);
    out.extend(sequence.to_be_bytes());
    for (number, argument) in (1_i16..).zip(arguments) {
        write_field(number, argument, &mut out);
    }
    out.push(wire_type::STOP);
    out
}

/// Reads the reply to the call of `method` with that sequence number.
pub(crate) fn decode_reply(bytes: &[u8], method: &str, sequence: i32) -> Result<Reply, Malformed> {
    if bytes.len() > MAX_MESSAGE_BYTES {
        return Err(Malformed::TooLong);
    }
    let mut reader = Reader::new(bytes);
    let version = reader.i32()? as u32;
    if version & VERSION_MASK != VERSION_1 {
        return Err(Malformed::NotThrift(version));
    }
    let answered_method = reader.bytes()?;
    let answered_sequence = reader.i32()?;
    if answered_method != method.as_bytes() || answered_sequence != sequence {
        let shown = &answered_method[..answered_method.len().min(128)];
        return Err(Malformed::OtherReply {
            method: String::from_utf8_lossy(shown).into_owned(),
            sequence: answered_sequence,
        });
    }
    let kind = (version & KIND_MASK) as u8;
    let body = reader.value(wire_type::STRUCT, 0)?;
    match kind {
        KIND_REPLY => Ok(result_of(body)),
        KIND_EXCEPTION if body.i32(2) == Some(UNKNOWN_METHOD) => Ok(Reply::UnknownMethod),
        KIND_EXCEPTION => Ok(Reply::Failed { message: message_of(&body) }),
        other => Err(Malformed::NotAReply(other)),
    }
}

/// A result struct has field 0 for success, or one field per declared exception.
fn result_of(body: Value) -> Reply {
    let Value::Struct(fields) = body else {
        return Reply::Success(None);
    };
    let Some((number, value)) = fields.into_iter().next() else {
        return Reply::Success(None);
    };
    if number == 0 {
        return Reply::Success(Some(value));
    }
    Reply::Declared { number, message: message_of(&value) }
}

fn message_of(exception: &Value) -> String {
    exception.text(1).map_or_else(|| "(it says nothing)".to_owned(), |text| text.chars().take(2000).collect())
}
