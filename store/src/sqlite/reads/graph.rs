//! What a graph in memory is built of: everything in one pass over the tables, or what changed.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use rusqlite::{Connection, OptionalExtension, Row, Rows};

use sextant_model::record::{Flows, Vertex};
use sextant_model::{EntityId, EntityState, ObjectName, Timestamp};

use super::feed::newest_change;
use super::linking::FindLives;
use super::walks::name_ref;
use crate::sqlite::codec::{KeyedPair, decode_flows, decode_pairs, entity_state, entity_type, name_kind_code, role};
use crate::sqlite::rows;
use crate::{ColumnFlows, EntityShape, FlowColumn, FlowPair, FlowUse, GraphPart, NameRef, OperationFlows, UsedName};

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
const ALL_FLOWS: &str = "SELECT operation, id, flows, first_time, coalesce(last_time, first_time)
     FROM variant WHERE flows IS NOT NULL ORDER BY operation, id";
const FLOWS_OF_ONE: &str = "SELECT operation, id, flows, first_time, coalesce(last_time, first_time)
     FROM variant WHERE operation = ?1 AND flows IS NOT NULL ORDER BY id";

/// Hands over everything, names first, and answers the position of the change feed of which it is.
pub(in crate::sqlite) fn scan_graph(connection: &Connection, take: &mut dyn FnMut(GraphPart)) -> rusqlite::Result<u64> {
    let mut used = HashSet::new();
    let words = scan_names(connection, &mut used, take)?;
    scan_entities(connection, &used, take)?;
    scan_operations(connection, &words, take)?;
    newest_change(connection)
}

/// `used` is told the entities that the names lead to.
fn scan_names(
    connection: &Connection,
    used: &mut HashSet<EntityId>,
    take: &mut dyn FnMut(GraphPart),
) -> rusqlite::Result<NameWords> {
    let mut all =
        connection.prepare("SELECT key, id, entity, kind, qualified FROM name WHERE operations > 0 ORDER BY key")?;
    let mut found = all.query([])?;
    let mut part = GraphPart::default();
    let mut words = NameWords::default();
    while let Some(row) = found.next()? {
        let name = used_name(row)?;
        words.learn(name.name, row)?;
        used.extend(name.entity);
        part.names.push(name);
        if part.names.len() == ROWS_PER_PART {
            take(std::mem::take(&mut part));
        }
    }
    take(part);
    Ok(words)
}

/// Only those that are used: most directories and files of a cluster are in no statement.
fn scan_entities(
    connection: &Connection,
    used: &HashSet<EntityId>,
    take: &mut dyn FnMut(GraphPart),
) -> rusqlite::Result<()> {
    let mut all = connection.prepare(ALL_ENTITIES)?;
    let mut find_lives = FindLives::prepare(connection)?;
    let mut found = all.query([])?;
    let mut part = GraphPart::default();
    while let Some(row) = found.next()? {
        if !used.contains(&rows::id(row, 0)?) {
            continue;
        }
        part.entities.push(entity_shape(row, &mut find_lives)?);
        if part.entities.len() == ROWS_PER_PART {
            take(std::mem::take(&mut part));
        }
    }
    take(part);
    Ok(())
}

fn scan_operations(
    connection: &Connection,
    words: &NameWords,
    take: &mut dyn FnMut(GraphPart),
) -> rusqlite::Result<()> {
    let mut all = connection.prepare(ALL_OPERATIONS)?;
    let mut all_uses = connection.prepare(ALL_USES)?;
    let mut uses = ByOperation { rows: all_uses.query([])?, read: flow_use, next: None };
    let mut all_flows = connection.prepare(ALL_FLOWS)?;
    let mut told = ByOperation { rows: all_flows.query([])?, read: told_flows, next: None };
    let mut found = all.query([])?;
    let mut part = GraphPart::default();
    while let Some(row) = found.next()? {
        let (key, mut flows) = operation(row)?;
        uses.take_of(key, |used| flows.uses.push(used))?;
        let names = flows.names();
        told.take_of(key, |told| flows.columns.push(words.column_flows(told, &names)))?;
        part.operations.push(flows);
        if part.operations.len() == ROWS_PER_PART {
            take(std::mem::take(&mut part));
        }
    }
    take(part);
    Ok(())
}

/// Rows that belong to operations, read along with them.
struct ByOperation<'s, T> {
    rows: Rows<'s>,
    /// What is in a row, with the key of its operation.
    read: fn(&Row<'_>) -> rusqlite::Result<(i64, T)>,
    /// The first one that was not taken.
    next: Option<(i64, T)>,
}

impl<T> ByOperation<'_, T> {
    /// Takes those of an operation; those of operations with smaller keys are passed over.
    fn take_of(&mut self, operation: i64, mut take: impl FnMut(T)) -> rusqlite::Result<()> {
        loop {
            let found = match self.next.take() {
                Some(found) => found,
                None => match self.rows.next()? {
                    Some(row) => (self.read)(row)?,
                    None => return Ok(()),
                },
            };
            if found.0 > operation {
                self.next = Some(found);
                return Ok(());
            }
            if found.0 == operation {
                take(found.1);
            }
        }
    }
}

/// Which words names are: flows mention tables in words.
#[derive(Default)]
struct NameWords(HashMap<NameRef, u64>);

impl NameWords {
    /// Learns what a name is called; its kind and words are the fourth and fifth column of the row.
    fn learn(&mut self, name: NameRef, row: &Row<'_>) -> rusqlite::Result<()> {
        self.0.insert(name, hash_of(row.get(3)?, row.get_ref(4)?.as_str()?));
        Ok(())
    }

    /// Which of the names that an operation uses is meant. They are few, and the chance that two of
    /// them have one hash is nil.
    fn find(&self, mentioned: &ObjectName, names: &[NameRef]) -> Option<NameRef> {
        let wanted = hash_of(name_kind_code(mentioned.kind()), &mentioned.qualified());
        names.iter().copied().find(|name| self.0.get(name) == Some(&wanted))
    }

    fn column_flows(&self, told: ToldFlows, used: &[NameRef]) -> ColumnFlows {
        let ToldFlows { variant, flows, first, last } = told;
        let names: Vec<Option<NameRef>> = flows.tables.iter().map(|table| self.find(&table.name, used)).collect();
        let name_of = |table: u32| names.get(table as usize).copied().flatten();
        let vertex = |vertex| match vertex {
            Vertex::Column { table, column } => Some(FlowColumn { name: name_of(table)?, column: Some(column) }),
            Vertex::Table { table } => Some(FlowColumn { name: name_of(table)?, column: None }),
            Vertex::Result { .. } => None,
        };
        ColumnFlows {
            variant,
            first,
            last,
            vertices: flows.vertices.into_iter().map(vertex).collect(),
            edges: flows.edges,
        }
    }
}

fn hash_of(kind: i64, qualified: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((kind, qualified))
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
    let mut words = NameWords::default();
    let mut told: Vec<Vec<ToldFlows>> = Vec::new();
    {
        let mut find = connection.prepare_cached(ONE_OPERATION)?;
        let mut find_flows = connection.prepare_cached(FLOWS_OF_ONE)?;
        let mut find_uses = connection.prepare_cached(USES_OF_ONE)?;
        for id in operations {
            let Some((key, mut flows)) = find.query_row([id.as_bytes()], operation).optional()? else {
                continue;
            };
            let mut found = find_uses.query([key])?;
            while let Some(row) = found.next()? {
                flows.uses.push(flow_use(row)?.1);
            }
            names.extend(flows.names());
            part.operations.push(flows);
            told.push(find_flows.query_map([key], |row| Ok(told_flows(row)?.1))?.collect::<Result<_, _>>()?);
        }
    }
    {
        let mut find = connection.prepare_cached("SELECT key, id, entity, kind, qualified FROM name WHERE key = ?1")?;
        for name in &names {
            let mut found = find.query([name.0])?;
            if let Some(row) = found.next()? {
                words.learn(*name, row)?;
                part.names.push(used_name(row)?);
            }
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
    for (operation, told) in part.operations.iter_mut().zip(told) {
        let names = operation.names();
        operation.columns = told.into_iter().map(|told| words.column_flows(told, &names)).collect();
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

/// The operation's row without its uses and flows, and its key.
fn operation(row: &Row<'_>) -> rusqlite::Result<(i64, OperationFlows)> {
    let keyed = rows::decoded_or_empty(row, 3, decode_pairs)?;
    let mut pairs = Vec::with_capacity(keyed.len());
    for pair in keyed {
        pairs.push(flow_pair(pair)?);
    }
    let (id, lineage_known) = (rows::id(row, 1)?, row.get(2)?);
    Ok((row.get(0)?, OperationFlows { id, lineage_known, pairs, uses: Vec::new(), columns: Vec::new() }))
}

/// A set of flows as the store keeps it: with tables in words.
struct ToldFlows {
    variant: EntityId,
    flows: Flows,
    first: Timestamp,
    last: Timestamp,
}

/// A set of flows with the key of its operation.
fn told_flows(row: &Row<'_>) -> rusqlite::Result<(i64, ToldFlows)> {
    let told = ToldFlows {
        variant: rows::id(row, 1)?,
        flows: rows::decoded(row, 2, decode_flows)?,
        first: rows::time(row, 3)?,
        last: rows::time(row, 4)?,
    };
    Ok((row.get(0)?, told))
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
