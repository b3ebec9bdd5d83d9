//! What can go wrong with an index.

use std::path::PathBuf;

/// An index operation that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory cannot be used.
    #[error("cannot use the index directory {path}: {source}")]
    Directory {
        /// The directory, or a file in it.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another process works on the same index.
    #[error("the index in {path} is in use by another process; stop it, or give this one another data directory")]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// A document has a field that [`crate::FIELDS`] does not name.
    #[error("no such field: {0}")]
    UnknownField(String),
    /// A document has a value of another kind than its field.
    #[error("a value of field {field} is no {expected}")]
    WrongKind {
        /// The field.
        field: &'static str,
        /// What the field takes.
        expected: &'static str,
    },
    /// A cursor was not made by a search with the same order.
    #[error("not a cursor of a search in this order; begin again without a cursor")]
    Cursor,
    /// The index itself failed.
    #[error("the index failed; if this does not go away, rebuild it: {0}")]
    Engine(#[from] tantivy::TantivyError),
}
