//! What an extractor of a file system shows of one state of a namespace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::snapshot::PassProblem;
use crate::{EntityId, EntityType, Timestamp};

/// Which state of which namespace was read. Everything that is said of a path rests on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceStamp {
    /// The number that a NameNode gives its namespace when it is formatted; `None` where it is not told.
    pub namespace_id: Option<u32>,
    /// The last transaction in the state. `None` for a listing, which shows no single moment.
    pub transaction: Option<u64>,
    /// When the state was: for an image the time of its checkpoint, for a listing its begin.
    pub taken: Timestamp,
    /// How paths keep their identity.
    pub identity: IdentityMode,
    /// Where it was read, for people: a file, or the address of a NameNode.
    pub origin: String,
}

/// How a path keeps its identity from one pass to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdentityMode {
    /// By inode: a rename keeps the entity.
    Inode,
    /// By path: a rename appears as delete and create.
    Path,
}

/// A directory, file or symbolic link, as one state shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedPath {
    /// Its inode number, unique within the namespace and never used again; `None` where only the
    /// path is known.
    pub inode: Option<u64>,
    /// The inode number of the directory that holds it; `None` for the root, or where only paths are known.
    pub parent_inode: Option<u64>,
    /// The whole path, from `/`. Bytes that are no UTF-8 are replaced.
    pub path: String,
    /// DIRECTORY or FILE. A symbolic link is a FILE with a target.
    pub entity_type: EntityType,
    /// Where a symbolic link leads.
    pub link_target: Option<String>,
    /// The owner.
    pub owner: String,
    /// The group.
    pub group: String,
    /// The permission bits, as in 0o1755.
    pub mode: u16,
    /// Whether there is an access control list beyond the permission bits.
    pub has_acl: bool,
    /// When it was last changed.
    pub modified: Option<Timestamp>,
    /// When a file was last read, where the NameNode keeps that.
    pub accessed: Option<Timestamp>,
    /// Bytes of a file.
    pub size: Option<u64>,
    /// How many copies of each block.
    pub replication: Option<u16>,
    /// Bytes of a block.
    pub block_size: Option<u64>,
    /// The storage policy set here by name (`HOT`, `COLD`, ...).
    pub storage_policy: Option<String>,
    /// The erasure coding policy set here by name (`RS-6-3-1024k`).
    pub erasure_coding: Option<String>,
    /// The key of the encryption zone that begins here.
    pub encryption_key: Option<String>,
    /// The most names allowed below.
    pub name_quota: Option<u64>,
    /// The most bytes allowed below, copies counted.
    pub space_quota: Option<u64>,
    /// What lies below a directory.
    pub totals: Option<DirectoryTotals>,
}

/// What lies in a directory and below it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectoryTotals {
    /// Files, at every depth.
    pub files: u64,
    /// Directories, itself not among them.
    pub directories: u64,
    /// Bytes of the files, each counted once.
    pub bytes: u64,
    /// Bytes with all copies.
    pub bytes_with_copies: u64,
    /// Files below the size at which they count as small.
    pub small_files: u64,
    /// Bytes by the quarter in which their file was last changed (`2026Q4`). A quarter, not an
    /// age: the value changes only when a file does.
    pub bytes_by_quarter: BTreeMap<String, u64>,
}

/// One step of a pass over a namespace.
#[derive(Debug, Clone, PartialEq)]
pub enum NamespaceStep {
    /// First of all: which state is read.
    Opened(NamespaceStamp),
    /// These paths are there. A directory comes before what lies in it.
    Paths(Vec<ObservedPath>),
    /// Something could not be read. With a path in the reason, nothing below it is deleted.
    Problem(PassProblem),
}

/// How a pass over a namespace ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamespaceSummary {
    /// The state is the one that was applied before; nothing was sent.
    pub unchanged: bool,
    /// Paths below which could not be read: nothing there is deleted.
    pub unread: Vec<String>,
}

/// To be raised when paths become other entities than before, by a property more or one that is
/// written otherwise: paths that did not change are then written again, once.
const SHOWN_AS: u8 = 1;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

impl ObservedPath {
    /// A path of which nothing else is known.
    pub const fn new(path: String, entity_type: EntityType) -> Self {
        Self {
            inode: None,
            parent_inode: None,
            path,
            entity_type,
            link_target: None,
            owner: String::new(),
            group: String::new(),
            mode: 0,
            has_acl: false,
            modified: None,
            accessed: None,
            size: None,
            replication: None,
            block_size: None,
            storage_policy: None,
            erasure_coding: None,
            encryption_key: None,
            name_quota: None,
            space_quota: None,
            totals: None,
        }
    }

    /// A fingerprint of what is shown of the path, and of how its name is made. Of the last access
    /// only the day counts: whatever is read often would differ in every state.
    ///
    /// No allocation: it is made for millions of paths in every pass.
    pub fn fingerprint(&self, naming: &str) -> [u8; 16] {
        // Taken apart, so that no field is forgotten.
        let Self {
            inode,
            parent_inode,
            path,
            entity_type,
            link_target,
            owner,
            group,
            mode,
            has_acl,
            modified,
            accessed,
            size,
            replication,
            block_size,
            storage_policy,
            erasure_coding,
            encryption_key,
            name_quota,
            space_quota,
            totals,
        } = self;
        let mut hashed = Hashed(blake3::Hasher::new());
        hashed.bytes(&[SHOWN_AS, u8::from(*has_acl)]);
        for text in [naming, path, entity_type.as_str(), owner, group] {
            hashed.text(text);
        }
        for text in [link_target, storage_policy, erasure_coding, encryption_key] {
            hashed.optional(text.as_deref(), Hashed::text);
        }
        hashed.bytes(&mode.to_le_bytes());
        hashed.optional(replication.map(u64::from), Hashed::number);
        for number in [inode, parent_inode, size, block_size, name_quota, space_quota] {
            hashed.optional(*number, Hashed::number);
        }
        let accessed_day = accessed.map(|time| time.as_millis().div_euclid(DAY_MS));
        for time in [modified.map(Timestamp::as_millis), accessed_day] {
            hashed.optional(time, |hashed, time| hashed.bytes(&time.to_le_bytes()));
        }
        hashed.optional(totals.as_ref(), Hashed::totals);
        let mut fingerprint = [0; 16];
        fingerprint.copy_from_slice(&hashed.0.finalize().as_bytes()[..16]);
        fingerprint
    }
}

/// What is written into a fingerprint, byte by byte as it is kept: other than `Hash`, the same on
/// every machine and under every compiler.
struct Hashed(blake3::Hasher);

impl Hashed {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    fn optional<T>(&mut self, value: Option<T>, write: impl Fn(&mut Self, T)) {
        self.bytes(&[u8::from(value.is_some())]);
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn totals(&mut self, totals: &DirectoryTotals) {
        let DirectoryTotals { files, directories, bytes, bytes_with_copies, small_files, bytes_by_quarter } = totals;
        for number in [files, directories, bytes, bytes_with_copies, small_files] {
            self.number(*number);
        }
        self.number(bytes_by_quarter.len() as u64);
        for (quarter, bytes) in bytes_by_quarter {
            self.text(quarter);
            self.number(*bytes);
        }
    }
}

impl EntityId {
    /// The id of a path that is known by its inode. `source` is the extractor's name.
    pub fn of_inode(source: &str, namespace_id: Option<u32>, inode: u64) -> Self {
        let namespace = namespace_id.map(u32::to_le_bytes);
        let namespace = namespace.as_ref().map_or(&[][..], |bytes| bytes);
        Self::derive("inode", &[source.as_bytes(), namespace, &inode.to_le_bytes()])
    }
}
