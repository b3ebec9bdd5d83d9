//! The section `INODE`, in its order.

use crate::error::Error;
use crate::image::Image;
use crate::section::{Block, Message, Messages};
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
        let (missing, position) = (self.rest, self.messages.position());
        self.rest -= 1;
        match self.messages.next()? {
            Some(message) => Ok(Some(message)),
            None => Err(position.damaged(missing_inodes(missing))),
        }
    }

    /// At most `most` inodes at once, and at least one; nothing at the end. `memory` is used again.
    pub(crate) fn next_block(&mut self, most: u64, memory: Vec<u8>) -> Result<Option<Block<'i>>, Error> {
        if self.rest == 0 {
            return Ok(None);
        }
        let block = self.messages.next_block(most.min(self.rest), memory)?;
        match &block {
            Some(block) => self.rest -= block.count,
            None => return Err(self.messages.position().damaged(missing_inodes(self.rest))),
        }
        Ok(block)
    }
}

#[cold]
fn missing_inodes(count: u64) -> String {
    format!("the section ends, and {count} inodes are missing")
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
