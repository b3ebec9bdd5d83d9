//! Which files of a file system are shown.

use super::WantedFiles;

/// Which directories hold files that are wanted, noted while the directories are shown.
#[derive(Debug)]
pub(super) struct WantedDirectories<'w> {
    wanted: &'w WantedFiles,
    holders: Vec<Holder>,
}

/// What of a directory's own files is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Nothing,
    /// Those files whose own path is wanted.
    Some,
    Everything,
}

impl<'w> WantedDirectories<'w> {
    pub(super) fn new(wanted: &'w WantedFiles, directories: usize) -> Self {
        let holder = if *wanted == WantedFiles::All { Holder::Everything } else { Holder::Nothing };
        Self { wanted, holders: vec![holder; directories] }
    }

    /// Notes a directory, known by its number, by its path.
    pub(super) fn note(&mut self, directory: usize, path: &str) {
        if let WantedFiles::Below(paths) = self.wanted {
            self.holders[directory] = holder_of(paths, path);
        }
    }

    /// Whether there is any file to look for.
    pub(super) fn is_any(&self) -> bool {
        self.holders.iter().any(|holder| *holder != Holder::Nothing)
    }

    /// Whether files of this directory may be wanted, so that it is worth making their paths.
    pub(super) fn may_hold(&self, holder: usize) -> bool {
        self.holders[holder] != Holder::Nothing
    }

    /// Whether every file of this directory is wanted.
    pub(super) fn wants_all(&self, holder: usize) -> bool {
        self.holders[holder] == Holder::Everything
    }

    /// Whether a file of this directory is wanted.
    pub(super) fn wants(&self, holder: usize, path: &str) -> bool {
        match (self.holders[holder], self.wanted) {
            (Holder::Everything, _) => true,
            (Holder::Some, WantedFiles::Below(paths)) => {
                paths.binary_search_by(|wanted| wanted.as_str().cmp(path)).is_ok()
            }
            _ => false,
        }
    }
}

/// `wanted` is in order and none of its paths is below another.
fn holder_of(wanted: &[String], directory: &str) -> Holder {
    let mut above = Some(directory);
    while let Some(path) = above {
        if wanted.binary_search_by(|wanted| wanted.as_str().cmp(path)).is_ok() {
            return Holder::Everything;
        }
        above = parent_of(path);
    }
    // What lies below is in one stretch, right after the directory with a slash.
    let stretch = if directory == "/" { "/".to_owned() } else { format!("{directory}/") };
    let first = wanted.partition_point(|wanted| wanted.as_str() < stretch.as_str());
    let below = wanted[first..].iter().take_while(|wanted| wanted.starts_with(&stretch));
    let mut own = below.filter(|wanted| !wanted[stretch.len()..].contains('/'));
    if own.next().is_some() { Holder::Some } else { Holder::Nothing }
}

fn parent_of(path: &str) -> Option<&str> {
    match path.rfind('/')? {
        0 if path.len() == 1 => None,
        0 => Some("/"),
        slash => Some(&path[..slash]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_hold_wanted_files_at_below_and_right_above_wanted_paths() {
        let wanted = ["/data/sales", "/data/sales-old/x.csv", "/raw"].map(str::to_owned);
        for (directory, expected) in [
            ("/", Holder::Some),
            ("/data", Holder::Some),
            ("/data/sales", Holder::Everything),
            ("/data/sales/dt=1/part", Holder::Everything),
            ("/data/sales-old", Holder::Some),
            ("/data/sales2", Holder::Nothing),
            ("/raw/a", Holder::Everything),
            ("/rawer", Holder::Nothing),
        ] {
            assert_eq!(holder_of(&wanted, directory), expected, "{directory}");
        }
        assert_eq!(holder_of(&["/".to_owned()], "/a/b"), Holder::Everything);
    }
}
