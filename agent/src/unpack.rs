//! The content of a compressed file, read as a stream from its beginning.
//!
//! Nothing is unpacked to disk. In memory are the decompressor's window and what the next batch
//! takes. A file that is not whole yet ends with [`io::ErrorKind::UnexpectedEof`]; one that
//! unpacks to an absurd size, or wants a window that is too large, is an error like any damage.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use sextant_model::delivery::SkippedLine;

use crate::generation::{ANCHOR_BYTES, Excerpt, HEAD_BYTES};
use crate::reader::{BEGINNING_BYTES, COMPRESSION_LEVEL, Extent, Limits};

const BLOCK_BYTES: usize = 64 << 10;
/// The largest zstd window is two to this power in bytes: 8 MiB, what `zstd -19` takes.
const LARGEST_WINDOW_LOG: u32 = 23;
/// So much may be unpacked from a file however small it is, in bytes.
const ALWAYS_UNPACKED: u64 = 64 << 20;
/// Behind that, no more than so many times the packed size. Lineage packs to a tenth or a fiftieth.
const LARGEST_RATIO: u64 = 1000;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Compression {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstandard,
}

impl Compression {
    /// By the extension of a file's name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match Path::new(name).extension().and_then(OsStr::to_str)? {
            "gz" => Some(Self::Gzip),
            "zst" => Some(Self::Zstandard),
            _ => None,
        }
    }
}

/// A name without the extension of its compression.
pub(crate) fn unpacked_name(name: &str) -> &str {
    match Compression::of(name) {
        Some(_) => name.rsplit_once('.').map_or(name, |(stem, _)| stem),
        None => name,
    }
}

/// A batch's lines, read out of the stream.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) extent: Extent,
    /// The bytes, compressed for the way.
    pub(crate) payload: Vec<u8>,
    /// The last of them.
    pub(crate) anchor: Excerpt,
}

/// A content that is being unpacked.
pub(crate) struct Unpacking {
    source: Box<dyn Read + Send>,
    packed_bytes: u64,
    /// Offset in the content of the first byte of `buffer`.
    start: u64,
    /// Unpacked and not taken yet.
    buffer: Vec<u8>,
    is_at_end: bool,
}

impl fmt::Debug for Unpacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacking")
            .field("start", &self.start)
            .field("buffered", &self.buffer.len())
            .finish_non_exhaustive()
    }
}

impl Unpacking {
    /// At the beginning of the content of `file`.
    pub(crate) fn new(file: Arc<File>, compression: Compression) -> io::Result<Self> {
        let packed_bytes = file.metadata()?.len();
        if packed_bytes == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let packed = FromStart { file, offset: 0 };
        let source: Box<dyn Read + Send> = match compression {
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(packed))),
            Compression::Zstandard => {
                let mut decoder = zstd::stream::read::Decoder::new(packed)?;
                decoder.window_log_max(LARGEST_WINDOW_LOG)?;
                Box::new(decoder)
            }
        };
        Ok(Self { source, packed_bytes, start: 0, buffer: Vec::new(), is_at_end: false })
    }

    /// The offset of what comes next.
    pub(crate) fn position(&self) -> u64 {
        self.start
    }

    /// The fingerprint of the content's head; nothing when the content is empty.
    pub(crate) fn head(&mut self) -> io::Result<Option<Excerpt>> {
        self.fill(HEAD_BYTES as usize)?;
        let length = self.buffer.len().min(HEAD_BYTES as usize);
        Ok(Excerpt::of_head_bytes(&self.buffer[..length], self.is_at_end))
    }

    /// Unpacks and drops everything before `position`. A content that ends before is damage here.
    pub(crate) fn skip_to(&mut self, position: u64) -> io::Result<()> {
        while self.start < position {
            if self.buffer.is_empty() && !self.fill(1)? {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "its content is shorter than it was"));
            }
            let taken = (position - self.start).min(self.buffer.len() as u64) as usize;
            self.take(taken);
        }
        Ok(())
    }

    /// Unpacks to the end. Gives back the length of the content, and of `ends` (offset and the
    /// bytes before it, by rising offset) which are there.
    pub(crate) fn compare(mut self, ends: &[(u64, Option<&Excerpt>)]) -> io::Result<(u64, Vec<bool>)> {
        let mut found = vec![false; ends.len()];
        let mut next = 0;
        let mut recent: Vec<u8> = Vec::new();
        loop {
            let is_more = self.fill(BLOCK_BYTES)?;
            recent.extend_from_slice(&self.buffer);
            self.take(self.buffer.len());
            let recent_start = self.start - recent.len() as u64;
            while let Some((end, excerpt)) = ends.get(next).filter(|(end, _)| *end <= self.start) {
                found[next] = *end == 0
                    || excerpt.is_some_and(|excerpt| {
                        let from = end.checked_sub(excerpt.length).and_then(|from| from.checked_sub(recent_start));
                        from.is_some_and(|from| {
                            let bytes = &recent[from as usize..(*end - recent_start) as usize];
                            Excerpt::of_bytes(bytes) == *excerpt
                        })
                    });
                next += 1;
            }
            if !is_more {
                return Ok((self.start, found));
            }
            let surplus = recent.len().saturating_sub(ANCHOR_BYTES as usize);
            recent.drain(..surplus);
        }
    }

    /// The next lines, at most a batch, or one longer line; nothing at the end. `finished`: the
    /// tail without line feed goes as it is. Afterwards the stream stands behind them.
    pub(crate) fn next_piece(&mut self, limits: Limits, finished: bool) -> io::Result<Option<Piece>> {
        self.fill(limits.batch as usize)?;
        let in_batch = self.buffer.len().min(limits.batch as usize);
        let line_feed = memchr::memrchr(b'\n', &self.buffer[..in_batch]);
        if line_feed.is_none() && !self.is_at_end {
            return self.long_line(limits, finished);
        }
        let (length, last) = match line_feed {
            Some(line_feed) => (line_feed + 1, false),
            None if finished && in_batch > 0 => (in_batch, true),
            None => return Ok(None),
        };
        let payload = zstd::encode_all(&self.buffer[..length], COMPRESSION_LEVEL)?;
        let anchor = Excerpt::of_bytes(&self.buffer[length.saturating_sub(ANCHOR_BYTES as usize)..length]);
        let extent = Extent { start: self.start, end: self.start + length as u64, skipped: None, last };
        self.take(length);
        Ok(Some(Piece { extent, payload, anchor }))
    }

    /// A line longer than a batch. It is in memory compressed only.
    fn long_line(&mut self, limits: Limits, finished: bool) -> io::Result<Option<Piece>> {
        let start = self.start;
        let mut encoder = Some(zstd::stream::Encoder::new(Vec::new(), COMPRESSION_LEVEL)?);
        let mut hasher = blake3::Hasher::new();
        let mut beginning = Vec::new();
        let mut recent = Vec::new();
        let mut is_whole = false;
        while !is_whole && (!self.buffer.is_empty() || self.fill(BLOCK_BYTES)?) {
            let line_feed = memchr::memchr(b'\n', &self.buffer);
            is_whole = line_feed.is_some();
            let length = line_feed.map_or(self.buffer.len(), |line_feed| line_feed + 1);
            let bytes = &self.buffer[..length];
            hasher.update(bytes);
            let room = (BEGINNING_BYTES as usize).saturating_sub(beginning.len());
            beginning.extend_from_slice(&bytes[..length.min(room)]);
            recent.extend_from_slice(&bytes[length.saturating_sub(ANCHOR_BYTES as usize)..]);
            recent.drain(..recent.len().saturating_sub(ANCHOR_BYTES as usize));
            match &mut encoder {
                Some(whole_line) if self.start + length as u64 - start <= limits.line => whole_line.write_all(bytes)?,
                _ => encoder = None,
            }
            self.take(length);
        }
        let last = !is_whole;
        if last && !finished {
            return Ok(None);
        }
        let length = self.start - start;
        let (payload, skipped) = if let Some(encoder) = encoder {
            (encoder.finish()?, None)
        } else {
            let hash = hasher.finalize().to_hex().to_string();
            (zstd::encode_all(beginning.as_slice(), COMPRESSION_LEVEL)?, Some(SkippedLine { length, hash }))
        };
        let extent = Extent { start, end: self.start, skipped, last };
        Ok(Some(Piece { extent, payload, anchor: Excerpt::of_bytes(&recent) }))
    }

    /// Unpacks until so many bytes wait or the content ends. Gives back whether any wait.
    fn fill(&mut self, least: usize) -> io::Result<bool> {
        while self.buffer.len() < least && !self.is_at_end {
            let before = self.buffer.len();
            self.buffer.resize(before + BLOCK_BYTES, 0);
            let read = self.source.read(&mut self.buffer[before..]);
            self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => self.is_at_end = true,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            let unpacked = self.start + self.buffer.len() as u64;
            if unpacked > ALWAYS_UNPACKED.max(self.packed_bytes.saturating_mul(LARGEST_RATIO)) {
                let why = format!("it unpacks to more than {LARGEST_RATIO} times its size");
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
        }
        Ok(!self.buffer.is_empty())
    }

    fn take(&mut self, length: usize) {
        self.buffer.drain(..length);
        self.start += length as u64;
    }
}

/// Reads an open file from its start, whoever else reads it.
struct FromStart {
    file: Arc<File>,
    offset: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
