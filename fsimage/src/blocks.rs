//! The blocks of a file.

use crate::wire::{Cursor, Malformed, delimited, varint};

/// One block of a file, or block group of a striped one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Block {
    /// Its number.
    pub id: u64,
    /// The version that its copies must have.
    pub generation_stamp: u64,
    /// Bytes of content.
    pub length: u64,
}

/// The blocks of a file in their order.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blocks<'a> {
    /// The file's message; its blocks are fields among others.
    file: &'a [u8],
}

const ID: u32 = varint(1);
const GENERATION_STAMP: u32 = varint(2);
const LENGTH: u32 = varint(3);

impl<'a> Blocks<'a> {
    /// The field of a file in which its blocks are.
    pub(crate) const FIELD: u32 = delimited(6);

    pub(crate) const fn of_file(message: &'a [u8]) -> Self {
        Self { file: message }
    }

    /// The length of one block alone, checking the message as a whole.
    #[inline]
    pub(crate) fn decode_length(message: &[u8]) -> Result<u64, Malformed> {
        let mut length = 0;
        let mut cursor = Cursor::new(message);
        while let Some(tag) = cursor.tag()? {
            match tag {
                LENGTH => length = cursor.varint()?,
                other => cursor.skip(other)?,
            }
        }
        Ok(length)
    }

    /// Every block. They were checked when the file was read, so nothing is left out.
    pub fn iter(&self) -> impl Iterator<Item = Block> + use<'a> {
        let mut cursor = Cursor::new(self.file);
        std::iter::from_fn(move || {
            loop {
                match cursor.tag().ok()?? {
                    Self::FIELD => return decode(cursor.bytes().ok()?).ok(),
                    other => cursor.skip(other).ok()?,
                }
            }
        })
    }
}

fn decode(message: &[u8]) -> Result<Block, Malformed> {
    let mut block = Block::default();
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            ID => block.id = cursor.varint()?,
            GENERATION_STAMP => block.generation_stamp = cursor.varint()?,
            LENGTH => block.length = cursor.varint()?,
            other => cursor.skip(other)?,
        }
    }
    Ok(block)
}
