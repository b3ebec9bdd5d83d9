//! What a file is called while retention clears it away.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

const ENDING: &str = ".sextant-retention";

/// The hidden name for a file of this name and inode.
pub(crate) fn name_of(name: &OsStr, inode: u64) -> OsString {
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{inode:x}{ENDING}"));
    hidden
}

/// The name that a file had before it was put aside, by an agent that did not come to its end.
pub(crate) fn name_before(name: &OsStr) -> Option<&OsStr> {
    let named = name.as_bytes().strip_prefix(b".")?.strip_suffix(ENDING.as_bytes())?;
    let end = memchr::memrchr(b'.', named)?;
    Some(OsStr::from_bytes(&named[..end]))
}
