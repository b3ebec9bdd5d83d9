//! Rows of the inbox become entries again, the damaged ones as well.
//!
//! A row whose bytes a bad disk has changed is an entry too, one that says what is wrong with it: whoever links sets it
//! aside and goes on. That the file as a whole cannot be read is an error.

use rusqlite::types::FromSql;
use rusqlite::{Connection, Error, Row};

use sextant_model::Timestamp;
use sextant_model::delivery::{BatchHeader, Generation, SkippedLine};

use super::{MAX_PAYLOAD_BYTES, number};
use crate::InboxEntry;

pub(super) fn entries_after(connection: &Connection, seq: u64, max_bytes: usize) -> rusqlite::Result<Vec<InboxEntry>> {
    let mut find = connection.prepare_cached(
        "SELECT seq, start, end, length, skipped_length, skipped_hash, last, received, agent, generation, path, host,
         format, cluster, payload
         FROM entry LEFT JOIN origin ON origin.key = entry.origin WHERE seq > ?1 ORDER BY seq",
    )?;
    let mut found = find.query([number(seq)])?;
    let mut entries = Vec::new();
    let mut total: usize = 0;
    while let Some(row) = found.next()? {
        // What such a number says is told again when the row is read.
        let length = column::<i64>(row, 3)?.ok().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
        total = total.saturating_add(length);
        if total > max_bytes && !entries.is_empty() {
            break;
        }
        entries.push(entry(row)?);
    }
    Ok(entries)
}

/// One row. Of a damaged one, everything that can still be told.
fn entry(row: &Row<'_>) -> rusqlite::Result<InboxEntry> {
    let seq = row.get::<_, i64>(0)? as u64;
    let mut columns = Columns { row, damage: None };
    let skipped_length: Option<i64> = columns.read(4, "the length of its line")?;
    let skipped_hash: Option<String> = columns.read(5, "the hash of its line")?;
    let mut header = BatchHeader {
        agent: columns.read(8, "its agent")?,
        host: columns.read(11, "its host")?,
        generation: Generation(columns.read(9, "its file generation")?),
        path: columns.read(10, "its path")?,
        format: columns.read(12, "its format")?,
        cluster: columns.read(13, "its cluster")?,
        start: columns.read_offset(1, "its beginning")?,
        end: columns.read_offset(2, "its end")?,
        skipped: skipped_length
            .map(|length| SkippedLine { length: length as u64, hash: skipped_hash.unwrap_or_default() }),
        last: columns.read(6, "whether it is the last")?,
    };
    let length: Option<i64> = columns.read(3, "its length")?;
    let received = Timestamp::from_millis(columns.read(7, "its time")?);
    let payload: Vec<u8> = columns.read(14, "its payload")?;
    let mut damage = columns.damage;
    let bytes = match unpacked(&payload, length) {
        Ok(bytes) => bytes,
        Err(reason) => {
            damage = damage.or(Some(reason));
            payload
        }
    };
    let covered = header.end.checked_sub(header.start);
    // Of a line that was too long only the beginning is here.
    let is_whole = header.skipped.is_some() || covered == length.and_then(|length| u64::try_from(length).ok());
    if covered.is_none() || !is_whole {
        let told = || format!("it begins at {}, ends at {} and has another length", header.start, header.end);
        damage = damage.or_else(|| Some(told()));
    }
    header.end = header.end.max(header.start);
    if damage.is_some() && header.generation.0.is_empty() {
        // So that two of them are not taken for one.
        header.generation = Generation(format!("entry {seq} of the inbox"));
    }
    Ok(InboxEntry { seq, header, bytes, length: length.unwrap_or(0).max(0) as u64, received, damage })
}

/// Reads columns, and remembers the first that cannot be read.
struct Columns<'a> {
    row: &'a Row<'a>,
    damage: Option<String>,
}

impl Columns<'_> {
    /// A place in a file; 0 where it cannot be read or is none.
    fn read_offset(&mut self, index: usize, what: &str) -> rusqlite::Result<u64> {
        let offset: i64 = self.read(index, what)?;
        if offset < 0 && self.damage.is_none() {
            self.damage = Some(format!("{what} is no place in a file: {offset}"));
        }
        Ok(offset.max(0) as u64)
    }

    /// The value of a column; its empty form where it cannot be read.
    fn read<T: FromSql + Default>(&mut self, index: usize, what: &str) -> rusqlite::Result<T> {
        match column(self.row, index)? {
            Ok(value) => Ok(value),
            Err(reason) => {
                if self.damage.is_none() {
                    self.damage = Some(format!("{what} is not readable: {reason}"));
                }
                Ok(T::default())
            }
        }
    }
}

/// The value of a column, or what is wrong with it; the error is one of the file as a whole.
fn column<T: FromSql>(row: &Row<'_>, index: usize) -> rusqlite::Result<Result<T, String>> {
    match row.get(index) {
        Ok(value) => Ok(Ok(value)),
        Err(
            error @ (Error::InvalidColumnType(..)
            | Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)),
        ) => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

/// The payload, decompressed to the length that it had.
fn unpacked(payload: &[u8], length: Option<i64>) -> Result<Vec<u8>, String> {
    let length = length.and_then(|length| u64::try_from(length).ok()).filter(|length| *length <= MAX_PAYLOAD_BYTES);
    let Some(length) = length else {
        return Err("its length is none that was ever accepted".to_owned());
    };
    if length == 0 {
        return Ok(Vec::new());
    }
    let bytes = zstd::bulk::decompress(payload, length as usize)
        .map_err(|error| format!("its payload cannot be decompressed: {error}"))?;
    if bytes.len() as u64 != length {
        return Err(format!("its payload has {} bytes instead of {length}", bytes.len()));
    }
    Ok(bytes)
}
