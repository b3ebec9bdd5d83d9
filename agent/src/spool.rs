//! Which files belong to a spool, and how they are right now.
//!
//! A look only lists and asks for sizes; it reads nothing. It opens a file that has something to
//! read, so that it can still be read when it is deleted before its turn. It changes nothing.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use glob::{MatchOptions, Pattern};

use crate::family::{Rank, family};
use crate::generation::Inode;

/// `*` neither crosses a `/` nor matches hidden files.
const MATCHING: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

const COMPRESSED: [&str; 7] = ["gz", "zst", "bz2", "xz", "lz4", "snappy", "zip"];
const TEMPORARY: [&str; 4] = ["tmp", "swp", "swx", "lck"];

/// Which files a spool follows.
#[derive(Debug, Clone)]
pub struct SpoolPattern {
    /// As configured, absolute.
    text: String,
    names: Names,
}

#[derive(Debug, Clone)]
enum Names {
    /// The text is a directory or one file; that is seen when it is there.
    Exactly,
    /// Every file in the directories that match.
    All { directories: String },
    /// The files that match, in the directories that match.
    Matching { directories: String, pattern: Pattern },
}

impl SpoolPattern {
    /// From an absolute directory, file, or pattern with `*`, `?` and `[ ]`. Gives back in words
    /// what is wrong with a pattern.
    pub fn new(text: &str) -> Result<Self, String> {
        let without_slash = text.trim_end_matches('/');
        Pattern::new(text).map_err(|error| error.msg.to_owned())?;
        let names = if !has_wildcard(text) {
            Names::Exactly
        } else if without_slash.len() < text.len() || without_slash.ends_with("/**") {
            Names::All { directories: without_slash.to_owned() }
        } else {
            let (directories, name) = without_slash.rsplit_once('/').unwrap_or((".", without_slash));
            let pattern = Pattern::new(name).map_err(|error| error.msg.to_owned())?;
            Names::Matching { directories: directories.to_owned(), pattern }
        };
        Ok(Self { text: text.to_owned(), names })
    }

    /// As configured.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The directories to list, and what a directory that cannot be searched says.
    fn directories(&self) -> (BTreeSet<PathBuf>, Vec<Trouble>) {
        match &self.names {
            Names::Exactly => {
                let path = Path::new(&self.text);
                let directory = if path.is_dir() { Some(path) } else { path.parent() };
                (directory.map(Path::to_owned).into_iter().collect(), Vec::new())
            }
            Names::All { directories } | Names::Matching { directories, .. } => expand(directories),
        }
    }

    /// Whether the spool follows a file of that name in that directory.
    fn matches(&self, directory: &Path, name: &str) -> bool {
        match &self.names {
            Names::Exactly if directory == Path::new(&self.text) => is_ordinary(name),
            Names::Exactly => directory.join(name) == Path::new(&self.text),
            Names::All { .. } => is_ordinary(name),
            Names::Matching { pattern, .. } => pattern.matches_with(name, MATCHING),
        }
    }
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn expand(directories: &str) -> (BTreeSet<PathBuf>, Vec<Trouble>) {
    let mut found = BTreeSet::new();
    let mut troubles = Vec::new();
    if !has_wildcard(directories) {
        found.insert(PathBuf::from(if directories.is_empty() { "/" } else { directories }));
        return (found, troubles);
    }
    // The pattern was checked when the configuration was read.
    for entry in glob::glob_with(directories, MATCHING).into_iter().flatten() {
        match entry {
            Ok(path) if path.is_dir() => drop(found.insert(path)),
            Ok(_) => {}
            Err(error) => {
                troubles.push(Trouble { path: error.path().to_owned(), what: error.error().to_string() });
            }
        }
    }
    (found, troubles)
}

/// In a directory without a pattern: neither hidden nor an editor's or writer's temporary file.
fn is_ordinary(name: &str) -> bool {
    !name.starts_with('.') && !name.ends_with('~') && !has_extension(name, &TEMPORARY)
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| extensions.contains(&extension))
}

/// A file the agent has met before.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) path: PathBuf,
    /// What is behind this offset is not delivered.
    pub(crate) position: u64,
    /// It is open already.
    pub(crate) held: bool,
}

/// A file as it was at a look.
#[derive(Debug, Clone)]
pub(crate) struct Sighting {
    pub(crate) path: PathBuf,
    pub(crate) inode: Inode,
    pub(crate) size: u64,
    pub(crate) modified: SystemTime,
    /// A newer file of its family is there.
    pub(crate) superseded: bool,
    /// Opened because there is something to read.
    pub(crate) opened: Option<Arc<File>>,
}

/// Something that cannot be looked at or read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) path: PathBuf,
    pub(crate) what: String,
}

/// What one look at one spool saw.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) sightings: Vec<Sighting>,
    /// Directories that were listed.
    pub(crate) directories: Vec<PathBuf>,
    /// Directories that are there but cannot be listed: nothing is known about their files.
    pub(crate) unlisted: Vec<PathBuf>,
    pub(crate) troubles: Vec<Trouble>,
    /// Files that match and are not read because they are compressed.
    pub(crate) compressed: Vec<PathBuf>,
    /// Symbolic links whose target is outside their directory.
    pub(crate) foreign_links: Vec<PathBuf>,
}

/// Looks at a spool. `known` are its files that the agent follows; they are found under any name
/// in their directory. At most `most_opened` files are opened.
pub(crate) fn survey(pattern: &SpoolPattern, known: &HashMap<Inode, Known>, most_opened: usize) -> Survey {
    let (mut directories, troubles) = pattern.directories();
    for file in known.values() {
        directories.extend(file.path.parent().map(Path::to_owned));
    }
    let mut look = Look { pattern, known, opened: 0, most_opened, survey: Survey { troubles, ..Survey::default() } };
    for directory in directories {
        look.at(&directory);
    }
    look.survey
}

struct Look<'a> {
    pattern: &'a SpoolPattern,
    known: &'a HashMap<Inode, Known>,
    opened: usize,
    most_opened: usize,
    survey: Survey,
}

impl Look<'_> {
    fn at(&mut self, directory: &Path) {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => {
                // A directory that is not there holds no files. Any other failure says nothing.
                if error.kind() != io::ErrorKind::NotFound {
                    self.survey.unlisted.push(directory.to_owned());
                }
                self.trouble(directory, format!("cannot list the directory: {error}"));
                return;
            }
        };
        let mut seen: HashMap<Inode, Sighting> = HashMap::new();
        let mut others = Vec::new();
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.survey.unlisted.push(directory.to_owned());
                    self.trouble(directory, format!("cannot list the directory to its end: {error}"));
                    return;
                }
            };
            let path = entry.path();
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| self.pattern.matches(directory, name)) else {
                others.push(path);
                continue;
            };
            if has_extension(name, &COMPRESSED) {
                self.survey.compressed.push(path);
                continue;
            }
            match self.identify(directory, &path) {
                Ok(Some((inode, metadata, is_link))) => {
                    // A link beside its target: the file goes by its own name.
                    if !is_link || !seen.contains_key(&inode) {
                        seen.insert(inode, sighting(path, inode, &metadata));
                    }
                }
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.trouble(&path, format!("cannot look at the file: {error}")),
            }
        }
        self.find_renamed(directory, others, &mut seen);
        let mut sightings: Vec<Sighting> = seen.into_values().collect();
        mark_superseded(&mut sightings);
        for sighting in &mut sightings {
            self.open_unread(sighting);
        }
        self.survey.sightings.extend(sightings);
        self.survey.directories.push(directory.to_owned());
    }

    /// The inode of a regular file, or of the regular file inside the directory that a link
    /// leads to.
    fn identify(&mut self, directory: &Path, path: &Path) -> io::Result<Option<(Inode, Metadata, bool)>> {
        let mut metadata = fs::symlink_metadata(path)?;
        let is_link = metadata.is_symlink();
        if is_link {
            let target = fs::canonicalize(path)?;
            if !target.starts_with(fs::canonicalize(directory)?) {
                self.survey.foreign_links.push(path.to_owned());
                return Ok(None);
            }
            metadata = fs::symlink_metadata(&target)?;
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        Ok(Some((Inode::of(&metadata), metadata, is_link)))
    }

    /// A known file whose name is gone may be in the directory under a name that does not match.
    fn find_renamed(&self, directory: &Path, others: Vec<PathBuf>, seen: &mut HashMap<Inode, Sighting>) {
        let is_missing =
            |inode: &Inode, known: &Known| known.path.parent() == Some(directory) && !seen.contains_key(inode);
        if !self.known.iter().any(|(inode, known)| is_missing(inode, known)) {
            return;
        }
        for path in others {
            let Ok(metadata) = fs::symlink_metadata(&path) else {
                continue;
            };
            let inode = Inode::of(&metadata);
            if metadata.is_file() && self.known.contains_key(&inode) && !seen.contains_key(&inode) {
                seen.insert(inode, sighting(path, inode, &metadata));
            }
        }
    }

    fn open_unread(&mut self, sighting: &mut Sighting) {
        let (position, held) = self.known.get(&sighting.inode).map_or((0, false), |known| (known.position, known.held));
        // Shorter than what was delivered: it has another content, of which nothing was read.
        let is_unread = sighting.size > 0 && sighting.size != position;
        if held || !is_unread || self.opened >= self.most_opened {
            return;
        }
        // A file that cannot be opened is said when its turn to be read comes.
        if let Ok(Some(file)) = open(&sighting.path, sighting.inode) {
            sighting.opened = Some(Arc::new(file));
            self.opened += 1;
        }
    }

    fn trouble(&mut self, path: &Path, what: String) {
        self.survey.troubles.push(Trouble { path: path.to_owned(), what });
    }
}

fn sighting(path: PathBuf, inode: Inode, metadata: &Metadata) -> Sighting {
    let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Sighting { path, inode, size: metadata.len(), modified, superseded: false, opened: None }
}

fn mark_superseded(sightings: &mut [Sighting]) {
    fn family_of(sighting: &Sighting) -> (String, Rank) {
        let name = sighting.path.file_name().unwrap_or_default().to_string_lossy();
        let (base, rank) = family(&name);
        (base.to_owned(), rank)
    }
    let mut newest: HashMap<String, Rank> = HashMap::new();
    for sighting in sightings.iter() {
        let (base, rank) = family_of(sighting);
        let newest_rank = newest.entry(base).or_insert(rank);
        *newest_rank = rank.max(*newest_rank);
    }
    for sighting in sightings {
        let (base, rank) = family_of(sighting);
        sighting.superseded = newest.get(&base).is_some_and(|newest_rank| rank < *newest_rank);
    }
}

/// Opens the file with that inode, or gives nothing when another one has taken its name: a link
/// that was put there to lead elsewhere is never read.
pub(crate) fn open(path: &Path, inode: Inode) -> io::Result<Option<File>> {
    // Without O_NONBLOCK a pipe that has taken the name would make the agent wait for a writer.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let metadata = file.metadata()?;
    Ok((metadata.is_file() && Inode::of(&metadata) == inode).then_some(file))
}

#[cfg(test)]
mod tests;
