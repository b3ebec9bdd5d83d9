//! Which file is which: the identity of one life of a file.
//!
//! A generation is (device, inode, fingerprint of the head). A rename keeps it. A file that is
//! truncated and written anew, or an inode that the file system gives to another file, gets another
//! one. When even the head is the same again, a life number tells the two apart, so that positions
//! of the former life are never taken for the new one.
//!
//! The fingerprint covers the first line, at most [`HEAD_BYTES`]. It is fixed at the moment that
//! line is complete: nothing is sent before, so no position can refer to a shorter one.
//! The exception is a file that is finished before its first line is: its tail is its head. Should
//! its writer go on after all and the state be lost as well, it gets a second generation.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use serde::{Deserialize, Serialize};

use sextant_model::delivery::Generation;

/// The most bytes a fingerprint covers.
pub(crate) const HEAD_BYTES: u64 = 1 << 10;
/// The most bytes before the position that are compared before going on.
pub(crate) const ANCHOR_BYTES: u64 = 4 << 10;

/// Which file on this host, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Inode {
    pub(crate) device: u64,
    pub(crate) number: u64,
}

impl Inode {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), number: metadata.ino() }
    }
}

/// A piece of a file that must still be there: its length in bytes and its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Excerpt {
    pub(crate) length: u64,
    pub(crate) hash: String,
}

impl Excerpt {
    fn of(file: &File, offset: u64, length: u64) -> io::Result<Self> {
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, offset)?;
        Ok(Self::of_bytes(&bytes))
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        const HEX_DIGITS: usize = 16;
        let hash = blake3::hash(bytes).to_hex();
        Self { length: bytes.len() as u64, hash: hash[..HEX_DIGITS].to_owned() }
    }

    /// The fingerprint of a file's head, or nothing while its first line is not complete.
    /// `finished`: no more will come, so an incomplete first line is the head.
    pub(crate) fn of_head(file: &File, size: u64, finished: bool) -> io::Result<Option<Self>> {
        let mut head = vec![0; size.min(HEAD_BYTES) as usize];
        file.read_exact_at(&mut head, 0)?;
        Ok(Self::of_head_bytes(&head, finished))
    }

    /// The same of the first [`HEAD_BYTES`], or fewer when there are no more.
    pub(crate) fn of_head_bytes(head: &[u8], finished: bool) -> Option<Self> {
        match memchr::memchr(b'\n', head) {
            Some(line_feed) => Some(Self::of_bytes(&head[..=line_feed])),
            None if head.is_empty() || (head.len() as u64) < HEAD_BYTES && !finished => None,
            None => Some(Self::of_bytes(head)),
        }
    }

    /// The bytes just before `position`: what was delivered last.
    pub(crate) fn before(file: &File, position: u64) -> io::Result<Self> {
        let length = position.min(ANCHOR_BYTES);
        Self::of(file, position - length, length)
    }

    /// Whether these bytes are still there and end at `end`. A file that has become shorter
    /// does not hold them.
    pub(crate) fn ends_at(&self, file: &File, end: u64) -> io::Result<bool> {
        let Some(offset) = end.checked_sub(self.length) else {
            return Ok(false);
        };
        match Self::of(file, offset, self.length) {
            Ok(found) => Ok(found == *self),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The last bytes that were delivered, and where they end: while they are in their place, the file
/// has the content that was read. The server may hold less or more than that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Anchor {
    pub(crate) end: u64,
    pub(crate) bytes: Excerpt,
}

impl Anchor {
    /// The bytes just before `end`.
    pub(crate) fn before(file: &File, end: u64) -> io::Result<Self> {
        Ok(Self { end, bytes: Excerpt::before(file, end)? })
    }

    /// Whether the bytes are in their place.
    pub(crate) fn is_in(&self, file: &File) -> io::Result<bool> {
        self.bytes.ends_at(file, self.end)
    }
}

/// What makes a generation.
///
/// It keeps its own inode: when a device gets another number at the next boot, the generation
/// stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) inode: Inode,
    pub(crate) head: Excerpt,
    /// 0 for the first life of this inode with this head.
    pub(crate) life: u32,
}

impl Identity {
    /// The generation's name in the protocol.
    pub(crate) fn generation(&self) -> Generation {
        let first_life = self.first_life_name();
        match self.life {
            0 => Generation(first_life),
            life => Generation(format!("{first_life}-{life}")),
        }
    }

    /// `<device>-<inode>-<fingerprint>`, numbers in hexadecimal.
    pub(crate) fn first_life_name(&self) -> String {
        format!("{:x}-{:x}-{}", self.inode.device, self.inode.number, self.head.hash)
    }

    /// Whether `file` still begins as this generation did.
    pub(crate) fn is_head_of(&self, file: &File) -> io::Result<bool> {
        self.head.ends_at(file, self.head.length)
    }
}

/// The life number in a generation's name that belongs to the first life's name.
pub(crate) fn life_in(generation: &Generation, first_life_name: &str) -> Option<u32> {
    let rest = generation.0.strip_prefix(first_life_name)?;
    if rest.is_empty() {
        return Some(0);
    }
    rest.strip_prefix('-')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file_with(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file
    }

    fn head(content: &[u8], finished: bool) -> Option<Excerpt> {
        Excerpt::of_head(&file_with(content), content.len() as u64, finished).unwrap()
    }

    #[test]
    fn the_head_is_fixed_by_the_first_line() {
        assert_eq!(head(b"", false), None);
        assert_eq!(head(b"", true), None);
        assert_eq!(head(b"half a li", false), None);
        let fixed = head(b"a line\n", false).unwrap();
        assert_eq!(fixed.length, 7);
        assert_eq!(head(b"a line\nand more", false), Some(fixed.clone()));
        assert_ne!(head(b"b line\n", false), Some(fixed));
        assert_eq!(head(b"half a li", true).unwrap().length, 9);
    }

    #[test]
    fn a_long_first_line_counts_with_its_first_kilobyte() {
        let long = vec![b'x'; 5000];
        assert_eq!(head(&long[..1023], false), None);
        assert_eq!(head(&long[..1024], false), head(&long, false));
        assert_eq!(head(&long, false).unwrap().length, 1024);
    }

    #[test]
    fn bytes_before_the_position_are_recognised() {
        let file = file_with(b"one\ntwo\n");
        let anchor = Excerpt::before(&file, 4).unwrap();
        assert!(anchor.ends_at(&file, 4).unwrap());
        assert!(anchor.ends_at(&file_with(b"one\nsix\n"), 4).unwrap());
        assert!(!anchor.ends_at(&file_with(b"two\nsix\n"), 4).unwrap());
        assert!(!anchor.ends_at(&file_with(b"one"), 4).unwrap());
    }

    #[test]
    fn lives_have_names_of_their_own() {
        let inode = Inode { device: 0xfe00, number: 255 };
        let mut identity = Identity { inode, head: head(b"a line\n", false).unwrap(), life: 0 };
        let first = identity.generation();
        assert!(first.0.starts_with("fe00-ff-"), "{}", first.0);
        identity.life = 12;
        let later = identity.generation();
        assert_ne!(first, later);
        assert_eq!(life_in(&first, &first.0), Some(0));
        assert_eq!(life_in(&later, &first.0), Some(12));
        assert_eq!(life_in(&Generation("fe00-ff-0".to_owned()), &first.0), None);
    }
}
