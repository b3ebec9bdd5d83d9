//! Bytes that may be large: compressed where it helps.

use std::borrow::Cow;

use super::Unreadable;
use super::varint::{Reader, put_number};

/// Below this size compression gains nothing worth its time, bytes.
const WORTH_COMPRESSING: usize = 1 << 10;
/// No packed value was ever larger, bytes.
const MAX_UNPACKED: u64 = 1 << 30;

const PLAIN: u8 = 0;
const ZSTD: u8 = 1;

/// The bytes behind a mark that says how they are kept.
pub(in crate::sqlite) fn pack(bytes: &[u8]) -> Vec<u8> {
    if bytes.len() > WORTH_COMPRESSING
        && let Ok(compressed) = zstd::bulk::compress(bytes, 1)
    {
        let mut packed = vec![ZSTD];
        put_number(&mut packed, bytes.len() as u64);
        if packed.len() + compressed.len() < bytes.len() {
            packed.extend_from_slice(&compressed);
            return packed;
        }
    }
    let mut packed = Vec::with_capacity(bytes.len() + 1);
    packed.push(PLAIN);
    packed.extend_from_slice(bytes);
    packed
}

/// What was packed.
pub(in crate::sqlite) fn unpack(packed: &[u8]) -> Result<Cow<'_, [u8]>, Unreadable> {
    let mut reader = Reader::new(packed);
    match reader.byte()? {
        PLAIN => Ok(Cow::Borrowed(reader.rest())),
        ZSTD => {
            let length = reader.number()?;
            if length > MAX_UNPACKED {
                return Err(Unreadable("it is too large"));
            }
            let bytes = zstd::bulk::decompress(reader.rest(), length as usize)
                .map_err(|_| Unreadable("it is not a zstd frame of the length it says"))?;
            Ok(Cow::Owned(bytes))
        }
        _ => Err(Unreadable("it is packed in an unknown way")),
    }
}

/// A text that was packed.
pub(in crate::sqlite) fn unpack_text(packed: &[u8]) -> Result<String, Unreadable> {
    String::from_utf8(unpack(packed)?.into_owned()).map_err(|_| Unreadable("a text is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_packed_is_read_back(pattern in proptest::collection::vec(any::<u8>(), 0..40), times in 0usize..200) {
            let bytes = pattern.repeat(times);
            let packed = pack(&bytes);
            prop_assert!(packed.len() <= bytes.len() + 1);
            prop_assert_eq!(unpack(&packed).unwrap().into_owned(), bytes);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = unpack(&bytes);
        }
    }
}
