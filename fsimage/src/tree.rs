//! The directories of an image, held in memory: the only thing of it that is.

use std::collections::HashMap;

use crate::children::{self, References};
use crate::directory::{Directory, DirectorySlot};
use crate::error::Error;
use crate::id_numbers::{IdNumbers, NONE};
use crate::image::Image;
use crate::inode::{Inode, Kind, ROOT_ID, decode_id};
use crate::inodes::InodeMessages;
use crate::plan::{Mark, Marks, PARENT_BYTES};
use crate::progress::{Progress, Reporter};

/// The depth of a directory that is not reachable from the root.
const DETACHED: u16 = u16::MAX;
/// HDFS itself stops at paths of 1,000 names.
const MAX_DEPTH: u16 = 8192;

/// The directories of an image. About 60 bytes and the name for each.
///
/// A directory that only a snapshot still has is here too, but not linked: it has no path.
#[derive(Debug)]
pub struct Tree<'i> {
    pub(crate) image: &'i Image,
    pub(crate) ids: Vec<u64>,
    pub(crate) parents: Vec<u32>,
    /// Names from the root, or `DETACHED`.
    depths: Vec<u16>,
    name_bytes: Vec<u8>,
    /// Where each name ends; it begins where the one before ends.
    name_ends: Vec<u64>,
    pub(crate) permissions: Vec<u64>,
    pub(crate) modification_times_ms: Vec<i64>,
    /// What few directories have.
    pub(crate) rare: HashMap<u32, Rare>,
    slots: IdNumbers,
    /// The parents of all inodes, where they fit into memory.
    pub(crate) all_parents: Option<IdNumbers>,
    root: u32,
    pub(crate) references: References,
    pub(crate) marks: Marks,
}

/// What few directories have: the messages as they are in the image, checked.
#[derive(Debug)]
pub(crate) struct Rare {
    pub(crate) namespace_quota: i64,
    pub(crate) space_quota: i64,
    pub(crate) type_quotas: Box<[u8]>,
    pub(crate) acl: Box<[u8]>,
    pub(crate) xattrs: Box<[u8]>,
}

impl Image {
    /// Reads all directories. `progress` is told of it now and then.
    pub fn read_tree(&self, progress: &mut dyn FnMut(Progress)) -> Result<Tree<'_>, Error> {
        self.read_tree_marked(Mark::LENGTH, progress)
    }

    /// `mark_length` is how many inodes are planned for together, smaller only in tests.
    pub(crate) fn read_tree_marked(
        &self,
        mark_length: u32,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Tree<'_>, Error> {
        let inode_section = self.required_section("INODE")?;
        let directory_bytes = self.section("INODE_DIR").map_or(0, |section| section.length);
        let mut reporter = Reporter::new(inode_section.length + directory_bytes, progress);
        let mut tree = Tree::empty(self, mark_length);
        let mut inodes = InodeMessages::open(self)?;
        loop {
            reporter.at(inodes.read_from_file());
            let Some(message) = inodes.next()? else { break };
            let (id, is_directory) = decode_id(message.bytes).map_err(|malformed| message.malformed(malformed))?;
            tree.marks.count(id);
            if is_directory {
                let inode =
                    Inode::decode(message.bytes, self.strings()).map_err(|malformed| message.malformed(malformed))?;
                tree.add(&inode).map_err(|what| message.damaged(what))?;
            }
        }
        tree.marks.end();
        reporter.section_done(inode_section.length);
        tree.number_directories()?;
        tree.references = References::read(self)?;
        tree.link(&mut reporter)?;
        Ok(tree)
    }
}

impl<'i> Tree<'i> {
    fn empty(image: &'i Image, mark_length: u32) -> Self {
        Self {
            image,
            ids: Vec::new(),
            parents: Vec::new(),
            depths: Vec::new(),
            name_bytes: Vec::new(),
            name_ends: Vec::new(),
            permissions: Vec::new(),
            modification_times_ms: Vec::new(),
            rare: HashMap::new(),
            slots: IdNumbers::none(),
            all_parents: None,
            root: NONE,
            references: References::default(),
            marks: Marks::new(mark_length),
        }
    }

    fn add(&mut self, inode: &Inode<'_>) -> Result<(), &'static str> {
        let Kind::Directory(directory) = inode.kind else { return Ok(()) };
        let slot = u32::try_from(self.ids.len()).ok().filter(|slot| *slot < NONE).ok_or("too many directories")?;
        if inode.id == ROOT_ID {
            self.root = slot;
        }
        self.ids.push(inode.id);
        self.name_bytes.extend_from_slice(inode.name);
        self.name_ends.push(self.name_bytes.len() as u64);
        self.permissions.push(inode.permission);
        self.modification_times_ms.push(inode.modification_time_ms);
        let rare = Rare {
            namespace_quota: directory.namespace_quota,
            space_quota: directory.space_quota,
            type_quotas: directory.type_quotas.message().into(),
            acl: inode.acl.message().into(),
            xattrs: inode.xattrs.message().into(),
        };
        if !rare.is_usual() {
            self.rare.insert(slot, rare);
        }
        Ok(())
    }

    /// Makes the map from a directory's id to its slot.
    fn number_directories(&mut self) -> Result<(), Error> {
        let mut slots = self.marks.whole(self.ids.len() as u64).numbers();
        for id in &self.ids {
            slots.expect(*id);
        }
        slots.all_expected();
        for (slot, id) in self.ids.iter().enumerate() {
            if !slots.set(*id, slot as u32) {
                let inodes = self.image.messages("INODE")?;
                return Err(inodes.position().damaged(format!("two directories have the id {id}")));
            }
        }
        self.slots = slots;
        Ok(())
    }

    /// Finds every directory's parent, and with it that of every inode if they fit into memory;
    /// then every directory's depth.
    fn link(&mut self, reporter: &mut Reporter<'_>) -> Result<(), Error> {
        if self.root == NONE {
            let inodes = self.image.messages("INODE")?;
            return Err(inodes.position().damaged(format!("the root directory ({ROOT_ID}) is not in it")));
        }
        let mut parents = vec![NONE; self.ids.len()];
        let slot_of = |id| self.slot_of(id).map(|slot| slot.0);
        if let [all] = self.marks.chunks(PARENT_BYTES)[..]
            && !all.needs_ids()
        {
            let mut all_parents = all.numbers();
            children::scan(self.image, &self.references, reporter, slot_of, |child, parent| {
                all_parents.set(child, parent);
            })?;
            for (parent, id) in parents.iter_mut().zip(&self.ids) {
                *parent = all_parents.get(*id);
            }
            self.all_parents = Some(all_parents);
        } else {
            children::scan(self.image, &self.references, reporter, slot_of, |child, parent| {
                if let Some(slot) = slot_of(child)
                    && parents[slot as usize] == NONE
                {
                    parents[slot as usize] = parent;
                }
            })?;
        }
        parents[self.root as usize] = NONE;
        self.parents = parents;
        self.measure_depths()
    }

    /// Walks up from each directory to one whose depth is known. A ring of directories, which
    /// only a damaged image has, comes out as detached.
    fn measure_depths(&mut self) -> Result<(), Error> {
        const UNKNOWN: u16 = DETACHED - 1;
        const ON_THE_WAY: u16 = DETACHED - 2;
        let mut depths = vec![UNKNOWN; self.parents.len()];
        depths[self.root as usize] = 0;
        let mut way = Vec::new();
        for first in 0..self.parents.len() {
            let mut slot = first as u32;
            while slot != NONE && depths[slot as usize] == UNKNOWN {
                depths[slot as usize] = ON_THE_WAY;
                way.push(slot);
                slot = self.parents[slot as usize];
            }
            let mut depth = if slot == NONE { DETACHED } else { depths[slot as usize] };
            if depth == ON_THE_WAY {
                depth = DETACHED;
            }
            while let Some(slot) = way.pop() {
                if depth != DETACHED {
                    depth += 1;
                }
                if depth > MAX_DEPTH && depth != DETACHED {
                    let directories = self.image.messages("INODE_DIR")?;
                    return Err(directories.position().damaged("directories are more than 8192 deep"));
                }
                depths[slot as usize] = depth;
            }
        }
        self.depths = depths;
        Ok(())
    }

    /// How many directories there are, with those that only snapshots have.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Never: there is always a root.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The root directory.
    pub const fn root(&self) -> DirectorySlot {
        DirectorySlot(self.root)
    }

    /// The directory with this id.
    pub fn slot_of(&self, id: u64) -> Option<DirectorySlot> {
        Some(self.slots.get(id)).filter(|slot| *slot != NONE).map(DirectorySlot)
    }

    /// A directory.
    pub fn directory(&self, slot: DirectorySlot) -> Directory<'_> {
        Directory { tree: self, slot }
    }

    /// All directories in the image's order.
    pub fn directories(&self) -> impl Iterator<Item = Directory<'_>> {
        (0..self.ids.len() as u32).map(|slot| self.directory(DirectorySlot(slot)))
    }

    /// The image that it is of.
    pub const fn image(&self) -> &'i Image {
        self.image
    }

    /// The directories in that directory, in the image's order. Takes a look at all directories.
    pub fn directories_in(&self, parent: DirectorySlot) -> impl Iterator<Item = Directory<'_>> {
        self.directories().filter(move |directory| directory.parent() == Some(parent))
    }

    /// The directory at a path such as `/user/hive`.
    pub fn directory_at(&self, path: &str) -> Option<DirectorySlot> {
        let mut slot = self.root();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let mut directories = self.directories_in(slot);
            slot = directories.find(|directory| directory.name() == name.as_bytes())?.slot();
        }
        Some(slot)
    }

    /// The linked directories, each before the one that it is in.
    pub(crate) fn deepest_first(&self) -> Vec<DirectorySlot> {
        let linked = (0..self.ids.len() as u32).filter(|slot| self.is_linked(*slot)).map(DirectorySlot);
        let mut slots: Vec<DirectorySlot> = linked.collect();
        slots.sort_unstable_by_key(|slot| std::cmp::Reverse(self.depths[slot.index()]));
        slots
    }

    pub(crate) fn is_linked(&self, slot: u32) -> bool {
        self.depths[slot as usize] != DETACHED
    }

    pub(crate) fn name(&self, slot: u32) -> &[u8] {
        let slot = slot as usize;
        let start = if slot == 0 { 0 } else { self.name_ends[slot - 1] };
        &self.name_bytes[start as usize..self.name_ends[slot] as usize]
    }
}

impl Rare {
    fn is_usual(&self) -> bool {
        self.namespace_quota == -1
            && self.space_quota == -1
            && self.type_quotas.is_empty()
            && self.acl.is_empty()
            && self.xattrs.is_empty()
    }
}
