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

/// Where a message begins.
#[derive(Clone, Copy)]
pub(crate) struct Position<'i> {
    section: &'i Section,
    place: Place,
}

impl Position<'_> {
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
        let position = self.position();
        let bytes = &self.buffer[self.start + header..self.start + whole];
        self.start += whole;
        self.offset += whole as u64;
        Ok(Some(Message { bytes, position }))
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
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
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
