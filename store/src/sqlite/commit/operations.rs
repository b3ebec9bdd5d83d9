//! Operations, their texts and the variants of their flows.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use sextant_model::feed::{Subject, What};
use sextant_model::operation::{FlowVariant, Operation, StatementText, TablePair};

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
            let pairs = self.keyed_pairs(&operation.pairs)?;
            match self.stored_operation(operation)? {
                Some(stored) if stored.told => self.extend_operation(operation, &stored, pairs)?,
                stored => self.create_operation(operation, stored.map(|stored| stored.key), &pairs)?,
            }
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

    fn create_operation(
        &mut self,
        operation: &Operation,
        referred_to: Option<i64>,
        pairs: &[KeyedPair],
    ) -> rusqlite::Result<()> {
        let cluster = self.interned.word(self.connection, &operation.cluster)?;
        let operation_type = self.interned.optional_word(self.connection, operation.operation_type.as_deref())?;
        let mut upsert = self.connection.prepare_cached(
            "INSERT INTO operation (key, id, source_type, cluster, operation_type, lineage_known, pairs)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (key) DO UPDATE SET source_type = excluded.source_type, cluster = excluded.cluster,
             operation_type = excluded.operation_type, lineage_known = excluded.lineage_known, pairs = excluded.pairs
             RETURNING key",
        )?;
        let row = params![
            referred_to,
            operation.id.as_bytes(),
            source_type_code(operation.source_type),
            cluster,
            operation_type,
            operation.lineage_known,
            encode_pairs(pairs),
        ];
        let key = upsert.query_row(row, |row| row.get(0))?;
        self.interned.remember_operation(operation.id, key);
        self.operations.created(key, operation.id);
        self.tally.add(Counted::Operations, "", 1);
        Ok(())
    }

    fn extend_operation(
        &mut self,
        operation: &Operation,
        stored: &StoredOperation,
        pairs: Vec<KeyedPair>,
    ) -> rusqlite::Result<()> {
        let lineage_known = stored.lineage_known || operation.lineage_known;
        let pairs = united(&stored.pairs, &pairs);
        if lineage_known == stored.lineage_known && pairs == stored.pairs {
            return Ok(());
        }
        self.connection
            .prepare_cached("UPDATE operation SET lineage_known = ?2, pairs = ?3 WHERE key = ?1")?
            .execute(params![stored.key, lineage_known, encode_pairs(&pairs)])?;
        self.operations.changed(stored.key, operation.id);
        Ok(())
    }

    pub(super) fn write_variants(&mut self, variants: &[FlowVariant]) -> rusqlite::Result<()> {
        for variant in variants {
            let operation = self.interned.operation(self.connection, variant.operation)?;
            let remembered = self.interned.variants.get(&(operation, variant.id));
            let stored = match remembered {
                Some(state) => Some(state),
                None => find_variant(self.connection, operation, variant.id)?,
            };
            let (key, span) = match stored {
                Some((key, Some(span))) => (Some(key), span.merged(variant.seen)),
                Some((key, None)) => (Some(key), variant.seen),
                None => (None, variant.seen),
            };
            let told_before = stored.and_then(|(_, span)| span);
            if told_before == Some(span) {
                continue;
            }
            // Flows are only ever written once: what has the same id has the same flows.
            let flows = told_before.is_none().then(|| encode_flows(&variant.flows));
            let (last_time, last_execution) = rows::stored_end(&span);
            let mut upsert = self.connection.prepare_cached(
                "INSERT INTO variant (key, operation, id, flows, first_time, first_execution, last_time, last_execution)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT (key) DO UPDATE SET flows = coalesce(excluded.flows, flows),
                 first_time = excluded.first_time, first_execution = excluded.first_execution,
                 last_time = excluded.last_time, last_execution = excluded.last_execution
                 RETURNING key",
            )?;
            let row = params![
                key,
                operation,
                variant.id.as_bytes(),
                flows,
                span.first.as_millis(),
                span.first_execution.as_bytes(),
                last_time,
                last_execution,
            ];
            let key = upsert.query_row(row, |row| row.get(0))?;
            self.interned.variants.insert((operation, variant.id), (key, Some(span)));
            if told_before.is_none() {
                self.operations.changed(operation, variant.operation);
            }
        }
        Ok(())
    }

    pub(super) fn write_texts(&mut self, texts: &[StatementText]) -> rusqlite::Result<()> {
        for text in texts {
            self.write_text(text)?;
        }
        Ok(())
    }

    fn write_text(&mut self, text: &StatementText) -> rusqlite::Result<()> {
        let stored = match self.interned.texts.get(&text.id) {
            Some(state) => Some(state),
            None => find_text(self.connection, text.id)?,
        };
        let first_seen = text.first_seen.as_millis();
        match stored {
            Some((key, Some(known_first_seen))) => {
                let state = (key, Some(known_first_seen.min(text.first_seen)));
                self.interned.texts.insert(text.id, state);
                if text.first_seen < known_first_seen {
                    self.connection
                        .prepare_cached("UPDATE text SET first_seen = ?2 WHERE key = ?1")?
                        .execute([key, first_seen])?;
                    self.told.push((Subject::Text, text.id, What::Changed));
                }
            }
            Some((_, None)) | None => {
                let operation = self.interned.operation(self.connection, text.operation)?;
                let mut upsert = self.connection.prepare_cached(
                    "INSERT INTO text (key, id, operation, first_seen, body) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (key) DO UPDATE SET operation = excluded.operation,
                     first_seen = excluded.first_seen, body = excluded.body
                     RETURNING key",
                )?;
                let referred_to = stored.map(|(key, _)| key);
                let row =
                    params![referred_to, text.id.as_bytes(), operation, first_seen, pack(text.text.as_bytes())];
                let key = upsert.query_row(row, |row| row.get(0))?;
                self.interned.texts.insert(text.id, (key, Some(text.first_seen)));
                self.operations.new_text(operation);
                self.told.push((Subject::Text, text.id, What::Created));
            }
        }
        Ok(())
    }
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
