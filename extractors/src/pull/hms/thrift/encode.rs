//! Values to bytes.

use super::Value;
use super::wire_type;

/// Appends the bytes of a value, without its type byte.
pub(crate) fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Bool(truth) => out.push(u8::from(*truth)),
        Value::Byte(number) => out.extend(number.to_be_bytes()),
        Value::I16(number) => out.extend(number.to_be_bytes()),
        Value::I32(number) => out.extend(number.to_be_bytes()),
        Value::I64(number) => out.extend(number.to_be_bytes()),
        Value::Double(number) => out.extend(number.to_be_bytes()),
        Value::Text(bytes) => write_bytes(bytes, out),
        Value::Struct(fields) => {
            for (number, field) in fields {
                write_field(*number, field, out);
            }
            out.push(wire_type::STOP);
        }
        Value::List(elements) => {
            out.push(element_type(elements.first()));
            write_length(elements.len(), out);
            for element in elements {
                write_value(element, out);
            }
        }
        Value::Map(pairs) => {
            out.push(element_type(pairs.first().map(|(key, _)| key)));
            out.push(element_type(pairs.first().map(|(_, value)| value)));
            write_length(pairs.len(), out);
            for (key, value) in pairs {
                write_value(key, out);
                write_value(value, out);
            }
        }
    }
}

/// Appends a struct's field: type, number, value.
pub(crate) fn write_field(number: i16, value: &Value, out: &mut Vec<u8>) {
    out.push(type_of(value));
    out.extend(number.to_be_bytes());
    write_value(value, out);
}

/// Appends a length and that many bytes.
pub(crate) fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_length(bytes.len(), out);
    out.extend(bytes);
}

fn write_length(length: usize, out: &mut Vec<u8>) {
    out.extend((length as u32).to_be_bytes());
}

/// Of an empty container the element type says nothing; every reader takes text.
fn element_type(first: Option<&Value>) -> u8 {
    first.map_or(wire_type::STRING, type_of)
}

fn type_of(value: &Value) -> u8 {
    match value {
        Value::Bool(_) => wire_type::BOOL,
        Value::Byte(_) => wire_type::BYTE,
        Value::I16(_) => wire_type::I16,
        Value::I32(_) => wire_type::I32,
        Value::I64(_) => wire_type::I64,
        Value::Double(_) => wire_type::DOUBLE,
        Value::Text(_) => wire_type::STRING,
        Value::Struct(_) => wire_type::STRUCT,
        Value::List(_) => wire_type::LIST,
        Value::Map(_) => wire_type::MAP,
    }
}
