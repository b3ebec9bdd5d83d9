//! What is kept of the directories that were listed: about a hundred bytes and the name of each.

use std::collections::HashMap;

use sextant_model::namespace::{DirectoryTotals, ObservedPath};
use sextant_model::{EntityType, Timestamp};

use super::lister::{EntryKind, ListedEntry};

/// The number of the root; a directory has a higher number than the one that holds it.
pub(super) const ROOT: usize = 0;

/// All directories found so far.
#[derive(Debug, Default)]
pub(super) struct ListedTree {
    directories: Vec<ListedDirectory>,
    by_inode: HashMap<u64, u32>,
    /// Owners and groups, which are few.
    words: Vec<String>,
    word_numbers: HashMap<String, u32>,
}

#[derive(Debug)]
struct ListedDirectory {
    /// Of the root: itself.
    parent: u32,
    name: Box<str>,
    owner: u32,
    group: u32,
    mode: u16,
    has_acl: bool,
    own_files: u32,
    /// It was gone when it was to be listed, or found again at another place.
    is_gone: bool,
    modified_ms: i64,
    inode: Option<u64>,
}

impl ListedTree {
    /// One more directory; answers its number. The first is the root, whatever its parent.
    pub(super) fn push(&mut self, parent: usize, entry: ListedEntry) -> usize {
        let number = self.directories.len();
        if let Some(inode) = entry.inode
            && let Some(earlier) = self.by_inode.insert(inode, number as u32)
        {
            // It was moved during the walk; where it was found last is where it is.
            self.directories[earlier as usize].is_gone = true;
        }
        let directory = ListedDirectory {
            parent: parent as u32,
            name: entry.name.into_boxed_str(),
            owner: self.word(entry.owner),
            group: self.word(entry.group),
            mode: entry.mode,
            has_acl: entry.has_acl,
            own_files: 0,
            is_gone: false,
            modified_ms: entry.modified_ms,
            inode: entry.inode,
        };
        self.directories.push(directory);
        number
    }

    pub(super) fn len(&self) -> usize {
        self.directories.len()
    }

    /// The directory above; `None` for the root.
    pub(super) fn parent(&self, number: usize) -> Option<usize> {
        (number != ROOT).then(|| self.directories[number].parent as usize)
    }

    pub(super) fn inode(&self, number: usize) -> Option<u64> {
        self.directories[number].inode
    }

    pub(super) fn set_own_files(&mut self, number: usize, files: u64) {
        self.directories[number].own_files = u32::try_from(files).unwrap_or(u32::MAX);
    }

    /// Files that it holds itself.
    pub(super) fn own_files(&self, number: usize) -> u64 {
        u64::from(self.directories[number].own_files)
    }

    pub(super) fn set_gone(&mut self, number: usize) {
        self.directories[number].is_gone = true;
    }

    /// Notes that everything at or below a directory that is gone is gone too.
    pub(super) fn spread_gone(&mut self) {
        for number in 1..self.directories.len() {
            if self.directories[self.directories[number].parent as usize].is_gone {
                self.directories[number].is_gone = true;
            }
        }
    }

    pub(super) fn is_gone(&self, number: usize) -> bool {
        self.directories[number].is_gone
    }

    /// The whole path of a directory.
    pub(super) fn path(&self, number: usize) -> String {
        let mut names = Vec::new();
        let mut next = number;
        while let Some(above) = self.parent(next) {
            names.push(&*self.directories[next].name);
            next = above;
        }
        if names.is_empty() {
            return "/".to_owned();
        }
        let mut path = String::with_capacity(names.iter().map(|name| name.len() + 1).sum());
        for name in names.iter().rev() {
            path.push('/');
            path.push_str(name);
        }
        path
    }

    /// A directory in the words of the model.
    pub(super) fn observed(&self, number: usize, path: String, totals: DirectoryTotals) -> ObservedPath {
        let directory = &self.directories[number];
        let parent_inode = self.parent(number).and_then(|above| self.inode(above));
        ObservedPath {
            inode: directory.inode,
            parent_inode,
            owner: self.words[directory.owner as usize].clone(),
            group: self.words[directory.group as usize].clone(),
            mode: directory.mode,
            has_acl: directory.has_acl,
            modified: Timestamp::from_millis(directory.modified_ms).plausible(),
            totals: Some(totals),
            ..ObservedPath::new(path, EntityType::Directory)
        }
    }

    fn word(&mut self, word: String) -> u32 {
        if let Some(number) = self.word_numbers.get(&word) {
            return *number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.clone());
        self.word_numbers.insert(word, number);
        number
    }
}

/// A file or symbolic link in the words of the model.
pub(super) fn observed_file(entry: ListedEntry, parent_inode: Option<u64>, path: String) -> ObservedPath {
    let is_file = entry.kind == EntryKind::File;
    ObservedPath {
        inode: entry.inode,
        parent_inode,
        link_target: entry.link_target,
        owner: entry.owner,
        group: entry.group,
        mode: entry.mode,
        has_acl: entry.has_acl,
        modified: Timestamp::from_millis(entry.modified_ms).plausible(),
        accessed: Timestamp::from_millis(entry.accessed_ms).plausible(),
        size: is_file.then_some(entry.size),
        // 0 is what is told of a striped file.
        replication: Some(entry.replication).filter(|copies| is_file && *copies > 0),
        block_size: is_file.then_some(entry.block_size),
        ..ObservedPath::new(path, EntityType::File)
    }
}
