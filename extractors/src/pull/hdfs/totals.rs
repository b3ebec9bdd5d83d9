//! What lies below each directory, summed up over a whole file system.

use std::collections::BTreeMap;

use sextant_fsimage::{Directory, DirectorySlot, Tree};
use sextant_model::namespace::DirectoryTotals;

use super::quarter::{Quarter, Quarters};

/// How files are counted.
#[derive(Debug)]
pub(super) struct FileCounter {
    small_file_bytes: u64,
    quarters: Quarters,
}

/// The sums of all directories, by number.
#[derive(Debug)]
pub(super) struct Totals(Vec<Sum>);

/// The sum of one directory.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    files: u64,
    directories: u64,
    bytes: u64,
    bytes_with_copies: u64,
    small_files: u64,
    /// In order; a directory has seldom more than a few.
    by_quarter: Vec<(Quarter, u64)>,
}

impl FileCounter {
    /// Files below `small_file_bytes` count as small.
    pub(super) fn new(small_file_bytes: u64) -> Self {
        Self { small_file_bytes, quarters: Quarters::new() }
    }

    /// Counts a file in the directory that holds it.
    pub(super) fn file(&self, holder: &mut Sum, bytes: u64, bytes_with_copies: u64, modified_ms: i64) {
        holder.files += 1;
        holder.small_files += u64::from(bytes < self.small_file_bytes);
        holder.bytes = holder.bytes.saturating_add(bytes);
        holder.bytes_with_copies = holder.bytes_with_copies.saturating_add(bytes_with_copies);
        holder.add_to_quarter(self.quarters.of_millis(modified_ms), bytes);
    }
}

impl Totals {
    /// Nothing is counted yet in so many directories.
    pub(super) fn of(directories: usize) -> Self {
        Self(vec![Sum::default(); directories])
    }

    /// One more directory, with what was counted in it; its number is the next.
    pub(super) fn push(&mut self, own: Sum) {
        self.0.push(own);
    }

    /// The sum of a directory.
    pub(super) fn sum(&mut self, directory: usize) -> &mut Sum {
        &mut self.0[directory]
    }

    /// Adds every directory to the one above it. The pairs are of a directory and the one above,
    /// each after those in it.
    pub(super) fn sum_up(&mut self, bottom_up: impl Iterator<Item = (usize, usize)>) {
        for (directory, above) in bottom_up {
            let below = std::mem::take(&mut self.0[directory]);
            self.0[above].add(&below);
            self.0[directory] = below;
        }
    }

    /// What lies below a directory, once it is summed up.
    pub(super) fn directory(&self, directory: usize) -> DirectoryTotals {
        let sum = &self.0[directory];
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
    /// Counts a symbolic link, which has no bytes.
    pub(super) fn link(&mut self) {
        self.files += 1;
    }

    /// Files counted so far.
    pub(super) fn files(&self) -> u64 {
        self.files
    }

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
