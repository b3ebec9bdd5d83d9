//! The protobuf encoding: a cursor over one message.
//!
//! Fields are told apart by their whole tag (number and wire type), so a known field of another
//! wire type is skipped as an unknown one is, which is what protobuf asks for.

/// What does not fit in a message. Where, is known to whoever holds the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

const CUT: Malformed = Malformed("a field ends behind its message");

/// The tag of a varint field.
pub(crate) const fn varint(number: u32) -> u32 {
    number << 3
}

/// The tag of an eight-byte field.
pub(crate) const fn fixed64(number: u32) -> u32 {
    number << 3 | 1
}

/// The tag of a field with a length: bytes, text, a message or packed numbers.
pub(crate) const fn delimited(number: u32) -> u32 {
    number << 3 | 2
}

/// The tag of a four-byte field.
pub(crate) const fn fixed32(number: u32) -> u32 {
    number << 3 | 5
}

/// A position in a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) const fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The tag of the next field; nothing at the message's end.
    #[inline]
    pub(crate) fn tag(&mut self) -> Result<Option<u32>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        u32::try_from(tag).map(Some).map_err(|_| Malformed("a field has an impossible number"))
    }

    /// Whether everything is read: the end of packed numbers.
    #[inline]
    pub(crate) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        let (value, length) = decode_varint(self.rest).ok_or(CUT)??;
        self.rest = &self.rest[length..];
        Ok(value)
    }

    /// A varint of 32 bits; what is wider loses its upper bits, as in protobuf's own readers.
    #[inline]
    pub(crate) fn varint32(&mut self) -> Result<u32, Malformed> {
        self.varint().map(|value| value as u32)
    }

    #[inline]
    pub(crate) fn fixed64(&mut self) -> Result<u64, Malformed> {
        let (value, rest) = self.rest.split_first_chunk().ok_or(CUT)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*value))
    }

    #[inline]
    pub(crate) fn fixed32(&mut self) -> Result<u32, Malformed> {
        let (value, rest) = self.rest.split_first_chunk().ok_or(CUT)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*value))
    }

    #[inline]
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_| CUT)?;
        let (value, rest) = self.rest.split_at_checked(length).ok_or(CUT)?;
        self.rest = rest;
        Ok(value)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed("a text is not UTF-8"))
    }

    /// Passes the field that `tag` began.
    #[inline]
    pub(crate) fn skip(&mut self, tag: u32) -> Result<(), Malformed> {
        if tag >> 3 == 0 {
            return Err(Malformed("a field has the number 0"));
        }
        match tag & 7 {
            0 => self.varint().map(drop),
            1 => self.fixed64().map(drop),
            2 => self.bytes().map(drop),
            5 => self.fixed32().map(drop),
            _ => Err(Malformed("a field has an unknown wire type")),
        }
    }
}

/// The varint that `bytes` begin with, and its length; nothing where they end within it.
#[inline]
pub(crate) fn decode_varint(bytes: &[u8]) -> Option<Result<(u64, usize), Malformed>> {
    let first = *bytes.first()?;
    if first < 0x80 {
        return Some(Ok((u64::from(first), 1)));
    }
    if let Some(word) = bytes.first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        let ends = !word & 0x8080_8080_8080_8080;
        if ends != 0 {
            return Some(Ok((join_sevens(word & (ends ^ (ends - 1))), (ends.trailing_zeros() as usize + 1) / 8)));
        }
    }
    decode_long_varint(bytes)
}

/// Joins the lower seven bits of each byte: by pairs, then pairs of pairs, then the halves. Times
/// and ids are numbers of four to six bytes, for which this is much quicker than byte by byte.
#[inline]
const fn join_sevens(word: u64) -> u64 {
    let sevens = word & 0x7f7f_7f7f_7f7f_7f7f;
    let pairs = (sevens & 0x007f_007f_007f_007f) | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = (pairs & 0x0000_3fff_0000_3fff) | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    (fours & 0x0000_0000_0fff_ffff) | (fours & 0x0fff_ffff_0000_0000) >> 4
}

/// Numbers of nine and ten bytes, and those near the end of their bytes.
#[cold]
fn decode_long_varint(bytes: &[u8]) -> Option<Result<(u64, usize), Malformed>> {
    let mut value = 0;
    for index in 0..10 {
        let byte = *bytes.get(index)?;
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some(Ok((value, index + 1)));
        }
    }
    Some(Err(Malformed("a number is longer than ten bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_read() {
        assert_eq!(decode_varint(&[0x7f]), Some(Ok((127, 1))));
        assert_eq!(decode_varint(&[0xac, 0x02, 9]), Some(Ok((300, 2))));
        let minus_one = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(decode_varint(&minus_one), Some(Ok((u64::MAX, 10))));
        assert_eq!(decode_varint(&[0x80]), None);
        assert!(decode_varint(&[0x80; 11]).unwrap().is_err());
    }

    #[test]
    fn a_number_is_the_same_at_the_end_of_its_bytes_and_within() {
        for shift in 0..64 {
            let number = u64::MAX >> shift;
            let mut bytes = Vec::new();
            let mut rest = number;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
            let expected = Some(Ok((number, bytes.len())));
            assert_eq!(decode_varint(&bytes), expected);
            bytes.extend_from_slice(&[0xff; 10]);
            assert_eq!(decode_varint(&bytes), expected);
        }
    }

    #[test]
    fn unknown_fields_are_passed() {
        // 9: varint 300, 10: eight bytes, 11: "ab", 12: four bytes, 1: varint 7
        let message = [72, 0xac, 2, 81, 1, 2, 3, 4, 5, 6, 7, 8, 90, 2, b'a', b'b', 101, 1, 2, 3, 4, 8, 7];
        let mut cursor = Cursor::new(&message);
        let mut found = None;
        while let Some(tag) = cursor.tag().unwrap() {
            match tag {
                8 => found = Some(cursor.varint().unwrap()),
                other => cursor.skip(other).unwrap(),
            }
        }
        assert_eq!(found, Some(7));
    }

    #[test]
    fn a_length_behind_the_message_is_an_error() {
        let mut cursor = Cursor::new(&[10, 200, 1, 1]);
        let tag = cursor.tag().unwrap().unwrap();
        assert_eq!(cursor.skip(tag), Err(CUT));
    }
}
