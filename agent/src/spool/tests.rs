use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;

fn names(survey: &Survey) -> Vec<String> {
    let mut names: Vec<String> = survey
        .sightings
        .iter()
        .map(|sighting| sighting.path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// As the agent looks, unless a test is about compressed files.
fn survey(pattern: &SpoolPattern, known: &HashMap<Inode, Known>, most_opened: usize) -> Survey {
    super::survey(pattern, CompressedCopies::All, known, most_opened)
}

fn look(pattern: &str) -> Survey {
    survey(&SpoolPattern::new(pattern).unwrap(), &HashMap::new(), 100)
}

fn known_from(survey: &Survey) -> HashMap<Inode, Known> {
    let known = |sighting: &Sighting| Known { path: sighting.path.clone(), position: 0, held: false };
    survey.sightings.iter().map(|sighting| (sighting.inode, known(sighting))).collect()
}

fn directory_with(files: &[&str]) -> (TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    for file in files {
        let path = directory.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "line\n").unwrap();
    }
    let path = directory.path().to_str().unwrap().to_owned();
    (directory, path)
}

#[test]
fn a_pattern_takes_what_matches() {
    let (_directory, path) = directory_with(&["x.log.1", "x.log.2", "y.log", ".x.log.3", "sub/x.log.4"]);
    assert_eq!(names(&look(&format!("{path}/x.log*"))), ["x.log.1", "x.log.2"]);
    assert_eq!(names(&look(&format!("{path}/y.log"))), ["y.log"]);
    assert_eq!(names(&look(&format!("{path}/*/x.log*"))), ["x.log.4"]);
    assert_eq!(names(&look(&format!("{path}/*/"))), ["x.log.4"]);
    assert_eq!(names(&look(&format!("{path}/**"))), ["x.log.4"]);
    assert!(names(&look(&format!("{path}/nothing*"))).is_empty());
}

#[test]
fn a_directory_means_its_ordinary_files() {
    let (_directory, path) = directory_with(&["a", "b.log", ".hidden", "a~", "b.tmp", "b.swp", "sub/c"]);
    assert_eq!(names(&look(&path)), ["a", "b.log"]);
    assert_eq!(names(&look(&format!("{path}/"))), ["a", "b.log"]);
}

#[test]
fn compressed_files_are_seen_as_such() {
    let (_directory, path) = directory_with(&["x.log", "x.log.1.gz", "x.log.2.zst", "x.log.3.bz2", "y.log.1.gz"]);
    let pattern = SpoolPattern::new(&format!("{path}/x.log*")).unwrap();
    let all = survey(&pattern, &HashMap::new(), 100);
    assert_eq!(names(&all), ["x.log", "x.log.1.gz", "x.log.2.zst"]);
    assert_eq!(all.compressed, [Path::new(&path).join("x.log.3.bz2")]);
    for sighting in &all.sightings {
        let is_compressed = sighting.compression.is_some();
        assert_eq!((sighting.superseded, sighting.only_rest), (is_compressed, false), "{sighting:?}");
    }
    let none = super::survey(&pattern, CompressedCopies::None, &HashMap::new(), 100);
    assert_eq!(names(&none), ["x.log"]);
    assert_eq!(none.compressed.len(), 3);
    let known = super::survey(&pattern, CompressedCopies::Known, &HashMap::new(), 100);
    assert!(known.sightings.iter().all(|sighting| sighting.only_rest));
}

#[test]
fn a_compressed_file_that_does_not_match_belongs_to_its_family() {
    let (_directory, path) = directory_with(&["x.log", "x.log.1.gz", "y.log.1.gz"]);
    let pattern = SpoolPattern::new(&format!("{path}/x.log")).unwrap();
    let first = survey(&pattern, &HashMap::new(), 100);
    assert_eq!(names(&first), ["x.log"], "of a file that is not followed there is nothing to go on with");
    let second = survey(&pattern, &known_from(&first), 100);
    assert_eq!(names(&second), ["x.log", "x.log.1.gz"]);
    assert!(second.sightings.iter().any(|sighting| sighting.only_rest));
}

#[test]
fn a_missing_directory_is_said_and_holds_no_files() {
    let (_directory, path) = directory_with(&[]);
    let survey = look(&format!("{path}/absent/x*"));
    assert_eq!(survey.troubles.len(), 1);
    assert!(survey.unlisted.is_empty());
}

#[test]
fn an_unreadable_directory_is_said_and_the_others_are_read() {
    let (_directory, path) = directory_with(&["a/x.log", "b/x.log"]);
    let closed = Path::new(&path).join("a");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read_dir(&closed).is_ok() {
        // The superuser reads everything.
        return;
    }
    let survey = look(&format!("{path}/*/x.log"));
    assert_eq!(survey.unlisted, [closed]);
    assert_eq!(names(&survey), ["x.log"]);
}

#[test]
fn links_are_followed_inside_the_directory_only() {
    let (_directory, path) = directory_with(&["spool/x.log.1", "secret"]);
    let spool = Path::new(&path).join("spool");
    symlink("x.log.1", spool.join("x.log")).unwrap();
    symlink("../secret", spool.join("x.log.2")).unwrap();
    symlink("nowhere", spool.join("x.log.3")).unwrap();
    let survey = look(&format!("{path}/spool/x.log*"));
    assert_eq!(names(&survey), ["x.log.1"], "one file, by its own name");
    assert_eq!(survey.foreign_links, [spool.join("x.log.2")]);

    let link_only = look(&format!("{path}/spool/x.log"));
    assert_eq!(names(&link_only), ["x.log"]);
    assert!(link_only.sightings[0].opened.is_some());
}

#[test]
fn a_spool_directory_may_itself_be_a_link() {
    let (_directory, path) = directory_with(&["data/x.log"]);
    symlink("data", Path::new(&path).join("spool")).unwrap();
    assert_eq!(names(&look(&format!("{path}/spool"))), ["x.log"]);
}

#[test]
fn a_file_that_took_the_name_of_another_is_not_opened() {
    let (_directory, path) = directory_with(&["x.log", "secret"]);
    let file = Path::new(&path).join("x.log");
    let inode = Inode::of(&fs::metadata(&file).unwrap());
    assert!(open(&file, inode).unwrap().is_some());
    fs::rename(Path::new(&path).join("secret"), &file).unwrap();
    assert!(open(&file, inode).unwrap().is_none());
}

#[test]
fn a_renamed_file_is_found_under_a_name_that_does_not_match() {
    let (_directory, path) = directory_with(&["x.log"]);
    let pattern = SpoolPattern::new(&format!("{path}/x.log")).unwrap();
    let before = survey(&pattern, &HashMap::new(), 100);
    fs::rename(format!("{path}/x.log"), format!("{path}/x.log.1")).unwrap();
    assert!(names(&survey(&pattern, &HashMap::new(), 100)).is_empty());

    let alone = survey(&pattern, &known_from(&before), 100);
    assert_eq!(names(&alone), ["x.log.1"]);
    assert!(!alone.sightings[0].superseded);

    fs::write(format!("{path}/x.log"), "next\n").unwrap();
    let after = survey(&pattern, &known_from(&before), 100);
    assert_eq!(names(&after), ["x.log", "x.log.1"]);
    let renamed = after.sightings.iter().find(|sighting| sighting.path.ends_with("x.log.1")).unwrap();
    assert_eq!(renamed.inode, before.sightings[0].inode);
    assert!(renamed.superseded);
}

#[test]
fn files_with_something_to_read_are_opened_within_the_limit() {
    let (_directory, path) = directory_with(&["a", "b", "c"]);
    let pattern = SpoolPattern::new(&path).unwrap();
    let opened = |survey: &Survey| survey.sightings.iter().filter(|sighting| sighting.opened.is_some()).count();
    let first = survey(&pattern, &HashMap::new(), 2);
    assert_eq!(opened(&first), 2);
    let mut known = known_from(&first);
    for file in known.values_mut() {
        file.position = 5;
    }
    assert_eq!(opened(&survey(&pattern, &known, 100)), 0);
}
