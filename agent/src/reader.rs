//! Reads whole lines out of a growing file.
//!
//! Nothing is read behind the last line feed, except when the file is finished and its tail is
//! delivered as it is. A line is never cut in two. A line that is too long is not read into
//! memory: only its beginning, its length and its hash are delivered.
//!
//! Files change while they are read. Callers must ask [`is_unchanged`] after reading and before
//! sending: only then the bytes belong to the generation they are sent under.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use sextant_model::delivery::{BatchHeader, MAX_LINE_BYTES, SkippedLine};

use crate::generation::{Anchor, Identity};

/// How much is searched or copied at once, in bytes.
const BLOCK_BYTES: u64 = 64 << 10;
/// How much of a line that is too long is delivered, in bytes.
pub(crate) const BEGINNING_BYTES: u64 = 64 << 10;
/// zstd's default: the payload is text, a higher level costs more than it saves.
pub(crate) const COMPRESSION_LEVEL: i32 = 3;

/// How much goes into a batch, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// A batch of several lines is not larger.
    pub(crate) batch: u64,
    /// A longer line is not delivered whole.
    pub(crate) line: u64,
}

impl Limits {
    pub(crate) fn with_batch(batch: u64) -> Self {
        Self { batch, line: MAX_LINE_BYTES as u64 }
    }
}

/// The bytes of the next batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) skipped: Option<SkippedLine>,
    /// It is the unfinished tail of a finished file.
    pub(crate) last: bool,
}

impl Extent {
    /// How many bytes of the file are sent.
    pub(crate) fn payload_bytes(&self) -> u64 {
        let length = self.end - self.start;
        if self.skipped.is_some() { length.min(BEGINNING_BYTES) } else { length }
    }
}

/// What lies behind a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// No complete line; there is no line feed before `searched_to`.
    Nothing { searched_to: u64 },
    /// These bytes can be sent.
    Extent(Extent),
}

/// Finds the next batch behind `start` in a file of `size` bytes.
///
/// `searched_to` is what an earlier call said, so that a long line that grows slowly is not
/// searched again and again. `finished`: nothing will be written any more, the tail goes as it is.
pub(crate) fn next_extent(
    file: &File,
    size: u64,
    start: u64,
    searched_to: u64,
    finished: bool,
    limits: Limits,
) -> io::Result<Next> {
    if start >= size {
        return Ok(Next::Nothing { searched_to: start });
    }
    let batch_end = size.min(start + limits.batch);
    if let Some(line_feed) = last_line_feed(file, start, batch_end)? {
        let extent = Extent { start, end: line_feed + 1, skipped: None, last: false };
        return Ok(Next::Extent(extent));
    }
    let line_feed = first_line_feed(file, batch_end.max(searched_to), size)?;
    let (end, last) = match line_feed {
        Some(line_feed) => (line_feed + 1, false),
        None if finished => (size, true),
        None => return Ok(Next::Nothing { searched_to: size }),
    };
    let length = end - start;
    let skipped =
        if length > limits.line { Some(SkippedLine { length, hash: hash_of(file, start, end)? }) } else { None };
    Ok(Next::Extent(Extent { start, end, skipped, last }))
}

/// The body of a batch: the header as one line, a line feed, and the compressed payload.
pub(crate) fn pack(file: &File, header: &BatchHeader, payload_bytes: u64) -> io::Result<Vec<u8>> {
    let mut body = serde_json::to_vec(header)?;
    body.push(b'\n');
    let mut encoder = zstd::stream::Encoder::new(body, COMPRESSION_LEVEL)?;
    encoder.set_pledged_src_size(Some(payload_bytes))?;
    for_each_block(file, header.start, header.start + payload_bytes, |block| encoder.write_all(block))?;
    encoder.finish()
}

/// The same of a payload that is compressed already.
pub(crate) fn pack_compressed(header: &BatchHeader, payload: &[u8]) -> io::Result<Vec<u8>> {
    let mut body = serde_json::to_vec(header)?;
    body.push(b'\n');
    body.extend_from_slice(payload);
    Ok(body)
}

/// The body of a batch without bytes.
pub(crate) fn pack_nothing(header: &BatchHeader) -> io::Result<Vec<u8>> {
    let mut body = serde_json::to_vec(header)?;
    body.push(b'\n');
    zstd::stream::Encoder::new(body, COMPRESSION_LEVEL)?.finish()
}

/// Whether the file is still the generation that was read, up to `end`, with what was delivered
/// last in its place.
pub(crate) fn is_unchanged(file: &File, identity: &Identity, anchor: Option<&Anchor>, end: u64) -> io::Result<bool> {
    if file.metadata()?.len() < end || !identity.is_head_of(file)? {
        return Ok(false);
    }
    match anchor {
        Some(anchor) => anchor.is_in(file),
        None => Ok(true),
    }
}

/// Searches backwards: a batch usually ends near its limit.
fn last_line_feed(file: &File, start: u64, end: u64) -> io::Result<Option<u64>> {
    let mut block = vec![0; BLOCK_BYTES.min(end - start) as usize];
    let mut block_end = end;
    while block_end > start {
        let length = BLOCK_BYTES.min(block_end - start);
        let block = &mut block[..length as usize];
        let block_start = block_end - length;
        file.read_exact_at(block, block_start)?;
        if let Some(index) = memchr::memrchr(b'\n', block) {
            return Ok(Some(block_start + index as u64));
        }
        block_end = block_start;
    }
    Ok(None)
}

fn first_line_feed(file: &File, start: u64, end: u64) -> io::Result<Option<u64>> {
    if start >= end {
        return Ok(None);
    }
    let mut block = vec![0; BLOCK_BYTES.min(end - start) as usize];
    let mut block_start = start;
    while block_start < end {
        let length = BLOCK_BYTES.min(end - block_start);
        let block = &mut block[..length as usize];
        file.read_exact_at(block, block_start)?;
        if let Some(index) = memchr::memchr(b'\n', block) {
            return Ok(Some(block_start + index as u64));
        }
        block_start += length;
    }
    Ok(None)
}

fn hash_of(file: &File, start: u64, end: u64) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    for_each_block(file, start, end, |block| {
        hasher.update(block);
        Ok(())
    })?;
    Ok(hasher.finalize().to_hex().to_string())
}

fn for_each_block(file: &File, start: u64, end: u64, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut block = vec![0; BLOCK_BYTES.min(end - start) as usize];
    let mut block_start = start;
    while block_start < end {
        let length = BLOCK_BYTES.min(end - block_start);
        let block = &mut block[..length as usize];
        file.read_exact_at(block, block_start)?;
        take(block)?;
        block_start += length;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use sextant_model::delivery::Generation;

    use super::*;
    use crate::generation::{Excerpt, Inode};

    const LIMITS: Limits = Limits { batch: 16, line: 200_000 };

    fn file_with(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file
    }

    fn next(content: &[u8], start: u64, finished: bool) -> Next {
        next_extent(&file_with(content), content.len() as u64, start, 0, finished, LIMITS).unwrap()
    }

    fn whole(start: u64, end: u64) -> Next {
        Next::Extent(Extent { start, end, skipped: None, last: false })
    }

    fn header(extent: &Extent) -> BatchHeader {
        BatchHeader {
            agent: "a".to_owned(),
            host: "h".to_owned(),
            generation: Generation("g".to_owned()),
            path: "/spool/x".to_owned(),
            format: "hive".to_owned(),
            cluster: "default".to_owned(),
            start: extent.start,
            end: extent.end,
            skipped: extent.skipped.clone(),
            last: extent.last,
        }
    }

    /// What a server makes of a body.
    fn unpack(body: &[u8]) -> (BatchHeader, Vec<u8>) {
        let line_feed = memchr::memchr(b'\n', body).unwrap();
        let header = serde_json::from_slice(&body[..line_feed]).unwrap();
        (header, zstd::decode_all(&body[line_feed + 1..]).unwrap())
    }

    #[test]
    fn only_whole_lines_are_taken() {
        assert_eq!(next(b"", 0, false), Next::Nothing { searched_to: 0 });
        assert_eq!(next(b"half", 0, false), Next::Nothing { searched_to: 4 });
        assert_eq!(next(b"one\nhalf", 0, false), whole(0, 4));
        assert_eq!(next(b"one\nhalf", 4, false), Next::Nothing { searched_to: 8 });
        assert_eq!(next(b"one\ntwo\n", 4, false), whole(4, 8));
        assert_eq!(next(b"one\n", 4, true), Next::Nothing { searched_to: 4 });
    }

    #[test]
    fn a_batch_ends_at_the_last_line_within_its_limit() {
        let content = b"0123456\n0123456\n0123456\n";
        assert_eq!(next(content, 0, false), whole(0, 16));
        assert_eq!(next(content, 16, false), whole(16, 24));
    }

    #[test]
    fn a_line_longer_than_a_batch_goes_alone() {
        let content = b"a\n0123456789012345678901234567890123456789\nb\n";
        assert_eq!(next(content, 0, false), whole(0, 2));
        assert_eq!(next(content, 2, false), whole(2, 43));
        assert_eq!(next(content, 43, false), whole(43, 45));
    }

    #[test]
    fn the_tail_goes_last_when_the_file_is_finished() {
        assert_eq!(next(b"one\nhalf", 0, true), whole(0, 4));
        let tail = Extent { start: 4, end: 8, skipped: None, last: true };
        assert_eq!(next(b"one\nhalf", 4, true), Next::Extent(tail));
    }

    #[test]
    fn a_line_that_is_too_long_is_described() {
        let mut content = b"one\n".to_vec();
        content.extend(vec![b'x'; 300_000]);
        assert_eq!(next(&content, 4, false), Next::Nothing { searched_to: 300_004 });
        content.extend(b"\ntwo\n");
        let line = &content[4..300_005];
        let skipped = SkippedLine { length: 300_001, hash: blake3::hash(line).to_hex().to_string() };
        let extent = Extent { start: 4, end: 300_005, skipped: Some(skipped), last: false };
        assert_eq!(next(&content, 4, false), Next::Extent(extent.clone()));

        let body = pack(&file_with(&content), &header(&extent), extent.payload_bytes()).unwrap();
        let (received, payload) = unpack(&body);
        assert_eq!(received, header(&extent));
        assert_eq!(payload, line[..64 << 10]);
        assert_eq!(next(&content, extent.end, false), whole(300_005, 300_009));
    }

    #[test]
    fn a_changed_file_is_noticed() {
        let identity = |file: &File| Identity {
            inode: Inode { device: 1, number: 1 },
            head: Excerpt::of_head(file, 8, false).unwrap().unwrap(),
            life: 0,
        };
        let file = file_with(b"one\ntwo\n");
        let anchor = Anchor::before(&file, 8).unwrap();
        let unchanged =
            |file: &File, end| is_unchanged(file, &identity(&file_with(b"one\ntwo\n")), Some(&anchor), end).unwrap();
        assert!(unchanged(&file, 8));
        assert!(unchanged(&file_with(b"one\ntwo\nsix\n"), 12));
        assert!(!unchanged(&file, 9), "shorter than what was read");
        assert!(!unchanged(&file_with(b"six\ntwo\nsix\n"), 12), "another head");
        assert!(!unchanged(&file_with(b"one\nsix\nsix\n"), 12), "another line before the position");
    }

    proptest! {
        #[test]
        fn batches_are_the_file(content in proptest::collection::vec(prop_oneof![1 => Just(b'\n'), 20 => any::<u8>()], 0..600), batch in 1_u64..64, line in 64_u64..80) {
            let file = file_with(&content);
            let limits = Limits { batch, line };
            let mut position = 0;
            let mut received = Vec::new();
            let mut lasts = 0;
            while let Next::Extent(extent) = next_extent(&file, content.len() as u64, position, 0, true, limits).unwrap() {
                prop_assert_eq!(extent.start, position);
                prop_assert!(extent.end > extent.start);
                let body = pack(&file, &header(&extent), extent.payload_bytes()).unwrap();
                let (_, payload) = unpack(&body);
                let lines = memchr::memchr_iter(b'\n', &payload).count();
                prop_assert!(payload.len() as u64 <= batch || lines <= 1);
                prop_assert_eq!(extent.last, payload.last() != Some(&b'\n'));
                prop_assert_eq!(extent.skipped.is_some(), payload.len() as u64 > line);
                lasts += usize::from(extent.last);
                received.extend(payload);
                position = extent.end;
            }
            prop_assert!(lasts <= 1);
            prop_assert_eq!(received, content);
        }
    }
}
