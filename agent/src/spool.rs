//! Which files belong to a spool, and how they are right now.
//!
//! A look only lists and asks for sizes; it reads nothing. It opens a file that has something to
//! read, so that it can still be read when it is deleted before its turn. It changes nothing.

mod pattern;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub use pattern::SpoolPattern;

use crate::aside;
use crate::config::CompressedCopies;
use crate::family::{Rank, family};
use crate::generation::Inode;
use crate::unpack::{Compression, unpacked_name};
use pattern::has_extension;

/// Compressions that cannot be read.
const FOREIGN_COMPRESSIONS: [&str; 5] = ["bz2", "xz", "lz4", "snappy", "zip"];

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
    /// It is compressed, and how; `size` is that of the compressed file.
    pub(crate) compression: Option<Compression>,
    /// It is not to be read from its beginning: only what is missing of a file that was followed.
    pub(crate) only_rest: bool,
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
    /// Files that match and are left alone because they are compressed.
    pub(crate) compressed: Vec<PathBuf>,
    /// Symbolic links whose target is outside their directory.
    pub(crate) foreign_links: Vec<PathBuf>,
}

/// Looks at a spool. `known` are its files that the agent follows; they are found under any name
/// in their directory. At most `most_opened` files are opened.
pub(crate) fn survey(
    pattern: &SpoolPattern,
    copies: CompressedCopies,
    known: &HashMap<Inode, Known>,
    most_opened: usize,
) -> Survey {
    let (mut directories, troubles) = pattern.directories();
    for file in known.values() {
        directories.extend(file.path.parent().map(Path::to_owned));
    }
    let survey = Survey { troubles, ..Survey::default() };
    let mut look = Look { pattern, copies, known, opened: 0, most_opened, survey };
    for directory in directories {
        look.at(&directory);
    }
    look.survey
}

struct Look<'a> {
    pattern: &'a SpoolPattern,
    copies: CompressedCopies,
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
            let compression = Compression::of(name);
            let is_left_alone = compression.is_some() && self.copies == CompressedCopies::None;
            if is_left_alone || has_extension(name, &FOREIGN_COMPRESSIONS) {
                self.survey.compressed.push(path);
                continue;
            }
            match self.identify(directory, &path) {
                Ok(Some((inode, metadata, is_link))) => {
                    // A link beside its target: the file goes by its own name.
                    if !is_link || !seen.contains_key(&inode) {
                        let only_rest = self.copies == CompressedCopies::Known;
                        seen.insert(inode, sighting(path, inode, &metadata, compression, only_rest));
                    }
                }
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.trouble(&path, format!("cannot look at the file: {error}")),
            }
        }
        if self.copies != CompressedCopies::None {
            self.find_compressed(directory, &others, &mut seen);
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

    /// Rotation may compress a file under a name that does not match: `x.log.1.gz` of `x.log`.
    fn find_compressed(&mut self, directory: &Path, others: &[PathBuf], seen: &mut HashMap<Inode, Sighting>) {
        let mut bases: Option<HashSet<String>> = None;
        for path in others {
            let Some((name, compression)) =
                path.file_name().and_then(|name| name.to_str()).and_then(|name| Some((name, Compression::of(name)?)))
            else {
                continue;
            };
            let bases = bases.get_or_insert_with(|| self.followed_bases(directory));
            let is_of_known = bases.contains(family(unpacked_name(name)).0);
            if !is_of_known && !self.pattern.matches(directory, unpacked_name(name)) {
                continue;
            }
            if let Ok(Some((inode, metadata, false))) = self.identify(directory, path) {
                seen.entry(inode).or_insert_with(|| sighting(path.clone(), inode, &metadata, Some(compression), true));
            }
        }
    }

    /// The families of the known files in a directory.
    fn followed_bases(&self, directory: &Path) -> HashSet<String> {
        let here = self.known.values().filter(|known| known.path.parent() == Some(directory));
        let names = here.filter_map(|known| known.path.file_name()?.to_str());
        names.map(|name| family(unpacked_name(name)).0.to_owned()).collect()
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
                seen.insert(inode, sighting(path, inode, &metadata, None, false));
            }
        }
    }

    fn open_unread(&mut self, sighting: &mut Sighting) {
        let (position, held) = self.known.get(&sighting.inode).map_or((0, false), |known| (known.position, known.held));
        // Shorter than what was delivered: it has another content, of which nothing was read. Of a
        // compressed file the position says nothing; it is opened when it is read.
        let is_unread = sighting.size > 0 && sighting.size != position && sighting.compression.is_none();
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

fn sighting(
    path: PathBuf,
    inode: Inode,
    metadata: &Metadata,
    compression: Option<Compression>,
    only_rest: bool,
) -> Sighting {
    let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    // Nothing is written behind a compressed content.
    let superseded = compression.is_some();
    Sighting { path, inode, size: metadata.len(), modified, superseded, compression, only_rest, opened: None }
}

fn mark_superseded(sightings: &mut [Sighting]) {
    fn family_of(sighting: &Sighting) -> (String, Rank) {
        let name = sighting.path.file_name().unwrap_or_default().to_string_lossy();
        let (base, rank) = family(&name);
        (base.to_owned(), rank)
    }
    let mut newest: HashMap<String, Rank> = HashMap::new();
    let is_plain = |sighting: &&mut Sighting| sighting.compression.is_none();
    for sighting in sightings.iter().filter(|sighting| sighting.compression.is_none()) {
        let (base, rank) = family_of(sighting);
        let newest_rank = newest.entry(base).or_insert(rank);
        *newest_rank = rank.max(*newest_rank);
    }
    for sighting in sightings.iter_mut().filter(is_plain) {
        let (base, rank) = family_of(sighting);
        // Nobody writes into a file that is being cleared away.
        let is_aside = sighting.path.file_name().and_then(aside::name_before).is_some();
        sighting.superseded = is_aside || newest.get(&base).is_some_and(|newest_rank| rank < *newest_rank);
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
