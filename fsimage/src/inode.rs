//! One file, directory or symbolic link, borrowed from the image.

use crate::acl::Acl;
use crate::blocks::Blocks;
use crate::quotas::TypeQuotas;
use crate::strings::{StringKind, Strings};
use crate::wire::{Cursor, Malformed, delimited, fixed64, varint};
use crate::xattrs::XAttrs;

/// The root directory's id in every image.
pub const ROOT_ID: u64 = 16385;

/// A file, directory or symbolic link as the image has it.
#[derive(Debug, Clone, Copy)]
pub struct Inode<'a> {
    /// Its number, never used again in the namespace.
    pub id: u64,
    /// Its name without the path; empty for the root. HDFS writes UTF-8.
    pub name: &'a [u8],
    /// The owner's name.
    pub owner: &'a str,
    /// The group's name.
    pub group: &'a str,
    /// The permission bits, with the sticky bit as 0o1000.
    pub mode: u16,
    /// Milliseconds since 1970 in UTC.
    pub modification_time_ms: i64,
    /// Milliseconds since 1970 in UTC; 0 for directories, for which HDFS keeps none.
    pub access_time_ms: i64,
    /// Entries beyond the mode.
    pub acl: Acl<'a>,
    /// Extended attributes.
    pub xattrs: XAttrs<'a>,
    /// What only a file, only a directory or only a link has.
    pub kind: Kind<'a>,
    /// Owner, group and mode as the image has them.
    pub(crate) permission: u64,
}

/// What only a file, only a directory or only a link has.
#[derive(Debug, Clone, Copy)]
pub enum Kind<'a> {
    /// A file.
    File(FileInode<'a>),
    /// A directory.
    Directory(DirectoryInode<'a>),
    /// A symbolic link.
    Symlink {
        /// Where it points to.
        target: &'a [u8],
    },
}

/// What only a file has.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileInode<'a> {
    /// Copies of each block; of a striped file what the image says, which is not used.
    pub replication: u32,
    /// The length at which the writer began a new block, in bytes.
    pub preferred_block_size: u64,
    /// How many blocks, or block groups of a striped file.
    pub block_count: u32,
    /// The length in bytes: that of all blocks together.
    pub length: u64,
    /// The id of the storage policy set on the file itself; 0 is none.
    pub storage_policy: u32,
    /// The id of the erasure coding policy of a striped file.
    pub erasure_coding_policy: Option<u32>,
    /// Whether the blocks are groups of cells and parity.
    pub is_striped: bool,
    /// Who writes it, while it is open.
    pub under_construction: Option<UnderConstruction<'a>>,
    /// The blocks.
    pub blocks: Blocks<'a>,
}

/// Who writes a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnderConstruction<'a> {
    /// The client's own name, such as `DFSClient_NONMAPREDUCE_…`.
    pub client_name: &'a str,
    /// Its host.
    pub client_machine: &'a str,
}

/// What only a directory has.
#[derive(Debug, Clone, Copy, Default)]
pub struct DirectoryInode<'a> {
    /// How many names it may hold; -1 is no quota.
    pub namespace_quota: i64,
    /// How many bytes, with all copies; -1 is no quota.
    pub space_quota: i64,
    /// The same by kind of storage.
    pub type_quotas: TypeQuotas<'a>,
}

const TYPE: u32 = varint(1);
const ID: u32 = varint(2);
const NAME: u32 = delimited(3);
const FILE: u32 = delimited(4);
const DIRECTORY: u32 = delimited(5);
const SYMLINK: u32 = delimited(6);

const TYPE_FILE: u64 = 1;
const TYPE_DIRECTORY: u64 = 2;
const TYPE_SYMLINK: u64 = 3;

/// The id of an inode and whether it is a directory, without looking at anything else.
#[inline]
pub(crate) fn decode_id(message: &[u8]) -> Result<(u64, bool), Malformed> {
    let mut cursor = Cursor::new(message);
    let (mut id, mut inode_type) = (None, 0);
    while let Some(tag) = cursor.tag()? {
        match tag {
            TYPE => inode_type = cursor.varint()?,
            ID => id = Some(cursor.varint()?),
            other => cursor.skip(other)?,
        }
        if let Some(id) = id
            && inode_type != 0
        {
            return Ok((id, inode_type == TYPE_DIRECTORY));
        }
    }
    Err(Malformed("an inode has no id or no type"))
}

impl<'a> Inode<'a> {
    #[inline]
    pub(crate) fn decode(message: &'a [u8], strings: &'a Strings) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(message);
        let (mut inode_type, mut id, mut name): (u64, Option<u64>, &[u8]) = (0, None, &[]);
        let (mut file, mut directory, mut symlink): (&[u8], &[u8], &[u8]) = (&[], &[], &[]);
        while let Some(tag) = cursor.tag()? {
            match tag {
                TYPE => inode_type = cursor.varint()?,
                ID => id = Some(cursor.varint()?),
                NAME => name = cursor.bytes()?,
                FILE => file = cursor.bytes()?,
                DIRECTORY => directory = cursor.bytes()?,
                SYMLINK => symlink = cursor.bytes()?,
                other => cursor.skip(other)?,
            }
        }
        let mut attributes = Attributes::default();
        let kind = match inode_type {
            TYPE_FILE => Kind::File(decode_file(file, &mut attributes)?),
            TYPE_DIRECTORY => Kind::Directory(decode_directory(directory, &mut attributes)?),
            TYPE_SYMLINK => Kind::Symlink { target: decode_symlink(symlink, &mut attributes)? },
            _ => return Err(Malformed("an inode is neither a file nor a directory nor a link")),
        };
        Ok(Self {
            id: id.ok_or(Malformed("an inode has no id"))?,
            name,
            owner: strings.get(StringKind::User, user_of(attributes.permission))?,
            group: strings.get(StringKind::Group, group_of(attributes.permission))?,
            mode: attributes.permission as u16,
            modification_time_ms: attributes.modification_time_ms as i64,
            access_time_ms: attributes.access_time_ms as i64,
            acl: Acl::new(attributes.acl, strings)?,
            xattrs: XAttrs::new(attributes.xattrs, strings)?,
            kind,
            permission: attributes.permission,
        })
    }
}

/// The number of the owner's name: the upper 24 bits.
#[inline]
pub(crate) const fn user_of(permission: u64) -> u32 {
    (permission >> 40) as u32
}

/// The number of the group's name: the 24 bits above the mode.
#[inline]
pub(crate) const fn group_of(permission: u64) -> u32 {
    (permission >> 16) as u32 & 0x00ff_ffff
}

/// What files, directories and links have under different field numbers.
#[derive(Default)]
struct Attributes<'a> {
    permission: u64,
    modification_time_ms: u64,
    access_time_ms: u64,
    acl: &'a [u8],
    xattrs: &'a [u8],
}

#[inline]
fn decode_file<'a>(message: &'a [u8], attributes: &mut Attributes<'a>) -> Result<FileInode<'a>, Malformed> {
    const REPLICATION: u32 = varint(1);
    const MODIFICATION_TIME: u32 = varint(2);
    const ACCESS_TIME: u32 = varint(3);
    const PREFERRED_BLOCK_SIZE: u32 = varint(4);
    const PERMISSION: u32 = fixed64(5);
    const BLOCK: u32 = Blocks::FIELD;
    const UNDER_CONSTRUCTION: u32 = delimited(7);
    const ACL: u32 = delimited(8);
    const XATTRS: u32 = delimited(9);
    const STORAGE_POLICY: u32 = varint(10);
    const BLOCK_TYPE: u32 = varint(11);
    const ERASURE_CODING_POLICY: u32 = varint(12);

    let mut file = FileInode { blocks: Blocks::of_file(message), ..FileInode::default() };
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            REPLICATION => file.replication = cursor.varint32()?,
            MODIFICATION_TIME => attributes.modification_time_ms = cursor.varint()?,
            ACCESS_TIME => attributes.access_time_ms = cursor.varint()?,
            PREFERRED_BLOCK_SIZE => file.preferred_block_size = cursor.varint()?,
            PERMISSION => attributes.permission = cursor.fixed64()?,
            BLOCK => {
                file.block_count += 1;
                file.length = file.length.wrapping_add(Blocks::decode_length(cursor.bytes()?)?);
            }
            UNDER_CONSTRUCTION => file.under_construction = Some(decode_under_construction(cursor.bytes()?)?),
            ACL => attributes.acl = cursor.bytes()?,
            XATTRS => attributes.xattrs = cursor.bytes()?,
            STORAGE_POLICY => file.storage_policy = cursor.varint32()?,
            BLOCK_TYPE => file.is_striped = cursor.varint()? == 1,
            ERASURE_CODING_POLICY => file.erasure_coding_policy = Some(cursor.varint32()?),
            other => cursor.skip(other)?,
        }
    }
    Ok(file)
}

fn decode_directory<'a>(message: &'a [u8], attributes: &mut Attributes<'a>) -> Result<DirectoryInode<'a>, Malformed> {
    const MODIFICATION_TIME: u32 = varint(1);
    const NAMESPACE_QUOTA: u32 = varint(2);
    const SPACE_QUOTA: u32 = varint(3);
    const PERMISSION: u32 = fixed64(4);
    const ACL: u32 = delimited(5);
    const XATTRS: u32 = delimited(6);
    const TYPE_QUOTAS: u32 = delimited(7);

    let mut directory = DirectoryInode::default();
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            MODIFICATION_TIME => attributes.modification_time_ms = cursor.varint()?,
            NAMESPACE_QUOTA => directory.namespace_quota = cursor.varint()? as i64,
            SPACE_QUOTA => directory.space_quota = cursor.varint()? as i64,
            PERMISSION => attributes.permission = cursor.fixed64()?,
            ACL => attributes.acl = cursor.bytes()?,
            XATTRS => attributes.xattrs = cursor.bytes()?,
            TYPE_QUOTAS => directory.type_quotas = TypeQuotas::new(cursor.bytes()?)?,
            other => cursor.skip(other)?,
        }
    }
    Ok(directory)
}

fn decode_symlink<'a>(message: &'a [u8], attributes: &mut Attributes<'a>) -> Result<&'a [u8], Malformed> {
    const PERMISSION: u32 = fixed64(1);
    const TARGET: u32 = delimited(2);
    const MODIFICATION_TIME: u32 = varint(3);
    const ACCESS_TIME: u32 = varint(4);

    let mut target: &[u8] = &[];
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            PERMISSION => attributes.permission = cursor.fixed64()?,
            TARGET => target = cursor.bytes()?,
            MODIFICATION_TIME => attributes.modification_time_ms = cursor.varint()?,
            ACCESS_TIME => attributes.access_time_ms = cursor.varint()?,
            other => cursor.skip(other)?,
        }
    }
    Ok(target)
}

fn decode_under_construction(message: &[u8]) -> Result<UnderConstruction<'_>, Malformed> {
    const CLIENT_NAME: u32 = delimited(1);
    const CLIENT_MACHINE: u32 = delimited(2);

    let mut writer = UnderConstruction::default();
    let mut cursor = Cursor::new(message);
    while let Some(tag) = cursor.tag()? {
        match tag {
            CLIENT_NAME => writer.client_name = cursor.text()?,
            CLIENT_MACHINE => writer.client_machine = cursor.text()?,
            other => cursor.skip(other)?,
        }
    }
    Ok(writer)
}
