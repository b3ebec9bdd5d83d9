//! Sections and the messages in them.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;

use crate::codec::Codec;
use crate::error::{Error, Place};
use crate::wire::{Malformed, decode_varint};

/// A part of the image, as its summary lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Such as `INODE`; a name that is not known is kept.
    pub name: String,
    /// Where it begins, in bytes from the beginning of the file.
    pub offset: u64,
    /// How long it is in the file, in bytes.
    pub length: u64,
}

/// Hadoop's own reader takes no longer message; the longest that it writes is a directory of
/// millions of children.
const MAX_MESSAGE_BYTES: u64 = 256 << 20;
const BUFFER_BYTES: usize = 256 << 10;

/// The messages of a section in their order, each given from one buffer.
pub(crate) struct Messages<'i> {
    path: &'i Path,
    section: &'i Section,
    codec: Codec,
    content: Box<dyn Read + 'i>,
    read_from_file: Rc<Cell<u64>>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where `start` is in the section's content.
    offset: u64,
}

/// One message of a section.
#[derive(Clone, Copy)]
pub(crate) struct Message<'m> {
    pub(crate) bytes: &'m [u8],
    position: Position<'m>,
}

impl Message<'_> {
    pub(crate) fn damaged(&self, what: impl Into<String>) -> Error {
        self.position.damaged(what)
    }

    pub(crate) fn malformed(&self, Malformed(what): Malformed) -> Error {
        self.damaged(what)
    }
}

/// Whole messages that follow each other, in memory of their own, so that another thread can read
/// them.
pub(crate) struct Block<'i> {
    memory: Vec<u8>,
    end: usize,
    pub(crate) count: u64,
    position: Position<'i>,
}

impl Block<'_> {
    /// The messages in their order.
    #[inline]
    pub(crate) fn messages(&self) -> impl Iterator<Item = Message<'_>> {
        let bytes = &self.memory[..self.end];
        let mut start = 0;
        std::iter::from_fn(move || {
            let position = self.position.plus(start as u64);
            let (length, header) = decode_varint(&bytes[start..])?.ok()?;
            let (begin, end) = (start + header, start + header + length as usize);
            start = end;
            Some(Message { bytes: bytes.get(begin..end)?, position })
        })
    }

    /// The memory, to be used again.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        self.memory
    }
}

/// Where a message begins.
#[derive(Clone, Copy)]
pub(crate) struct Position<'i> {
    section: &'i Section,
    place: Place,
}

impl Position<'_> {
    fn plus(self, bytes: u64) -> Self {
        let place = match self.place {
            Place::File(offset) => Place::File(offset + bytes),
            Place::Uncompressed(offset) => Place::Uncompressed(offset + bytes),
        };
        Self { place, ..self }
    }

    pub(crate) fn damaged(&self, what: impl Into<String>) -> Error {
        Error::Damaged { section: self.section.name.clone(), place: self.place, what: what.into() }
    }
}

impl<'i> Messages<'i> {
    pub(crate) fn open(path: &'i Path, file: &'i File, section: &'i Section, codec: Codec) -> Result<Self, Error> {
        let read_from_file = Rc::new(Cell::new(0));
        let source = Source { file, offset: section.offset, rest: section.length, read: Rc::clone(&read_from_file) };
        let content: Box<dyn Read + 'i> = match codec {
            Codec::None => Box::new(source),
            codec => codec
                .decoder(BufReader::with_capacity(BUFFER_BYTES, source))
                .map_err(|source| Error::File { path: path.to_owned(), source })?,
        };
        let buffer = vec![0; BUFFER_BYTES];
        Ok(Self { path, section, codec, content, read_from_file, buffer, start: 0, end: 0, offset: 0 })
    }

    /// How many bytes of the section have been read from the file.
    pub(crate) fn read_from_file(&self) -> u64 {
        self.read_from_file.get()
    }

    /// The next message; nothing at the section's end.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Message<'_>>, Error> {
        let Some((header, whole)) = self.whole_message()? else { return Ok(None) };
        let position = self.position();
        let bytes = &self.buffer[self.start + header..self.start + whole];
        self.start += whole;
        self.offset += whole as u64;
        Ok(Some(Message { bytes, position }))
    }

    /// Sees to it that the buffer holds the next message whole: how long its length is, and it
    /// with its length; nothing at the section's end.
    #[inline]
    fn whole_message(&mut self) -> Result<Option<(usize, usize)>, Error> {
        let (header, length) = loop {
            match decode_varint(&self.buffer[self.start..self.end]) {
                Some(Ok((length, header))) => break (header, length),
                Some(Err(malformed)) => return Err(self.damaged(malformed.0)),
                None if self.fill(1)? => {}
                None if self.start == self.end => return Ok(None),
                None => return Err(self.damaged("the section ends within the length of a message")),
            }
        };
        if length > MAX_MESSAGE_BYTES {
            return Err(self.damaged(format!("a message says it is {length} bytes long")));
        }
        let whole = header + length as usize;
        while self.end - self.start < whole {
            if !self.fill(whole)? {
                return Err(self.damaged("the section ends within a message"));
            }
        }
        Ok(Some((header, whole)))
    }

    /// At most `most` messages at once, as many as the buffer takes and at least one; nothing at
    /// the section's end. The block takes the buffer along, and `memory` becomes the next one.
    pub(crate) fn next_block(&mut self, most: u64, memory: Vec<u8>) -> Result<Option<Block<'i>>, Error> {
        if self.start > 0 {
            self.move_to_front();
        }
        while self.end < self.buffer.len() && self.fill(1)? {}
        let position = self.position();
        let mut count = 0;
        while count < most {
            match decode_varint(&self.buffer[self.start..self.end]) {
                Some(Ok((length, header))) if length <= (self.end - self.start - header) as u64 => {
                    self.start += header + length as usize;
                    count += 1;
                }
                // The first one is longer than the buffer, or damaged.
                _ if count == 0 => match self.whole_message()? {
                    Some((_, whole)) => {
                        self.start += whole;
                        count = 1;
                    }
                    None => return Ok(None),
                },
                _ => break,
            }
        }
        let end = self.start;
        let mut next = memory;
        next.clear();
        next.extend_from_slice(&self.buffer[end..self.end]);
        self.offset += end as u64;
        self.start = 0;
        self.end = next.len();
        next.resize(BUFFER_BYTES.max(self.end), 0);
        let memory = std::mem::replace(&mut self.buffer, next);
        Ok(Some(Block { memory, end, count, position }))
    }

    /// The message that must be next.
    pub(crate) fn expect(&mut self, what: &str) -> Result<Message<'_>, Error> {
        let position = self.position();
        self.next()?.ok_or_else(|| position.damaged(format!("the section ends where {what} should be")))
    }

    /// Reads more behind what the buffer holds, in the end room for `wanted` bytes; false at the
    /// section's end. The buffer grows with what was truly read, never by what a length says.
    #[cold]
    fn fill(&mut self, wanted: usize) -> Result<bool, Error> {
        self.move_to_front();
        if self.end == self.buffer.len() {
            let doubled = self.buffer.len() * 2;
            self.buffer.resize(doubled.min(wanted.max(self.buffer.len() + BUFFER_BYTES)), 0);
        }
        loop {
            match self.content.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read > 0);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) if source.raw_os_error().is_some() && self.codec == Codec::None => {
                    return Err(Error::File { path: self.path.to_owned(), source });
                }
                Err(error) => return Err(self.damaged(error.to_string())),
            }
        }
    }

    fn move_to_front(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
    }

    /// Where the next message begins.
    #[inline]
    pub(crate) fn position(&self) -> Position<'i> {
        let place = match self.codec {
            Codec::None => Place::File(self.section.offset + self.offset),
            _ => Place::Uncompressed(self.offset),
        };
        Position { section: self.section, place }
    }

    fn damaged(&self, what: impl Into<String>) -> Error {
        self.position().damaged(what)
    }
}

/// The bytes of a section in the file. They are read, not mapped: a file that is cut while it is
/// read then is an error and not a signal, and its pages do not count as this process's memory.
struct Source<'i> {
    file: &'i File,
    offset: u64,
    rest: u64,
    read: Rc<Cell<u64>>,
}

impl Read for Source<'_> {
    fn read(&mut self, output: &mut [u8]) -> std::io::Result<usize> {
        let length = output.len().min(usize::try_from(self.rest).unwrap_or(usize::MAX));
        let read = self.file.read_at(&mut output[..length], self.offset)?;
        self.offset += read as u64;
        self.rest -= read as u64;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}
