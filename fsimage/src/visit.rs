//! Every inode in the image's order, each with the directory that it is in.

use crate::children;
use crate::directory::DirectorySlot;
use crate::error::Error;
use crate::id_numbers::{IdNumbers, IdRange, NONE};
use crate::inode::{Inode, ROOT_ID, decode_id};
use crate::inodes::InodeMessages;
use crate::plan::PARENT_BYTES;
use crate::progress::{Progress, Reporter};
use crate::section::Message;
use crate::tree::Tree;

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
        let mut visited = Visited::default();
        self.with_parents_within::<E>(parent_bytes, progress, |count, parents, inodes, reporter| {
            for _ in 0..count {
                reporter.at(inodes.read_from_file());
                let Some(message) = inodes.next()? else { break };
                match self.entry(message, parents)? {
                    Some(entry) => {
                        visited.inodes += 1;
                        visitor(&entry)?;
                    }
                    None => visited.only_in_snapshots += 1,
                }
            }
            Ok(())
        })?;
        Ok(visited)
    }

    /// Reads the inodes chunk by chunk: `read` takes as many as it is told, and knows the parents
    /// of all of them.
    pub(crate) fn with_parents<E: From<Error>>(
        &self,
        progress: &mut dyn FnMut(Progress),
        read: impl FnMut(u64, &IdNumbers, &mut InodeMessages<'_>, &mut Reporter<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.with_parents_within(PARENT_BYTES, progress, read)
    }

    fn with_parents_within<E: From<Error>>(
        &self,
        parent_bytes: usize,
        progress: &mut dyn FnMut(Progress),
        mut read: impl FnMut(u64, &IdNumbers, &mut InodeMessages<'_>, &mut Reporter<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let image = self.image;
        let inode_bytes = image.required_section("INODE")?.length;
        let directory_bytes = image.section("INODE_DIR").map_or(0, |section| section.length);
        let chunks = self.marks.chunks(parent_bytes);
        let known = self.all_parents.as_ref().filter(|_| chunks.len() == 1);
        let scans = if known.is_some() { 0 } else { chunks.len() as u64 };
        let mut reporter = Reporter::new(inode_bytes + directory_bytes * scans, progress);
        let mut ahead = match known {
            None if chunks.iter().any(|chunk| chunk.needs_ids()) => Some(InodeMessages::open(image)?),
            _ => None,
        };
        let mut inodes = InodeMessages::open(image)?;
        for chunk in chunks {
            let found;
            let parents = if let Some(all) = known {
                all
            } else {
                found = self.parents_of(chunk, ahead.as_mut(), inodes.read_from_file(), &mut reporter)?;
                &found
            };
            read(chunk.count, parents, &mut inodes, &mut reporter)?;
        }
        reporter.section_done(inode_bytes);
        Ok(())
    }

    /// An inode at its place; nothing for one that only snapshots have.
    #[inline]
    pub(crate) fn entry<'m>(&'m self, message: Message<'m>, parents: &IdNumbers) -> Result<Option<Entry<'m>>, Error> {
        let inode =
            Inode::decode(message.bytes, self.image.strings()).map_err(|malformed| message.malformed(malformed))?;
        if inode.id == ROOT_ID {
            return Ok(Some(Entry { inode, parent: None }));
        }
        let parent = Some(parents.get(inode.id)).filter(|parent| *parent != NONE && self.is_linked(*parent));
        Ok(parent.map(|parent| Entry { inode, parent: Some(DirectorySlot(parent)) }))
    }

    /// Finds the parents of a chunk. `ahead` reads the same inodes as the visit, before it, where
    /// their ids must be known.
    fn parents_of(
        &self,
        chunk: IdRange,
        ahead: Option<&mut InodeMessages<'_>>,
        inodes_read: u64,
        reporter: &mut Reporter<'_>,
    ) -> Result<IdNumbers, Error> {
        let mut parents = chunk.numbers();
        if let Some(ahead) = ahead {
            for _ in 0..chunk.count {
                let Some(message) = ahead.next()? else { break };
                let (id, _) = decode_id(message.bytes).map_err(|malformed| message.malformed(malformed))?;
                parents.expect(id);
            }
            parents.all_expected();
        }
        reporter.beside(inodes_read);
        children::scan(
            self.image,
            &self.references,
            reporter,
            |id| self.slot_of(id).map(|slot| slot.0).filter(|slot| self.is_linked(*slot)),
            |child, parent| {
                parents.set(child, parent);
            },
        )?;
        reporter.beside(0);
        Ok(parents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Image;
    use std::path::Path;

    fn places(tree: &Tree<'_>, parent_bytes: usize) -> Vec<(u64, Option<DirectorySlot>)> {
        let mut places = Vec::new();
        tree.visit_within::<Error>(parent_bytes, &mut |_| {}, |entry| {
            places.push((entry.inode.id, entry.parent));
            Ok(())
        })
        .unwrap();
        places
    }

    /// The ids of the sample have a gap of 4,500 in it, so there are chunks of both kinds.
    #[test]
    fn parents_are_the_same_however_little_memory_there_is() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/snapshots.fsimage");
        let image = Image::open(&path).unwrap();
        let expected = places(&image.read_tree(&mut |_| {}).unwrap(), PARENT_BYTES);
        assert_eq!(expected.len(), 44);
        for mark_length in [1, 3, 10] {
            let tree = image.read_tree_marked(mark_length, &mut |_| {}).unwrap();
            for parent_bytes in [0, 40, 400, 4000] {
                assert_eq!(places(&tree, parent_bytes), expected, "{mark_length} {parent_bytes}");
            }
        }
    }

    #[test]
    fn progress_grows_to_its_total() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/snapshots.fsimage");
        let image = Image::open(&path).unwrap();
        let tree = image.read_tree_marked(3, &mut |_| {}).unwrap();
        let mut told: Vec<Progress> = Vec::new();
        tree.visit_within::<Error>(40, &mut |progress| told.push(progress), |_| Ok(())).unwrap();
        assert!(told.is_sorted_by_key(|progress| progress.done), "{told:?}");
        let last = told.last().unwrap();
        assert_eq!(last.done, last.total);
    }
}
