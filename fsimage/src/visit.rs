//! Every inode in the image's order, each with the directory that it is in.

use crate::children;
use crate::directory::DirectorySlot;
use crate::error::Error;
use crate::inode::{Inode, ROOT_ID, decode_id};
use crate::inodes::InodeMessages;
use crate::plan::{Chunk, PARENT_BYTES, Parents};
use crate::progress::{Progress, Reporter};
use crate::tree::{NONE, Tree};

/// An inode at its place. Its path is made by [`Paths`](crate::Paths), if it is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The inode.
    pub inode: Inode<'a>,
    /// The directory that it is in; nothing for the root alone.
    pub parent: Option<DirectorySlot>,
}

/// What a visit has met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Visited {
    /// Inodes that the visitor was given.
    pub inodes: u64,
    /// Inodes that no path of today leads to: only snapshots have them.
    pub only_in_snapshots: u64,
}

impl Tree<'_> {
    /// Gives every inode that has a path to `visitor`, in the image's order, and `progress` now
    /// and then how far it is. An error of the visitor ends the visit.
    pub fn visit<E: From<Error>>(
        &self,
        progress: &mut dyn FnMut(Progress),
        visitor: impl FnMut(&Entry<'_>) -> Result<(), E>,
    ) -> Result<Visited, E> {
        self.visit_within(PARENT_BYTES, progress, visitor)
    }

    /// `parent_bytes` is the memory for parents, smaller only in tests.
    pub(crate) fn visit_within<E: From<Error>>(
        &self,
        parent_bytes: usize,
        progress: &mut dyn FnMut(Progress),
        mut visitor: impl FnMut(&Entry<'_>) -> Result<(), E>,
    ) -> Result<Visited, E> {
        let image = self.image;
        let inode_bytes = image.required_section("INODE")?.length;
        let directory_bytes = image.section("INODE_DIR").map_or(0, |section| section.length);
        let chunks = self.marks.chunks(parent_bytes);
        let mut reporter = Reporter::new(inode_bytes + directory_bytes * chunks.len() as u64, progress);
        let mut ahead =
            if chunks.iter().all(|chunk| chunk.is_dense()) { None } else { Some(InodeMessages::open(image)?) };
        let mut inodes = InodeMessages::open(image)?;
        let mut visited = Visited::default();
        for chunk in chunks {
            let parents = self.parents_of(chunk, ahead.as_mut(), inodes.read_from_file(), &mut reporter)?;
            for _ in 0..chunk.count {
                reporter.at(inodes.read_from_file());
                let Some(message) = inodes.next()? else { break };
                let inode =
                    Inode::decode(message.bytes, image.strings()).map_err(|malformed| message.malformed(malformed))?;
                let parent = parents.get(inode.id);
                let entry = if inode.id == ROOT_ID {
                    Entry { inode, parent: None }
                } else if parent != NONE && self.is_linked(parent) {
                    Entry { inode, parent: Some(DirectorySlot(parent)) }
                } else {
                    visited.only_in_snapshots += 1;
                    continue;
                };
                visited.inodes += 1;
                visitor(&entry)?;
            }
        }
        reporter.section_done(inode_bytes);
        Ok(visited)
    }

    /// Finds the parents of a chunk. `ahead` reads the same inodes as the visit, before it, where
    /// their ids must be known.
    fn parents_of(
        &self,
        chunk: Chunk,
        ahead: Option<&mut InodeMessages<'_>>,
        inodes_read: u64,
        reporter: &mut Reporter<'_>,
    ) -> Result<Parents, Error> {
        let mut parents = chunk.parents();
        if let Some(ahead) = ahead {
            for _ in 0..chunk.count {
                let Some(message) = ahead.next()? else { break };
                let (id, _) = decode_id(message.bytes).map_err(|malformed| message.malformed(malformed))?;
                parents.expect(id);
            }
        }
        reporter.beside(inodes_read);
        children::scan(
            self.image,
            &self.references,
            reporter,
            |id| self.slots.get(id).filter(|slot| self.is_linked(*slot)),
            |child, parent| parents.set(child, parent),
        )?;
        reporter.beside(0);
        Ok(parents)
    }
}
