//! A large buffer before a writer, and quick numbers.

use std::io::Write;

use crate::error::Error;

/// Why something could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The image cannot be read.
    #[error(transparent)]
    Image(#[from] Error),
    /// The output takes no more; of a closed pipe the kind is `BrokenPipe`.
    #[error("cannot write the output")]
    Output(#[source] std::io::Error),
}

const FULL_BYTES: usize = 1 << 20;

pub(crate) struct Output<W> {
    pub(crate) buffer: Vec<u8>,
    digits: itoa::Buffer,
    out: W,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { buffer: Vec::with_capacity(FULL_BYTES + (FULL_BYTES >> 4)), digits: itoa::Buffer::new(), out }
    }

    #[inline]
    pub(crate) fn number(&mut self, number: impl itoa::Integer) {
        self.buffer.extend_from_slice(self.digits.format(number).as_bytes());
    }

    #[inline]
    pub(crate) fn flush_if_full(&mut self) -> Result<(), WriteError> {
        if self.buffer.len() >= FULL_BYTES { self.flush_buffer() } else { Ok(()) }
    }

    fn flush_buffer(&mut self) -> Result<(), WriteError> {
        self.out.write_all(&self.buffer).map_err(WriteError::Output)?;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<(), WriteError> {
        self.flush_buffer()?;
        self.out.flush().map_err(WriteError::Output)
    }
}
