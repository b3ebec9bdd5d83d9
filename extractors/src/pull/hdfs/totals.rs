//! What lies below each directory, summed up over a whole image.

use std::collections::BTreeMap;

use sextant_fsimage::{Directory, DirectorySlot, Tree};
use sextant_model::namespace::DirectoryTotals;

use super::quarter::{Quarter, Quarters};

/// The sums of all directories of a tree.
#[derive(Debug)]
pub(super) struct Totals {
    small_file_bytes: u64,
    quarters: Quarters,
    sums: Vec<Sum>,
}

#[derive(Debug, Clone, Default)]
struct Sum {
    files: u64,
    directories: u64,
    bytes: u64,
    bytes_with_copies: u64,
    small_files: u64,
    /// In order; a directory has seldom more than a few.
    by_quarter: Vec<(Quarter, u64)>,
}

impl Totals {
    /// Nothing is counted yet. Files below `small_file_bytes` count as small.
    pub(super) fn of(tree: &Tree<'_>, small_file_bytes: u64) -> Self {
        Self { small_file_bytes, quarters: Quarters::new(), sums: vec![Sum::default(); tree.len()] }
    }

    /// Counts a file in the directory that holds it.
    pub(super) fn file(&mut self, holder: DirectorySlot, bytes: u64, bytes_with_copies: u64, modified_ms: i64) {
        let quarter = self.quarters.of_millis(modified_ms);
        let sum = &mut self.sums[holder.index()];
        sum.files += 1;
        sum.small_files += u64::from(bytes < self.small_file_bytes);
        sum.bytes = sum.bytes.saturating_add(bytes);
        sum.bytes_with_copies = sum.bytes_with_copies.saturating_add(bytes_with_copies);
        sum.add_to_quarter(quarter, bytes);
    }

    /// Counts a symbolic link, which has no bytes.
    pub(super) fn link(&mut self, holder: DirectorySlot) {
        self.sums[holder.index()].files += 1;
    }

    /// Adds every directory to the one above it. `top_down` has each directory before those in it.
    pub(super) fn sum_up(&mut self, tree: &Tree<'_>, top_down: &[DirectorySlot]) {
        for slot in top_down.iter().rev() {
            let Some(above) = tree.directory(*slot).parent() else {
                continue;
            };
            let below = std::mem::take(&mut self.sums[slot.index()]);
            self.sums[above.index()].add(&below);
            self.sums[slot.index()] = below;
        }
    }

    /// What lies below a directory, once it is summed up.
    pub(super) fn directory(&self, slot: DirectorySlot) -> DirectoryTotals {
        let sum = &self.sums[slot.index()];
        let bytes_by_quarter: BTreeMap<String, u64> =
            sum.by_quarter.iter().map(|(quarter, bytes)| (quarter.to_string(), *bytes)).collect();
        DirectoryTotals {
            files: sum.files,
            directories: sum.directories,
            bytes: sum.bytes,
            bytes_with_copies: sum.bytes_with_copies,
            small_files: sum.small_files,
            bytes_by_quarter,
        }
    }
}

impl Sum {
    fn add(&mut self, below: &Self) {
        self.files += below.files;
        self.directories += below.directories + 1;
        self.bytes = self.bytes.saturating_add(below.bytes);
        self.bytes_with_copies = self.bytes_with_copies.saturating_add(below.bytes_with_copies);
        self.small_files += below.small_files;
        for (quarter, bytes) in &below.by_quarter {
            self.add_to_quarter(*quarter, *bytes);
        }
    }

    fn add_to_quarter(&mut self, quarter: Quarter, bytes: u64) {
        if bytes == 0 {
            return;
        }
        match self.by_quarter.binary_search_by_key(&quarter, |(known, _)| *known) {
            Ok(place) => self.by_quarter[place].1 = self.by_quarter[place].1.saturating_add(bytes),
            Err(place) => self.by_quarter.insert(place, (quarter, bytes)),
        }
    }
}

/// Every directory that has a path, each before those in it.
pub(super) fn top_down(tree: &Tree<'_>) -> Vec<DirectorySlot> {
    /// Marks a directory that is in the order.
    const TAKEN: u32 = u32::MAX;
    // Directories are taken off from below: one whose last child is taken comes next.
    let mut children = vec![0_u32; tree.len()];
    for directory in tree.directories().filter(Directory::is_linked) {
        if let Some(above) = directory.parent() {
            children[above.index()] += 1;
        }
    }
    let mut order = Vec::new();
    for directory in tree.directories().filter(Directory::is_linked) {
        let mut next = Some(directory.slot()).filter(|slot| children[slot.index()] == 0);
        while let Some(slot) = next {
            children[slot.index()] = TAKEN;
            order.push(slot);
            next = tree.directory(slot).parent().filter(|above| {
                children[above.index()] -= 1;
                children[above.index()] == 0
            });
        }
    }
    order.reverse();
    order
}
