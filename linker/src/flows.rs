//! What the flows of a record mean for whole tables.

use std::collections::{BTreeMap, BTreeSet};

use sextant_model::NameKey;
use sextant_model::operation::TablePair;
use sextant_model::record::{FlowEdge, FlowKind, Flows, Vertex};

/// The tables (indices into `flows.tables`) that are read.
pub(crate) fn input_tables(flows: &Flows) -> BTreeSet<u32> {
    flows.edges.iter().flat_map(|edge| tables_of(flows, &edge.sources)).collect()
}

/// The tables that are written.
pub(crate) fn output_tables(flows: &Flows) -> BTreeSet<u32> {
    flows.edges.iter().flat_map(|edge| tables_of(flows, &edge.targets)).collect()
}

fn tables_of(flows: &Flows, vertices: &[u32]) -> BTreeSet<u32> {
    vertices
        .iter()
        .filter_map(|&index| match flows.vertices.get(index as usize)? {
            Vertex::Column { table, .. } | Vertex::Table { table } => Some(*table),
            Vertex::Result { .. } => None,
        })
        .collect()
}

/// Which input tables flow into which output tables.
pub(crate) fn table_pairs(flows: &Flows, cluster: &str) -> Vec<TablePair> {
    let name = |table: u32| NameKey::of(cluster, &flows.tables[table as usize].name);
    let mut kinds: BTreeMap<(u32, u32), (bool, bool)> = BTreeMap::new();
    for edge in &flows.edges {
        let targets = tables_of(flows, &edge.targets);
        for input in tables_of(flows, &edge.sources) {
            for &output in &targets {
                let (data, control) = kinds.entry((input, output)).or_default();
                match edge.kind {
                    FlowKind::Data => *data = true,
                    FlowKind::Control => *control = true,
                }
            }
        }
    }
    united_pairs(kinds.into_iter().map(|((input, output), (data, control))| TablePair {
        input: name(input),
        output: name(output),
        data,
        control,
    }))
}

/// One pair for each two names, in the order of the names.
pub(crate) fn united_pairs(pairs: impl Iterator<Item = TablePair>) -> Vec<TablePair> {
    let mut united: BTreeMap<(NameKey, NameKey), (bool, bool)> = BTreeMap::new();
    for pair in pairs {
        let (data, control) = united.entry((pair.input, pair.output)).or_default();
        *data |= pair.data;
        *control |= pair.control;
    }
    united.into_iter().map(|((input, output), (data, control))| TablePair { input, output, data, control }).collect()
}

/// The flows as every run of the same shape tells them: without create times (they belong to the
/// run), with folded literals in expressions, each edge once.
pub(crate) fn folded(flows: &Flows) -> Flows {
    let mut folded = flows.clone();
    for table in &mut folded.tables {
        table.created = None;
    }
    for edge in &mut folded.edges {
        edge.expression = edge.expression.as_deref().map(sextant_sql::fold_literals);
    }
    let mut seen: BTreeSet<FlowEdge> = BTreeSet::new();
    folded.edges.retain(|edge| seen.insert(edge.clone()));
    folded
}
