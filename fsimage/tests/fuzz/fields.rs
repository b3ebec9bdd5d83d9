//! A message as its fields, so that one can be changed and the message framed anew.

use fastrand::Rng;

/// A field: its number and what it holds.
#[derive(Clone)]
struct Field {
    number: u64,
    value: Value,
}

#[derive(Clone)]
enum Value {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(Vec<u8>),
    Fixed32([u8; 4]),
}

/// Numbers at which readers may think wrongly.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    127,
    128,
    16385,
    16386,
    (1 << 24) - 1,
    (1 << 31) - 1,
    1 << 31,
    u32::MAX as u64,
    1 << 32,
    1 << 62,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX,
];

pub(crate) fn edge(random: &mut Rng) -> u64 {
    EDGES[random.usize(..EDGES.len())]
}

pub(crate) fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}

pub(crate) fn append_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn read_delimited<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(read_varint(bytes)?).ok()?;
    let (content, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(content)
}

fn read(mut message: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = read_varint(&mut message)?;
        let value = match tag & 7 {
            0 => Value::Varint(read_varint(&mut message)?),
            1 => {
                let (value, rest) = message.split_first_chunk()?;
                message = rest;
                Value::Fixed64(*value)
            }
            2 => Value::Bytes(read_delimited(&mut message)?.to_vec()),
            5 => {
                let (value, rest) = message.split_first_chunk()?;
                message = rest;
                Value::Fixed32(*value)
            }
            _ => return None,
        };
        fields.push(Field { number: tag >> 3, value });
    }
    Some(fields)
}

fn write(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for Field { number, value } in fields {
        match value {
            Value::Varint(value) => {
                append_varint(&mut out, number << 3);
                append_varint(&mut out, *value);
            }
            Value::Fixed64(value) => {
                append_varint(&mut out, number << 3 | 1);
                out.extend_from_slice(value);
            }
            Value::Bytes(value) => {
                append_varint(&mut out, number << 3 | 2);
                append_varint(&mut out, value.len() as u64);
                out.extend_from_slice(value);
            }
            Value::Fixed32(value) => {
                append_varint(&mut out, number << 3 | 5);
                out.extend_from_slice(value);
            }
        }
    }
    out
}

/// Changes one field at any depth, or some bytes of what is no message.
pub(crate) fn mutate(message: &mut Vec<u8>, random: &mut Rng) {
    let Some(mut fields) = read(message).filter(|fields| !fields.is_empty()) else {
        mutate_bytes(message, random);
        return;
    };
    let place = random.usize(..fields.len());
    match random.u8(..12) {
        0 => {
            let copy = fields[place].clone();
            fields.insert(random.usize(..=fields.len()), copy);
        }
        1 => drop(fields.remove(place)),
        2 => fields[place].number = random.u64(1..16),
        3 => fields[place].value = Value::Varint(edge(random)),
        _ => match &mut fields[place].value {
            Value::Varint(value) => {
                *value = match random.u8(..4) {
                    0 => value.wrapping_add(1),
                    1 => value.wrapping_sub(1),
                    2 => *value ^ 1 << random.u8(..64),
                    _ => edge(random),
                }
            }
            Value::Fixed64(value) => value[random.usize(..8)] = random.u8(..),
            Value::Fixed32(value) => value[random.usize(..4)] = random.u8(..),
            Value::Bytes(value) if random.u8(..4) == 0 => mutate_bytes(value, random),
            Value::Bytes(value) => mutate(value, random),
        },
    }
    *message = write(&fields);
}

/// Changes, adds or takes away bytes, whatever they are.
pub(crate) fn mutate_bytes(bytes: &mut Vec<u8>, random: &mut Rng) {
    let place = random.usize(..=bytes.len());
    match random.u8(..5) {
        0 => bytes.truncate(place),
        1 => {
            let mut number = Vec::new();
            append_varint(&mut number, edge(random));
            bytes.splice(place..place, number);
        }
        2 if place < bytes.len() => drop(bytes.remove(place)),
        3 if place < bytes.len() => bytes[place] ^= 1 << random.u8(..8),
        _ if place < bytes.len() => bytes[place] = random.u8(..),
        _ => bytes.push(random.u8(..)),
    }
}
