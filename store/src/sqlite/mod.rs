//! The embedded store: two SQLite databases in one directory.
//!
//! `inbox.db` keeps raw bytes and positions, `facts.db` everything that was understood. They are
//! apart so that an acknowledgement never waits for a long link. Both write through to the disk at
//! every commit (WAL, `synchronous = FULL`): what was answered survives a power cut, and bytes may
//! be dropped from the inbox as soon as the commit that holds their facts has returned.
//!
//! - One connection per database writes, behind a mutex; a few read,
//!   each call on a snapshot of its own, without waiting for the writer.
//! - Names, operations, texts and short words have integer keys inside the database, so that the
//!   rows which repeat them stay small. Only those of names leave this module, as
//!   [`crate::NameRef`]s, since a graph in memory is built of millions of them.
//! - A row may be referred to before it is told (a text of an execution in another commit): then
//!   it has a key and no content, and no read shows it. So the order of commits does not matter.
//! - A directory belongs to one process at a time, by a locked file.
//!
//! It never deletes a fact, and it never guesses: a stored value that cannot be read is an error.

mod codec;
mod commit;
mod connection;
mod facts;
mod inbox;
mod intern;
mod namespaces;
mod reads;
mod rows;
mod schema;
#[cfg(test)]
mod tests;

use std::fs::DirBuilder;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Mutex;

use crate::StoreError;
use connection::{Database, Tuning};
use intern::Interned;

/// Facts and inbox in one directory.
pub struct SqliteStore {
    inbox: Database,
    facts: Database,
    /// What the writer of the facts remembers between commits.
    interned: Mutex<Interned>,
    /// Held as long as the store lives.
    _lock: File,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("facts", &self.facts.path()).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the store in `dir`, which is made if it is not there, and brings its schema up to
    /// date. Errors with [`StoreError::InUse`] when another process has it, and with
    /// [`StoreError::NewerSchema`] when a newer version wrote it.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        // Query texts are nobody else's business.
        let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        made.map_err(|source| StoreError::Io { path: dir.to_owned(), source })?;
        let lock = lock(dir)?;
        let inbox = Database::open(dir.join("inbox.db"), &schema::INBOX, Tuning::INBOX)?;
        let facts = Database::open(dir.join("facts.db"), &schema::FACTS, Tuning::FACTS)?;
        let store = Self { inbox, facts, interned: Mutex::default(), _lock: lock };
        store.number_entries_after_facts()?;
        Ok(store)
    }
}

/// Takes the directory's lock file; it is free again when the returned file is closed, also by a
/// process that was killed.
fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join("lock");
    let unusable = |source| StoreError::Io { path: path.clone(), source };
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: dir.to_owned() }),
        Err(TryLockError::Error(source)) => Err(unusable(source)),
    }
}
