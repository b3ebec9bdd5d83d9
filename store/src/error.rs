//! What can go wrong between the facts and the disk.

use std::path::PathBuf;

/// An error of the store. Nothing of the transaction that met it is kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The agent sent bytes that do not follow what is kept; it must go back to `kept`.
    #[error("the batch begins at {start}, but only the bytes before {kept} are kept")]
    Ahead {
        /// Everything before this offset is kept.
        kept: u64,
        /// Where the batch began.
        start: u64,
    },
    /// A batch whose payload and header do not agree.
    #[error("the batch is damaged: {0}")]
    DamagedBatch(String),
    /// The data directory belongs to a newer version.
    #[error(
        "{path}: the data has schema version {found}, this version of sextant knows {known}; run the version that wrote it, or a newer one"
    )]
    NewerSchema {
        /// The database file.
        path: PathBuf,
        /// The version in the file.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// Another process has the data directory.
    #[error("{path}: the data directory is in use by another sextant server; stop it or give another --data")]
    InUse {
        /// The data directory.
        path: PathBuf,
    },
    /// The disk is full. Reads go on; writes wait until there is room.
    #[error("{path}: the disk is full; make room, the server goes on by itself")]
    DiskFull {
        /// The database file.
        path: PathBuf,
    },
    /// The directory or file cannot be used.
    #[error("{path}: {source}")]
    Io {
        /// The directory or file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The database does not take or give back a value: trying again changes nothing.
    #[error("{path}: the database refuses a value: {message}")]
    Refused {
        /// The database file.
        path: PathBuf,
        /// What the database said.
        message: String,
    },
    /// Any other refusal of the database.
    #[error("{path}: {message}")]
    Database {
        /// The database file.
        path: PathBuf,
        /// What the database said.
        message: String,
    },
}
