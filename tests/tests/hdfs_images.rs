//! `sextant fsimage` on images that real NameNodes saved, beside what Hadoop's own viewer prints of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sextant_tests::{Edition, GeneratedImage, Hadoop, Hdfs, Layout, built_program};
use tempfile::TempDir;

#[test]
fn images_of_hadoop_2_7_are_printed_as_its_viewer_prints_them() {
    let folder = TempDir::new().unwrap();
    if !Hadoop::V2_7.save_images(folder.path()).unwrap() {
        return;
    }
    let images = images(folder.path());
    assert_eq!(images.len(), 7, "{images:?}");
    for image in &images {
        the_paths_are_the_name_nodes(image);
        let printed = delimited(image, &["--compat", "2.7"]);
        // Hadoop 2.7's own viewer fails on renames below a snapshot.
        if !image.file_name().unwrap().to_string_lossy().starts_with("snapshots") {
            assert_same_lines(&image.with_extension("tsv"), &printed);
        }
    }
}

#[test]
fn images_of_hadoop_3_5_are_printed_as_its_viewer_prints_them() {
    let folder = TempDir::new().unwrap();
    if !Hadoop::V3_5.save_images(folder.path()).unwrap() {
        return;
    }
    let images = images(folder.path());
    assert_eq!(images.len(), 15, "{images:?}");
    for image in &images {
        the_paths_are_the_name_nodes(image);
        let printed = delimited(image, &[]);
        assert_same_lines(&image.with_extension("tsv"), &printed);
        assert_same_lines(&image.with_extension("threads.tsv"), &printed);
        assert_same_lines(&image.with_extension("comma.csv"), &delimited(image, &["--delimiter", ","]));
        assert_same_lines(
            &image.with_extension("policies.tsv"),
            &delimited(image, &["--storage-policy", "--erasure-coding"]),
        );
    }
}

/// The measurements rest on images that no NameNode saved: Hadoop's viewer has to take them for its own.
#[test]
fn generated_images_are_images_to_the_viewer() {
    let folder = TempDir::new().unwrap();
    let cases = [
        (Hadoop::V2_7, Layout::Hadoop27, "2.7", 0, Edition::First),
        (Hadoop::V3_5, Layout::Hadoop3, "3.5", 1, Edition::Second),
    ];
    for (hadoop, layout, compatibility, header_lines, edition) in cases {
        let image = folder.path().join(format!("{}.fsimage", hadoop.version()));
        let viewed = folder.path().join(format!("{}.tsv", hadoop.version()));
        let generated = GeneratedImage { inodes: 30_000, layout, edition }.write(&image).unwrap();
        if hadoop.view(&image, &["-p", "Delimited"], &viewed).unwrap() {
            let printed = delimited(&image, &["--compat", compatibility]);
            assert_same_lines(&viewed, &printed);
            assert_eq!(lines(&printed).len() as u64, generated.inodes + header_lines);
        }
    }
}

#[test]
fn an_image_is_fetched_from_a_running_name_node() {
    let folder = TempDir::new().unwrap();
    let Some(hdfs) = Hdfs::start(Hadoop::V3_5).unwrap() else { return };
    hdfs.fs(&["-mkdir", "-p", "/data/in", "/data/out"]).unwrap();
    hdfs.fs(&["-touchz", "/data/in/empty"]).unwrap();
    let image = folder.path().join("fsimage");
    hdfs.save_image(&image).unwrap();
    let printed = String::from_utf8(delimited(&image, &[])).unwrap();
    let paths: Vec<&str> = printed.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(paths, ["/", "/data", "/data/in", "/data/out", "/data/in/empty"]);
    assert!(fs::read_to_string(hdfs.audit_log()).unwrap().contains("/data/in/empty"));
}

fn images(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "fsimage")).collect()
}

fn delimited(image: &Path, options: &[&str]) -> Vec<u8> {
    sextant(image, &[&["--format", "delimited", "--utc"], options].concat())
}

fn sextant(image: &Path, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(built_program("sextant").unwrap());
    let output = command.arg("fsimage").arg(image).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}: {}", image.display(), String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The viewer is not asked here: it leaves out what it does not understand, such as files below a snapshot.
fn the_paths_are_the_name_nodes(image: &Path) {
    let listed = fs::read_to_string(image.with_extension("paths")).unwrap();
    let listed: BTreeSet<String> = listed.split_terminator('\0').map(str::to_owned).collect();
    let objects = sextant(image, &["--format", "jsonl"]);
    let read = lines(&objects).into_iter().map(|line| {
        let object: serde_json::Value = serde_json::from_slice(line).unwrap();
        object["path"].as_str().unwrap().to_owned()
    });
    assert_eq!(read.collect::<BTreeSet<_>>(), listed, "{}", image.display());
}

fn assert_same_lines(expected: &Path, printed: &[u8]) {
    let bytes = fs::read(expected).unwrap();
    for (number, (theirs, ours)) in lines(&bytes).iter().zip(lines(printed)).enumerate() {
        assert_eq!(
            String::from_utf8_lossy(theirs),
            String::from_utf8_lossy(ours),
            "line {} of {}",
            number + 1,
            expected.display()
        );
    }
    assert!(bytes == printed, "{} is equal as far as it goes, and longer or shorter", expected.display());
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}
