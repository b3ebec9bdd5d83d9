//! What a graph in memory is built of: everything in one pass over the tables, or what changed.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Row, Rows};

use sextant_model::{EntityId, EntityState};

use super::feed::newest_change;
use super::linking::FindLives;
use super::walks::name_ref;
use crate::sqlite::codec::{KeyedPair, decode_pairs, entity_state, entity_type, role};
use crate::sqlite::rows;
use crate::{EntityShape, FlowPair, FlowUse, GraphPart, NameRef, OperationFlows, UsedName};

/// How many rows of a table are handed over at once.
const ROWS_PER_PART: usize = 10_000;

/// Types 2 and 3 are tables and views, 6 and 7 directories and files: what a name that operations
/// use can lead to. In the order of the table, which is the order on the disk.
const ALL_ENTITIES: &str =
    "SELECT id, state, type, first_seen, last_seen, delete_time FROM entity WHERE type IN (2, 3, 6, 7) ORDER BY key";
const ONE_ENTITY: &str = "SELECT id, state, type, first_seen, last_seen, delete_time FROM entity WHERE id = ?1";
const ALL_OPERATIONS: &str =
    "SELECT key, id, lineage_known, pairs FROM operation WHERE source_type IS NOT NULL ORDER BY key";
const ONE_OPERATION: &str =
    "SELECT key, id, lineage_known, pairs FROM operation WHERE id = ?1 AND source_type IS NOT NULL";
const ALL_USES: &str = "SELECT operation, name, role, life, first_time, coalesce(last_time, first_time)
     FROM usage ORDER BY operation";
const USES_OF_ONE: &str = "SELECT operation, name, role, life, first_time, coalesce(last_time, first_time)
     FROM usage WHERE operation = ?1";

/// Hands over everything, names first, and answers the position of the change feed of which it is.
pub(in crate::sqlite) fn scan_graph(connection: &Connection, take: &mut dyn FnMut(GraphPart)) -> rusqlite::Result<u64> {
    scan_names(connection, take)?;
    scan_entities(connection, take)?;
    scan_operations(connection, take)?;
    newest_change(connection)
}

fn scan_names(connection: &Connection, take: &mut dyn FnMut(GraphPart)) -> rusqlite::Result<()> {
    let mut all = connection.prepare("SELECT key, id, entity FROM name WHERE operations > 0 ORDER BY key")?;
    let mut found = all.query([])?;
    let mut part = GraphPart::default();
    while let Some(row) = found.next()? {
        part.names.push(used_name(row)?);
        if part.names.len() == ROWS_PER_PART {
            take(std::mem::take(&mut part));
        }
    }
    take(part);
    Ok(())
}

fn scan_entities(connection: &Connection, take: &mut dyn FnMut(GraphPart)) -> rusqlite::Result<()> {
    let mut all = connection.prepare(ALL_ENTITIES)?;
    let mut find_lives = FindLives::prepare(connection)?;
    let mut found = all.query([])?;
    let mut part = GraphPart::default();
    while let Some(row) = found.next()? {
        part.entities.push(entity_shape(row, &mut find_lives)?);
        if part.entities.len() == ROWS_PER_PART {
            take(std::mem::take(&mut part));
        }
    }
    take(part);
    Ok(())
}

fn scan_operations(connection: &Connection, take: &mut dyn FnMut(GraphPart)) -> rusqlite::Result<()> {
    let mut all = connection.prepare(ALL_OPERATIONS)?;
    let mut all_uses = connection.prepare(ALL_USES)?;
    let mut uses = UsesInOrder { rows: all_uses.query([])?, next: None };
    let mut found = all.query([])?;
    let mut part = GraphPart::default();
    while let Some(row) = found.next()? {
        let (key, mut flows) = operation(row)?;
        uses.take_of(key, &mut flows.uses)?;
        part.operations.push(flows);
        if part.operations.len() == ROWS_PER_PART {
            take(std::mem::take(&mut part));
        }
    }
    take(part);
    Ok(())
}

/// Uses by operation, read along with the operations.
struct UsesInOrder<'s> {
    rows: Rows<'s>,
    /// The first one that was not taken.
    next: Option<(i64, FlowUse)>,
}

impl UsesInOrder<'_> {
    /// Takes those of an operation; those of operations with smaller keys are passed over.
    fn take_of(&mut self, operation: i64, uses: &mut Vec<FlowUse>) -> rusqlite::Result<()> {
        loop {
            let found = match self.next.take() {
                Some(found) => found,
                None => match self.rows.next()? {
                    Some(row) => flow_use(row)?,
                    None => return Ok(()),
                },
            };
            if found.0 > operation {
                self.next = Some(found);
                return Ok(());
            }
            if found.0 == operation {
                uses.push(found.1);
            }
        }
    }
}

/// These operations with the names that they use, these entities with the names that lead to them
/// and that operations use, and the entities behind all of these names.
pub(in crate::sqlite) fn graph_part(
    connection: &Connection,
    operations: &[EntityId],
    entities: &[EntityId],
) -> rusqlite::Result<GraphPart> {
    let mut part = GraphPart::default();
    let mut names: HashSet<NameRef> = HashSet::new();
    {
        let mut find = connection.prepare_cached(ONE_OPERATION)?;
        let mut find_uses = connection.prepare_cached(USES_OF_ONE)?;
        for id in operations {
            let Some((key, mut flows)) = find.query_row([id.as_bytes()], operation).optional()? else {
                continue;
            };
            let mut found = find_uses.query([key])?;
            while let Some(row) = found.next()? {
                flows.uses.push(flow_use(row)?.1);
            }
            names.extend(flows.uses.iter().map(|used| used.name));
            names.extend(flows.pairs.iter().flat_map(|pair| [pair.input, pair.output]));
            part.operations.push(flows);
        }
    }
    {
        let mut find = connection.prepare_cached("SELECT key, id, entity FROM name WHERE key = ?1")?;
        for name in &names {
            part.names.extend(find.query_row([name.0], used_name).optional()?);
        }
        let mut find =
            connection.prepare_cached("SELECT key, id, entity FROM name WHERE entity = ?1 AND operations > 0")?;
        for entity in entities {
            let mut found = find.query([entity.as_bytes()])?;
            while let Some(row) = found.next()? {
                let name = used_name(row)?;
                if names.insert(name.name) {
                    part.names.push(name);
                }
            }
        }
    }
    let behind: HashSet<EntityId> = part.names.iter().filter_map(|name| name.entity).collect();
    let mut find = connection.prepare_cached(ONE_ENTITY)?;
    let mut find_lives = FindLives::prepare(connection)?;
    for id in &behind {
        part.entities.extend(find.query_row([id.as_bytes()], |row| entity_shape(row, &mut find_lives)).optional()?);
    }
    Ok(part)
}

fn used_name(row: &Row<'_>) -> rusqlite::Result<UsedName> {
    Ok(UsedName { name: name_ref(row.get(0)?)?, address: rows::id(row, 1)?, entity: rows::optional_id(row, 2)? })
}

fn entity_shape(row: &Row<'_>, find_lives: &mut FindLives<'_>) -> rusqlite::Result<EntityShape> {
    let id = rows::id(row, 0)?;
    Ok(EntityShape {
        id,
        entity_type: rows::coded(row, 2, entity_type)?,
        deleted: rows::coded(row, 1, entity_state)? == EntityState::Deleted,
        delete_time: rows::optional_time(row, 5)?,
        lives: find_lives.of_row(id, row, 2)?,
    })
}

/// The operation's row without its uses, and its key.
fn operation(row: &Row<'_>) -> rusqlite::Result<(i64, OperationFlows)> {
    let keyed = rows::decoded_or_empty(row, 3, decode_pairs)?;
    let mut pairs = Vec::with_capacity(keyed.len());
    for pair in keyed {
        pairs.push(flow_pair(pair)?);
    }
    let flows = OperationFlows { id: rows::id(row, 1)?, lineage_known: row.get(2)?, pairs, uses: Vec::new() };
    Ok((row.get(0)?, flows))
}

fn flow_pair(pair: KeyedPair) -> rusqlite::Result<FlowPair> {
    let (input, output) = (name_ref(pair.input)?, name_ref(pair.output)?);
    Ok(FlowPair { input, output, data: pair.data, control: pair.control })
}

/// A use with the key of its operation.
fn flow_use(row: &Row<'_>) -> rusqlite::Result<(i64, FlowUse)> {
    let used = FlowUse {
        name: name_ref(row.get(1)?)?,
        role: rows::coded(row, 2, role)?,
        life: row.get(3)?,
        first: rows::time(row, 4)?,
        last: rows::time(row, 5)?,
    };
    Ok((row.get(0)?, used))
}
