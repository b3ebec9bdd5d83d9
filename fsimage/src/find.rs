//! The inodes that fit a filter.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use globset::{GlobBuilder, GlobMatcher};

use crate::inode::{Inode, Kind};
use crate::json_lines::Objects;
use crate::paths::Paths;
use crate::progress::Progress;
use crate::text::{WriteError, write_text};
use crate::tree::Tree;
use crate::visit::Visited;

/// What is looked for. An inode must fit everything that is set.
#[derive(Debug, Default)]
pub struct Filter {
    /// The owner's name.
    pub owner: Option<String>,
    /// The group's name.
    pub group: Option<String>,
    /// Files with at least so many bytes.
    pub min_bytes: Option<u64>,
    /// Files with fewer bytes than this.
    pub below_bytes: Option<u64>,
    /// Last changed before this moment, in milliseconds since 1970.
    pub changed_before_ms: Option<i64>,
    /// Last changed at this moment or after it.
    pub changed_since_ms: Option<i64>,
    /// Only files, directories or links.
    pub kind: Option<FilterKind>,
    /// What the name, or the whole path, looks like.
    pub pattern: Option<Pattern>,
}

/// What an inode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
}

/// What names or paths look like: `*.orc`, or with a slash `/data/**/dt=2019*`.
#[derive(Debug)]
pub struct Pattern {
    matcher: GlobMatcher,
    is_of_path: bool,
}

/// A pattern that cannot be understood.
#[derive(Debug, thiserror::Error)]
#[error("the pattern {pattern} cannot be understood")]
pub struct PatternError {
    pattern: String,
    source: globset::Error,
}

impl Pattern {
    /// `*` and `?` stand for what is within a name, `**` for any number of names.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
        let glob = glob.map_err(|source| PatternError { pattern: pattern.to_owned(), source })?;
        Ok(Self { matcher: glob.compile_matcher(), is_of_path: pattern.contains('/') })
    }

    fn fits(&self, inode: &Inode<'_>, path: &[u8]) -> bool {
        let text = if self.is_of_path { path } else { inode.name };
        match std::str::from_utf8(text) {
            Ok(text) => self.matcher.is_match(text),
            Err(_) => self.matcher.is_match(&*String::from_utf8_lossy(text)),
        }
    }
}

impl Filter {
    /// Everything but the pattern, which may need the path.
    fn fits_inode(&self, inode: &Inode<'_>) -> bool {
        let (kind, length) = match &inode.kind {
            Kind::File(file) => (FilterKind::File, Some(file.length)),
            Kind::Directory(_) => (FilterKind::Directory, None),
            Kind::Symlink { .. } => (FilterKind::Symlink, None),
        };
        self.kind.is_none_or(|wanted| wanted == kind)
            && self.min_bytes.is_none_or(|bytes| length.is_some_and(|length| length >= bytes))
            && self.below_bytes.is_none_or(|bytes| length.is_some_and(|length| length < bytes))
            && self.changed_before_ms.is_none_or(|moment| inode.modification_time_ms < moment)
            && self.changed_since_ms.is_none_or(|moment| inode.modification_time_ms >= moment)
            && self.owner.as_deref().is_none_or(|owner| owner == inode.owner)
            && self.group.as_deref().is_none_or(|group| group == inode.group)
    }
}

/// How what is found is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundFormat {
    /// A path a line, with what would break it escaped as `ls -b` does.
    Paths,
    /// Objects as of [`write_json_lines`](crate::write_json_lines).
    JsonLines,
}

/// Writes what fits, in the image's order, by so many threads; tells how many it was and how much
/// was looked at.
pub fn write_found(
    tree: &Tree<'_>,
    filter: &Filter,
    format: FoundFormat,
    threads: usize,
    mut out: impl Write,
    progress: &mut dyn FnMut(Progress),
) -> Result<(u64, Visited), WriteError> {
    let found = AtomicU64::new(0);
    let visited = write_text(tree, threads, &mut out, progress, || {
        let (mut paths, mut objects, mut path) = (Paths::of(tree), Objects::of(tree), Vec::new());
        let found = &found;
        move |entry, text| {
            if !filter.fits_inode(&entry.inode) {
                return;
            }
            path.clear();
            paths.append(entry, &mut path);
            if filter.pattern.as_ref().is_some_and(|pattern| !pattern.fits(&entry.inode, &path)) {
                return;
            }
            found.fetch_add(1, Ordering::Relaxed);
            match format {
                FoundFormat::Paths => {
                    escape(&path, text);
                    text.push(b'\n');
                }
                FoundFormat::JsonLines => objects.object(entry, text),
            }
        }
    })?;
    Ok((found.into_inner(), visited))
}

/// Appends a path as `ls -b` shows it: a name may have a line feed in it, a line may not.
fn escape(path: &[u8], text: &mut Vec<u8>) {
    for chunk in path.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                ' ' => text.extend_from_slice(b"\\ "),
                '\\' => text.extend_from_slice(b"\\\\"),
                '\u{7}' => text.extend_from_slice(b"\\a"),
                '\u{8}' => text.extend_from_slice(b"\\b"),
                '\t' => text.extend_from_slice(b"\\t"),
                '\n' => text.extend_from_slice(b"\\n"),
                '\u{b}' => text.extend_from_slice(b"\\v"),
                '\u{c}' => text.extend_from_slice(b"\\f"),
                '\r' => text.extend_from_slice(b"\\r"),
                _ => {
                    let mut buffer = [0; 4];
                    let bytes = character.encode_utf8(&mut buffer).as_bytes();
                    if character.is_control() {
                        octal(bytes, text);
                    } else {
                        text.extend_from_slice(bytes);
                    }
                }
            }
        }
        octal(chunk.invalid(), text);
    }
}

fn octal(bytes: &[u8], text: &mut Vec<u8>) {
    for byte in bytes {
        text.extend([b'\\', b'0' + (byte >> 6), b'0' + ((byte >> 3) & 7), b'0' + (byte & 7)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_as_ls_does() {
        let escaped = |path: &[u8]| {
            let mut text = Vec::new();
            escape(path, &mut text);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(escaped("/data/dt=2019/ü.orc".as_bytes()), "/data/dt=2019/ü.orc");
        assert_eq!(escaped(b"/a b/c\nd\te\\f"), r"/a\ b/c\nd\te\\f");
        assert_eq!(escaped(b"/\x1b[2J\x7f\xff\xc3"), r"/\033[2J\177\377\303");
    }
}
