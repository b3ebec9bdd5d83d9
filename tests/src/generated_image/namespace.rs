//! The namespace that is made up: who is in which directory, under which name, with which attributes.
//!
//! What an inode is follows from its index, so that fifty million of them need little memory: the parents, the places
//! among their siblings and the order in which they are saved.

use super::Edition;

/// The most blocks that a file has.
pub(super) const MOST_BLOCKS: u64 = 5;

const FIRST_ID: u64 = 16_385; // the root's, in every NameNode
const FILES_TO_A_DIRECTORY: u32 = 10;
const BLOCK_SIZE: u64 = 128 << 20;
const BEGIN: u64 = 1_600_000_000_000; // ms

/// An inode with what the image says of it.
#[derive(Debug)]
pub(super) struct Inode {
    /// Its index: the same in both editions.
    pub(super) number: u64,
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) is_directory: bool,
    pub(super) modified: u64,
    pub(super) accessed: u64,
    pub(super) user: usize,
    pub(super) group: usize,
    pub(super) mode: u16,
    pub(super) quota: Option<u64>,
    pub(super) block_size: u64,
    pub(super) blocks: u64,
    pub(super) last_block: u64,
}

/// All of them, by their index: the order in which they were created.
#[derive(Debug)]
pub(super) struct Namespace {
    edition: Edition,
    /// How many the first edition has; those behind were added by the second.
    first_edition: u32,
    /// The depth of each directory, by its number.
    depths: Vec<u8>,
    /// The place of each inode among its siblings of the same kind.
    places: Vec<u32>,
    /// Where each directory's children begin in `children`, by the directory's number, and where the last ones end.
    child_ranges: Vec<u32>,
    children: Vec<u32>,
    order: Vec<u32>,
}

impl Namespace {
    pub(super) fn new(inodes: u32, edition: Edition) -> Self {
        let total = inodes + if edition == Edition::Second { inodes / 300 } else { 0 };
        let directories = inodes.div_ceil(FILES_TO_A_DIRECTORY + 1);
        let mut namespace = Self {
            edition,
            first_edition: inodes,
            depths: Vec::new(),
            places: Vec::new(),
            child_ranges: Vec::new(),
            children: Vec::new(),
            order: Vec::new(),
        };
        let parents = namespace.grow(total, directories);
        namespace.collect_children(&parents, directories);
        namespace.order = (0..total).filter(|&index| namespace.exists(index)).collect();
        // The NameNode saves its hash table slot by slot, and the youngest of a slot first.
        let slots = u64::from(total.next_power_of_two());
        namespace.order.sort_unstable_by_key(|&index| {
            let id = id_of(index);
            (id % slots, u64::MAX - id)
        });
        namespace
    }

    /// Decides each inode's parent, the number of a directory, and its place.
    fn grow(&mut self, total: u32, directories: u32) -> Vec<u32> {
        let mut parents = Vec::with_capacity(total as usize);
        let mut grown = vec![[0_u32; 2]; directories as usize]; // files and directories of each so far
        // The youngest directory of each depth: a new one goes into one of them.
        let mut youngest = [0_u32; 12];
        for index in 0..total {
            let dice = scramble(u64::from(index));
            let parent = if index == 0 {
                self.depths.push(0);
                0
            } else if let Some(number) = self.directory_number(index) {
                let depth = match dice % 2000 {
                    0 => 1,
                    1..20 => 2,
                    20..200 => 3,
                    200..1400 => 4,
                    rest => 5 + rest as usize % 7,
                };
                let depth = depth.min(usize::from(*self.depths.last().unwrap_or(&0)) + 1);
                youngest[depth] = number;
                self.depths.push(depth as u8);
                youngest[depth - 1]
            } else {
                let created = self.depths.len() as u32;
                match dice % 200 {
                    0 => youngest[1], // a folder that collects files, such as logs
                    _ => created - 1 - (dice >> 32) as u32 % created.min(40),
                }
            };
            parents.push(parent);
            let siblings = &mut grown[parent as usize][usize::from(self.is_directory(index))];
            self.places.push(*siblings);
            *siblings += 1;
        }
        parents
    }

    /// Children in the order of their names: directories before files, each by their place.
    fn collect_children(&mut self, parents: &[u32], directories: u32) {
        let mut ranges = vec![0; directories as usize + 1];
        for index in (1..parents.len() as u32).filter(|&index| self.exists(index)) {
            ranges[parents[index as usize] as usize + 1] += 1;
        }
        for number in 0..directories as usize {
            ranges[number + 1] += ranges[number];
        }
        let mut next = ranges.clone();
        let mut children = vec![0; ranges[directories as usize] as usize];
        for of_directories in [true, false] {
            for index in 1..parents.len() as u32 {
                if self.is_directory(index) == of_directories && self.exists(index) {
                    let slot = &mut next[parents[index as usize] as usize];
                    children[*slot as usize] = index;
                    *slot += 1;
                }
            }
        }
        self.child_ranges = ranges;
        self.children = children;
    }

    pub(super) fn len(&self) -> u64 {
        self.order.len() as u64
    }

    pub(super) fn directories(&self) -> u64 {
        self.depths.len() as u64
    }

    pub(super) fn last_id(&self) -> u64 {
        id_of(self.places.len() as u32)
    }

    /// The indices of all inodes, in the order of the NameNode's hash table.
    pub(super) fn saved_order(&self) -> &[u32] {
        &self.order
    }

    pub(super) fn is_directory(&self, index: u32) -> bool {
        self.directory_number(index).is_some()
    }

    /// What is in a directory, in the order of names.
    pub(super) fn children(&self, index: u32) -> &[u32] {
        let Some(number) = self.directory_number(index) else { return &[] };
        let number = number as usize;
        &self.children[self.child_ranges[number] as usize..self.child_ranges[number + 1] as usize]
    }

    pub(super) fn inode(&self, index: u32) -> Inode {
        let dice = scramble(u64::from(index) ^ 0xa5a5);
        let directory = self.directory_number(index);
        let place = self.places[index as usize];
        let name = match directory.map(|number| self.depths[number as usize]) {
            None => format!("part-{place:07}-{dice:016x}.c000.snappy.parquet"),
            Some(0) => String::new(),
            Some(1) => format!("area{place:07}"),
            Some(2) => format!("base{place:07}.db"),
            Some(3) => format!("data_set_{place:07}"),
            Some(_) => format!("day={place:07}"),
        };
        let created = BEGIN + u64::from(index) * 37;
        let changed = self.edition == Edition::Second && fate(index) == 1 && directory.is_none();
        let blocks = match dice % 20 {
            0..3 => 0,
            3..15 => 1,
            15..19 => 2,
            _ => MOST_BLOCKS,
        };
        Inode {
            number: u64::from(index),
            id: id_of(index),
            name,
            is_directory: directory.is_some(),
            modified: created + if changed { 1_000_000_000 } else { 0 },
            accessed: created + dice % 1_000_000,
            user: (dice >> 8) as usize % 97,
            group: (dice >> 16) as usize % 89,
            mode: if directory.is_some() {
                [0o755, 0o750, 0o1777][dice as usize % 3]
            } else {
                [0o644, 0o640][dice as usize % 2]
            },
            quota: (index == 0 || directory.is_some() && dice.is_multiple_of(500)).then_some(1 << 40),
            block_size: BLOCK_SIZE,
            blocks,
            last_block: 1 + (dice >> 24) % BLOCK_SIZE,
        }
    }

    fn directory_number(&self, index: u32) -> Option<u32> {
        let every = FILES_TO_A_DIRECTORY + 1;
        (index.is_multiple_of(every) && index < self.first_edition).then_some(index / every)
    }

    fn exists(&self, index: u32) -> bool {
        self.edition == Edition::First || self.is_directory(index) || index >= self.first_edition || fate(index) != 0
    }
}

/// The id of an inode, by its index. Ids have gaps, left by what was removed, and run three times around the hash table.
pub(super) fn id_of(index: u32) -> u64 {
    let gap = if index == 0 { 0 } else { scramble(u64::from(index)) % 3 };
    FIRST_ID + u64::from(index) * 3 + gap
}

/// What the second edition does to a file: 0 removes it, 1 changes it.
fn fate(index: u32) -> u64 {
    scramble(u64::from(index) ^ 0x5eed) % 300
}

/// A number that looks random and is always the same (the finalizer of splitmix64).
fn scramble(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
