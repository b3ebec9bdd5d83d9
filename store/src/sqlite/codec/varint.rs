//! Numbers in as few bytes as they need, seven bits in each.

use super::Unreadable;

/// Appends a number.
pub(super) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a number that may be negative; near zero it is short.
pub(super) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put_number(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

/// Appends a text with its length before it.
pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_number(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads what was appended, from the front.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn byte(&mut self) -> Result<u8, Unreadable> {
        let (&first, rest) = self.rest.split_first().ok_or(Unreadable("it ends early"))?;
        self.rest = rest;
        Ok(first)
    }

    pub(super) fn number(&mut self) -> Result<u64, Unreadable> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Unreadable("a number is too long"))
    }

    pub(super) fn number_u32(&mut self) -> Result<u32, Unreadable> {
        u32::try_from(self.number()?).map_err(|_| Unreadable("an index is too large"))
    }

    pub(super) fn signed(&mut self) -> Result<i64, Unreadable> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// How many items follow. Each takes a byte at least, so that no more can be claimed than
    /// there are bytes.
    pub(super) fn count(&mut self) -> Result<usize, Unreadable> {
        let count = self.number()?;
        if count > self.rest.len() as u64 {
            return Err(Unreadable("it ends early"));
        }
        Ok(count as usize)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Unreadable> {
        let length = self.count()?;
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        std::str::from_utf8(text).map_err(|_| Unreadable("a text is not UTF-8"))
    }

    /// Nothing may follow.
    pub(super) fn end(&self) -> Result<(), Unreadable> {
        if self.rest.is_empty() { Ok(()) } else { Err(Unreadable("something follows its end")) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_and_texts_are_read_back(number: u64, signed: i64, text: String) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            put_signed(&mut bytes, signed);
            put_text(&mut bytes, &text);
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.number().unwrap(), number);
            prop_assert_eq!(reader.signed().unwrap(), signed);
            prop_assert_eq!(reader.text().unwrap(), text);
            prop_assert!(reader.end().is_ok());
        }
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_refused() {
        assert!(Reader::new(&[0xff; 9]).number().is_err());
        assert!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]).number().is_err());
    }
}
