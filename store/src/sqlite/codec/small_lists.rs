//! Short lists inside rows: job ids, create times of tables, pairs of tables.

use sextant_model::Timestamp;

use super::Unreadable;
use super::varint::{Reader, put_number, put_signed, put_text};

/// The job ids of an execution; nothing for none.
pub(in crate::sqlite) fn encode_job_ids(job_ids: &[String]) -> Option<Vec<u8>> {
    if job_ids.is_empty() {
        return None;
    }
    let mut bytes = Vec::new();
    put_number(&mut bytes, job_ids.len() as u64);
    for job_id in job_ids {
        put_text(&mut bytes, job_id);
    }
    Some(bytes)
}

/// What [`encode_job_ids`] wrote.
pub(in crate::sqlite) fn decode_job_ids(bytes: &[u8]) -> Result<Vec<String>, Unreadable> {
    let mut reader = Reader::new(bytes);
    let count = reader.count()?;
    let mut job_ids = Vec::with_capacity(count);
    for _ in 0..count {
        job_ids.push(reader.text()?.to_owned());
    }
    reader.end()?;
    Ok(job_ids)
}

/// Create times of tables, the tables by the keys of their words; nothing for none.
pub(in crate::sqlite) fn encode_table_created(tables: &[(i64, Timestamp)]) -> Option<Vec<u8>> {
    if tables.is_empty() {
        return None;
    }
    let mut bytes = Vec::new();
    put_number(&mut bytes, tables.len() as u64);
    for (word, created) in tables {
        put_signed(&mut bytes, *word);
        put_signed(&mut bytes, created.as_millis());
    }
    Some(bytes)
}

/// What [`encode_table_created`] wrote.
pub(in crate::sqlite) fn decode_table_created(bytes: &[u8]) -> Result<Vec<(i64, Timestamp)>, Unreadable> {
    let mut reader = Reader::new(bytes);
    let count = reader.count()?;
    let mut tables = Vec::with_capacity(count);
    for _ in 0..count {
        tables.push((reader.signed()?, Timestamp::from_millis(reader.signed()?)));
    }
    reader.end()?;
    Ok(tables)
}

/// A [`sextant_model::operation::TablePair`], the names by their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sqlite) struct KeyedPair {
    pub(in crate::sqlite) input: i64,
    pub(in crate::sqlite) output: i64,
    pub(in crate::sqlite) data: bool,
    pub(in crate::sqlite) control: bool,
}

/// The pairs of an operation; nothing for none.
pub(in crate::sqlite) fn encode_pairs(pairs: &[KeyedPair]) -> Option<Vec<u8>> {
    if pairs.is_empty() {
        return None;
    }
    let mut bytes = Vec::new();
    put_number(&mut bytes, pairs.len() as u64);
    for pair in pairs {
        put_signed(&mut bytes, pair.input);
        put_signed(&mut bytes, pair.output);
        bytes.push(u8::from(pair.data) | u8::from(pair.control) << 1);
    }
    Some(bytes)
}

/// What [`encode_pairs`] wrote.
pub(in crate::sqlite) fn decode_pairs(bytes: &[u8]) -> Result<Vec<KeyedPair>, Unreadable> {
    let mut reader = Reader::new(bytes);
    let count = reader.count()?;
    let mut pairs = Vec::with_capacity(count);
    for _ in 0..count {
        let (input, output, flags) = (reader.signed()?, reader.signed()?, reader.byte()?);
        pairs.push(KeyedPair { input, output, data: flags & 1 != 0, control: flags & 2 != 0 });
    }
    reader.end()?;
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn job_ids_are_read_back(job_ids: Vec<String>) {
            let read = encode_job_ids(&job_ids).map_or_else(|| Ok(Vec::new()), |bytes| decode_job_ids(&bytes));
            prop_assert_eq!(read.unwrap(), job_ids);
        }

        #[test]
        fn create_times_are_read_back(tables: Vec<(i64, i64)>) {
            let tables: Vec<_> = tables.into_iter().map(|(key, at)| (key, Timestamp::from_millis(at))).collect();
            let read = encode_table_created(&tables).map_or_else(|| Ok(Vec::new()), |bytes| decode_table_created(&bytes));
            prop_assert_eq!(read.unwrap(), tables);
        }

        #[test]
        fn pairs_are_read_back(pairs: Vec<(i64, i64, bool, bool)>) {
            let pairs: Vec<_> = pairs
                .into_iter()
                .map(|(input, output, data, control)| KeyedPair { input, output, data, control })
                .collect();
            let read = encode_pairs(&pairs).map_or_else(|| Ok(Vec::new()), |bytes| decode_pairs(&bytes));
            prop_assert_eq!(read.unwrap(), pairs);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes: Vec<u8>) {
            let _ = decode_job_ids(&bytes);
            let _ = decode_table_created(&bytes);
            let _ = decode_pairs(&bytes);
        }
    }
}
