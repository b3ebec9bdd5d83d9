//! How facts become relations: the one place that decides what is new, changed, deleted, another
//! life, linked or unlinked.
//!
//! Everything here is a function of (what the store knows, what was observed) to
//! [`sextant_store::Changes`]; nothing is written here, and neither SQL, HTTP nor files are known.
//! The order in which snapshots and operations arrive makes no difference to the outcome.

mod deletion;
mod differences;
mod flows;
pub mod location;
mod meaning;
pub mod namespace;
pub mod operations;
mod parts;
mod relink;
pub mod snapshot;

/// A configured metastore and the cluster whose names it explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceInstance {
    /// The extractor's name.
    pub name: String,
    /// The first of its clusters (see [`sextant_model::NameKey::cluster`]).
    pub cluster: String,
}
