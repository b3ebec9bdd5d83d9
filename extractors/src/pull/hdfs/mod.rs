//! A visit to a file system: what HDFS holds, from an image of the NameNode or by listing.
//!
//! What a pass guarantees:
//!
//! - [`NamespaceStep::Opened`] comes first and once. An image that is not newer than the one
//!   applied before, or of another namespace, is refused in words and shows nothing.
//! - Every directory is shown once, files as far as they are wanted, a directory before its content.
//! - What could not be read is named; a pass that broke off ends with an error.
//!
//! Never: a decision over what is deleted, or more load on a NameNode than configured.

mod applied;
mod directory;
mod download;
mod error;
mod extractor;
pub mod listing;
mod namenode;
mod observed;
mod offer;
mod place;
mod quarter;
mod refused;
mod steps;
#[cfg(test)]
mod tests;
mod totals;
mod wanted;

use futures::future::BoxFuture;
use sextant_model::namespace::{NamespaceStep, NamespaceSummary};
use tokio::sync::mpsc::Sender;

pub use applied::Applied;
pub use download::remove_left_images;
pub use error::NamespaceError;
pub use extractor::{ImageConfig, ImageExtractor};
pub use place::ImagePlace;
pub use refused::RefusedImages;

/// Which files are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedFiles {
    /// None; they are counted and summed up all the same.
    None,
    /// Those at or below one of these paths (in order, none below another).
    Below(Vec<String>),
    /// Every file.
    All,
}

/// A file system that can be visited.
pub trait NamespaceExtractor: Send + Sync {
    /// Visits the file system once. `applied` is what was applied last.
    fn pass(
        &self,
        applied: Option<Applied>,
        wanted: WantedFiles,
        steps: Sender<NamespaceStep>,
    ) -> BoxFuture<'_, Result<NamespaceSummary, NamespaceError>>;
}
