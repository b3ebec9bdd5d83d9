//! Which files of a file system are worth showing: those in places that something names.

use sextant_extractors::pull::hdfs::WantedFiles;

/// The places of one file system among all that are named, in order, none below another. `prefix`
/// is what stands before its paths in their names; nothing for the first file system of a cluster.
pub(super) fn wanted_below(prefix: &str, referenced: Vec<String>) -> Vec<String> {
    let mut paths: Vec<String> = referenced
        .into_iter()
        .filter_map(|name| Some(name.strip_prefix(prefix)?.to_owned()))
        // Paths of other file systems begin with an address.
        .filter(|path| path.starts_with('/'))
        .collect();
    paths.sort_unstable();
    let mut wanted: Vec<String> = Vec::new();
    for path in paths {
        if !is_below(&wanted, &path) {
            wanted.push(path);
        }
    }
    wanted
}

/// Whether a file is among those that are wanted.
pub(super) fn is_wanted(wanted: &WantedFiles, path: &str) -> bool {
    match wanted {
        WantedFiles::None => false,
        WantedFiles::All => true,
        WantedFiles::Below(places) => is_below(places, path),
    }
}

/// Whether a path is at or below one of some places, which are in order.
fn is_below(places: &[String], path: &str) -> bool {
    let holds = |place: &str| places.binary_search_by(|known| known.as_str().cmp(place)).is_ok();
    let mut end = path.len();
    loop {
        if holds(&path[..end]) {
            return true;
        }
        match path[..end].rfind('/') {
            None | Some(0) => return holds("/"),
            Some(slash) => end = slash,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(paths: &[&str]) -> Vec<String> {
        paths.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_places_of_one_file_system_are_taken_without_those_below_others() {
        let referenced =
            texts(&["/w/t-old", "/w/t", "/w/t/p=1", "/w", "/w2/x", "hdfs://dr/w/u", "hdfs://drx/w", "s3a://b/k"]);
        assert_eq!(wanted_below("", referenced.clone()), texts(&["/w", "/w2/x"]));
        assert_eq!(wanted_below("hdfs://dr", referenced), texts(&["/w/u"]));
    }

    #[test]
    fn files_are_wanted_at_and_below_a_place() {
        let wanted = WantedFiles::Below(texts(&["/w/t", "/w/t-old"]));
        assert!(is_wanted(&wanted, "/w/t") && is_wanted(&wanted, "/w/t/p=1/f") && is_wanted(&wanted, "/w/t-old/f"));
        assert!(!is_wanted(&wanted, "/w/t2/f") && !is_wanted(&wanted, "/f"));
        assert!(is_wanted(&WantedFiles::Below(texts(&["/"])), "/f"));
        assert!(is_wanted(&WantedFiles::All, "/f") && !is_wanted(&WantedFiles::None, "/f"));
    }
}
