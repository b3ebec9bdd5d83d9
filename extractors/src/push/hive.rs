//! Records of Hive's `org.apache.hadoop.hive.ql.hooks.LineageLogger`, all versions.
//!
//! What differs between versions is absent rather than changed: `duration` (since HIVE-11814) and
//! `database` (since HIVE-12317); in test mode `user`, `timestamp`, `duration` and `jobIds`.

use std::collections::HashSet;

use serde::Deserialize;
use sextant_model::record::{PushRecord, RecordLineage};
use sextant_model::{SourceType, Timestamp};

use super::graph::{FlowsBuilder, source_ids, split_column, split_table};
use super::wire::{Edge, Element, Number, Text, Vertex, VertexKind, as_logged, is_plain_query, said};
use super::{Refusal, hash_of_record};

/// What column statistics that are gathered along with an insert call themselves.
const STATISTICS: &str = "compute_stats(";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    /// Always `1.0`; that it is there tells Hive's records from Impala's.
    #[serde(rename = "version", borrow)]
    _version: Text<'a>,
    #[serde(borrow, default)]
    user: Option<Text<'a>>,
    /// Seconds since the epoch.
    #[serde(default)]
    timestamp: Option<Number>,
    /// Milliseconds.
    #[serde(default)]
    duration: Option<Number>,
    #[serde(borrow, default)]
    job_ids: Option<Vec<Text<'a>>>,
    #[serde(borrow, default)]
    engine: Option<Text<'a>>,
    #[serde(borrow, default)]
    database: Option<Text<'a>>,
    #[serde(borrow, default)]
    hash: Option<Text<'a>>,
    #[serde(borrow)]
    query_text: Text<'a>,
    #[serde(borrow)]
    edges: Vec<Element<Edge<'a>>>,
    #[serde(borrow)]
    vertices: Vec<Element<Vertex<'a>>>,
}

/// Reads a record. `bytes` are what `json` was decoded from.
pub(super) fn read(json: &str, bytes: &[u8]) -> Result<PushRecord, Refusal> {
    let record: Record<'_> = serde_json::from_str(json).map_err(Refusal::Form)?;
    let execution_key = execution_key(&record, bytes);
    let started = record.timestamp.and_then(|seconds| Timestamp::from_seconds(seconds.0).plausible());
    let ended = started.zip(record.duration).and_then(|(start, millis)| start.plus_millis(millis.0.max(0)).plausible());
    let lineage = if record.edges.is_empty() && record.vertices.is_empty() {
        RecordLineage::Unknown
    } else {
        let edges = record.edges.into_iter().map(|element| element.0).collect();
        flows(edges, &record.vertices, &record.query_text.0)?
    };
    Ok(PushRecord {
        offset: 0,
        length: 0,
        source_type: SourceType::Hive,
        query_text: record.query_text.0.into_owned(),
        query_id: None,
        user: said(record.user),
        started,
        ended,
        engine: said(record.engine),
        database: said(record.database),
        job_ids: record.job_ids.unwrap_or_default().into_iter().map(|id| id.0.into_owned()).collect(),
        operation_type: None,
        table_location: None,
        execution_key,
        lineage,
    })
}

/// A run has no id in Hive's records: it is told by who, when, how long, what, and its jobs. Where
/// time or text are missing (test mode), two runs are told apart by their whole records.
fn execution_key(record: &Record<'_>, bytes: &[u8]) -> Vec<String> {
    let text = |field: &Option<Text<'_>>| field.as_ref().map(|text| text.0.to_string()).unwrap_or_default();
    let mut key = vec![
        "hive".to_owned(),
        text(&record.user),
        as_logged(record.timestamp),
        as_logged(record.duration),
        text(&record.hash),
        text(&record.engine),
    ];
    key.extend(record.job_ids.iter().flatten().map(|id| id.0.to_string()));
    if record.timestamp.is_none() || record.hash.is_none() {
        key.push(hash_of_record(bytes));
    }
    key
}

fn flows(
    mut edges: Vec<Edge<'_>>,
    vertices: &[Element<Vertex<'_>>],
    query_text: &str,
) -> Result<RecordLineage, Refusal> {
    let left_out = drop_statistics(&mut edges, query_text);
    let sources = if is_plain_query(query_text) { Some(source_ids(&edges)) } else { None };
    let mut builder = FlowsBuilder::default();
    for Element(vertex) in vertices {
        if left_out.contains(&vertex.id) {
            continue;
        }
        let name: &str = &vertex.name.0;
        // The targets of a plain query are labels, whatever they look like (`src1.key`).
        let is_label = sources.as_ref().is_some_and(|sources| sources.binary_search(&vertex.id).is_err());
        match (vertex.kind, split_column(name), split_table(name)) {
            (VertexKind::Table, _, Some(table)) => builder.whole_table(vertex.id, table),
            (VertexKind::Column, Some((table, column)), _) if !is_label => {
                builder.column(vertex.id, table, column, None);
            }
            _ => builder.result(vertex.id, name),
        }
    }
    builder.finish(edges).map(RecordLineage::Known)
}

/// Takes out the edges of column statistics (Hive 2.3 and later gathers them along with an
/// insert): they are no flow of data, and their targets are those of another plan. Answers the
/// vertices that nothing else uses. A statement that calls the function itself keeps its edges.
fn drop_statistics(edges: &mut Vec<Edge<'_>>, query_text: &str) -> HashSet<i64> {
    let is_statistics =
        |edge: &Edge<'_>| edge.expression.as_ref().is_some_and(|expression| expression.0.starts_with(STATISTICS));
    if !edges.iter().any(is_statistics) || query_text.to_ascii_lowercase().contains("compute_stats") {
        return HashSet::new();
    }
    let ids = |edge: &Edge<'_>| edge.sources.iter().chain(&edge.targets).copied().collect::<Vec<i64>>();
    let mut left_out: HashSet<i64> = edges.iter().filter(|edge| is_statistics(edge)).flat_map(ids).collect();
    edges.retain(|edge| !is_statistics(edge));
    for id in edges.iter().flat_map(ids) {
        left_out.remove(&id);
    }
    left_out
}

#[cfg(test)]
mod tests;
