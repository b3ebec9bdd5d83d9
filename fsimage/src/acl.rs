//! Access control lists.

use std::fmt;

use crate::strings::{StringKind, Strings};
use crate::wire::{Cursor, Malformed, delimited, fixed32};

/// The entries of an access control list in their order, without those that the mode stands for.
#[derive(Clone, Copy)]
pub struct Acl<'a> {
    message: &'a [u8],
    strings: &'a Strings,
}

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AclEntry<'a> {
    /// Whether new children get it, and it has no effect on the directory itself.
    pub is_default: bool,
    /// Whom it is about.
    pub subject: AclSubject,
    /// The name of a user or group; empty is the owner or the owning group.
    pub name: &'a str,
    /// Read 4, write 2, execute 1.
    pub permission: u8,
}

/// Whom an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AclSubject {
    /// A user.
    User,
    /// A group.
    Group,
    /// The most that named users and groups get.
    Mask,
    /// Everyone else.
    Other,
}

const ENTRIES_PACKED: u32 = delimited(2);
const ENTRY: u32 = fixed32(2);

impl<'a> Acl<'a> {
    /// Checks every entry, so that iterating cannot fail.
    #[inline]
    pub(crate) fn new(message: &'a [u8], strings: &'a Strings) -> Result<Self, Malformed> {
        if !message.is_empty() {
            visit(message, &mut |bits| decode(bits, strings).map(drop))?;
        }
        Ok(Self { message, strings })
    }

    pub(crate) const fn message(&self) -> &'a [u8] {
        self.message
    }

    /// A view of what was checked by [`Self::new`] before.
    pub(crate) const fn checked(message: &'a [u8], strings: &'a Strings) -> Self {
        Self { message, strings }
    }

    /// Whether there is no entry.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.message.is_empty() || self.entries().is_empty()
    }

    /// Every entry.
    pub fn entries(&self) -> Vec<AclEntry<'a>> {
        let mut entries = Vec::new();
        // Checked when it was made: no entry is left out.
        let _checked = visit(self.message, &mut |bits| {
            entries.push(decode(bits, self.strings)?);
            Ok(())
        });
        entries
    }
}

impl fmt::Debug for Acl<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.entries()).finish()
    }
}

/// As `hdfs dfs -getfacl` writes it: `default:user:alice:r-x`.
impl fmt::Display for AclEntry<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scope = if self.is_default { "default:" } else { "" };
        let subject = match self.subject {
            AclSubject::User => "user",
            AclSubject::Group => "group",
            AclSubject::Mask => "mask",
            AclSubject::Other => "other",
        };
        let permission = crate::permission::symbols(self.permission);
        write!(formatter, "{scope}{subject}:{}:{permission}", self.name)
    }
}

fn visit(message: &[u8], entry: &mut dyn FnMut(u32) -> Result<(), Malformed>) -> Result<(), Malformed> {
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            ENTRIES_PACKED => {
                let mut packed = Cursor::new(cursor.bytes()?);
                while !packed.is_at_end() {
                    entry(packed.fixed32()?)?;
                }
            }
            ENTRY => entry(cursor.fixed32()?)?,
            other => cursor.skip(other)?,
        }
    }
    Ok(())
}

/// From the lowest bit: three of permission, two of subject, one of scope, 24 of name.
fn decode(bits: u32, strings: &Strings) -> Result<AclEntry<'_>, Malformed> {
    let (subject, names) = match bits >> 3 & 3 {
        0 => (AclSubject::User, StringKind::User),
        1 => (AclSubject::Group, StringKind::Group),
        2 => (AclSubject::Mask, StringKind::User),
        _ => (AclSubject::Other, StringKind::User),
    };
    let name = strings.get(names, bits >> 6 & 0x00ff_ffff)?;
    Ok(AclEntry { is_default: bits >> 5 & 1 == 1, subject, name, permission: (bits & 7) as u8 })
}
