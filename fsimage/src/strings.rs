//! The string table: names of users, groups and extended attributes by number.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::section::Messages;
use crate::wire::{Cursor, Malformed, delimited, varint};

/// Whose names a number counts. Before Hadoop 3.1 all names share one table; since then the upper
/// bits of an entry's number say which table it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StringKind {
    User = 1,
    Group = 2,
    XAttr = 3,
}

const MAX_MASK_BITS: u32 = 8;
/// All names together. A cluster has some thousands of users.
const MAX_BYTES: usize = 256 << 20;

/// The names of an image.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    mask_bits: u32,
    /// By kind and number; where the image has one table for all, only the first is used.
    dense: [Vec<Option<Box<str>>>; 4],
    /// Numbers so far apart that a vector would be a waste: only in made images.
    sparse: BTreeMap<u32, Box<str>>,
}

impl Strings {
    pub(crate) fn read(mut messages: Messages<'_>) -> Result<Self, Error> {
        let header = messages.expect("the header of the string table")?;
        let (count, mask_bits) = decode_header(header.bytes).map_err(|malformed| header.malformed(malformed))?;
        if mask_bits > MAX_MASK_BITS {
            return Err(header.damaged(format!("{mask_bits} mask bits are not known")));
        }
        let mut strings = Self { mask_bits, ..Self::default() };
        let mut bytes = 0;
        for _ in 0..count {
            let message = messages.expect("a string")?;
            let (id, text) = decode_entry(message.bytes).map_err(|malformed| message.malformed(malformed))?;
            bytes += text.len() + size_of::<Box<str>>();
            if bytes > MAX_BYTES {
                return Err(message.damaged("the names together are longer than 256 MiB"));
            }
            strings.insert(id, text);
        }
        Ok(strings)
    }

    fn insert(&mut self, id: u32, text: &str) {
        let (kind, number) = match self.mask_bits {
            0 => (0, id),
            bits => (id >> (32 - bits), id & (u32::MAX >> bits)),
        };
        if let Some(table) = self.dense.get_mut(kind as usize)
            && (number as usize) < 2 * table.len() + 1024
        {
            if table.len() <= number as usize {
                table.resize(number as usize + 1, None);
            }
            table[number as usize] = Some(text.into());
        } else {
            self.sparse.insert(id, text.into());
        }
    }

    /// The name of a number; number 0 is no name.
    #[inline]
    pub(crate) fn get(&self, kind: StringKind, number: u32) -> Result<&str, Malformed> {
        let table = if self.mask_bits == 0 { 0 } else { kind as usize };
        if let Some(Some(text)) = self.dense[table].get(number as usize) {
            return Ok(text);
        }
        self.get_rare(kind, number)
    }

    #[cold]
    fn get_rare(&self, kind: StringKind, number: u32) -> Result<&str, Malformed> {
        let id = if self.mask_bits == 0 { number } else { number | (kind as u32) << (32 - self.mask_bits) };
        match self.sparse.get(&id) {
            Some(text) => Ok(text),
            None if number == 0 => Ok(""),
            None => Err(Malformed("a user, group or attribute is not in the string table")),
        }
    }
}

fn decode_header(message: &[u8]) -> Result<(u32, u32), Malformed> {
    let mut cursor = Cursor::new(message);
    let (mut count, mut mask_bits) = (0, 0);
    while let Some(tag) = cursor.tag()? {
        match tag {
            COUNT => count = cursor.varint32()?,
            MASK_BITS => mask_bits = cursor.varint32()?,
            other => cursor.skip(other)?,
        }
    }
    Ok((count, mask_bits))
}

fn decode_entry(message: &[u8]) -> Result<(u32, &str), Malformed> {
    let mut cursor = Cursor::new(message);
    let (mut id, mut text) = (0, "");
    while let Some(tag) = cursor.tag()? {
        match tag {
            ID => id = cursor.varint32()?,
            TEXT => text = cursor.text()?,
            other => cursor.skip(other)?,
        }
    }
    Ok((id, text))
}

const COUNT: u32 = varint(1);
const MASK_BITS: u32 = varint(2);
const ID: u32 = varint(1);
const TEXT: u32 = delimited(2);
