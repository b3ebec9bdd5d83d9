//! One line for each inode, as `hdfs oiv -p Delimited` writes it, byte for byte.

use std::io::Write;

use crate::erasure_coding::system_policy;
use crate::inode::{Inode, Kind};
use crate::minutes::{Minutes, Zone};
use crate::paths::Paths;
use crate::permission::append_mode;
use crate::progress::Progress;
use crate::text::{WriteError, append_number, write_text};
use crate::tree::Tree;
use crate::visit::{Entry, Visited};

/// Whose output is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compatibility {
    /// Hadoop 3.5: a header, `d` and `+` around the permission, awkward texts in quotes.
    #[default]
    Hadoop3,
    /// Hadoop 2.7: none of these.
    Hadoop27,
}

/// How lines are written.
#[derive(Debug, Clone)]
pub struct DelimitedOptions {
    /// What stands between fields.
    pub delimiter: String,
    /// Whether each line ends with the id of the storage policy, as with `-sp`.
    pub with_storage_policy: bool,
    /// Whether each line ends with the name of the erasure coding policy, as with `-ec`.
    pub with_erasure_coding_policy: bool,
    /// Whose output it is.
    pub compatibility: Compatibility,
    /// The zone of the times.
    pub zone: Zone,
}

impl Default for DelimitedOptions {
    fn default() -> Self {
        Self {
            delimiter: "\t".to_owned(),
            with_storage_policy: false,
            with_erasure_coding_policy: false,
            compatibility: Compatibility::default(),
            zone: Zone::default(),
        }
    }
}

const HEADINGS: [&str; 12] = [
    "Path",
    "Replication",
    "ModificationTime",
    "AccessTime",
    "PreferredBlockSize",
    "BlocksCount",
    "FileSize",
    "NSQUOTA",
    "DSQUOTA",
    "Permission",
    "UserName",
    "GroupName",
];

/// Writes every inode that has a path, in the image's order, by so many threads.
pub fn write_delimited(
    tree: &Tree<'_>,
    options: &DelimitedOptions,
    threads: usize,
    mut out: impl Write,
    progress: &mut dyn FnMut(Progress),
) -> Result<Visited, WriteError> {
    if options.compatibility == Compatibility::Hadoop3 {
        out.write_all(header(options).as_bytes()).map_err(WriteError::Output)?;
    }
    write_text(tree, threads, &mut out, progress, || {
        let mut lines = Lines::of(tree, options);
        move |entry, text| Line { lines: &mut lines, out: text }.whole(entry)
    })
}

fn header(options: &DelimitedOptions) -> String {
    let mut headings = HEADINGS.to_vec();
    if options.with_storage_policy {
        headings.push("StoragePolicyId");
    }
    if options.with_erasure_coding_policy {
        headings.push("ErasureCodingPolicy");
    }
    headings.join(&options.delimiter) + "\n"
}

/// What is the same, or kept, from line to line.
struct Lines<'t> {
    options: &'t DelimitedOptions,
    line_start: String,
    paths: Paths<'t>,
    minutes: Minutes,
    /// Texts of the columns from the permission to the group.
    attributes: Vec<(Option<AttributesKey>, Vec<u8>)>,
}

impl<'t> Lines<'t> {
    fn of(tree: &'t Tree<'_>, options: &'t DelimitedOptions) -> Self {
        Self {
            options,
            // With a delimiter of several characters Hadoop 3 leaves all but the first before a line.
            line_start: match options.compatibility {
                Compatibility::Hadoop3 => options.delimiter.chars().skip(1).collect(),
                Compatibility::Hadoop27 => String::new(),
            },
            paths: Paths::of(tree),
            minutes: Minutes::new(options.zone),
            attributes: vec![(None, Vec::new()); AttributesKey::PLACES],
        }
    }
}

/// One line, while it is written.
struct Line<'l, 't> {
    lines: &'l mut Lines<'t>,
    out: &'l mut Vec<u8>,
}

/// What the columns from the permission to the group are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
struct AttributesKey {
    /// Mode and the numbers of owner and group.
    permission: u64,
    is_directory: bool,
    has_acl: bool,
}

impl AttributesKey {
    const PLACES: usize = 1 << 10;

    #[inline]
    const fn place(self) -> usize {
        let flags = (self.is_directory as u64) << 1 | self.has_acl as u64;
        ((self.permission ^ flags << 12).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
    }
}

impl Line<'_, '_> {
    #[inline]
    fn whole(&mut self, entry: &Entry<'_>) {
        let inode = &entry.inode;
        self.out.extend_from_slice(self.lines.line_start.as_bytes());
        let start = self.out.len();
        self.lines.paths.append(entry, self.out);
        self.finish_text(start);
        match &inode.kind {
            Kind::File(file) => {
                self.number(i64::from(file.replication as i32));
                self.time(inode.modification_time_ms);
                self.time(inode.access_time_ms);
                self.number(file.preferred_block_size as i64);
                self.number(i64::from(file.block_count));
                self.number(file.length as i64);
                self.quotas(0, 0);
            }
            Kind::Directory(directory) => {
                self.number(0);
                self.time(inode.modification_time_ms);
                self.time(0);
                self.no_blocks();
                self.quotas(directory.namespace_quota, directory.space_quota);
            }
            Kind::Symlink { .. } => {
                self.number(0);
                self.time(inode.modification_time_ms);
                self.time(inode.access_time_ms);
                self.no_blocks();
                self.quotas(0, 0);
            }
        }
        self.permission_and_names(inode);
        if self.lines.options.with_storage_policy {
            self.number(storage_policy(inode));
        }
        if self.lines.options.with_erasure_coding_policy {
            self.text(erasure_coding_policy(inode));
        }
        self.out.push(b'\n');
    }

    fn no_blocks(&mut self) {
        self.number(0);
        self.number(0);
        self.number(0);
    }

    fn quotas(&mut self, namespace: i64, space: i64) {
        self.number(namespace);
        self.number(space);
    }

    #[inline]
    fn delimiter(&mut self) {
        match self.lines.options.delimiter.as_bytes() {
            // Nearly always, and much cheaper than a copy of a length that is not known.
            [byte] => self.out.push(*byte),
            delimiter => self.out.extend_from_slice(delimiter),
        }
    }

    #[inline]
    fn number(&mut self, number: i64) {
        self.delimiter();
        match number {
            0..=9 => self.out.push(b'0' + number as u8),
            _ => append_number(self.out, number),
        }
    }

    #[inline]
    fn time(&mut self, time_ms: i64) {
        self.delimiter();
        self.lines.minutes.append(self.out, time_ms);
    }

    /// The three columns of permission, owner and group. A namespace has few of them, so their
    /// text is kept.
    #[inline]
    fn permission_and_names(&mut self, inode: &Inode<'_>) {
        let key = AttributesKey {
            permission: inode.permission,
            is_directory: matches!(inode.kind, Kind::Directory(_)),
            has_acl: !inode.acl.is_empty(),
        };
        let place = key.place();
        if self.lines.attributes[place].0 == Some(key) {
            self.out.extend_from_slice(&self.lines.attributes[place].1);
            return;
        }
        let start = self.out.len();
        self.delimiter();
        if self.lines.options.compatibility == Compatibility::Hadoop3 {
            self.out.push(if key.is_directory { b'd' } else { b'-' });
        }
        append_mode(self.out, inode.mode);
        if self.lines.options.compatibility == Compatibility::Hadoop3 && key.has_acl {
            self.out.push(b'+');
        }
        self.text(inode.owner);
        self.text(inode.group);
        self.lines.attributes[place] = (Some(key), self.out[start..].to_vec());
    }

    #[inline]
    fn text(&mut self, text: &str) {
        self.delimiter();
        let start = self.out.len();
        self.out.extend_from_slice(text.as_bytes());
        self.finish_text(start);
    }

    /// Looks at a text that was just appended: what is not UTF-8 is replaced as Java does, and
    /// Hadoop 3 puts awkward texts in quotes.
    #[inline]
    fn finish_text(&mut self, start: usize) {
        if !is_plain(&self.out[start..]) {
            self.rewrite_text(start);
        }
    }

    #[cold]
    fn rewrite_text(&mut self, start: usize) {
        let text = String::from_utf8_lossy(&self.out[start..]).into_owned();
        let is_awkward =
            self.lines.options.compatibility == Compatibility::Hadoop3 && text.contains([',', '"', '\n', '\r']);
        let text = if is_awkward { quoted(&text) } else { text };
        self.out.truncate(start);
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// Whether a text surely is written as it is: ASCII without controls, commas and quotes. Looks at
/// all bytes without a branch, which the compiler makes vector instructions of.
#[inline]
fn is_plain(text: &[u8]) -> bool {
    let awkward = text.iter().fold(0, |awkward, &byte| {
        awkward | u8::from(byte < b' ') | u8::from(byte >= 0x7f) | u8::from(byte == b',') | u8::from(byte == b'"')
    });
    awkward == 0
}

/// As a field of comma-separated values, and without line ends: where `\r\n` occurs, it alone is
/// replaced, and other line ends stay as they are.
fn quoted(text: &str) -> String {
    let quoted = format!("\"{}\"", text.replace('"', "\"\""));
    if quoted.contains("\r\n") { quoted.replace("\r\n", "%x0D%x0A") } else { quoted.replace('\n', "%x0A") }
}

fn storage_policy(inode: &Inode<'_>) -> i64 {
    match &inode.kind {
        Kind::File(file) => i64::from(file.storage_policy as i32),
        Kind::Directory(_) => inode.xattrs.storage_policy().map_or(0, i64::from),
        Kind::Symlink { .. } => 0,
    }
}

/// The viewer knows no policies but the system's for files, because it does not read those of the
/// image.
fn erasure_coding_policy<'a>(inode: &Inode<'a>) -> &'a str {
    let policy = match &inode.kind {
        Kind::File(file) => file.erasure_coding_policy.and_then(|id| system_policy(id & 0xff)),
        Kind::Directory(_) => inode.xattrs.erasure_coding_policy(),
        Kind::Symlink { .. } => None,
    };
    policy.unwrap_or("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awkward_texts_are_quoted_as_hadoop_does() {
        assert_eq!(quoted("/a,b"), "\"/a,b\"");
        assert_eq!(quoted("/a\"b"), "\"/a\"\"b\"");
        assert_eq!(quoted("/a\nb"), "\"/a%x0Ab\"");
        assert_eq!(quoted("/a\r\nb\nc"), "\"/a%x0D%x0Ab\nc\"");
        assert_eq!(quoted("/a\rb"), "\"/a\rb\"");
    }
}
