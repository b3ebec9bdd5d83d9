//! What is asked of a file system, whoever asks it.

use futures::future::BoxFuture;
use futures::stream::BoxStream;

use super::super::NamespaceError;

/// A file system that answers for one directory at a time.
pub(super) trait Lister: Send + Sync {
    /// The directory at a path itself.
    fn entry<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<ListedEntry, ListFailure>>;

    /// What is in the directory at a path.
    fn list<'a>(&'a self, path: &'a str) -> BoxStream<'a, Result<ListedEntry, ListFailure>>;
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedEntry {
    /// Its name alone; empty for the root.
    pub(super) name: String,
    pub(super) kind: EntryKind,
    pub(super) owner: String,
    pub(super) group: String,
    /// The permission bits; the bit for an access control list is not among them.
    pub(super) mode: u16,
    pub(super) has_acl: bool,
    pub(super) modified_ms: i64,
    pub(super) accessed_ms: i64,
    pub(super) size: u64,
    pub(super) replication: u16,
    pub(super) block_size: u64,
    /// Where it is told.
    pub(super) inode: Option<u64>,
    pub(super) link_target: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Directory,
    File,
    Link,
}

/// Why a directory could not be listed.
#[derive(Debug)]
pub(super) enum ListFailure {
    /// It is not there any more, or is no directory.
    Gone,
    /// This user may not list it, or another reason that concerns this directory alone.
    Unreadable(String),
    /// What answers went away, or has no time: asking again soon may help.
    Passing(String),
    /// Nothing more will come of asking.
    Ended(NamespaceError),
}

/// The bit above the permission bits by which HDFS says that there is an access control list.
const ACL_BIT: u16 = 1 << 12;
const PERMISSION_BITS: u16 = 0o1777;

/// The permission bits of a number, and whether it says that there is an access control list.
pub(super) fn permission(number: u16) -> (u16, bool) {
    (number & PERMISSION_BITS, number & ACL_BIT != 0)
}

/// The path of an entry of a directory.
pub(super) fn path_in(directory: &str, name: &str) -> String {
    if directory == "/" { format!("/{name}") } else { format!("{directory}/{name}") }
}
