//! Connections: one that writes and a few that read, per database.

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::StoreError;
use crate::sqlite::schema::Schema;

/// At most so many reads of one database run at once; more wait.
pub(super) const MAX_READERS: usize = 8;

/// Prepared statements that a connection keeps; more than there are in this crate.
const STATEMENTS: usize = 128;

/// How much memory and log a database may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tuning {
    /// Page size of a new file, bytes.
    page_bytes: i64,
    /// Page cache of the writing connection, KiB.
    writer_cache_kib: i64,
    /// Page cache of each reading connection, KiB. Small, since the file is mapped.
    reader_cache_kib: i64,
    /// How much of the file is mapped into memory, bytes.
    mapped_bytes: i64,
    /// The log is written back once it has so many pages.
    checkpoint_pages: i64,
    /// Whether pages that are no longer used can be given back to the file system.
    shrinks: bool,
}

impl Tuning {
    /// Large values, written once, read once, dropped.
    pub(super) const INBOX: Self = Self {
        page_bytes: 8 << 10,
        writer_cache_kib: 8 << 10,
        reader_cache_kib: 2 << 10,
        mapped_bytes: 0,
        checkpoint_pages: 2_000,
        shrinks: true,
    };
    /// Small rows in random order: ids are hashes, so that nearly every new execution touches a
    /// page of its own. The smaller the page, the less is written.
    pub(super) const FACTS: Self = Self {
        page_bytes: 4 << 10,
        writer_cache_kib: 128 << 10,
        reader_cache_kib: 16 << 10,
        mapped_bytes: 8 << 30,
        checkpoint_pages: 16_000,
        shrinks: false,
    };
}

/// One database file.
pub(super) struct Database {
    path: PathBuf,
    tuning: Tuning,
    /// Before the writer, since fields are dropped in this order: the connection that is closed
    /// last writes the log back into the file, which readers may not.
    readers: Mutex<Readers>,
    writer: Mutex<Connection>,
    reader_returned: Condvar,
}

/// The connections that read.
#[derive(Default)]
struct Readers {
    idle: Vec<Connection>,
    lent: usize,
}

impl Database {
    /// Opens or makes the file and brings its schema up to date.
    pub(super) fn open(path: PathBuf, schema: &Schema, tuning: Tuning) -> Result<Self, StoreError> {
        let mut writer = open_writer(&path, tuning).map_err(|error| explain(&path, &error))?;
        schema.migrate(&mut writer, &path)?;
        Ok(Self {
            path,
            tuning,
            writer: Mutex::new(writer),
            readers: Mutex::default(),
            reader_returned: Condvar::new(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in a transaction that is committed when it succeeds, and undone otherwise.
    pub(super) fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut writer = unpoisoned(&self.writer);
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate);
        transaction
            .and_then(|transaction| {
                let outcome = work(&transaction)?;
                transaction.commit()?;
                Ok(outcome)
            })
            .map_err(|error| explain(&self.path, &error))
    }

    /// Runs `work` on a snapshot of its own.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut lent = self.lend_reader().map_err(|error| explain(&self.path, &error))?;
        let outcome = lent.connection().transaction().and_then(|transaction| work(&transaction));
        outcome.map_err(|error| explain(&self.path, &error))
    }

    #[cfg(test)]
    pub(super) fn idle_readers(&self) -> usize {
        unpoisoned(&self.readers).idle.len()
    }

    fn lend_reader(&self) -> rusqlite::Result<LentReader<'_>> {
        let mut readers = unpoisoned(&self.readers);
        while readers.lent >= MAX_READERS {
            readers = self.reader_returned.wait(readers).unwrap_or_else(PoisonError::into_inner);
        }
        let connection = match readers.idle.pop() {
            Some(connection) => connection,
            None => open_reader(&self.path, self.tuning)?,
        };
        readers.lent += 1;
        Ok(LentReader { database: self, connection: Some(connection) })
    }
}

/// A reading connection on loan.
struct LentReader<'a> {
    database: &'a Database,
    connection: Option<Connection>,
}

impl LentReader<'_> {
    fn connection(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("it is only taken when the loan is dropped")
    }
}

impl Drop for LentReader<'_> {
    fn drop(&mut self) {
        let mut readers = unpoisoned(&self.database.readers);
        readers.lent -= 1;
        readers.idle.extend(self.connection.take());
        self.database.reader_returned.notify_one();
    }
}

fn open_writer(path: &Path, tuning: Tuning) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    // These two only take effect in a file that is still empty.
    connection.pragma_update(None, "page_size", tuning.page_bytes)?;
    connection.pragma_update(None, "auto_vacuum", if tuning.shrinks { "INCREMENTAL" } else { "NONE" })?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", tuning.checkpoint_pages)?;
    // After a large commit the log shrinks back to this.
    connection.pragma_update(None, "journal_size_limit", tuning.checkpoint_pages * tuning.page_bytes * 2)?;
    configure(&connection, tuning.writer_cache_kib, tuning)?;
    Ok(connection)
}

fn open_reader(path: &Path, tuning: Tuning) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    configure(&connection, tuning.reader_cache_kib, tuning)?;
    Ok(connection)
}

fn configure(connection: &Connection, cache_kib: i64, tuning: Tuning) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.pragma_update(None, "cache_size", -cache_kib)?;
    connection.pragma_update(None, "mmap_size", tuning.mapped_bytes)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Plans do not look at the bound values. Otherwise a statement whose plan might is prepared
    // anew for every value that is bound, which costs more than running it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// A lock whose last holder panicked is as good as any: what it was doing was rolled back.
pub(super) fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The store's error for a refusal of the database.
pub(super) fn explain(path: &Path, error: &rusqlite::Error) -> StoreError {
    let (path, message) = (path.to_owned(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
        // What was to be written, not the disk or another process. Without a code the error was found on this side: a
        // value that has no form in the database, or a stored one that is not of its form.
        None
        | Some(
            ErrorCode::TooBig
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::ParameterOutOfRange,
        ) => StoreError::Refused { path, message },
        Some(_) => StoreError::Database { path, message },
    }
}
