//! Images of any size, for measurements: a namespace that is made up, in the order and the encoding of a real
//! NameNode.
//!
//! One in eleven inodes is a directory, depths and sizes of directories vary, inodes stand in the order of the
//! NameNode's hash table, children in the order of their names. Hadoop's Offline Image Viewer reads these images, and a NameNode begins with them. What
//! they have not: ACLs, extended attributes, snapshots, erasure-coded files; a real NameNode saves those for the tests.

mod message;
mod namespace;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

use message::Message;
use namespace::{Inode, Namespace, id_of};

/// An image to be written. The same values always give the same bytes.
#[derive(Debug, Clone, Copy)]
pub struct GeneratedImage {
    /// How many inodes the first edition has, the root among them.
    pub inodes: u32,
    /// Whose layout it has.
    pub layout: Layout,
    /// The second differs from the first in one inode of a hundred: files that were changed, removed and added.
    pub edition: Edition,
}

/// Whose layout an image has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// -63: one numbering for all names in the string table.
    Hadoop27,
    /// -67: numberings for users and groups apart, and twelve sub-sections, Hadoop's default for parallel loading.
    Hadoop3,
}

/// Which of two images of the same NameNode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edition {
    /// The earlier one.
    First,
    /// The later one.
    Second,
}

/// What an image holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generated {
    /// All inodes, directories among them.
    pub inodes: u64,
    /// Directories.
    pub directories: u64,
    /// The image's length in bytes.
    pub bytes: u64,
    /// The last transaction in it.
    pub transaction: u64,
}

const USERS: [&str; 12] = [
    "hdfs",
    "hive",
    "spark",
    "yarn",
    "impala",
    "etl",
    "analytics",
    "alice.smith",
    "bob.jones",
    "svc_ingest",
    "svc_report",
    "root",
];
const GROUPS: [&str; 5] = ["supergroup", "hadoop", "hive", "analysts", "domain users"];

/// The numbers of users and of groups begin with these bits from layout -64 on, as the header of the table says.
const MASK_BITS: u64 = 3;
const USER_MASK: u64 = 1 << (32 - MASK_BITS);
const GROUP_MASK: u64 = 2 << (32 - MASK_BITS);

const NO_QUOTA: u64 = u64::MAX;
const FIRST_BLOCK_ID: u64 = 1 << 30;
const FIRST_GENERATION_STAMP: u64 = 1000;

impl GeneratedImage {
    /// Writes the image. Takes 12 bytes of memory for each inode.
    pub fn write(&self, path: &Path) -> Result<Generated> {
        let namespace = Namespace::new(self.inodes, self.edition);
        let file = File::create(path).with_context(|| format!("{} cannot be created", path.display()))?;
        let mut writer = Writer {
            image: *self,
            out: BufWriter::with_capacity(1 << 20, file),
            position: 0,
            sections: Message::default(),
            message: Message::default(),
        };
        writer.write(&namespace).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Generated {
            inodes: namespace.len(),
            directories: namespace.directories(),
            bytes: writer.position,
            transaction: last_transaction(&namespace),
        })
    }

    const fn sub_sections(self) -> Option<usize> {
        match self.layout {
            Layout::Hadoop27 => None,
            Layout::Hadoop3 => Some(12),
        }
    }
}

/// Three for each inode: it was created, written and closed.
fn last_transaction(namespace: &Namespace) -> u64 {
    namespace.len() * 3
}

struct Writer {
    image: GeneratedImage,
    out: BufWriter<File>,
    position: u64,
    /// The entries of the summary so far.
    sections: Message,
    /// The message that is being made; its memory is used again.
    message: Message,
}

impl Writer {
    fn write(&mut self, namespace: &Namespace) -> Result<()> {
        self.bytes(b"HDFSIMG1")?;
        self.namespace_information(namespace)?;
        if self.image.layout == Layout::Hadoop3 {
            // Without policies, but not without the message of them, which a NameNode insists on.
            self.section("ERASURE_CODING", &[&[]])?;
        }
        self.inodes(namespace)?;
        self.directories(namespace)?;
        self.section("FILES_UNDERCONSTRUCTION", &[])?;
        self.section("SNAPSHOT", &[&[(1, 0), (3, 0)]])?;
        self.section("INODE_REFERENCE", &[])?;
        self.section("SECRET_MANAGER", &[&[(1, 1), (2, 0), (3, 0), (4, 0)]])?;
        self.section("CACHE_MANAGER", &[&[(1, 1), (2, 0), (3, 0)]])?;
        self.string_table()?;
        self.summary()?;
        self.out.flush()?;
        Ok(())
    }

    fn namespace_information(&mut self, namespace: &Namespace) -> Result<()> {
        let blocks = FIRST_BLOCK_ID + namespace.len() * namespace::MOST_BLOCKS;
        let stamp = FIRST_GENERATION_STAMP + namespace.len();
        self.section(
            "NS_INFO",
            &[&[(1, 7_777), (2, 1000), (3, stamp), (4, 0), (5, blocks), (6, last_transaction(namespace))]],
        )
    }

    fn inodes(&mut self, namespace: &Namespace) -> Result<()> {
        let begin = self.position;
        self.message.clear();
        self.message.number(1, namespace.last_id());
        self.message.number(2, namespace.len());
        self.message_end()?;
        let order = namespace.saved_order();
        for part in order.chunks(self.part_length(order.len())) {
            // The first sub-section has the section's header.
            let part_begin = if part.as_ptr() == order.as_ptr() { begin } else { self.position };
            for &index in part {
                self.inode(&namespace.inode(index))?;
            }
            self.sub_section_end("INODE_SUB", part_begin);
        }
        self.section_end("INODE", begin);
        Ok(())
    }

    fn inode(&mut self, inode: &Inode) -> Result<()> {
        let user = 1 + inode.user as u64 % USERS.len() as u64;
        let mut group = 1 + inode.group as u64 % GROUPS.len() as u64;
        if self.image.layout == Layout::Hadoop27 {
            group += USERS.len() as u64;
        }
        let permission = user << 40 | group << 16 | u64::from(inode.mode);
        let message = &mut self.message;
        message.clear();
        message.number(1, if inode.is_directory { 2 } else { 1 });
        message.number(2, inode.id);
        message.bytes(3, inode.name.as_bytes());
        if inode.is_directory {
            message.nested(5, |directory| {
                directory.number(1, inode.modified);
                directory.number(2, inode.quota.unwrap_or(NO_QUOTA));
                directory.number(3, NO_QUOTA);
                directory.fixed64(4, permission);
            });
        } else {
            message.nested(4, |file| {
                file.number(1, 3);
                file.number(2, inode.modified);
                file.number(3, inode.accessed);
                file.number(4, inode.block_size);
                file.fixed64(5, permission);
                for number in 0..inode.blocks {
                    file.nested(6, |block| {
                        block.number(1, FIRST_BLOCK_ID + inode.number * namespace::MOST_BLOCKS + number);
                        block.number(2, FIRST_GENERATION_STAMP + inode.number);
                        let is_last = number + 1 == inode.blocks;
                        block.number(3, if is_last { inode.last_block } else { inode.block_size });
                    });
                }
                file.number(10, 0);
                if self.image.layout == Layout::Hadoop3 {
                    file.number(11, 0);
                }
            });
        }
        self.message_end()
    }

    fn directories(&mut self, namespace: &Namespace) -> Result<()> {
        let begin = self.position;
        let order: Vec<u32> = namespace
            .saved_order()
            .iter()
            .copied()
            .filter(|&index| namespace.is_directory(index) && !namespace.children(index).is_empty())
            .collect();
        for part in order.chunks(self.part_length(order.len())) {
            let part_begin = self.position;
            for &index in part {
                self.message.clear();
                self.message.number(1, id_of(index));
                let children = namespace.children(index).iter().map(|&child| id_of(child));
                self.message.packed(2, children);
                self.message_end()?;
            }
            self.sub_section_end("INODE_DIR_SUB", part_begin);
        }
        self.section_end("INODE_DIR", begin);
        Ok(())
    }

    fn string_table(&mut self) -> Result<()> {
        let begin = self.position;
        let (user_mask, group_mask) = match self.image.layout {
            Layout::Hadoop27 => (0, USERS.len() as u64),
            Layout::Hadoop3 => (USER_MASK, GROUP_MASK),
        };
        self.message.clear();
        self.message.number(1, (USERS.len() + GROUPS.len()) as u64);
        if self.image.layout == Layout::Hadoop3 {
            self.message.number(2, MASK_BITS);
        }
        self.message_end()?;
        for (mask, names) in [(user_mask, &USERS[..]), (group_mask, &GROUPS[..])] {
            for (number, name) in (1..).zip(names) {
                self.message.clear();
                self.message.number(1, mask + number);
                self.message.bytes(2, name.as_bytes());
                self.message_end()?;
            }
        }
        self.section_end("STRING_TABLE", begin);
        Ok(())
    }

    /// The summary is the last message, and its length are the last four bytes.
    fn summary(&mut self) -> Result<()> {
        let layout: i32 = match self.image.layout {
            Layout::Hadoop27 => -63,
            Layout::Hadoop3 => -67,
        };
        self.message.clear();
        self.message.number(1, 1);
        self.message.number(2, u64::from(layout.cast_unsigned()));
        self.message.append(&self.sections);
        let begin = self.position;
        self.message_end()?;
        let length = u32::try_from(self.position - begin)?;
        self.bytes(&length.to_be_bytes())
    }

    /// A section of messages that have nothing but numbers.
    fn section(&mut self, name: &str, messages: &[&[(u64, u64)]]) -> Result<()> {
        let begin = self.position;
        for fields in messages {
            self.message.clear();
            for &(field, value) in *fields {
                self.message.number(field, value);
            }
            self.message_end()?;
        }
        self.section_end(name, begin);
        Ok(())
    }

    fn section_end(&mut self, name: &str, begin: u64) {
        let length = self.position - begin;
        self.sections.nested(4, |section| {
            section.bytes(1, name.as_bytes());
            section.number(2, length);
            section.number(3, begin);
        });
    }

    fn sub_section_end(&mut self, name: &str, begin: u64) {
        if self.image.sub_sections().is_some() {
            self.section_end(name, begin);
        }
    }

    fn part_length(&self, total: usize) -> usize {
        total.div_ceil(self.image.sub_sections().unwrap_or(1)).max(1)
    }

    /// Writes the message that was made, with its length before it.
    fn message_end(&mut self) -> Result<()> {
        let (length, length_bytes) = message::varint(self.message.as_bytes().len() as u64);
        self.out.write_all(&length[..length_bytes])?;
        self.out.write_all(self.message.as_bytes())?;
        self.position += (length_bytes + self.message.as_bytes().len()) as u64;
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }
}
