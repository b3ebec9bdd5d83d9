//! What operations bring together, for walks. A walk reads hundreds of operations at a time, so
//! every row is looked up once.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};

use sextant_model::operation::Operation;
use sextant_model::{EntityId, NameKey, SourceType};

use super::words::WordsByKey;
use crate::sqlite::codec::{KeyedPair, decode_pairs, role, source_type};
use crate::sqlite::rows;
use crate::{FlowingOperation, OperationFlows, PlacedPair, PlacedUse};

pub(in crate::sqlite) fn flows_of_operations(
    connection: &Connection,
    operations: &[EntityId],
) -> rusqlite::Result<OperationFlows> {
    let mut find_operation = connection.prepare_cached(
        "SELECT key, source_type, cluster, operation_type, lineage_known, pairs FROM operation
         WHERE id = ?1 AND source_type IS NOT NULL",
    )?;
    let mut find_uses = connection.prepare_cached(
        "SELECT name, role, life, first_time, coalesce(last_time, first_time) FROM usage WHERE operation = ?1",
    )?;
    let mut words = WordsByKey::default();
    let mut names = PlacedNames::new(connection)?;
    let mut found = Vec::with_capacity(operations.len());
    for id in operations {
        let row = find_operation.query_row([id.as_bytes()], |row| {
            Ok(OperationRow {
                key: row.get(0)?,
                source_type: rows::coded(row, 1, source_type)?,
                cluster: row.get(2)?,
                operation_type: row.get(3)?,
                lineage_known: row.get(4)?,
                pairs: rows::decoded_or_empty(row, 5, decode_pairs)?,
            })
        });
        let Some(row) = row.optional()? else {
            continue;
        };
        let operation = Operation {
            id: *id,
            source_type: row.source_type,
            cluster: words.get(connection, row.cluster)?,
            operation_type: row.operation_type.map(|word| words.get(connection, word)).transpose()?,
            lineage_known: row.lineage_known,
            pairs: Vec::new(),
        };
        let mut pairs = Vec::with_capacity(row.pairs.len());
        for KeyedPair { input, output, data, control } in row.pairs {
            let (input, output) = (names.place(&mut words, input)?, names.place(&mut words, output)?);
            pairs.push(PlacedPair { input, output, data, control });
        }
        let mut uses = Vec::new();
        let mut used = find_uses.query([row.key])?;
        while let Some(row) = used.next()? {
            uses.push(placed_use(row, names.place(&mut words, row.get(0)?)?)?);
        }
        found.push(FlowingOperation { operation, pairs, uses });
    }
    Ok(OperationFlows { names: names.names, operations: found })
}

struct OperationRow {
    key: i64,
    source_type: SourceType,
    cluster: i64,
    operation_type: Option<i64>,
    lineage_known: bool,
    pairs: Vec<KeyedPair>,
}

fn placed_use(row: &Row<'_>, name: u32) -> rusqlite::Result<PlacedUse> {
    Ok(PlacedUse {
        name,
        role: rows::coded(row, 1, role)?,
        life: row.get(2)?,
        first: rows::time(row, 3)?,
        last: rows::time(row, 4)?,
    })
}

/// Names in the order in which they were met.
struct PlacedNames<'a> {
    connection: &'a Connection,
    find: CachedStatement<'a>,
    places: HashMap<i64, u32>,
    names: Vec<(NameKey, Option<EntityId>)>,
}

impl<'a> PlacedNames<'a> {
    fn new(connection: &'a Connection) -> rusqlite::Result<Self> {
        let find = connection.prepare_cached("SELECT cluster, kind, qualified, entity FROM name WHERE key = ?1")?;
        Ok(Self { connection, find, places: HashMap::new(), names: Vec::new() })
    }

    fn place(&mut self, words: &mut WordsByKey, key: i64) -> rusqlite::Result<u32> {
        if let Some(&place) = self.places.get(&key) {
            return Ok(place);
        }
        let connection = self.connection;
        let named = self.find.query_row([key], |row| Ok((words.name(connection, row)?, rows::optional_id(row, 3)?)))?;
        let place = self.names.len() as u32;
        self.places.insert(key, place);
        self.names.push(named);
        Ok(place)
    }
}
