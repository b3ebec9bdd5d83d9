//! Sums over an image: by directory with everything below it, by owner, by age and by size.

use std::collections::HashMap;

use crate::directory::DirectorySlot;
use crate::error::Error;
use crate::inode::{FileInode, Kind};
use crate::progress::Progress;
use crate::tree::Tree;
use crate::visit::Visited;

/// Some files and directories together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// How many files, with symbolic links.
    pub files: u64,
    /// How many of them are small: they cost the NameNode as much as large ones.
    pub small_files: u64,
    /// How many directories.
    pub directories: u64,
    /// Bytes of content.
    pub bytes: u64,
    /// Bytes on disks: with all copies, or with parity.
    pub space: u64,
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.small_files += other.small_files;
        self.directories += other.directories;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.space = self.space.saturating_add(other.space);
    }
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct SumOptions {
    /// A file with fewer bytes is small.
    pub small_below_bytes: u64,
    /// Milliseconds since 1970 from which ages are counted back.
    pub now_ms: i64,
}

/// A part of all files, with what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The name of an owner, or a range of ages or sizes.
    pub name: String,
    /// What it holds.
    pub count: Count,
}

/// Sums over an image.
#[derive(Debug)]
pub struct Sums {
    by_directory: Vec<Count>,
    /// The files of each owner, the one with the most bytes on disks first.
    pub by_owner: Vec<Part>,
    /// Files by the time since their last change, the youngest first.
    pub by_age: Vec<Part>,
    /// Files by their length, the empty ones first.
    pub by_size: Vec<Part>,
    /// What the image holds beside what was counted.
    pub visited: Visited,
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const AGES: [(&str, i64); 6] = [
    ("under 1 day", 1),
    ("1 to 7 days", 7),
    ("7 to 30 days", 30),
    ("30 to 90 days", 90),
    ("90 to 365 days", 365),
    ("over 365 days", i64::MAX),
];
const SIZES: [(&str, u64); 7] = [
    ("empty", 1),
    ("under 1 MiB", 1 << 20),
    ("1 to 16 MiB", 16 << 20),
    ("16 to 128 MiB", 128 << 20),
    ("128 MiB to 1 GiB", 1 << 30),
    ("1 to 16 GiB", 16 << 30),
    ("over 16 GiB", u64::MAX),
];

impl Sums {
    /// Adds up every file and directory that has a path.
    pub fn read(tree: &Tree<'_>, options: SumOptions, progress: &mut dyn FnMut(Progress)) -> Result<Self, Error> {
        let mut by_directory = vec![Count::default(); tree.len()];
        let mut by_owner: HashMap<String, Count> = HashMap::new();
        let mut by_age = parts(AGES.map(|(name, _)| name));
        let mut by_size = parts(SIZES.map(|(name, _)| name));
        let visited = tree.visit::<Error>(progress, |entry| {
            let inode = &entry.inode;
            let count = match &inode.kind {
                Kind::Directory(_) => {
                    if let Some(slot) = tree.slot_of(inode.id) {
                        by_directory[slot.index()].directories += 1;
                    }
                    return Ok(());
                }
                Kind::File(file) => count_file(tree, file, options),
                Kind::Symlink { .. } => Count { files: 1, ..Count::default() },
            };
            if let Some(parent) = entry.parent {
                by_directory[parent.index()].add(&count);
            }
            if let Some(owner) = by_owner.get_mut(inode.owner) {
                owner.add(&count);
            } else {
                by_owner.insert(inode.owner.to_owned(), count);
            }
            if let Kind::File(file) = &inode.kind {
                let age_days = options.now_ms.saturating_sub(inode.modification_time_ms) / DAY_MS;
                let age = AGES.iter().position(|(_, below)| age_days < *below).unwrap_or(AGES.len() - 1);
                by_age[age].count.add(&count);
                let size = SIZES.iter().position(|(_, below)| file.length < *below).unwrap_or(SIZES.len() - 1);
                by_size[size].count.add(&count);
            }
            Ok(())
        })?;
        add_to_parents(tree, &mut by_directory);
        let mut by_owner: Vec<Part> = by_owner.into_iter().map(|(name, count)| Part { name, count }).collect();
        by_owner.sort_by(|left, right| {
            let largest_first = right.count.space.cmp(&left.count.space);
            largest_first.then_with(|| left.name.cmp(&right.name))
        });
        Ok(Self { by_directory, by_owner, by_age: by_age.into(), by_size: by_size.into(), visited })
    }

    /// A directory with everything below it; itself is one of its directories.
    pub fn of(&self, slot: DirectorySlot) -> &Count {
        &self.by_directory[slot.index()]
    }
}

fn parts<const LENGTH: usize>(names: [&str; LENGTH]) -> [Part; LENGTH] {
    names.map(|name| Part { name: name.to_owned(), count: Count::default() })
}

fn count_file(tree: &Tree<'_>, file: &FileInode<'_>, options: SumOptions) -> Count {
    Count {
        files: 1,
        small_files: u64::from(file.length < options.small_below_bytes),
        directories: 0,
        bytes: file.length,
        space: file.bytes_on_disks(tree.image().erasure_coding_policies()),
    }
}

/// Adds every directory to the one above it, the deepest first.
fn add_to_parents(tree: &Tree<'_>, counts: &mut [Count]) {
    for slot in tree.deepest_first() {
        if let Some(parent) = tree.directory(slot).parent() {
            let count = counts[slot.index()];
            counts[parent.index()].add(&count);
        }
    }
}
