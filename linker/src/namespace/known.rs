//! What is known of a namespace's living paths: 34 bytes for each of them.

use sextant_model::EntityId;
use sextant_store::{ContentHash, KnownPath};

/// Living paths by their ids, and which of them the pass has shown.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// In the order of the ids.
    paths: Vec<KnownPath>,
    /// Where the ids begin whose first two bytes are the index: ids are hashes, so that a few of
    /// them remain to be searched.
    starts: Vec<usize>,
    seen: Vec<bool>,
}

const PREFIXES: usize = 1 << 16;

impl Known {
    /// `paths` are in the order of their ids.
    pub(super) fn new(paths: Vec<KnownPath>) -> Self {
        debug_assert!(paths.is_sorted_by_key(|path| path.id), "the store sorts them");
        let mut starts = Vec::with_capacity(PREFIXES + 1);
        for (index, path) in paths.iter().enumerate() {
            while starts.len() <= prefix(path.id) {
                starts.push(index);
            }
        }
        starts.resize(PREFIXES + 1, paths.len());
        let seen = vec![false; paths.len()];
        Self { paths, starts, seen }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Notes that a path is there. Answers what was shown of it last, if it was living.
    pub(super) fn see(&mut self, id: EntityId) -> Option<ContentHash> {
        let first = *self.starts.get(prefix(id))?;
        let candidates = &self.paths[first..self.starts[prefix(id) + 1]];
        let index = first + candidates.binary_search_by_key(&id, |path| path.id).ok()?;
        self.seen[index] = true;
        Some(self.paths[index].content)
    }

    /// Those that the pass has not shown.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &KnownPath> {
        self.paths.iter().zip(&self.seen).filter(|(_, seen)| !**seen).map(|(path, _)| path)
    }
}

fn prefix(id: EntityId) -> usize {
    let [first, second, ..] = *id.as_bytes();
    usize::from(u16::from_be_bytes([first, second]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(first: [u8; 2], rest: u8) -> KnownPath {
        let mut id = [rest; 16];
        id[..2].copy_from_slice(&first);
        KnownPath { id: EntityId::from_bytes(id), content: [rest; 16], is_file: false }
    }

    #[test]
    fn every_path_is_found_and_then_seen() {
        let paths = [path([0, 0], 0), path([0, 0], 9), path([0, 3], 1), path([9, 9], 2), path([255, 255], 255)];
        let mut known = Known::new(paths.to_vec());
        for path in paths {
            assert_eq!(known.see(path.id), Some(path.content));
        }
        assert_eq!(known.unseen().count(), 0);
        assert_eq!(known.see(path([0, 0], 1).id), None);
        assert_eq!(known.see(path([255, 255], 254).id), None);
        assert_eq!(Known::default().see(path([0, 0], 0).id), None);
        assert_eq!(Known::new(vec![path([1, 1], 1)]).unseen().count(), 1);
    }
}
