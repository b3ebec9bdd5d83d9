//! The section `INODE`, in its order.

use crate::error::Error;
use crate::image::Image;
use crate::section::{Message, Messages};
use crate::wire::{Cursor, Malformed, varint};

/// Every inode's message. The section must hold as many as its header says.
pub(crate) struct InodeMessages<'i> {
    messages: Messages<'i>,
    /// How many are to come.
    rest: u64,
}

impl<'i> InodeMessages<'i> {
    pub(crate) fn open(image: &'i Image) -> Result<Self, Error> {
        let mut messages = image.messages("INODE")?;
        let header = messages.expect("the header of the inodes")?;
        let rest = decode_header(header.bytes).map_err(|malformed| header.malformed(malformed))?;
        Ok(Self { messages, rest })
    }

    pub(crate) fn read_from_file(&self) -> u64 {
        self.messages.read_from_file()
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Message<'_>>, Error> {
        if self.rest == 0 {
            return Ok(None);
        }
        self.rest -= 1;
        let rest = self.rest;
        let position = self.messages.position();
        match self.messages.next()? {
            Some(message) => Ok(Some(message)),
            None => Err(position.damaged(format!("the section ends, and {} inodes are missing", rest + 1))),
        }
    }
}

fn decode_header(message: &[u8]) -> Result<u64, Malformed> {
    const COUNT: u32 = varint(2);
    let mut count = 0;
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            COUNT => count = cursor.varint()?,
            other => cursor.skip(other)?,
        }
    }
    Ok(count)
}
