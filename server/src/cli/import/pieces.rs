//! A file, cut at line ends into pieces that fit into batches. Never more of it than one piece is
//! in memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use sextant_model::delivery::{MAX_LINE_BYTES, SkippedLine};

/// Bytes of one piece before compression, unless a line is longer: 1 MiB.
const PIECE_BYTES: usize = 1 << 20;
/// Of a line that is too long to be sent, this much is: 4 KiB.
const BEGINNING_OF_LONG_LINE: usize = 4 << 10;

/// A stretch of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Offset of its first byte.
    pub(super) start: u64,
    /// Offset behind its last byte.
    pub(super) end: u64,
    /// Its bytes; of a skipped line only the beginning.
    pub(super) bytes: Vec<u8>,
    /// Set when it is a line that is too long to be sent.
    pub(super) skipped: Option<SkippedLine>,
}

/// Reads pieces one after the other.
pub(super) struct Pieces<R> {
    source: R,
    /// Read and not handed out yet.
    ahead: Vec<u8>,
    /// Offset of the first byte of `ahead`.
    position: u64,
    /// Bytes that are still to be read.
    to_read: u64,
    at_end: bool,
}

impl<R: Read + Seek> Pieces<R> {
    /// Begins at `start`, which is the beginning of a line, and ends at `end`.
    pub(super) fn between(mut source: R, start: u64, end: u64) -> std::io::Result<Self> {
        source.seek(SeekFrom::Start(start))?;
        Ok(Self { source, ahead: Vec::new(), position: start, to_read: end.saturating_sub(start), at_end: false })
    }

    /// The next piece: whole lines up to [`PIECE_BYTES`], or a single line that is longer. What
    /// stands behind the file's last line end is a line too.
    pub(super) fn next(&mut self) -> std::io::Result<Option<Piece>> {
        self.read_up_to(PIECE_BYTES)?;
        if self.ahead.is_empty() {
            return Ok(None);
        }
        if self.at_end && self.ahead.len() <= PIECE_BYTES {
            return Ok(Some(self.take(self.ahead.len())));
        }
        if let Some(end) = self.ahead[..PIECE_BYTES].iter().rposition(|byte| *byte == b'\n') {
            return Ok(Some(self.take(end + 1)));
        }
        let mut searched = PIECE_BYTES;
        loop {
            if let Some(end) = self.ahead[searched..].iter().position(|byte| *byte == b'\n') {
                return Ok(Some(self.take(searched + end + 1)));
            }
            searched = self.ahead.len();
            if self.at_end {
                return Ok(Some(self.take(searched)));
            }
            if searched > MAX_LINE_BYTES {
                return self.skip_line().map(Some);
            }
            self.read_up_to(searched + PIECE_BYTES)?;
        }
    }

    fn read_up_to(&mut self, length: usize) -> std::io::Result<()> {
        if self.at_end || self.ahead.len() >= length {
            return Ok(());
        }
        let wanted = ((length - self.ahead.len()) as u64).min(self.to_read);
        let read = (&mut self.source).take(wanted).read_to_end(&mut self.ahead)? as u64;
        self.to_read -= read;
        self.at_end = read < wanted || self.to_read == 0;
        Ok(())
    }

    fn take(&mut self, length: usize) -> Piece {
        let rest = self.ahead.split_off(length);
        let bytes = std::mem::replace(&mut self.ahead, rest);
        let start = self.position;
        self.position += length as u64;
        Piece { start, end: self.position, bytes, skipped: None }
    }

    /// Reads to the end of a line that is too long, keeping its beginning and its hash.
    fn skip_line(&mut self) -> std::io::Result<Piece> {
        let start = self.position;
        let mut beginning = std::mem::take(&mut self.ahead);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&beginning);
        let mut length = beginning.len() as u64;
        beginning.truncate(BEGINNING_OF_LONG_LINE);
        loop {
            self.read_up_to(PIECE_BYTES)?;
            let end = self.ahead.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
            let of_line = end.unwrap_or(self.ahead.len());
            hasher.update(&self.ahead[..of_line]);
            length += of_line as u64;
            self.ahead.drain(..of_line);
            if end.is_some() || self.at_end {
                break;
            }
        }
        self.position += length;
        let skipped = SkippedLine { length, hash: hasher.finalize().to_hex().to_string() };
        Ok(Piece { start, end: self.position, bytes: beginning, skipped: Some(skipped) })
    }
}

/// The BLAKE3 of a file and its length.
pub(super) fn fingerprint(file: &mut File) -> std::io::Result<(blake3::Hash, u64)> {
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; PIECE_BYTES];
    let mut length = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((hasher.finalize(), length));
        }
        hasher.update(&buffer[..read]);
        length += read as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn pieces(content: &[u8]) -> Vec<Piece> {
        let mut pieces = Pieces::between(Cursor::new(content), 0, content.len() as u64).unwrap();
        std::iter::from_fn(|| pieces.next().unwrap()).collect()
    }

    #[test]
    fn pieces_end_at_line_ends() {
        let mut content = vec![b'a'; PIECE_BYTES - 10];
        content.push(b'\n');
        content.extend(vec![b'b'; 100]);
        let pieces = pieces(&content);
        let ends: Vec<u64> = pieces.iter().map(|piece| piece.end).collect();
        assert_eq!(ends, [PIECE_BYTES as u64 - 9, content.len() as u64]);
        assert_eq!(pieces.iter().flat_map(|piece| piece.bytes.clone()).collect::<Vec<_>>(), content);
    }

    #[test]
    fn a_long_line_is_one_piece() {
        let mut content = vec![b'a'; 3 * PIECE_BYTES];
        content.extend(b"\nb\n");
        let pieces = pieces(&content);
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces[0].bytes.len(), 3 * PIECE_BYTES + 1);
        assert_eq!(pieces[1].bytes, b"b\n");
    }

    #[test]
    fn a_line_over_the_limit_is_only_begun() {
        let mut content = vec![b'a'; MAX_LINE_BYTES + PIECE_BYTES];
        let hash = blake3::hash(&[content.as_slice(), b"\n"].concat()).to_hex().to_string();
        content.extend(b"\nb\n");
        let pieces = pieces(&content);
        assert_eq!(pieces.len(), 2);
        assert_eq!(pieces[0].bytes.len(), BEGINNING_OF_LONG_LINE);
        let length = (MAX_LINE_BYTES + PIECE_BYTES) as u64 + 1;
        assert_eq!(pieces[0].skipped, Some(SkippedLine { length, hash }));
        assert_eq!((pieces[1].start, pieces[1].bytes.as_slice()), (length, b"b\n".as_slice()));
    }

    #[test]
    fn reading_goes_on_where_it_stopped_and_ends_where_it_should() {
        let mut pieces = Pieces::between(Cursor::new(b"a\nbc\nmore"), 2, 5).unwrap();
        let piece = pieces.next().unwrap().unwrap();
        assert_eq!((piece.start, piece.end, piece.bytes.as_slice()), (2, 5, b"bc\n".as_slice()));
        assert_eq!(pieces.next().unwrap(), None);
    }
}
