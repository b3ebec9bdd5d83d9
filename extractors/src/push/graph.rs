//! From a record's vertices and edges to [`Flows`].

use std::collections::{HashMap, HashSet};

use sextant_model::record::{FlowEdge, FlowKind, Flows, TableMention, Vertex};
use sextant_model::{ObjectName, Timestamp};

use super::Refusal;
use super::wire::{Edge, EdgeKind};

/// The most pairs of an input and an output table that one record may make: those of a statement with five hundred
/// tables on either side. A record is as long as its tables, but its pairs are their product.
const MAX_TABLE_PAIRS: usize = 250_000;
/// The most that all edges together may name, where each counts by itself.
const MAX_NAMED_PAIRS: u64 = 20_000_000;

/// A table's name as a record writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableName<'a> {
    /// `db.table`.
    pub(super) qualified: &'a str,
    database: &'a str,
    relation: &'a str,
}

/// Collects vertices in record order, each distinct one once, then edges over them.
#[derive(Default)]
pub(super) struct FlowsBuilder<'a> {
    tables: Vec<TableMention>,
    /// By the name as written, so that a name is brought into lower case once.
    tables_as_written: HashMap<&'a str, u32>,
    tables_by_name: HashMap<ObjectName, u32>,
    vertices: Vec<Vertex>,
    vertex_indices: HashMap<Vertex, u32>,
    /// The record's own ids and where their vertices are, sorted before the edges are read.
    ids: Vec<(i64, u32)>,
}

impl<'a> FlowsBuilder<'a> {
    /// A column of a table.
    pub(super) fn column(&mut self, id: i64, table: TableName<'a>, column: &str, created: Option<Timestamp>) {
        let table = self.table(table, created);
        self.vertex(id, Vertex::Column { table, column: column.to_lowercase() });
    }

    /// A table as a whole.
    pub(super) fn whole_table(&mut self, id: i64, table: TableName<'a>) {
        let table = self.table(table, None);
        self.vertex(id, Vertex::Table { table });
    }

    /// A column of the statement's own result.
    pub(super) fn result(&mut self, id: i64, label: &str) {
        self.vertex(id, Vertex::Result { label: label.to_owned() });
    }

    fn table(&mut self, name: TableName<'a>, created: Option<Timestamp>) -> u32 {
        let index = match self.tables_as_written.get(name.qualified) {
            Some(index) => *index,
            None => self.new_table(name),
        };
        let mention = &mut self.tables[index as usize];
        mention.created = mention.created.or(created);
        index
    }

    fn new_table(&mut self, as_written: TableName<'a>) -> u32 {
        let name = ObjectName::relation(as_written.database, as_written.relation);
        let index = *self.tables_by_name.entry(name).or_insert_with_key(|name| {
            self.tables.push(TableMention { name: name.clone(), created: None });
            self.tables.len() as u32 - 1
        });
        self.tables_as_written.insert(as_written.qualified, index);
        index
    }

    fn vertex(&mut self, id: i64, vertex: Vertex) {
        let index = *self.vertex_indices.entry(vertex).or_insert_with_key(|vertex| {
            self.vertices.push(vertex.clone());
            self.vertices.len() as u32 - 1
        });
        self.ids.push((id, index));
    }

    /// The flows over the collected vertices, or in words what does not fit together.
    pub(super) fn finish(mut self, edges: Vec<Edge<'_>>) -> Result<Flows, Refusal> {
        self.ids.sort_unstable();
        if let Some(pair) = self.ids.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1) {
            return Err(Refusal::Inconsistent(format!("two different vertices have the id {}", pair[0].0)));
        }
        let mut flow_edges = Vec::with_capacity(edges.len());
        for (position, edge) in edges.into_iter().enumerate() {
            flow_edges.push(FlowEdge {
                kind: match edge.kind {
                    EdgeKind::Projection => FlowKind::Data,
                    EdgeKind::Predicate => FlowKind::Control,
                },
                sources: self.indices(&edge.sources, position).map_err(Refusal::Inconsistent)?,
                targets: self.indices(&edge.targets, position).map_err(Refusal::Inconsistent)?,
                expression: edge.expression.map(|text| text.0.into_owned()),
            });
        }
        let edges = merged(flow_edges);
        self.check_table_pairs(&edges)?;
        Ok(Flows { tables: self.tables, vertices: self.vertices, edges })
    }

    /// Refuses edges whose pairs of tables would not fit into memory.
    fn check_table_pairs(&self, edges: &[FlowEdge]) -> Result<(), Refusal> {
        let tables = self.tables.len() as u64;
        if tables * tables <= MAX_TABLE_PAIRS as u64 && tables * tables * edges.len() as u64 <= MAX_NAMED_PAIRS {
            return Ok(());
        }
        let mut named = 0;
        let mut distinct = HashSet::new();
        for edge in edges {
            let (inputs, outputs) = (self.tables_in(&edge.sources), self.tables_in(&edge.targets));
            let pairs = inputs.len() as u64 * outputs.len() as u64;
            named += pairs;
            if named > MAX_NAMED_PAIRS {
                return Err(Refusal::TooWide(format!(
                    "its edges name pairs of tables more than {MAX_NAMED_PAIRS} times, which is the limit"
                )));
            }
            if pairs <= MAX_TABLE_PAIRS as u64 {
                distinct.extend(inputs.iter().flat_map(|input| outputs.iter().map(move |output| (*input, *output))));
            }
            if pairs > MAX_TABLE_PAIRS as u64 || distinct.len() > MAX_TABLE_PAIRS {
                return Err(Refusal::TooWide(format!(
                    "its edges make more than {MAX_TABLE_PAIRS} pairs of an input and an output table, which is the \
                     limit"
                )));
            }
        }
        Ok(())
    }

    /// Ascending, each once.
    fn tables_in(&self, vertices: &[u32]) -> Vec<u32> {
        let mut tables: Vec<u32> = vertices
            .iter()
            .filter_map(|vertex| match self.vertices[*vertex as usize] {
                Vertex::Column { table, .. } | Vertex::Table { table } => Some(table),
                Vertex::Result { .. } => None,
            })
            .collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }

    /// Ascending, each once.
    fn indices(&self, ids: &[i64], edge_position: usize) -> Result<Vec<u32>, String> {
        let mut indices = Vec::with_capacity(ids.len());
        for id in ids {
            // Ids are usually the positions themselves.
            let at_own_position = usize::try_from(*id).ok().and_then(|position| self.ids.get(position));
            let found = match at_own_position {
                Some((known, index)) if known == id => Some(*index),
                _ => self.ids.binary_search_by_key(id, |(known, _)| *known).ok().map(|found| self.ids[found].1),
            };
            let index = found.ok_or_else(|| {
                format!("edge {edge_position} (counted from 0) names vertex {id}, which the record does not have")
            })?;
            indices.push(index);
        }
        indices.sort_unstable();
        indices.dedup();
        Ok(indices)
    }
}

/// Edges of the same kind between the same vertices as one, with all their expressions, separated
/// by `; `. The order is that of first appearance.
fn merged(edges: Vec<FlowEdge>) -> Vec<FlowEdge> {
    let mut first_of_kind = HashMap::with_capacity(edges.len());
    let mut known_expressions = HashSet::new();
    // For each edge the position of the first one like it, and whether it adds an expression.
    let mut plan = Vec::with_capacity(edges.len());
    for (position, edge) in edges.iter().enumerate() {
        let first = *first_of_kind.entry((edge.kind, &edge.sources, &edge.targets)).or_insert(position);
        let adds = edge.expression.as_deref().is_some_and(|text| known_expressions.insert((first, text)));
        plan.push((first, adds));
    }
    if plan.iter().enumerate().all(|(position, (first, _))| position == *first) {
        return edges;
    }
    let mut kept: Vec<FlowEdge> = Vec::with_capacity(edges.len());
    let mut kept_positions = vec![0; edges.len()];
    for (position, (edge, (first, adds))) in edges.into_iter().zip(plan).enumerate() {
        if first == position {
            kept_positions[position] = kept.len();
            kept.push(edge);
        } else if let Some(text) = edge.expression
            && adds
        {
            let merged_edge = &mut kept[kept_positions[first]];
            match &mut merged_edge.expression {
                Some(expressions) => {
                    expressions.push_str("; ");
                    expressions.push_str(&text);
                }
                none => *none = Some(text),
            }
        }
    }
    kept
}

/// A name of the form `db.table`; further dots belong to the table.
pub(super) fn split_table(name: &str) -> Option<TableName<'_>> {
    let (database, relation) = name.split_once('.')?;
    let is_whole = !database.is_empty() && !relation.is_empty();
    is_whole.then_some(TableName { qualified: name, database, relation })
}

/// The table and the column of `db.table.column`; further dots belong to the column, which is a
/// path into a nested type.
pub(super) fn split_column(name: &str) -> Option<(TableName<'_>, &str)> {
    let database_end = name.find('.')?;
    let table_end = database_end + 1 + name[database_end + 1..].find('.')?;
    let table = split_table(&name[..table_end])?;
    let column = &name[table_end + 1..];
    (!column.is_empty()).then_some((table, column))
}

/// The ids that are sources of any edge, sorted.
pub(super) fn source_ids(edges: &[Edge<'_>]) -> Vec<i64> {
    let mut ids: Vec<i64> = edges.iter().flat_map(|edge| edge.sources.iter().copied()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
