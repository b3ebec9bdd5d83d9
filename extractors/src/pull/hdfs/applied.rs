//! What was applied of a file system before a pass.

use sextant_model::namespace::NamespaceStamp;

/// The state that was applied last, with which a pass compares what it finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// Nothing older, and nothing of another namespace, is shown after it.
    pub stamp: NamespaceStamp,
    /// Whether this very state is to be shown once more: its paths are called otherwise since.
    pub show_again: bool,
}
