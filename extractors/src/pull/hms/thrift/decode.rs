//! Bytes to values.

use super::{MAX_DEPTH, MAX_VALUES, Malformed, Value, wire_type};

/// Reads a whole message from the front.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    values_left: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, values_left: MAX_VALUES }
    }

    /// Reads a value of that wire type that lies `depth` containers deep.
    pub(crate) fn value(&mut self, wire_type: u8, depth: usize) -> Result<Value, Malformed> {
        if depth > MAX_DEPTH {
            return Err(Malformed::TooDeep);
        }
        self.values_left = self.values_left.checked_sub(1).ok_or(Malformed::TooManyValues)?;
        Ok(match wire_type {
            wire_type::BOOL => Value::Bool(self.array::<1>()?[0] != 0),
            wire_type::BYTE => Value::Byte(i8::from_be_bytes(self.array()?)),
            wire_type::DOUBLE => Value::Double(f64::from_be_bytes(self.array()?)),
            wire_type::I16 => Value::I16(i16::from_be_bytes(self.array()?)),
            wire_type::I32 => Value::I32(self.i32()?),
            wire_type::I64 => Value::I64(i64::from_be_bytes(self.array()?)),
            wire_type::STRING => Value::Text(self.bytes()?.to_vec()),
            wire_type::STRUCT => Value::Struct(self.fields(depth)?),
            wire_type::MAP => Value::Map(self.pairs(depth)?),
            wire_type::SET | wire_type::LIST => Value::List(self.elements(depth)?),
            other => return Err(Malformed::UnknownType(other)),
        })
    }

    fn fields(&mut self, depth: usize) -> Result<Vec<(i16, Value)>, Malformed> {
        let mut fields = Vec::new();
        loop {
            let [wire_type] = self.array()?;
            if wire_type == wire_type::STOP {
                return Ok(fields);
            }
            let number = i16::from_be_bytes(self.array()?);
            fields.push((number, self.value(wire_type, depth + 1)?));
        }
    }

    fn elements(&mut self, depth: usize) -> Result<Vec<Value>, Malformed> {
        let [element_type] = self.array()?;
        let count = self.count(&[element_type])?;
        let mut elements = Vec::with_capacity(count.min(1024));
        for _ in 0..count {
            elements.push(self.value(element_type, depth + 1)?);
        }
        Ok(elements)
    }

    fn pairs(&mut self, depth: usize) -> Result<Vec<(Value, Value)>, Malformed> {
        let [key_type, value_type] = self.array()?;
        let count = self.count(&[key_type, value_type])?;
        let mut pairs = Vec::with_capacity(count.min(1024));
        for _ in 0..count {
            pairs.push((self.value(key_type, depth + 1)?, self.value(value_type, depth + 1)?));
        }
        Ok(pairs)
    }

    /// Reads how many elements follow. There can be no more than the rest of the message holds;
    /// the type of no elements does not matter (some writers leave it zero).
    fn count(&mut self, element_types: &[u8]) -> Result<usize, Malformed> {
        let count = self.length()?;
        if count == 0 {
            return Ok(0);
        }
        let mut least_bytes = 0;
        for element_type in element_types {
            least_bytes += wire_type::least_bytes(*element_type).ok_or(Malformed::UnknownType(*element_type))?;
        }
        if count > self.rest.len() / least_bytes {
            return Err(Malformed::Length(count as i64));
        }
        Ok(count)
    }

    /// Reads a length and that many bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.length()?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Malformed::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Malformed> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    fn length(&mut self) -> Result<usize, Malformed> {
        let length = self.i32()?;
        usize::try_from(length).map_err(|_| Malformed::Length(i64::from(length)))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed::Truncated)?;
        self.rest = rest;
        Ok(*head)
    }
}
