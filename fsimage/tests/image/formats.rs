//! What images of other versions and settings hold, in made images.

use crate::THREADS;
use crate::made::{MadeImage, Message, permission};
use sextant_fsimage::{DelimitedOptions, Error, Image, Zone, write_delimited, write_json_lines};

pub(crate) const ROOT: u64 = 16385;
/// The tables of Hadoop 3.1: the upper three bits say whose name it is.
const USER: u64 = 1 << 29;
const GROUP: u64 = 2 << 29;
const XATTR: u64 = 3 << 29;

fn string(id: u64, text: &str) -> Message {
    Message::new().number(1, id).bytes(2, text)
}

pub(crate) fn strings() -> Vec<Message> {
    vec![
        Message::new().number(1, 6).number(2, 3),
        string(USER | 1, "hdfs"),
        string(USER | 2, "alice"),
        string(GROUP | 1, "supergroup"),
        string(XATTR | 1, "hsm.block.storage.policy.id"),
        string(XATTR | 2, "hdfs.erasurecoding.policy"),
        string(XATTR | 3, "hdfs.crypto.encryption.zone"),
    ]
}

pub(crate) fn directory(id: u64, name: &str, more: impl FnOnce(Message) -> Message) -> Message {
    let attributes = Message::new()
        .number(1, 1_796_055_086_724)
        .number(2, u64::MAX)
        .number(3, u64::MAX)
        .fixed64(4, permission(1, 1, 0o755));
    Message::new().number(1, 2).number(2, id).bytes(3, name).message(5, &more(attributes))
}

pub(crate) fn file(id: u64, name: &str, more: impl FnOnce(Message) -> Message) -> Message {
    let attributes = Message::new()
        .number(1, 3)
        .number(2, 1_796_055_086_724)
        .number(3, 0)
        .number(4, 134_217_728)
        .fixed64(5, permission(2, 1, 0o640))
        .message(6, &Message::new().number(1, 1_073_741_825).number(2, 1001).number(3, 7));
    Message::new().number(1, 1).number(2, id).bytes(3, name).message(4, &more(attributes))
}

pub(crate) fn inodes(inodes: &[Message]) -> Vec<Message> {
    let header = Message::new().number(1, 20_000).number(2, inodes.len() as u64);
    std::iter::once(header).chain(inodes.iter().cloned()).collect()
}

pub(crate) fn children(parent: u64, children: &[u64]) -> Message {
    Message::new().number(1, parent).packed(2, children)
}

/// The number of an attribute's name with its namespace, 3 for system and 4 for raw.
fn attribute(namespace: u32, name: u32, value: &[u8]) -> Message {
    let bits = (namespace & 3) << 30 | name << 6 | (namespace >> 2) << 5;
    Message::new().message(1, &Message::new().fixed32(1, bits).bytes(2, value))
}

fn written(image: &MadeImage) -> (String, Vec<serde_json::Value>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fsimage");
    std::fs::write(&path, image.to_bytes()).unwrap();
    let image = Image::open(&path).unwrap();
    let tree = image.read_tree(&mut |_| {}).unwrap();
    let options = DelimitedOptions {
        with_storage_policy: true,
        with_erasure_coding_policy: true,
        zone: Zone::Utc,
        ..DelimitedOptions::default()
    };
    let (mut text, mut json) = (Vec::new(), Vec::new());
    write_delimited(&tree, &options, THREADS, &mut text, &mut |_| {}).unwrap();
    write_json_lines(&tree, THREADS, &mut json, &mut |_| {}).unwrap();
    let json = String::from_utf8(json).unwrap();
    (String::from_utf8(text).unwrap(), json.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

pub(crate) fn sample() -> MadeImage {
    let policy_name = b"RS-6-3-1024k";
    let mut java_string = (policy_name.len() as u32).to_be_bytes().to_vec();
    java_string.extend_from_slice(policy_name);
    let zone = Message::new().number(1, 2).number(2, 2).bytes(3, "the-key").delimited();
    let acl = (2_u32 << 6 | 5).to_le_bytes().into_iter().chain((1_u32 << 3 | 1 << 5 | 4).to_le_bytes());
    let acl = Message::new().bytes(2, acl.collect::<Vec<u8>>());
    MadeImage::new()
        .section("STRING_TABLE", &strings())
        .section(
            "INODE",
            &inodes(&[
                directory(ROOT, "", |root| root),
                file(16389, "striped", |file| file.number(11, 1).number(12, 1)),
                directory(16386, "cold", |cold| cold.message(6, &attribute(3, 1, &[2]))),
                directory(16387, "coded", |coded| coded.message(6, &attribute(3, 2, &java_string)).message(5, &acl)),
                directory(16388, "secret", |secret| secret.message(6, &attribute(4, 3, &zone[1..]))),
                file(16390, "of another kind", |file| file.number(10, 15).number(12, 64)),
                Message::new().number(1, 3).number(2, 16391).bytes(3, "link").message(
                    6,
                    &Message::new().fixed64(1, permission(2, 1, 0o777)).bytes(2, "/cold").number(3, 60_000),
                ),
            ]),
        )
        .section("INODE_DIR", &[children(ROOT, &[16386, 16387, 16388, 16391]), children(16387, &[16389, 16390])])
        .section("ERASURE_CODING", &[Message::new().message(1, &Message::new().bytes(1, "XOR-9-9-9k").number(4, 64))])
}

const SAMPLE_TEXT: &str = "\
Path\tReplication\tModificationTime\tAccessTime\tPreferredBlockSize\tBlocksCount\tFileSize\tNSQUOTA\tDSQUOTA\tPermission\tUserName\tGroupName\tStoragePolicyId\tErasureCodingPolicy
/\t0\t2026-11-30 16:11\t1970-01-01 00:00\t0\t0\t0\t-1\t-1\tdrwxr-xr-x\thdfs\tsupergroup\t0\t-
/coded/striped\t3\t2026-11-30 16:11\t1970-01-01 00:00\t134217728\t1\t7\t0\t0\t-rw-r-----\talice\tsupergroup\t0\tRS-6-3-1024k
/cold\t0\t2026-11-30 16:11\t1970-01-01 00:00\t0\t0\t0\t-1\t-1\tdrwxr-xr-x\thdfs\tsupergroup\t2\t-
/coded\t0\t2026-11-30 16:11\t1970-01-01 00:00\t0\t0\t0\t-1\t-1\tdrwxr-xr-x+\thdfs\tsupergroup\t0\tRS-6-3-1024k
/secret\t0\t2026-11-30 16:11\t1970-01-01 00:00\t0\t0\t0\t-1\t-1\tdrwxr-xr-x\thdfs\tsupergroup\t0\t-
/coded/of another kind\t3\t2026-11-30 16:11\t1970-01-01 00:00\t134217728\t1\t7\t0\t0\t-rw-r-----\talice\tsupergroup\t15\t-
/link\t0\t1970-01-01 00:01\t1970-01-01 00:00\t0\t0\t0\t0\t0\t-rwxrwxrwx\talice\tsupergroup\t0\t-
";

#[test]
fn everything_of_hadoop_3_is_read() {
    let (text, objects) = written(&sample());
    assert_eq!(text, SAMPLE_TEXT);
    assert_eq!(objects[2]["storagePolicy"], "COLD");
    assert_eq!(objects[3]["acl"], serde_json::json!(["user:alice:r-x", "default:group::r--"]));
    assert_eq!(objects[4]["encryptionZone"]["keyName"], "the-key");
    assert_eq!(objects[5]["erasureCodingPolicy"], "XOR-9-9-9k");
    assert_eq!(objects[6]["target"], "/cold");
}

#[test]
fn every_codec_and_sub_section_gives_the_same() {
    let codecs = ["DefaultCodec", "GzipCodec", "BZip2Codec", "SnappyCodec", "Lz4Codec", "ZStandardCodec"].map(Some);
    for codec in std::iter::once(None).chain(codecs) {
        let mut image = sample();
        image.codec = codec;
        for (_, parts) in &mut image.sections {
            // A part ends anywhere here, which is harder than at a message's end.
            let content = parts.concat();
            *parts = content.chunks(content.len() / 3 + 1).map(<[u8]>::to_vec).collect();
            parts.push(Vec::new());
        }
        assert_eq!(written(&image).0, SAMPLE_TEXT, "{codec:?}");
    }
}

#[test]
fn sections_are_found_in_any_order_and_unknown_ones_are_passed() {
    let mut image = sample();
    image.layout = -99;
    image.sections.reverse();
    image.sections.insert(1, ("FROM_THE_FUTURE".to_owned(), vec![vec![0xff; 100]]));
    assert_eq!(written(&image).0, SAMPLE_TEXT);
}

#[test]
fn a_child_by_reference_is_at_the_path_of_today() {
    let image = MadeImage::new()
        .section("STRING_TABLE", &strings())
        .section(
            "INODE",
            &inodes(&[
                directory(ROOT, "", |root| root),
                directory(16386, "new", |new| new),
                file(16387, "f", |file| file),
                directory(16388, "gone", |gone| gone),
                file(16389, "gone too", |file| file),
            ]),
        )
        .section("INODE_REFERENCE", &[Message::new().number(1, 1), Message::new().number(1, 16386)])
        .section(
            "INODE_DIR",
            &[Message::new().number(1, ROOT).packed(3, &[1]), children(16386, &[16387]), children(16388, &[16389])],
        );
    let (_, objects) = written(&image);
    let paths: Vec<&str> = objects.iter().map(|object| object["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["/", "/new", "/new/f"]);
}

fn error_of(image: &MadeImage) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fsimage");
    std::fs::write(&path, image.to_bytes()).unwrap();
    let result = Image::open(&path).and_then(|image| {
        let tree = image.read_tree(&mut |_| {})?;
        tree.visit::<Error>(&mut |_| {}, |_| Ok(()))
    });
    result.unwrap_err().to_string()
}

#[test]
fn damage_is_told_with_its_section_and_place() {
    let mut image = sample();
    image.sections[2].1[0].truncate(100);
    let cut = error_of(&image);
    assert!(cut.starts_with("section INODE is damaged at byte "), "{cut}");

    let mut image = sample();
    image.codec = Some("ZipCodec");
    image.sections.clear();
    assert!(error_of(&image).contains("org.apache.hadoop.io.compress.ZipCodec, which is not known"));

    let mut image = sample();
    image.sections.remove(1);
    assert!(error_of(&image).contains("no section STRING_TABLE"));

    let mut image = sample();
    image.sections[3] = ("INODE_DIR".to_owned(), vec![children(ROOT, &[16386]).number(3, 5).delimited()]);
    assert!(error_of(&image).contains("section INODE_DIR is damaged"), "{}", error_of(&image));
}

/// Two directories, each the other's parent.
#[test]
fn a_ring_of_directories_is_not_followed() {
    let image = MadeImage::new()
        .section("STRING_TABLE", &strings())
        .section(
            "INODE",
            &inodes(&[
                directory(ROOT, "", |root| root),
                directory(16386, "a", |a| a),
                directory(16387, "b", |b| b),
                file(16388, "f", |file| file),
            ]),
        )
        .section("INODE_DIR", &[children(16386, &[16387, 16388]), children(16387, &[16386])]);
    assert_eq!(written(&image).1.len(), 1);
}
