//! Several zlib streams, one after another, read as one.

use std::io::{BufRead, Error, ErrorKind, Read, Result};

use flate2::{Decompress, FlushDecompress, Status};

pub(crate) struct ConcatenatedZlib<R> {
    input: R,
    state: Decompress,
    /// Nothing of the current stream is read yet, so the input may end here.
    between_streams: bool,
}

impl<R> ConcatenatedZlib<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, state: Decompress::new(true), between_streams: true }
    }
}

impl<R: BufRead> Read for ConcatenatedZlib<R> {
    fn read(&mut self, output: &mut [u8]) -> Result<usize> {
        if output.is_empty() {
            return Ok(0);
        }
        loop {
            let input = self.input.fill_buf()?;
            if input.is_empty() {
                if self.between_streams {
                    return Ok(0);
                }
                return Err(Error::new(ErrorKind::UnexpectedEof, "the compressed stream is cut"));
            }
            let (read_before, written_before) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(input, output, FlushDecompress::None)?;
            let read = (self.state.total_in() - read_before) as usize;
            let written = (self.state.total_out() - written_before) as usize;
            self.input.consume(read);
            self.between_streams = false;
            if status == Status::StreamEnd {
                self.state.reset(true);
                self.between_streams = true;
            } else if read == 0 && written == 0 {
                return Err(Error::new(ErrorKind::InvalidData, "the compressed stream does not go on"));
            }
            if written > 0 {
                return Ok(written);
            }
        }
    }
}
