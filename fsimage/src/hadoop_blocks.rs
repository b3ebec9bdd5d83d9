//! Hadoop's block framing around Snappy and LZ4.
//!
//! A block is the length of its content (four bytes, big-endian), then chunks, each the length of
//! its compressed form (the same) and that form, until the content is complete.

use std::io::{Error, ErrorKind, Read, Result};

/// Hadoop's default is 256 KiB; the length is a setting of the NameNode.
const MAX_BLOCK_BYTES: usize = 64 << 20;

#[derive(Debug, Clone, Copy)]
pub(crate) enum BlockFormat {
    Snappy,
    Lz4,
}

pub(crate) struct HadoopBlocks<R> {
    input: R,
    format: BlockFormat,
    /// How much of the block's content is still to come, without `content`.
    block_rest: usize,
    compressed: Vec<u8>,
    content: Vec<u8>,
    given: usize,
}

impl<R: Read> HadoopBlocks<R> {
    pub(crate) const fn new(input: R, format: BlockFormat) -> Self {
        Self { input, format, block_rest: 0, compressed: Vec::new(), content: Vec::new(), given: 0 }
    }

    /// Reads the next chunk into `content`; false at the input's end.
    fn next_chunk(&mut self) -> Result<bool> {
        while self.block_rest == 0 {
            let Some(length) = self.block_length()? else { return Ok(false) };
            self.block_rest = length;
        }
        let mut length = [0; 4];
        self.input.read_exact(&mut length)?;
        let length = bounded(u32::from_be_bytes(length))?;
        self.compressed.clear();
        (&mut self.input).take(length as u64).read_to_end(&mut self.compressed)?;
        if self.compressed.len() < length {
            return Err(Error::new(ErrorKind::UnexpectedEof, "a compressed block is cut"));
        }
        self.decompress()?;
        self.block_rest -= self.content.len();
        self.given = 0;
        Ok(true)
    }

    fn block_length(&mut self) -> Result<Option<usize>> {
        let mut length = [0; 4];
        let mut read = 0;
        while read < length.len() {
            match self.input.read(&mut length[read..])? {
                0 if read == 0 => return Ok(None),
                0 => return Err(Error::new(ErrorKind::UnexpectedEof, "the length of a block is cut")),
                more => read += more,
            }
        }
        bounded(u32::from_be_bytes(length)).map(Some)
    }

    fn decompress(&mut self) -> Result<()> {
        let length = match self.format {
            BlockFormat::Snappy => {
                let length = snap::raw::decompress_len(&self.compressed).map_err(invalid)?;
                if length > self.block_rest {
                    return Err(invalid("a chunk is longer than its block"));
                }
                self.content.resize(length, 0);
                snap::raw::Decoder::new().decompress(&self.compressed, &mut self.content).map_err(invalid)?
            }
            BlockFormat::Lz4 => {
                self.content.resize(self.block_rest, 0);
                lz4_flex::block::decompress_into(&self.compressed, &mut self.content).map_err(invalid)?
            }
        };
        if length == 0 {
            return Err(invalid("a chunk is empty"));
        }
        self.content.truncate(length);
        Ok(())
    }
}

fn bounded(length: u32) -> Result<usize> {
    let length = length as usize;
    if length > MAX_BLOCK_BYTES { Err(invalid("a block is longer than 64 MiB")) } else { Ok(length) }
}

fn invalid(what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

impl<R: Read> Read for HadoopBlocks<R> {
    fn read(&mut self, output: &mut [u8]) -> Result<usize> {
        if self.given == self.content.len() && !self.next_chunk()? {
            return Ok(0);
        }
        let length = output.len().min(self.content.len() - self.given);
        output[..length].copy_from_slice(&self.content[self.given..self.given + length]);
        self.given += length;
        Ok(length)
    }
}
