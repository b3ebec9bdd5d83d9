//! Operations, their texts and the variants of their flows.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rusqlite::{OptionalExtension, params};

use sextant_model::feed::{Subject, What};
use sextant_model::operation::{FlowVariant, Operation, SeenSpan, StatementText, TablePair};
use sextant_model::{EntityId, Timestamp};

use super::Commit;
use super::touched::Counted;
use crate::sqlite::codec::{KeyedPair, decode_pairs, encode_flows, encode_pairs, pack, source_type_code};
use crate::sqlite::intern::{find_text, find_variant};
use crate::sqlite::rows;

/// The parts of a stored operation that may still change.
struct StoredOperation {
    key: i64,
    told: bool,
    lineage_known: bool,
    pairs: Vec<KeyedPair>,
}

impl Commit<'_> {
    pub(super) fn write_operations(&mut self, operations: &[Operation]) -> rusqlite::Result<()> {
        for operation in operations {
            // Every run of a statement tells the same; only the first time it is news.
            let telling = telling(operation);
            if self.interned.tellings.get(&operation.id) == Some(telling) {
                continue;
            }
            let pairs = self.keyed_pairs(&operation.pairs)?;
            match self.stored_operation(operation)? {
                None => self.insert_operation(operation, &pairs)?,
                Some(stored) if stored.told => self.extend_operation(operation, &stored, &pairs)?,
                Some(stored) => self.tell_operation(operation, stored.key, &pairs)?,
            }
            self.interned.tellings.insert(operation.id, telling);
        }
        Ok(())
    }

    fn keyed_pairs(&mut self, pairs: &[TablePair]) -> rusqlite::Result<Vec<KeyedPair>> {
        let mut keyed = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let input = self.interned.name(self.connection, &pair.input)?;
            let output = self.interned.name(self.connection, &pair.output)?;
            keyed.push(KeyedPair { input, output, data: pair.data, control: pair.control });
        }
        Ok(united(&keyed, &[]))
    }

    fn stored_operation(&self, operation: &Operation) -> rusqlite::Result<Option<StoredOperation>> {
        self.connection
            .prepare_cached("SELECT key, source_type IS NOT NULL, lineage_known, pairs FROM operation WHERE id = ?1")?
            .query_row([operation.id.as_bytes()], |row| {
                Ok(StoredOperation {
                    key: row.get(0)?,
                    told: row.get(1)?,
                    lineage_known: row.get(2)?,
                    pairs: rows::decoded_or_empty(row, 3, decode_pairs)?,
                })
            })
            .optional()
    }

    fn insert_operation(&mut self, operation: &Operation, pairs: &[KeyedPair]) -> rusqlite::Result<()> {
        let cluster = self.interned.word(self.connection, &operation.cluster)?;
        let operation_type = self.interned.optional_word(self.connection, operation.operation_type.as_deref())?;
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO operation (id, source_type, cluster, operation_type, lineage_known, pairs)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let key = insert.insert(params![
            operation.id.as_bytes(),
            source_type_code(operation.source_type),
            cluster,
            operation_type,
            operation.lineage_known,
            encode_pairs(pairs),
        ])?;
        self.interned.remember_operation(operation.id, key);
        self.operations.inserted(key, operation.id);
        self.tally.add(Counted::Operations, "", 1);
        Ok(())
    }

    /// Fills in an operation that was only referred to so far.
    fn tell_operation(&mut self, operation: &Operation, key: i64, pairs: &[KeyedPair]) -> rusqlite::Result<()> {
        let cluster = self.interned.word(self.connection, &operation.cluster)?;
        let operation_type = self.interned.optional_word(self.connection, operation.operation_type.as_deref())?;
        let mut update = self.connection.prepare_cached(
            "UPDATE operation SET source_type = ?2, cluster = ?3, operation_type = ?4, lineage_known = ?5, pairs = ?6
             WHERE key = ?1",
        )?;
        update.execute(params![
            key,
            source_type_code(operation.source_type),
            cluster,
            operation_type,
            operation.lineage_known,
            encode_pairs(pairs),
        ])?;
        self.operations.tell(key, operation.id, What::Created);
        self.tally.add(Counted::Operations, "", 1);
        Ok(())
    }

    fn extend_operation(
        &mut self,
        operation: &Operation,
        stored: &StoredOperation,
        pairs: &[KeyedPair],
    ) -> rusqlite::Result<()> {
        let lineage_known = stored.lineage_known || operation.lineage_known;
        let pairs = united(&stored.pairs, pairs);
        if lineage_known == stored.lineage_known && pairs == stored.pairs {
            return Ok(());
        }
        self.connection
            .prepare_cached("UPDATE operation SET lineage_known = ?2, pairs = ?3 WHERE key = ?1")?
            .execute(params![stored.key, lineage_known, encode_pairs(&pairs)])?;
        self.operations.tell(stored.key, operation.id, What::Changed);
        Ok(())
    }

    pub(super) fn write_variants(&mut self, variants: &[FlowVariant]) -> rusqlite::Result<()> {
        for variant in variants {
            let operation = self.interned.operation(self.connection, variant.operation)?;
            let place = (operation, variant.id);
            let mut stored = self.interned.variants.get(&place);
            if stored.is_none() && !self.operations.is_fresh(operation) {
                stored = find_variant(self.connection, operation, variant.id)?;
            }
            if stored.is_none() && !self.insert_variant(operation, variant)? {
                // Told before in this commit, and already forgotten.
                stored = find_variant(self.connection, operation, variant.id)?;
            }
            match stored {
                None => {}
                Some((key, Some(known))) => self.widen_variant(place, key, known, variant.seen)?,
                Some((key, None)) => self.tell_variant(key, operation, variant)?,
            }
        }
        Ok(())
    }

    /// Whether it was not there before.
    fn insert_variant(&mut self, operation: i64, variant: &FlowVariant) -> rusqlite::Result<bool> {
        let (last_time, last_execution) = rows::stored_end(&variant.seen);
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO variant (operation, id, flows, first_time, first_execution, last_time, last_execution)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
        )?;
        let is_new = insert.execute(params![
            operation,
            variant.id.as_bytes(),
            encode_flows(&variant.flows),
            variant.seen.first.as_millis(),
            variant.seen.first_execution.as_bytes(),
            last_time,
            last_execution,
        ])? == 1;
        if is_new {
            let key = self.connection.last_insert_rowid();
            self.interned.variants.insert((operation, variant.id), (key, Some(variant.seen)));
            self.operations.tell(operation, variant.operation, What::Changed);
        }
        Ok(is_new)
    }

    /// Fills in a variant that was only referred to so far.
    fn tell_variant(&mut self, key: i64, operation: i64, variant: &FlowVariant) -> rusqlite::Result<()> {
        let (last_time, last_execution) = rows::stored_end(&variant.seen);
        self.connection
            .prepare_cached(
                "UPDATE variant SET flows = ?2, first_time = ?3, first_execution = ?4, last_time = ?5,
                 last_execution = ?6 WHERE key = ?1",
            )?
            .execute(params![
                key,
                encode_flows(&variant.flows),
                variant.seen.first.as_millis(),
                variant.seen.first_execution.as_bytes(),
                last_time,
                last_execution,
            ])?;
        self.interned.variants.insert((operation, variant.id), (key, Some(variant.seen)));
        self.operations.tell(operation, variant.operation, What::Changed);
        Ok(())
    }

    fn widen_variant(
        &mut self,
        place: (i64, EntityId),
        key: i64,
        known: SeenSpan,
        seen: SeenSpan,
    ) -> rusqlite::Result<()> {
        let span = known.merged(seen);
        if span != known {
            let (last_time, last_execution) = rows::stored_end(&span);
            self.connection
                .prepare_cached(
                    "UPDATE variant SET first_time = ?2, first_execution = ?3, last_time = ?4, last_execution = ?5
                     WHERE key = ?1",
                )?
                .execute(params![
                    key,
                    span.first.as_millis(),
                    span.first_execution.as_bytes(),
                    last_time,
                    last_execution,
                ])?;
        }
        self.interned.variants.insert(place, (key, Some(span)));
        Ok(())
    }

    pub(super) fn write_texts(&mut self, texts: &[StatementText]) -> rusqlite::Result<()> {
        for text in texts {
            let operation = self.interned.operation(self.connection, text.operation)?;
            let mut stored = self.interned.texts.get(&text.id);
            if stored.is_none() && !self.operations.is_fresh(operation) {
                stored = find_text(self.connection, text.id)?;
            }
            if stored.is_none() && !self.insert_text(operation, text)? {
                // Told before in this commit, and already forgotten.
                stored = find_text(self.connection, text.id)?;
            }
            match stored {
                None => {}
                Some((key, Some(first_seen))) => self.date_text_back(key, first_seen, text)?,
                Some((key, None)) => self.tell_text(key, operation, text)?,
            }
        }
        Ok(())
    }

    /// Whether it was not there before.
    fn insert_text(&mut self, operation: i64, text: &StatementText) -> rusqlite::Result<bool> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO text (id, operation, first_seen, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        )?;
        let body = pack(text.text.as_bytes());
        let is_new = insert.execute(params![text.id.as_bytes(), operation, text.first_seen.as_millis(), body])? == 1;
        if is_new {
            self.told_text(self.connection.last_insert_rowid(), operation, text);
        }
        Ok(is_new)
    }

    /// Fills in a text that was only referred to so far.
    fn tell_text(&mut self, key: i64, operation: i64, text: &StatementText) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("UPDATE text SET operation = ?2, first_seen = ?3, body = ?4 WHERE key = ?1")?
            .execute(params![key, operation, text.first_seen.as_millis(), pack(text.text.as_bytes())])?;
        self.told_text(key, operation, text);
        Ok(())
    }

    fn told_text(&mut self, key: i64, operation: i64, text: &StatementText) {
        self.interned.texts.insert(text.id, (key, Some(text.first_seen)));
        self.operations.new_text(operation);
        self.told.push((Subject::Text, text.id, What::Created));
    }

    fn date_text_back(&mut self, key: i64, known: Timestamp, text: &StatementText) -> rusqlite::Result<()> {
        if text.first_seen < known {
            self.connection
                .prepare_cached("UPDATE text SET first_seen = ?2 WHERE key = ?1")?
                .execute([key, text.first_seen.as_millis()])?;
            self.told.push((Subject::Text, text.id, What::Changed));
        }
        self.interned.texts.insert(text.id, (key, Some(known.min(text.first_seen))));
        Ok(())
    }
}

/// What an operation's record tells that may be new of an operation that is there. Two tellings
/// are the same number only by an accident of 1 in 2^64.
fn telling(operation: &Operation) -> u64 {
    let mut hasher = DefaultHasher::new();
    (operation.lineage_known, &operation.pairs).hash(&mut hasher);
    hasher.finish()
}

/// Both lists in one, a pair of the same two names once: what one of them knows of it, it is.
fn united(stored: &[KeyedPair], new: &[KeyedPair]) -> Vec<KeyedPair> {
    let mut by_names: BTreeMap<(i64, i64), KeyedPair> = BTreeMap::new();
    for pair in stored.iter().chain(new) {
        by_names
            .entry((pair.input, pair.output))
            .and_modify(|known| {
                known.data |= pair.data;
                known.control |= pair.control;
            })
            .or_insert(*pair);
    }
    by_names.into_values().collect()
}
