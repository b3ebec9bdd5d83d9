//! [`Inbox`] on SQLite: raw bytes as they came, and how far every file generation is kept.

mod entries;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use sextant_model::delivery::{BatchHeader, Generation, Hello, MAX_BATCH_BYTES, MAX_LINE_BYTES, Position};
use sextant_model::{Timestamp, Viewer};

use super::SqliteStore;
use super::reads::linking;
use super::rows;
use crate::{AgentContact, Inbox, InboxEntry, IncomingBatch, Received, StoreError, WaitingEntries};

/// No payload is longer than this, decompressed, bytes.
const MAX_PAYLOAD_BYTES: u64 = (MAX_LINE_BYTES + MAX_BATCH_BYTES) as u64;

/// Freed pages are given back to the file system once there are so many (8 KiB each).
const MANY_FREE_PAGES: i64 = 4_096;

/// What became of a batch.
enum Taken {
    Kept(Received),
    AheadOf(u64),
}

impl Inbox for SqliteStore {
    fn receive(&self, batch: IncomingBatch<'_>) -> Result<Received, StoreError> {
        let bytes = checked_payload(batch.header, batch.payload)?;
        match self.inbox.write(|transaction| receive(transaction, batch, &bytes))? {
            Taken::Kept(received) => Ok(received),
            Taken::AheadOf(kept) => Err(StoreError::Ahead { kept, start: batch.header.start }),
        }
    }

    fn hello(&self, hello: &Hello, at: Timestamp) -> Result<(), StoreError> {
        self.inbox.write(|transaction| note_contact(transaction, &hello.agent, &hello.host, Some(&hello.version), at))
    }

    fn goodbye(&self, agent: &str, host: &str, at: Timestamp) -> Result<(), StoreError> {
        self.inbox.write(|transaction| {
            note_contact(transaction, agent, host, None, at)?;
            transaction
                .prepare_cached("UPDATE agent SET stopped = ?2 WHERE id = ?1")?
                .execute(params![agent, at.as_millis()])?;
            Ok(())
        })
    }

    fn forget_agents(&self, host: &str) -> Result<u64, StoreError> {
        self.inbox.write(|transaction| Ok(transaction.execute("DELETE FROM agent WHERE host = ?1", [host])? as u64))
    }

    fn positions(&self, agent: &str) -> Result<Vec<Position>, StoreError> {
        self.inbox.read(|connection| {
            connection
                .prepare_cached("SELECT generation, kept FROM position WHERE agent = ?1")?
                .query_map([agent], |row| {
                    Ok(Position { generation: Generation(row.get(0)?), offset: row.get::<_, i64>(1)? as u64 })
                })?
                .collect()
        })
    }

    fn entries_after(&self, seq: u64, max_bytes: usize) -> Result<Vec<InboxEntry>, StoreError> {
        self.inbox.read(|connection| entries::entries_after(connection, seq, max_bytes))
    }

    fn newest_entry(&self) -> Result<u64, StoreError> {
        self.inbox.read(newest_entry)
    }

    fn bytes_after(&self, seq: u64) -> Result<u64, StoreError> {
        self.inbox.read(|connection| {
            connection
                .prepare_cached("SELECT CAST(total(max(length, 0)) AS INTEGER) FROM entry WHERE seq > ?1")?
                .query_row([number(seq)], |row| Ok(row.get::<_, i64>(0)? as u64))
        })
    }

    fn drop_entries_through(&self, seq: u64) -> Result<(), StoreError> {
        self.inbox.write(|transaction| {
            transaction.prepare_cached("DELETE FROM entry WHERE seq <= ?1 AND waiting = 0")?.execute([number(seq)])
        })?;
        self.inbox.write(give_back_free_pages)
    }

    fn next_is_missing(&self, seq: u64) -> Result<bool, StoreError> {
        self.inbox.read(|connection| next_is_missing(connection, number(seq)))
    }

    fn forget_positions(&self) -> Result<(), StoreError> {
        self.inbox.write(|transaction| transaction.execute("DELETE FROM position", []))?;
        Ok(())
    }

    fn let_wait(&self, seq: u64) -> Result<u64, StoreError> {
        self.inbox.write(|transaction| {
            let length: Option<i64> = transaction
                .prepare_cached("UPDATE entry SET waiting = 1 WHERE seq = ?1 AND waiting = 0 RETURNING length")?
                .query_row([number(seq)], |row| row.get(0))
                .optional()?;
            Ok(length.unwrap_or(0) as u64)
        })
    }

    fn waiting(&self, _viewer: &Viewer) -> Result<Vec<WaitingEntries>, StoreError> {
        self.inbox.read(waiting)
    }

    fn release(&self, formats: &[String]) -> Result<u64, StoreError> {
        self.inbox.write(|transaction| release(transaction, formats))
    }

    fn agents(&self, _viewer: &Viewer) -> Result<Vec<AgentContact>, StoreError> {
        self.inbox.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, host, version, last_contact, count(position.agent), coalesce(sum(position.kept), 0),
                            stopped
                     FROM agent LEFT JOIN position ON position.agent = agent.id GROUP BY id ORDER BY host, id",
                )?
                .query_map([], |row| {
                    Ok(AgentContact {
                        agent: row.get(0)?,
                        host: row.get(1)?,
                        version: row.get(2)?,
                        last_contact: rows::time(row, 3)?,
                        generations: row.get::<_, i64>(4)? as u64,
                        bytes: row.get::<_, i64>(5)? as u64,
                        stopped: rows::optional_time(row, 6)?,
                    })
                })?
                .collect()
        })
    }
}

impl SqliteStore {
    /// Entries are numbered after those that the facts have already: an inbox that was lost and
    /// begins anew would otherwise give numbers that the linker believes to be done.
    pub(super) fn number_entries_after_facts(&self) -> Result<(), StoreError> {
        let done = self.facts.read(linking::inbox_position)?;
        self.inbox.write(|transaction| {
            let newest = newest_entry(transaction)?;
            if newest < done {
                transaction.execute("DELETE FROM sqlite_sequence WHERE name = 'entry'", [])?;
                transaction.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('entry', ?1)", [done as i64])?;
            }
            Ok(())
        })
    }
}

/// The decompressed payload of a batch whose payload and header agree.
fn checked_payload(header: &BatchHeader, payload: &[u8]) -> Result<Vec<u8>, StoreError> {
    let damaged = |what: String| Err(StoreError::DamagedBatch(what));
    let (start, end) = (header.start, header.end);
    if end < start || end > i64::MAX as u64 {
        return damaged(format!("it ends at {end} and begins at {start}"));
    }
    let covered = end - start;
    let limit = match &header.skipped {
        Some(skipped) if skipped.length != covered => {
            return damaged(format!("it covers {covered} bytes, but its line has {} bytes", skipped.length));
        }
        Some(_) => covered.min(MAX_PAYLOAD_BYTES),
        None if covered > MAX_PAYLOAD_BYTES => {
            return damaged(format!("it covers {covered} bytes, but at most {MAX_PAYLOAD_BYTES} are accepted"));
        }
        None => covered,
    };
    // An empty payload needs no frame.
    let bytes = if payload.is_empty() {
        Vec::new()
    } else {
        match zstd::bulk::decompress(payload, limit as usize) {
            Ok(bytes) => bytes,
            Err(error) => {
                return damaged(format!("its payload is no zstd data of at most {limit} bytes ({error})"));
            }
        }
    };
    if header.skipped.is_none() && bytes.len() as u64 != covered {
        return damaged(format!("it covers {covered} bytes, but its payload has {}", bytes.len()));
    }
    Ok(bytes)
}

fn receive(transaction: &Transaction<'_>, batch: IncomingBatch<'_>, bytes: &[u8]) -> rusqlite::Result<Taken> {
    let header = batch.header;
    let position: Option<(i64, bool)> = transaction
        .prepare_cached("SELECT kept, closed FROM position WHERE agent = ?1 AND generation = ?2")?
        .query_row([&header.agent, &header.generation.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (kept, ended) = position.map_or((0, false), |(kept, ended)| (kept as u64, ended));
    if header.start > kept {
        return Ok(Taken::AheadOf(kept));
    }
    note_contact(transaction, &header.agent, &header.host, None, batch.received)?;
    // That nothing will follow is news even when every byte was kept before.
    let closes = header.last && !ended && header.end == kept;
    if header.end <= kept && !closes {
        return Ok(Taken::Kept(Received { offset: kept, new_bytes: 0 }));
    }
    let known = usize::try_from(kept - header.start).unwrap_or(usize::MAX).min(bytes.len());
    let trimmed;
    let payload = if known == 0 {
        batch.payload
    } else {
        trimmed = compressed(&bytes[known..])?;
        &trimmed
    };
    append(transaction, &batch, kept, bytes.len() - known, payload)?;
    transaction
        .prepare_cached("INSERT OR REPLACE INTO position (agent, generation, kept, closed) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![header.agent, header.generation.0, header.end as i64, header.last])?;
    Ok(Taken::Kept(Received { offset: header.end, new_bytes: (bytes.len() - known) as u64 }))
}

fn compressed(bytes: &[u8]) -> rusqlite::Result<Vec<u8>> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    zstd::bulk::compress(bytes, 3).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

fn append(
    transaction: &Transaction<'_>,
    batch: &IncomingBatch<'_>,
    start: u64,
    length: usize,
    payload: &[u8],
) -> rusqlite::Result<()> {
    let header = batch.header;
    let origin = origin(transaction, header)?;
    transaction
        .prepare_cached(
            "INSERT INTO entry (origin, start, end, length, skipped_length, skipped_hash, last, received, payload)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            origin,
            start as i64,
            header.end as i64,
            length as i64,
            header.skipped.as_ref().map(|skipped| skipped.length as i64),
            header.skipped.as_ref().map(|skipped| &skipped.hash),
            header.last,
            batch.received.as_millis(),
            payload,
        ])?;
    Ok(())
}

fn origin(transaction: &Transaction<'_>, header: &BatchHeader) -> rusqlite::Result<i64> {
    let origin = params![header.agent, header.generation.0, header.path, header.host, header.format, header.cluster];
    let known = transaction
        .prepare_cached(
            "SELECT key FROM origin WHERE agent = ?1 AND generation = ?2 AND path = ?3 AND host = ?4
             AND format = ?5 AND cluster = ?6",
        )?
        .query_row(origin, |row| row.get(0))
        .optional()?;
    match known {
        Some(key) => Ok(key),
        None => transaction
            .prepare_cached(
                "INSERT INTO origin (agent, generation, path, host, format, cluster) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .insert(origin),
    }
}

fn note_contact(
    transaction: &Transaction<'_>,
    agent: &str,
    host: &str,
    version: Option<&str>,
    at: Timestamp,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO agent (id, host, version, last_contact) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET host = excluded.host, version = coalesce(excluded.version, version),
             last_contact = max(last_contact, excluded.last_contact), stopped = NULL",
        )?
        .execute(params![agent, host, version, at.as_millis()])?;
    Ok(())
}

/// Entries leave from the oldest on, but those that wait stay: whether something is missing is told by the first entry
/// that does not wait, or by the newest number where all of them do. (An entry that was released has another number now,
/// so that one may seem to be missing that is not; that costs a second delivery, and nothing else.)
fn next_is_missing(connection: &Connection, seq: i64) -> rusqlite::Result<bool> {
    let newest = number(newest_entry(connection)?);
    if newest <= seq {
        return Ok(false);
    }
    let behind: Option<i64> = connection
        .prepare_cached("SELECT seq FROM entry WHERE seq > ?1 AND waiting = 0 ORDER BY seq LIMIT 1")?
        .query_row([seq], |row| row.get(0))
        .optional()?;
    let behind = behind.unwrap_or(newest + 1);
    let waiting: i64 = connection
        .prepare_cached("SELECT count(*) FROM entry WHERE seq > ?1 AND seq < ?2")?
        .query_row([seq, behind], |row| row.get(0))?;
    Ok(waiting != behind - seq - 1)
}

fn waiting(connection: &Connection) -> rusqlite::Result<Vec<WaitingEntries>> {
    connection
        .prepare_cached(
            "SELECT format, count(*), CAST(total(max(length, 0)) AS INTEGER), CAST(min(received) AS INTEGER) FROM entry JOIN origin ON origin.key = entry.origin
             WHERE waiting = 1 GROUP BY format ORDER BY format",
        )?
        .query_map([], |row| {
            Ok(WaitingEntries {
                format: row.get(0)?,
                entries: row.get::<_, i64>(1)? as u64,
                bytes: row.get::<_, i64>(2)? as u64,
                oldest: rows::time(row, 3)?,
            })
        })?
        .collect()
}

/// Gives every entry of these formats that waits a new number, so that it is linked like one that
/// has just come.
///
/// An entry can so come behind later ones of its file generation, if the spool's format was named otherwise in between.
/// No record depends on the order, and none is lost: of one that lies over the border of two entries that are not
/// neighbours any more, both parts are in the quarantine.
fn release(transaction: &Transaction<'_>, formats: &[String]) -> rusqlite::Result<u64> {
    let mut entries: Vec<i64> = Vec::new();
    let mut find = transaction.prepare_cached(
        "SELECT seq FROM entry JOIN origin ON origin.key = entry.origin
         WHERE waiting = 1 AND format = ?1 COLLATE NOCASE",
    )?;
    for format in formats {
        let found: rusqlite::Result<Vec<i64>> = find.query_map([format], |row| row.get(0))?.collect();
        entries.extend(found?);
    }
    entries.sort_unstable();
    let mut newest = newest_entry(transaction)? as i64;
    let mut renumber = transaction.prepare_cached("UPDATE entry SET seq = ?2, waiting = 0 WHERE seq = ?1")?;
    for entry in &entries {
        newest += 1;
        renumber.execute([*entry, newest])?;
    }
    if !entries.is_empty() {
        // Only an insertion counts the numbers that were given by itself.
        transaction.execute("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'entry'", [newest])?;
    }
    Ok(entries.len() as u64)
}

fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

/// The newest number that was given, whether its entry is still there or not.
fn newest_entry(connection: &Connection) -> rusqlite::Result<u64> {
    let newest: Option<i64> = connection
        .prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'entry'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(newest.unwrap_or(0) as u64)
}

fn give_back_free_pages(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let free: i64 = transaction.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
    if free > MANY_FREE_PAGES {
        let mut vacuum = transaction.prepare(&format!("PRAGMA incremental_vacuum({})", free - MANY_FREE_PAGES))?;
        let mut steps = vacuum.query([])?;
        while steps.next()?.is_some() {}
    }
    Ok(())
}
