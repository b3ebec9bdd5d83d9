//! Which names a spool follows.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};

use super::Trouble;

/// `*` neither crosses a `/` nor matches hidden files.
const MATCHING: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

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
    pub(super) fn directories(&self) -> (BTreeSet<PathBuf>, Vec<Trouble>) {
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
    pub(super) fn matches(&self, directory: &Path, name: &str) -> bool {
        match &self.names {
            Names::Exactly if directory == Path::new(&self.text) => is_ordinary(name),
            Names::Exactly => directory.join(name) == Path::new(&self.text),
            Names::All { .. } => is_ordinary(name),
            Names::Matching { pattern, .. } => pattern.matches_with(name, MATCHING),
        }
    }

    /// Whether the spool may look into that directory, so that a file there is followed again.
    pub(crate) fn looks_into(&self, directory: &Path) -> bool {
        match &self.names {
            Names::Exactly => [Some(Path::new(&self.text)), Path::new(&self.text).parent()].contains(&Some(directory)),
            Names::All { directories } | Names::Matching { directories, .. } => {
                Pattern::new(directories).is_ok_and(|directories| directories.matches_path_with(directory, MATCHING))
            }
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

pub(super) fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| extensions.contains(&extension))
}
