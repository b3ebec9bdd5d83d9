//! Texts that several threads write: the same, in the same order, with the same error.

use crate::formats::{ROOT, children, directory, file, inodes, strings};
use crate::made::{MadeImage, Message};
use sextant_fsimage::{DelimitedOptions, Error, Image, Tree, WriteError, Zone, write_delimited, write_json_lines};

const DIRECTORIES: u64 = 40;
const FILES: u64 = 500;

/// Some megabytes of inodes, one of them longer than what is read at once.
fn large(damaged: Option<u64>) -> MadeImage {
    let (mut all, mut listed) = (vec![directory(ROOT, "", |root| root)], Vec::new());
    let id_of = |number: u64| ROOT + 1 + number * (FILES + 1);
    let name = "n".repeat(100);
    for number in 0..DIRECTORIES {
        let parent = id_of(number);
        all.push(directory(parent, &format!("directory {number}"), |attributes| attributes));
        for id in parent + 1..=parent + FILES {
            let long = if id == id_of(7) + 3 { 400_000 } else { 0 };
            all.push(match damaged {
                Some(damaged) if damaged == id => Message::new().number(1, 9).number(2, id),
                _ => file(id, &format!("{name} {id}"), |attributes| attributes.bytes(99, vec![0; long])),
            });
        }
        listed.push(children(parent, &(parent + 1..=parent + FILES).collect::<Vec<_>>()));
    }
    listed.insert(0, children(ROOT, &(0..DIRECTORIES).map(id_of).collect::<Vec<_>>()));
    MadeImage::new().section("STRING_TABLE", &strings()).section("INODE", &inodes(&all)).section("INODE_DIR", &listed)
}

fn with_tree<T>(image: &MadeImage, read: impl FnOnce(&Tree<'_>) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fsimage");
    std::fs::write(&path, image.to_bytes()).unwrap();
    let image = Image::open(&path).unwrap();
    read(&image.read_tree(&mut |_| {}).unwrap())
}

fn delimited(tree: &Tree<'_>, threads: usize) -> Result<Vec<u8>, WriteError> {
    let options = DelimitedOptions { zone: Zone::Utc, ..DelimitedOptions::default() };
    let mut text = Vec::new();
    write_delimited(tree, &options, threads, &mut text, &mut |_| {})?;
    Ok(text)
}

#[test]
fn texts_are_in_the_order_of_the_image_however_many_threads_write() {
    for codec in [None, Some("ZStandardCodec")] {
        with_tree(&MadeImage { codec, ..large(None) }, |tree| {
            let mut ids = Vec::new();
            let visit = tree.visit::<Error>(&mut |_| {}, |entry| {
                ids.push(entry.inode.id);
                Ok(())
            });
            let visited = visit.unwrap();
            assert_eq!(visited.inodes, 1 + DIRECTORIES * (FILES + 1));
            let text = delimited(tree, 1).unwrap();
            for threads in [1, 2, 5] {
                assert!(delimited(tree, threads).unwrap() == text, "{threads}");
                let mut lines = Vec::new();
                assert_eq!(write_json_lines(tree, threads, &mut lines, &mut |_| {}).unwrap(), visited);
                let objects = serde_json::Deserializer::from_slice(&lines).into_iter::<serde_json::Value>();
                let written: Vec<u64> = objects.map(|object| object.unwrap()["id"].as_u64().unwrap()).collect();
                assert!(written == ids, "{threads}");
            }
        });
    }
}

#[test]
fn the_first_damaged_inode_is_named_however_many_threads_write() {
    with_tree(&large(Some(ROOT + 20 * (FILES + 1))), |tree| {
        let expected = tree.visit::<Error>(&mut |_| {}, |_| Ok(())).unwrap_err().to_string();
        assert!(expected.contains("INODE") && expected.contains("byte"), "{expected}");
        for threads in [1, 2, 5] {
            assert_eq!(delimited(tree, threads).unwrap_err().to_string(), expected);
        }
    });
}

#[test]
fn an_output_that_takes_no_more_ends_the_writing() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0 == 0 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.0 -= 1;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    with_tree(&large(None), |tree| {
        let error = write_json_lines(tree, 2, Full(3), &mut |_| {}).unwrap_err();
        assert!(matches!(&error, WriteError::Output(error) if error.kind() == std::io::ErrorKind::StorageFull));
    });
}
