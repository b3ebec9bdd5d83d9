//! What is lost: bytes that a look saw in a file and that nobody can read any more.
//!
//! They are counted once it is clear that no copy of the file holds them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::generation::{Identity, Inode};

/// So many looks may pass until a copy is seen.
const LOOKS_FOR_A_COPY: u32 = 2;

/// Bytes that are missing as long as no copy is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Missing {
    /// Index of the spool in the configuration.
    #[serde(skip)]
    spool: usize,
    inode: Inode,
    path: PathBuf,
    /// Nothing when not even its first line was read.
    identity: Option<Identity>,
    bytes: u64,
    /// After a restart they are counted anew.
    #[serde(skip)]
    looks: u32,
}

/// All losses.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    missing: Vec<Missing>,
    /// Bytes that were lost since the state exists.
    pub(crate) total: u64,
}

impl Losses {
    /// These bytes of a file cannot be read there any more.
    pub(crate) fn miss(&mut self, spool: usize, inode: Inode, path: &Path, identity: Option<Identity>, bytes: u64) {
        if bytes > 0 {
            self.missing.push(Missing { spool, inode, path: path.to_owned(), identity, bytes, looks: 0 });
        }
    }

    /// What is missing, by spool, for the state.
    pub(crate) fn missing(&self) -> impl Iterator<Item = (usize, &Missing)> {
        self.missing.iter().map(|missing| (missing.spool, missing))
    }

    /// Takes over what was missing when the last run ended.
    pub(crate) fn remember(&mut self, spool: usize, missing: Missing) {
        self.missing.push(Missing { spool, ..missing });
    }

    /// How many bytes are lost, and how many times something is missing.
    pub(crate) fn extent(&self) -> (u64, usize) {
        (self.total, self.missing.len())
    }

    /// Whether something of that file is missing.
    pub(crate) fn is_missing(&self, inode: Inode, identity: Option<&Identity>) -> bool {
        self.missing.iter().any(|missing| missing.inode == inode && missing.identity.as_ref() == identity)
    }

    /// A copy of that generation is there.
    pub(crate) fn found(&mut self, identity: &Identity) {
        self.missing.retain(|missing| missing.identity.as_ref() != Some(identity));
    }

    /// A file is there that is read from its start and has this size: it may be the copy of one
    /// of which nothing was read.
    pub(crate) fn found_unread(&mut self, path: &Path, size: u64) {
        let is_same = |missing: &Missing| {
            missing.identity.is_none() && missing.bytes == size && missing.path.parent() == path.parent()
        };
        if let Some(index) = self.missing.iter().position(is_same) {
            self.missing.remove(index);
        }
    }

    /// A file that was gone is back.
    pub(crate) fn returned(&mut self, inode: Inode, identity: Option<&Identity>) {
        self.missing.retain(|missing| missing.inode != inode || missing.identity.as_ref() != identity);
    }

    /// A scheduled look at a spool is over. In the `undecided` directories is a file of which it is open what
    /// it is a copy of. Gives back of which files bytes are lost.
    pub(crate) fn looked(&mut self, spool: usize, undecided: &HashSet<PathBuf>) -> Vec<Inode> {
        let mut lost = Vec::new();
        let total = &mut self.total;
        self.missing.retain_mut(|missing| {
            missing.looks += u32::from(missing.spool == spool);
            let is_open = missing.path.parent().is_some_and(|directory| undecided.contains(directory));
            let is_lost = missing.spool == spool && missing.looks > LOOKS_FOR_A_COPY && !is_open;
            if is_lost {
                lost.push(missing.inode);
                *total = total.saturating_add(missing.bytes);
                tracing::error!(
                    file = %missing.path.display(),
                    generation = missing.identity.as_ref().map(|identity| identity.generation().0),
                    bytes = missing.bytes,
                    lost_in_all = *total,
                    "bytes are lost: the file was removed or replaced before they were delivered, and no copy of it is there"
                );
            }
            !is_lost
        });
        lost
    }
}
