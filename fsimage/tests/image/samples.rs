//! Images of real NameNodes (Hadoop 2.7.3 and 3.5.0), against what their own viewers wrote of them.

use std::path::PathBuf;

use crate::THREADS;
use sextant_fsimage::{
    Codec, Compatibility, Count, DelimitedOptions, Error, Image, Kind, Paths, SumOptions, Sums, Visited, Zone,
    write_delimited, write_json_lines,
};

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn delimited(name: &str, compatibility: Compatibility) -> (String, Visited) {
    let image = Image::open(&data(name)).unwrap();
    let tree = image.read_tree(&mut |_| {}).unwrap();
    let options = DelimitedOptions { compatibility, zone: Zone::Utc, ..DelimitedOptions::default() };
    let mut out = Vec::new();
    let visited = write_delimited(&tree, &options, THREADS, &mut out, &mut |_| {}).unwrap();
    (String::from_utf8(out).unwrap(), visited)
}

#[test]
fn text_equals_that_of_the_viewer() {
    for (image, text) in [("plain", "plain"), ("compressed", "plain"), ("stack", "stack")] {
        let expected = std::fs::read_to_string(data(&format!("{text}.tsv"))).unwrap();
        let (lines, _) = delimited(&format!("{image}.fsimage"), Compatibility::Hadoop27);
        assert_eq!(lines, expected, "{image}");
    }
}

/// With `-sp -ec`: sub-sections and everything that Hadoop 3 has in one, LZ4 and snapshots in the
/// other.
#[test]
fn text_equals_that_of_the_viewer_of_hadoop_3() {
    for name in ["hadoop3-tree", "hadoop3-snapshots"] {
        let image = Image::open(&data(&format!("{name}.fsimage"))).unwrap();
        let tree = image.read_tree(&mut |_| {}).unwrap();
        let options = DelimitedOptions {
            with_storage_policy: true,
            with_erasure_coding_policy: true,
            zone: Zone::Utc,
            ..DelimitedOptions::default()
        };
        let mut out = Vec::new();
        write_delimited(&tree, &options, THREADS, &mut out, &mut |_| {}).unwrap();
        let expected = std::fs::read_to_string(data(&format!("{name}.tsv"))).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{name}");
    }
}

#[test]
fn an_image_describes_itself() {
    let image = Image::open(&data("compressed.fsimage")).unwrap();
    assert_eq!(image.layout_version(), -63);
    assert_eq!(image.codec(), Codec::Zlib);
    assert!(!image.is_newer_than_known());
    let names: Vec<&str> = image.sections().iter().map(|section| section.name.as_str()).collect();
    assert!(names.contains(&"INODE") && names.contains(&"SNAPSHOT_DIFF"), "{names:?}");
    let image = Image::open(&data("snapshots.fsimage")).unwrap();
    assert_eq!(image.namespace().transaction_id, 8677);
}

/// `daily` became `daily_renamed` after a snapshot, so it is there by a reference; its partition
/// of January 1st was deleted then, with three files.
#[test]
fn what_only_a_snapshot_has_is_at_no_path() {
    let (lines, visited) = delimited("snapshots.fsimage", Compatibility::Hadoop3);
    assert_eq!(visited, Visited { inodes: 44, only_in_snapshots: 4 });
    assert!(lines.contains("\n/user/hive/warehouse/dw.db/daily_renamed/dt=2026-01-02/part-00000\t"));
    assert!(!lines.contains("dw.db/daily_renamed/dt=2026-01-01"));
    assert!(!lines.contains("/daily/"));
}

#[test]
fn directories_know_their_place_and_quota() {
    let image = Image::open(&data("snapshots.fsimage")).unwrap();
    let tree = image.read_tree(&mut |_| {}).unwrap();
    assert_eq!(tree.directory(tree.root()).path().as_deref(), Some("/"));
    let directory = tree.directory(tree.slot_of(20944).unwrap());
    assert_eq!(directory.path().as_deref(), Some("/data"));
    assert_eq!((directory.namespace_quota(), directory.space_quota()), (1000, 10_737_418_240));
    assert_eq!((directory.owner(), directory.group(), directory.mode()), ("root", "root", 0o755));
    let deleted = tree.directory(tree.slot_of(20932).unwrap());
    assert!(!deleted.is_linked());
    assert_eq!(deleted.path(), None);
}

#[test]
fn acls_attributes_and_open_files_are_read() {
    let image = Image::open(&data("plain.fsimage")).unwrap();
    let tree = image.read_tree(&mut |_| {}).unwrap();
    let mut paths = Paths::of(&tree);
    let (mut acls, mut attributes, mut open_files) = (Vec::new(), Vec::new(), Vec::new());
    tree.visit::<Error>(&mut |_| {}, |entry| {
        let mut path = Vec::new();
        paths.append(entry, &mut path);
        let path = String::from_utf8(path).unwrap();
        acls.extend(entry.inode.acl.entries().iter().map(|acl| format!("{path} {acl}")));
        for attribute in entry.inode.xattrs.all() {
            let value = String::from_utf8_lossy(attribute.value);
            attributes.push(format!("{path} {}.{}={value}", attribute.namespace.name(), attribute.name));
        }
        if let Kind::File(file) = entry.inode.kind
            && file.under_construction.is_some()
        {
            open_files.push(path);
        }
        Ok(())
    })
    .unwrap();
    let acl = [
        "user:etl:rwx",
        "group::rwx",
        "default:user::rwx",
        "default:group::rwx",
        "default:group:analysts:r-x",
        "default:mask::rwx",
        "default:other::---",
    ];
    assert_eq!(acls, acl.map(|entry| format!("/user/hive/warehouse/raw.db {entry}")));
    assert_eq!(attributes, ["/user/hive/warehouse/dw.db user.owner_team=finance"]);
    assert_eq!(open_files, ["/tmp/under_construction"]);
}

#[test]
fn every_line_of_json_is_an_object() {
    let image = Image::open(&data("snapshots.fsimage")).unwrap();
    let tree = image.read_tree(&mut |_| {}).unwrap();
    let mut out = Vec::new();
    write_json_lines(&tree, THREADS, &mut out, &mut |_| {}).unwrap();
    let text = String::from_utf8(out).unwrap();
    let objects: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 44);
    let open = objects.iter().find(|object| object["path"] == "/tmp/under_construction").unwrap();
    assert_eq!(open["underConstruction"]["clientMachine"], "127.0.0.1");
    assert!(objects.iter().any(|object| object["path"] == "/data/a&b<c>\"d'/f" && object["length"] == 1));
}

#[test]
fn sums_hold_everything_below() {
    let image = Image::open(&data("snapshots.fsimage")).unwrap();
    let tree = image.read_tree(&mut |_| {}).unwrap();
    let options = SumOptions { small_below_bytes: 300, now_ms: 1_796_054_543_815 + 40 * 24 * 60 * 60 * 1000 };
    let sums = Sums::read(&tree, options, &mut |_| {}).unwrap();
    let total = Count { files: 22, small_files: 17, directories: 22, bytes: 3015, space: 3015 };
    assert_eq!(sums.of(tree.root()), &total);
    let orders = sums.of(tree.directory_at("/user/hive/warehouse/raw.db").unwrap());
    assert_eq!(orders, &Count { files: 9, small_files: 6, directories: 5, bytes: 1800, space: 1800 });
    assert_eq!(sums.by_owner[0].count.files, 22);
    assert_eq!(sums.by_age[3].count.files, 22);
    assert_eq!(sums.by_size[0].count.files + sums.by_size[1].count.files, 22);
    assert_eq!(tree.directory_at("/user/hive/nothing"), None);
}
