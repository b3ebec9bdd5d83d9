//! One JSON object for each inode, with everything that the image knows of it.

use std::io::Write;

use crate::inode::{DirectoryInode, FileInode, Kind};
use crate::paths::Paths;
use crate::progress::Progress;
use crate::storage_policy::storage_policy_name;
use crate::text::{WriteError, append_number, write_text};
use crate::tree::Tree;
use crate::visit::{Entry, Visited};
use crate::xattrs::XAttr;

/// Writes every inode that has a path, in the image's order, by so many threads. Times are
/// milliseconds since 1970; what an inode does not have is left out.
pub fn write_json_lines(
    tree: &Tree<'_>,
    threads: usize,
    mut out: impl Write,
    progress: &mut dyn FnMut(Progress),
) -> Result<Visited, WriteError> {
    write_text(tree, threads, &mut out, progress, || {
        let mut objects = Objects::of(tree);
        move |entry, text| objects.object(entry, text)
    })
}

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes inodes as objects.
pub(crate) struct Objects<'t> {
    tree: &'t Tree<'t>,
    paths: Paths<'t>,
    path: Vec<u8>,
}

impl<'t> Objects<'t> {
    pub(crate) fn of(tree: &'t Tree<'t>) -> Self {
        Self { tree, paths: Paths::of(tree), path: Vec::new() }
    }

    pub(crate) fn object(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) {
        self.path.clear();
        self.paths.append(entry, &mut self.path);
        Object { tree: self.tree, out: text }.whole(entry, &self.path);
    }
}

/// One object, while it is written.
struct Object<'o> {
    tree: &'o Tree<'o>,
    out: &'o mut Vec<u8>,
}

impl Object<'_> {
    fn whole(&mut self, entry: &Entry<'_>, path: &[u8]) {
        let inode = &entry.inode;
        self.raw("{\"path\":");
        append_string(self.out, path);
        self.raw(match inode.kind {
            Kind::File(_) => ",\"type\":\"FILE\"",
            Kind::Directory(_) => ",\"type\":\"DIRECTORY\"",
            Kind::Symlink { .. } => ",\"type\":\"SYMLINK\"",
        });
        self.number("id", inode.id);
        if let Some(parent) = entry.parent {
            self.number("parentId", self.tree.directory(parent).id());
        }
        self.text("owner", inode.owner.as_bytes());
        self.text("group", inode.group.as_bytes());
        self.permission(inode.mode);
        self.number("modificationTime", inode.modification_time_ms);
        match &inode.kind {
            Kind::File(file) => {
                self.number("accessTime", inode.access_time_ms);
                self.file(file);
            }
            Kind::Directory(directory) => self.directory(entry, directory),
            Kind::Symlink { target } => {
                self.number("accessTime", inode.access_time_ms);
                self.text("target", target);
            }
        }
        if !inode.acl.is_empty() {
            let entries = inode.acl.entries();
            self.array("acl", &entries, |object, entry| {
                append_string(object.out, entry.to_string().as_bytes());
            });
        }
        let xattrs = inode.xattrs.all();
        if !xattrs.is_empty() {
            self.array("xattrs", &xattrs, Self::xattr);
        }
        self.raw("}\n");
    }

    fn file(&mut self, file: &FileInode<'_>) {
        self.number("length", file.length);
        self.number("replication", file.replication);
        self.number("preferredBlockSize", file.preferred_block_size);
        self.storage_policy(i64::from(file.storage_policy));
        if file.is_striped {
            self.raw(",\"striped\":true");
        }
        if let Some(id) = file.erasure_coding_policy {
            self.number("erasureCodingPolicyId", id);
            if let Some(name) = self.tree.image().erasure_coding_policies().name(id) {
                self.text("erasureCodingPolicy", name.as_bytes());
            }
        }
        if let Some(writer) = file.under_construction {
            self.raw(",\"underConstruction\":{\"clientName\":");
            append_string(self.out, writer.client_name.as_bytes());
            self.text("clientMachine", writer.client_machine.as_bytes());
            self.raw("}");
        }
        self.raw(",\"blocks\":[");
        for (index, block) in file.blocks.iter().enumerate() {
            self.raw(if index == 0 { "{\"id\":" } else { ",{\"id\":" });
            append_number(self.out, block.id as i64);
            self.number("generationStamp", block.generation_stamp);
            self.number("length", block.length);
            self.raw("}");
        }
        self.raw("]");
    }

    fn directory(&mut self, entry: &Entry<'_>, directory: &DirectoryInode<'_>) {
        if directory.namespace_quota >= 0 {
            self.number("namespaceQuota", directory.namespace_quota);
        }
        if directory.space_quota >= 0 {
            self.number("spaceQuota", directory.space_quota);
        }
        let type_quotas = directory.type_quotas.all();
        if !type_quotas.is_empty() {
            self.array("typeQuotas", &type_quotas, |object, (storage, bytes)| {
                object.raw("{\"storageType\":");
                append_string(object.out, storage.name().as_bytes());
                object.number("bytes", *bytes);
                object.raw("}");
            });
        }
        let xattrs = &entry.inode.xattrs;
        if let Some(policy) = xattrs.storage_policy() {
            self.storage_policy(i64::from(policy));
        }
        if let Some(policy) = xattrs.erasure_coding_policy() {
            self.text("erasureCodingPolicy", policy.as_bytes());
        }
        if let Some(zone) = xattrs.encryption_zone() {
            self.raw(",\"encryptionZone\":{\"keyName\":");
            append_string(self.out, zone.key_name.as_bytes());
            self.number("cipherSuite", zone.cipher_suite);
            self.raw("}");
        }
    }

    /// Octal digits: three, or four with the sticky bit.
    fn permission(&mut self, mode: u16) {
        self.key("permission");
        self.out.push(b'"');
        for shift in if mode > 0o777 { [9, 6, 3, 0].as_slice() } else { &[6, 3, 0] } {
            self.out.push(b'0' + (mode >> shift & 7) as u8);
        }
        self.out.push(b'"');
    }

    fn storage_policy(&mut self, id: i64) {
        if id == 0 {
            return;
        }
        self.number("storagePolicyId", id);
        if let Some(name) = storage_policy_name(id) {
            self.text("storagePolicy", name.as_bytes());
        }
    }

    /// A value that is no text is written in hexadecimal digits.
    fn xattr(&mut self, attribute: &XAttr<'_>) {
        let name = format!("{}.{}", attribute.namespace.name(), attribute.name);
        self.raw("{\"name\":");
        append_string(self.out, name.as_bytes());
        match std::str::from_utf8(attribute.value) {
            Ok(value) if !value.contains(char::is_control) => self.text("value", value.as_bytes()),
            _ => {
                let mut hex = String::with_capacity(2 * attribute.value.len());
                for byte in attribute.value {
                    hex.push(char::from(HEX_DIGITS[usize::from(byte >> 4)]));
                    hex.push(char::from(HEX_DIGITS[usize::from(byte & 15)]));
                }
                self.text("valueHex", hex.as_bytes());
            }
        }
        self.raw("}");
    }

    #[inline]
    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn key(&mut self, key: &str) {
        self.raw(",\"");
        self.raw(key);
        self.raw("\":");
    }

    #[inline]
    fn number(&mut self, key: &str, number: impl itoa::Integer) {
        self.key(key);
        append_number(self.out, number);
    }

    #[inline]
    fn text(&mut self, key: &str, text: &[u8]) {
        self.key(key);
        append_string(self.out, text);
    }

    fn array<T>(&mut self, key: &str, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.key(key);
        self.raw("[");
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.raw(",");
            }
            write(self, item);
        }
        self.raw("]");
    }
}

/// A JSON string. What is not UTF-8 becomes U+FFFD.
#[inline]
fn append_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    if text.iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'"' && *byte != b'\\') {
        out.extend_from_slice(text);
    } else {
        append_escaped(out, &String::from_utf8_lossy(text));
    }
    out.push(b'"');
}

#[cold]
fn append_escaped(out: &mut Vec<u8>, text: &str) {
    let mut utf8 = [0; 4];
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            control if control < ' ' => out.extend_from_slice(format!("\\u{:04x}", control as u32).as_bytes()),
            other => out.extend_from_slice(other.encode_utf8(&mut utf8).as_bytes()),
        }
    }
}
