//! Who is in which directory: the sections `INODE_DIR` and `INODE_REFERENCE`.

use crate::error::Error;
use crate::image::Image;
use crate::progress::Reporter;
use crate::section::Message;
use crate::wire::{Cursor, Malformed, delimited, varint};

/// The inodes that references stand for, in the order of their section. A child that was renamed
/// under a snapshot is in its directory by such a reference.
#[derive(Debug, Default)]
pub(crate) struct References {
    inodes: Vec<u64>,
}

impl References {
    pub(crate) fn read(image: &Image) -> Result<Self, Error> {
        let mut references = Self::default();
        let Some(section) = image.section("INODE_REFERENCE") else { return Ok(references) };
        let mut messages = image.messages_of(section)?;
        while let Some(message) = messages.next()? {
            let inode = decode_reference(message.bytes).map_err(|malformed| message.malformed(malformed))?;
            references.inodes.push(inode);
        }
        Ok(references)
    }

    fn get(&self, number: u64) -> Result<u64, Malformed> {
        let inode = usize::try_from(number).ok().and_then(|number| self.inodes.get(number));
        inode.copied().ok_or(Malformed("a directory has a child by a reference that the image has not"))
    }
}

fn decode_reference(message: &[u8]) -> Result<u64, Malformed> {
    const INODE: u32 = varint(1);
    let mut inode = 0;
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            INODE => inode = cursor.varint()?,
            other => cursor.skip(other)?,
        }
    }
    Ok(inode)
}

/// Reads all of `INODE_DIR`. `slot_of` says whether a directory is of interest and what to call
/// it; `child` is told every child of such a directory.
pub(crate) fn scan(
    image: &Image,
    references: &References,
    reporter: &mut Reporter<'_>,
    slot_of: impl Fn(u64) -> Option<u32>,
    mut child: impl FnMut(u64, u32),
) -> Result<(), Error> {
    // A namespace without anything but its root may have none.
    let Some(section) = image.section("INODE_DIR") else { return Ok(()) };
    let mut messages = image.messages_of(section)?;
    loop {
        reporter.at(messages.read_from_file());
        let Some(message) = messages.next()? else { break };
        scan_directory(message, references, &slot_of, &mut child).map_err(|malformed| message.malformed(malformed))?;
    }
    reporter.section_done(section.length);
    Ok(())
}

#[inline]
fn scan_directory(
    message: Message<'_>,
    references: &References,
    slot_of: &impl Fn(u64) -> Option<u32>,
    child: &mut impl FnMut(u64, u32),
) -> Result<(), Malformed> {
    const PARENT: u32 = varint(1);
    const CHILDREN: u32 = delimited(2);
    const CHILD: u32 = varint(2);
    const REFERENCES: u32 = delimited(3);
    const REFERENCE: u32 = varint(3);

    let mut parent = 0;
    let mut cursor = Cursor::new(message.bytes);
    while let Some(tag) = cursor.tag()? {
        match tag {
            PARENT => parent = cursor.varint()?,
            other => cursor.skip(other)?,
        }
    }
    let Some(slot) = slot_of(parent) else { return Ok(()) };
    let mut cursor = Cursor::new(message.bytes);
    while let Some(tag) = cursor.tag()? {
        match tag {
            CHILDREN => {
                let mut packed = Cursor::new(cursor.bytes()?);
                while !packed.is_at_end() {
                    child(packed.varint()?, slot);
                }
            }
            CHILD => child(cursor.varint()?, slot),
            REFERENCES => {
                let mut packed = Cursor::new(cursor.bytes()?);
                while !packed.is_at_end() {
                    child(references.get(packed.varint()?)?, slot);
                }
            }
            REFERENCE => child(references.get(cursor.varint()?)?, slot),
            other => cursor.skip(other)?,
        }
    }
    Ok(())
}
