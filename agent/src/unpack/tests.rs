use proptest::prelude::*;

use super::*;
use crate::generation::Excerpt;

fn packed(content: &[u8], compression: Compression) -> Vec<u8> {
    match compression {
        Compression::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zstandard => zstd::encode_all(content, 1).unwrap(),
    }
}

fn file_with(bytes: &[u8]) -> Arc<File> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    Arc::new(file)
}

fn unpacking(content: &[u8], compression: Compression) -> Unpacking {
    Unpacking::new(file_with(&packed(content, compression)), compression).unwrap()
}

const BOTH: [Compression; 2] = [Compression::Gzip, Compression::Zstandard];

#[test]
fn the_head_is_that_of_the_plain_file() {
    for compression in BOTH {
        for content in [&b"one\ntwo\n"[..], b"no line feed", &[b'x'; 5000]] {
            let plain = Excerpt::of_head(&file_with(content), content.len() as u64, true).unwrap();
            assert_eq!(unpacking(content, compression).head().unwrap(), plain);
        }
        assert_eq!(unpacking(b"", compression).head().unwrap(), None);
    }
}

#[test]
fn a_file_that_is_not_whole_is_told_from_a_damaged_one() {
    let content: Vec<u8> = (0..40_000_u32).flat_map(|number| format!("line {number}\n").into_bytes()).collect();
    for compression in BOTH {
        let whole = packed(&content, compression);
        for length in [0, 1, 5, whole.len() / 2, whole.len() - 1] {
            let cut = Unpacking::new(file_with(&whole[..length]), compression);
            let error = cut.and_then(|stream| stream.compare(&[])).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{compression:?} cut to {length}: {error}");
        }
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 0x55;
        damaged[whole.len() / 2 + 1] ^= 0x55;
        let stream = Unpacking::new(file_with(&damaged), compression).unwrap();
        if compression == Compression::Gzip {
            let error = stream.compare(&[]).unwrap_err();
            assert_ne!(error.kind(), io::ErrorKind::UnexpectedEof, "{error}");
        }
        let mut twice = whole.clone();
        twice.extend(&whole);
        let stream = Unpacking::new(file_with(&twice), compression).unwrap();
        assert_eq!(stream.compare(&[]).unwrap().0, 2 * content.len() as u64, "members follow each other");
    }
}

#[test]
fn a_bomb_is_not_unpacked_to_its_end() {
    let block = vec![0_u8; 1 << 20];
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    for _ in 0..200 {
        encoder.write_all(&block).unwrap();
    }
    let bomb = file_with(&encoder.finish().unwrap());
    let error = Unpacking::new(bomb, Compression::Zstandard).unwrap().compare(&[]).unwrap_err();
    assert!(error.to_string().contains("more than 1000 times its size"), "{error}");
}

#[test]
fn a_window_that_is_too_large_is_refused() {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    encoder.write_all(b"line\n").unwrap();
    encoder.flush().unwrap();
    encoder.write_all(b"line\n").unwrap();
    let file = file_with(&encoder.finish().unwrap());
    let error = Unpacking::new(file, Compression::Zstandard).unwrap().compare(&[]).unwrap_err();
    assert_ne!(error.kind(), io::ErrorKind::UnexpectedEof, "{error}");
}

proptest! {
    #[test]
    fn foreign_bytes_end_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..400), gzip in any::<bool>()) {
        let (compression, magic) =
            if gzip { (Compression::Gzip, &[0x1f, 0x8b, 8][..]) } else { (Compression::Zstandard, &[0x28, 0xb5, 0x2f, 0xfd][..]) };
        let file = file_with(&[magic, &bytes].concat());
        let _ = Unpacking::new(file, compression).and_then(|stream| stream.compare(&[]));
    }

    #[test]
    fn pieces_are_the_content(
        content in proptest::collection::vec(prop_oneof![1 => Just(b'\n'), 20 => any::<u8>()], 0..600),
        batch in 1_u64..64, line in 64_u64..80, start in 0_usize..600, gzip in any::<bool>(),
    ) {
        let compression = if gzip { Compression::Gzip } else { Compression::Zstandard };
        let start = start.min(content.len());
        let mut stream = unpacking(&content, compression);
        stream.skip_to(start as u64).unwrap();
        let mut position = start as u64;
        let mut received = Vec::new();
        while let Some(Piece { extent, payload, anchor }) = stream.next_piece(Limits { batch, line }, true).unwrap() {
            prop_assert_eq!(extent.start, position);
            let payload = zstd::decode_all(payload.as_slice()).unwrap();
            prop_assert_eq!(extent.last, payload.last() != Some(&b'\n'));
            prop_assert_eq!(extent.skipped.is_some(), payload.len() as u64 > line.max(batch));
            prop_assert!(payload.ends_with(&payload[payload.len() - (anchor.length as usize).min(payload.len())..]));
            received.extend(payload);
            position = extent.end;
            prop_assert_eq!(stream.position(), position);
        }
        prop_assert_eq!(&received[..], &content[start..]);
    }

    #[test]
    fn what_ends_where_is_found(content in proptest::collection::vec(any::<u8>(), 1..9000), at in 0_usize..9000, gzip in any::<bool>()) {
        let compression = if gzip { Compression::Gzip } else { Compression::Zstandard };
        let end = at.min(content.len()) as u64;
        let excerpt = Excerpt::before(&file_with(&content), end).unwrap();
        let mut other = content.clone();
        if let Some(index) = (end as usize).checked_sub(1) { other[index] ^= 1; }
        for (bytes, expected) in [(&content, true), (&other, end == 0)] {
            let (length, found) = unpacking(bytes, compression).compare(&[(end, Some(&excerpt))]).unwrap();
            prop_assert_eq!((length, found[0]), (content.len() as u64, expected));
        }
    }
}
