//! What is known of a namespace's living paths: 34 bytes for each of them.

use sextant_model::EntityId;
use sextant_store::{ContentHash, KnownPath};

/// Living paths by their ids, and which of them the pass has shown.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// In the order of the ids.
    paths: Vec<KnownPath>,
    seen: Vec<bool>,
}

impl Known {
    /// `paths` are in the order of their ids.
    pub(super) fn new(paths: Vec<KnownPath>) -> Self {
        debug_assert!(paths.is_sorted_by_key(|path| path.id), "the store sorts them");
        let seen = vec![false; paths.len()];
        Self { paths, seen }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Notes that a path is there. Answers what was shown of it last, if it was living.
    pub(super) fn see(&mut self, id: EntityId) -> Option<ContentHash> {
        let index = self.paths.binary_search_by_key(&id, |path| path.id).ok()?;
        self.seen[index] = true;
        Some(self.paths[index].content)
    }

    /// Those that the pass has not shown.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &KnownPath> {
        self.paths.iter().zip(&self.seen).filter(|(_, seen)| !**seen).map(|(path, _)| path)
    }
}
