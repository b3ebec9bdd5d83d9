//! Whatever a file holds, reading it ends, with an answer or an error.

use std::path::Path;

use crate::{THREADS, formats};
use proptest::prelude::*;
use sextant_fsimage::{DelimitedOptions, Image, WriteError, Zone, write_delimited, write_json_lines};

const SAMPLES: [&str; 5] =
    ["plain.fsimage", "compressed.fsimage", "snapshots.fsimage", "hadoop3-tree.fsimage", "hadoop3-snapshots.fsimage"];

fn read(bytes: &[u8]) -> Result<u64, WriteError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fsimage");
    std::fs::write(&path, bytes).unwrap();
    let image = Image::open(&path)?;
    let tree = image.read_tree(&mut |_| {})?;
    for directory in tree.directories() {
        let _text = format!("{:?} {:?} {:?}", directory.path(), directory.acl(), directory.xattrs());
    }
    let options = DelimitedOptions { zone: Zone::Utc, with_erasure_coding_policy: true, ..DelimitedOptions::default() };
    write_delimited(&tree, &options, THREADS, std::io::sink(), &mut |_| {})?;
    Ok(write_json_lines(&tree, THREADS, std::io::sink(), &mut |_| {})?.inodes)
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

proptest! {
    #[test]
    fn changed_bytes_never_panic(
        name in prop::sample::select(SAMPLES.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = sample(name);
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        let _either = read(&bytes);
    }

    #[test]
    fn a_cut_image_is_an_error(
        name in prop::sample::select(SAMPLES.to_vec()),
        length in any::<prop::sample::Index>(),
    ) {
        let bytes = sample(name);
        let length = length.index(bytes.len());
        prop_assert!(read(&bytes[..length]).is_err());
    }

    /// The damage is within the sections, behind codecs and a summary that are right.
    #[test]
    fn changed_content_of_any_codec_is_read_to_an_end(
        codec in prop::sample::select(vec![
            "DefaultCodec", "GzipCodec", "BZip2Codec", "SnappyCodec", "Lz4Codec", "ZStandardCodec",
        ]),
        compressed in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut image = formats::sample();
        image.codec = compressed.then_some(codec);
        for (section, index, byte) in changes {
            let section = section.index(image.sections.len());
            let content = &mut image.sections[section].1[0];
            let index = index.index(content.len());
            content[index] = byte;
        }
        let _either = read(&image.to_bytes());
    }

    /// The damage is in the compressed bytes themselves.
    #[test]
    fn changed_compressed_bytes_are_read_to_an_end(
        codec in prop::sample::select(vec!["GzipCodec", "BZip2Codec", "SnappyCodec", "Lz4Codec", "ZStandardCodec"]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut image = formats::sample();
        image.codec = Some(codec);
        let mut bytes = image.to_bytes();
        let sections = 8..bytes.len() / 2;
        for (index, byte) in changes {
            bytes[sections.start + index.index(sections.len())] = byte;
        }
        let _either = read(&bytes);
    }
}
