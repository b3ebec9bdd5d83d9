//! Full paths, made from a small cache of directories.

use crate::directory::DirectorySlot;
use crate::id_numbers::NONE;
use crate::tree::Tree;
use crate::visit::Entry;

/// A place for each of the last slots; a power of two.
const PLACES: usize = 1 << 15;

/// Makes paths. The image's order keeps the files of a directory mostly together, so nearly every
/// path is one that was just made and a name.
pub struct Paths<'t> {
    tree: &'t Tree<'t>,
    places: Vec<Place>,
    way: Vec<u32>,
}

struct Place {
    slot: u32,
    path: Vec<u8>,
}

impl<'t> Paths<'t> {
    /// The paths of a tree.
    pub fn of(tree: &'t Tree<'_>) -> Self {
        let places = PLACES.min(tree.len().next_power_of_two());
        Self { tree, places: (0..places).map(|_| Place { slot: NONE, path: Vec::new() }).collect(), way: Vec::new() }
    }

    /// The path of a linked directory, without a slash at its end: that of the root is empty.
    #[inline]
    pub fn directory(&mut self, slot: DirectorySlot) -> &[u8] {
        let place = slot.index() & (self.places.len() - 1);
        if self.places[place].slot != slot.0 {
            self.make(slot.0, place);
        }
        &self.places[place].path
    }

    /// Appends the full path of an entry.
    #[inline]
    pub fn append(&mut self, entry: &Entry<'_>, out: &mut Vec<u8>) {
        if let Some(parent) = entry.parent {
            out.extend_from_slice(self.directory(parent));
        }
        out.push(b'/');
        out.extend_from_slice(entry.inode.name);
    }

    /// Makes the path from the nearest directory above that has one.
    fn make(&mut self, slot: u32, place: usize) {
        let mut path = std::mem::take(&mut self.places[place].path);
        path.clear();
        self.way.clear();
        let mut above = slot;
        let root = self.tree.root().0;
        while above != root && above != NONE {
            let cached = &self.places[above as usize & (self.places.len() - 1)];
            if cached.slot == above && above != slot {
                path.extend_from_slice(&cached.path);
                break;
            }
            self.way.push(above);
            above = self.tree.parents[above as usize];
        }
        for below in self.way.iter().rev() {
            path.push(b'/');
            path.extend_from_slice(self.tree.name(*below));
        }
        self.places[place] = Place { slot, path };
    }
}
