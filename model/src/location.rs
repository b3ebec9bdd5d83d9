//! Where data lies: from a location as a source writes it to the name of a path.
//!
//! One place has many spellings: `hdfs://prod/w/t`, `hdfs://nn1.example.com:8020/w/t/`,
//! `viewfs://c/w/t`, `/w/t`. Which of them are the same is configured, never guessed: an
//! authority that no file system claims is kept as it is.

use crate::{NameKey, NameKind};

/// A file system that an extractor shows, and the addresses under which it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSystem {
    /// The extractor.
    pub source: String,
    /// The first of its clusters.
    pub cluster: String,
    /// `hdfs://prod`, `hdfs://nn1:8020`, `viewfs://c`: what its paths may begin with.
    pub addresses: Vec<String>,
}

/// All file systems of a configuration. The first of a cluster is the one that a location
/// without an address means; its paths are called `/path`, those of all others by their first address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSystems(pub Vec<FileSystem>);

/// Why a location means a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocationRule {
    /// It has no address.
    DefaultFileSystem {
        /// The extractor of the cluster's first file system; `None` when there is none.
        source: Option<String>,
    },
    /// Its address is configured.
    Address {
        /// As configured.
        address: String,
        /// The extractor whose file system it is.
        source: String,
    },
    /// No file system claims its address.
    UnknownAddress,
}

/// What a location means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of the path.
    pub name: NameKey,
    /// By which rule.
    pub rule: LocationRule,
}
