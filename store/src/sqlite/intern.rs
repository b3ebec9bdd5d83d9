//! Integer keys for what many rows repeat, and what the writer remembers of them.
//!
//! What is remembered is only ever what a committed transaction has: [`super::commit`] takes it
//! out while it works and puts it back when its transaction is on the disk.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use rusqlite::{Connection, OptionalExtension, params};

use sextant_model::operation::{Role, SeenSpan};
use sextant_model::{EntityId, NameKey, Timestamp};

use super::codec::name_kind_code;

/// How many entries a memory holds before it forgets the half that was not asked for.
const REMEMBERED: usize = 100_000;

/// A bounded memory: what was not asked for while as many others were, is forgotten.
pub(super) struct Memory<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K, V> Default for Memory<K, V> {
    fn default() -> Self {
        Self { young: HashMap::new(), old: HashMap::new() }
    }
}

impl<K: Hash + Eq, V: Copy> Memory<K, V> {
    pub(super) fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        if let Some(value) = self.young.get(key) {
            return Some(*value);
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.insert(key, value);
        Some(value)
    }

    pub(super) fn remove(&mut self, key: &K) {
        self.young.remove(key);
        self.old.remove(key);
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= REMEMBERED / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

/// A text's key, and its earliest run once the text itself is stored.
pub(super) type TextState = (i64, Option<Timestamp>);
/// A variant's key, and its span once its flows are stored.
pub(super) type VariantState = (i64, Option<SeenSpan>);
/// The key of a use: operation, name, role, life.
pub(super) type UsePlace = (i64, i64, Role, u32);

/// Keys that were given or looked up.
#[derive(Default)]
pub(super) struct Interned {
    words: Memory<String, i64>,
    names: Memory<NameKey, i64>,
    operations: Memory<EntityId, i64>,
    /// By host, then by path.
    files: HashMap<i64, Memory<String, i64>>,
    /// A fingerprint of what was told last of an operation, by the operation's id.
    pub(super) tellings: Memory<EntityId, u64>,
    /// By id.
    pub(super) texts: Memory<EntityId, TextState>,
    /// By operation and id.
    pub(super) variants: Memory<(i64, EntityId), VariantState>,
    /// Spans of uses.
    pub(super) uses: Memory<UsePlace, SeenSpan>,
}

impl Interned {
    /// The key of a word, which is stored when it is new.
    pub(super) fn word(&mut self, connection: &Connection, text: &str) -> rusqlite::Result<i64> {
        if let Some(key) = self.words.get(text) {
            return Ok(key);
        }
        let mut find = connection.prepare_cached("SELECT key FROM word WHERE text = ?1")?;
        let key = match find.query_row([text], |row| row.get(0)).optional()? {
            Some(key) => key,
            None => connection.prepare_cached("INSERT INTO word (text) VALUES (?1)")?.insert([text])?,
        };
        self.words.insert(text.to_owned(), key);
        Ok(key)
    }

    /// The key of a word that may be absent.
    pub(super) fn optional_word(
        &mut self,
        connection: &Connection,
        text: Option<&str>,
    ) -> rusqlite::Result<Option<i64>> {
        text.map(|text| self.word(connection, text)).transpose()
    }

    /// The key of a name, which is stored when it is new.
    pub(super) fn name(&mut self, connection: &Connection, name: &NameKey) -> rusqlite::Result<i64> {
        if let Some(key) = self.names.get(name) {
            return Ok(key);
        }
        let id = name.id();
        let mut find = connection.prepare_cached("SELECT key FROM name WHERE id = ?1")?;
        let key = if let Some(key) = find.query_row([id.as_bytes()], |row| row.get(0)).optional()? {
            key
        } else {
            let cluster = self.word(connection, &name.cluster)?;
            connection
                .prepare_cached("INSERT INTO name (id, cluster, kind, qualified) VALUES (?1, ?2, ?3, ?4)")?
                .insert(params![id.as_bytes(), cluster, name_kind_code(name.kind), name.qualified])?
        };
        self.names.insert(name.clone(), key);
        Ok(key)
    }

    /// The key of an operation, which is referred to from now on when it is new.
    pub(super) fn operation(&mut self, connection: &Connection, id: EntityId) -> rusqlite::Result<i64> {
        if let Some(key) = self.operations.get(&id) {
            return Ok(key);
        }
        let mut find = connection.prepare_cached("SELECT key FROM operation WHERE id = ?1")?;
        let key = match find.query_row([id.as_bytes()], |row| row.get(0)).optional()? {
            Some(key) => key,
            None => connection.prepare_cached("INSERT INTO operation (id) VALUES (?1)")?.insert([id.as_bytes()])?,
        };
        self.operations.insert(id, key);
        Ok(key)
    }

    /// Remembers the key that an operation has just been given.
    pub(super) fn remember_operation(&mut self, id: EntityId, key: i64) {
        self.operations.insert(id, key);
    }

    /// The key of a spool file, which is stored when it is new.
    pub(super) fn file(&mut self, connection: &Connection, host: &str, path: &str) -> rusqlite::Result<i64> {
        let host = self.word(connection, host)?;
        let files = self.files.entry(host).or_default();
        if let Some(key) = files.get(path) {
            return Ok(key);
        }
        let mut find = connection.prepare_cached("SELECT key FROM spool_file WHERE path = ?1 AND host = ?2")?;
        let key = match find.query_row(params![path, host], |row| row.get(0)).optional()? {
            Some(key) => key,
            None => connection
                .prepare_cached("INSERT INTO spool_file (host, path) VALUES (?1, ?2)")?
                .insert(params![host, path])?,
        };
        files.insert(path.to_owned(), key);
        Ok(key)
    }

    /// A text, which is referred to from now on when it is new.
    pub(super) fn text(&mut self, connection: &Connection, id: EntityId) -> rusqlite::Result<TextState> {
        if let Some(state) = self.texts.get(&id) {
            return Ok(state);
        }
        let state = if let Some(state) = find_text(connection, id)? {
            state
        } else {
            let mut insert = connection.prepare_cached("INSERT INTO text (id) VALUES (?1)")?;
            (insert.insert([id.as_bytes()])?, None)
        };
        self.texts.insert(id, state);
        Ok(state)
    }

    /// A variant of an operation, which is referred to from now on when it is new.
    pub(super) fn variant(
        &mut self,
        connection: &Connection,
        operation: i64,
        id: EntityId,
    ) -> rusqlite::Result<VariantState> {
        if let Some(state) = self.variants.get(&(operation, id)) {
            return Ok(state);
        }
        let state = if let Some(state) = find_variant(connection, operation, id)? {
            state
        } else {
            let mut insert = connection.prepare_cached("INSERT INTO variant (operation, id) VALUES (?1, ?2)")?;
            (insert.insert(params![operation, id.as_bytes()])?, None)
        };
        self.variants.insert((operation, id), state);
        Ok(state)
    }
}

/// A stored text.
pub(super) fn find_text(connection: &Connection, id: EntityId) -> rusqlite::Result<Option<TextState>> {
    let mut find = connection.prepare_cached("SELECT key, first_seen FROM text WHERE id = ?1")?;
    find.query_row([id.as_bytes()], |row| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?.map(Timestamp::from_millis))))
        .optional()
}

/// A stored variant.
pub(super) fn find_variant(
    connection: &Connection,
    operation: i64,
    id: EntityId,
) -> rusqlite::Result<Option<VariantState>> {
    let mut find = connection.prepare_cached(
        "SELECT key, first_time, first_execution, last_time, last_execution FROM variant
         WHERE operation = ?1 AND id = ?2",
    )?;
    find.query_row(params![operation, id.as_bytes()], |row| Ok((row.get(0)?, super::rows::optional_span(row, 1)?)))
        .optional()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_bounded_and_keeps_what_is_used() {
        let mut memory = Memory::default();
        memory.insert(0, 0);
        for number in 1..3 * REMEMBERED {
            memory.insert(number, number);
            assert_eq!(memory.get(&0), Some(0));
        }
        assert!(memory.young.len() + memory.old.len() <= REMEMBERED);
        assert_eq!(memory.get(&1), None);
    }
}
