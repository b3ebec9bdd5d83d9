//! Pull extractors: they visit a source at intervals and show everything that is there.
//!
//! A pass is a stream of [`PassStep`]s: the names of a database, then its objects. What it
//! guarantees:
//!
//! - All names of a database come before its objects, and every object's name was listed.
//! - One object that cannot be read is one [`PassStep::Problem`]; the others are shown.
//! - A database whose list of tables could not be read is named in
//!   [`PassSummary::incomplete_databases`]; a source that could not be read at all is an error.
//!
//! What an extractor never does: decide that something is deleted, read the store, or hold more
//! connections to the source than configured.

mod error;
pub mod hdfs;
pub mod hms;
mod pace;
pub mod recorded;
pub mod scope;

use futures::future::BoxFuture;
use sextant_model::ObjectName;
use sextant_model::snapshot::{Existence, PassStep, PassSummary};
use tokio::sync::mpsc::Sender;

pub use error::ExtractError;

/// A source that can be visited.
pub trait PullExtractor: Send + Sync {
    /// Visits the source once and sends what it shows; waits while `steps` is full. An error means
    /// that the pass is not complete, whatever was sent before it.
    fn pass(&self, steps: Sender<PassStep>) -> BoxFuture<'_, Result<PassSummary, ExtractError>>;

    /// Asks once more for names that a pass did not list. The answers are in the order of `names`;
    /// an error means that the source could not be reached.
    fn confirm(&self, names: Vec<ObjectName>) -> BoxFuture<'_, Result<Vec<Existence>, ExtractError>>;

    /// Whether the configured patterns cover this name.
    fn in_scope(&self, name: &ObjectName) -> bool;
}
