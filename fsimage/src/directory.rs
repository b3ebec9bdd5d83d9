//! One directory of the tree.

use std::borrow::Cow;

use crate::acl::Acl;
use crate::id_numbers::NONE;
use crate::inode::{group_of, user_of};
use crate::paths::Paths;
use crate::quotas::TypeQuotas;
use crate::strings::StringKind;
use crate::tree::{Rare, Tree};
use crate::xattrs::XAttrs;

/// Which directory of a [`Tree`]. Slots count from 0 in the image's order, without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectorySlot(pub(crate) u32);

impl DirectorySlot {
    /// Its number, below [`Tree::len`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A directory.
#[derive(Debug, Clone, Copy)]
pub struct Directory<'t> {
    pub(crate) tree: &'t Tree<'t>,
    pub(crate) slot: DirectorySlot,
}

impl<'t> Directory<'t> {
    /// Which one it is.
    pub const fn slot(&self) -> DirectorySlot {
        self.slot
    }

    /// Its number in the namespace.
    pub fn id(&self) -> u64 {
        self.tree.ids[self.slot.index()]
    }

    /// Its name without the path; empty for the root.
    pub fn name(&self) -> &'t [u8] {
        self.tree.name(self.slot.0)
    }

    /// The directory that it is in; nothing for the root and for what only a snapshot has.
    pub fn parent(&self) -> Option<DirectorySlot> {
        let parent = self.tree.parents[self.slot.index()];
        (parent != NONE).then_some(DirectorySlot(parent))
    }

    /// Whether it can be reached from the root, so that it has a path.
    pub fn is_linked(&self) -> bool {
        self.tree.is_linked(self.slot.0)
    }

    /// Its path, `/` for the root; nothing for what only a snapshot has. For many paths
    /// [`Paths`] is quicker.
    pub fn path(&self) -> Option<Cow<'static, str>> {
        if !self.is_linked() {
            return None;
        }
        let path = Paths::of(self.tree).directory(self.slot).to_vec();
        Some(match String::from_utf8(path) {
            Ok(path) if path.is_empty() => Cow::Borrowed("/"),
            Ok(path) => Cow::Owned(path),
            Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        })
    }

    /// The owner's name.
    pub fn owner(&self) -> &'t str {
        let user = user_of(self.tree.permissions[self.slot.index()]);
        // Looked up when the tree was read, so it is there.
        self.tree.image.strings().get(StringKind::User, user).unwrap_or_default()
    }

    /// The group's name.
    pub fn group(&self) -> &'t str {
        let group = group_of(self.tree.permissions[self.slot.index()]);
        // Looked up when the tree was read, so it is there.
        self.tree.image.strings().get(StringKind::Group, group).unwrap_or_default()
    }

    /// The permission bits, with the sticky bit as 0o1000.
    pub fn mode(&self) -> u16 {
        self.tree.permissions[self.slot.index()] as u16
    }

    /// Milliseconds since 1970 in UTC.
    pub fn modification_time_ms(&self) -> i64 {
        self.tree.modification_times_ms[self.slot.index()]
    }

    /// How many names it may hold; -1 is no quota.
    pub fn namespace_quota(&self) -> i64 {
        self.rare().map_or(-1, |rare| rare.namespace_quota)
    }

    /// How many bytes, with all copies; -1 is no quota.
    pub fn space_quota(&self) -> i64 {
        self.rare().map_or(-1, |rare| rare.space_quota)
    }

    /// The same by kind of storage.
    pub fn type_quotas(&self) -> TypeQuotas<'t> {
        TypeQuotas::checked(self.rare().map_or(&[], |rare| &rare.type_quotas))
    }

    /// Entries beyond the mode.
    pub fn acl(&self) -> Acl<'t> {
        Acl::checked(self.rare().map_or(&[], |rare| &rare.acl), self.tree.image.strings())
    }

    /// Extended attributes: storage policy, erasure coding policy and encryption zone among them.
    pub fn xattrs(&self) -> XAttrs<'t> {
        XAttrs::checked(self.rare().map_or(&[], |rare| &rare.xattrs), self.tree.image.strings())
    }

    fn rare(&self) -> Option<&'t Rare> {
        self.tree.rare.get(&self.slot.0)
    }
}
