//! Records of Impala's lineage log, all versions.
//!
//! Up to 3.2 a table's column is named `db.table.column` and nothing else tells it from a result
//! label. Since 3.3 everything that belongs to a table says so in `metadata`, and targets are bare
//! column names. The builds of CDH-34514 write edges and vertices as strings.

use serde::Deserialize;
use serde::de::IgnoredAny;
use sextant_model::record::{PushRecord, RecordLineage};
use sextant_model::{SourceType, Timestamp};

use super::graph::{FlowsBuilder, TableName, source_ids, split_column, split_table};
use super::wire::{Edge, Element, Metadata, Number, Text, Vertex, is_plain_query, said};
use super::{Refusal, hash_of_record};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow)]
    query_text: Text<'a>,
    /// Since 2026.
    #[serde(borrow, default)]
    operation_type: Option<Text<'a>>,
    /// Since 2.12.
    #[serde(borrow, default)]
    query_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    user: Option<Text<'a>>,
    /// Seconds since the epoch.
    #[serde(default)]
    timestamp: Option<Number>,
    /// Seconds since the epoch.
    #[serde(default)]
    end_time: Option<Number>,
    #[serde(borrow)]
    edges: Vec<Element<Edge<'a>>>,
    #[serde(borrow)]
    vertices: Vec<Element<Vertex<'a>>>,
    /// Since 3.4, of created external tables.
    #[serde(borrow, default)]
    table_location: Option<Text<'a>>,
    /// Hive's records have it, Impala's never.
    #[serde(default)]
    version: Option<IgnoredAny>,
}

/// Reads a record. `bytes` are what `json` was decoded from.
pub(super) fn read(json: &str, bytes: &[u8]) -> Result<PushRecord, Refusal> {
    let record: Record<'_> = serde_json::from_str(json).map_err(Refusal::Form)?;
    if record.version.is_some() {
        return Err(Refusal::OtherFormat("a Hive lineage record"));
    }
    let query_id = said(record.query_id).filter(|id| is_usable(id));
    let execution_key = match &query_id {
        Some(id) => vec!["impala".to_owned(), id.clone()],
        None => vec!["impala-line".to_owned(), hash_of_record(bytes)],
    };
    let started = plausible(record.timestamp);
    // For a while the end was logged in local time (IMPALA-2646).
    let ended = plausible(record.end_time).map(|end| started.map_or(end, |start| end.max(start)));
    let lineage = if record.edges.is_empty() && record.vertices.is_empty() {
        RecordLineage::Unknown
    } else {
        let edges = record.edges.into_iter().map(|element| element.0).collect();
        flows(edges, &record.vertices, &record.query_text.0)?
    };
    Ok(PushRecord {
        offset: 0,
        length: 0,
        source_type: SourceType::Impala,
        query_text: record.query_text.0.into_owned(),
        query_id,
        user: said(record.user),
        started,
        ended,
        engine: None,
        database: None,
        job_ids: Vec::new(),
        operation_type: said(record.operation_type),
        table_location: said(record.table_location),
        execution_key,
        lineage,
    })
}

fn plausible(seconds: Option<Number>) -> Option<Timestamp> {
    seconds.and_then(|seconds| Timestamp::from_seconds(seconds.0).plausible())
}

/// Planner tests log `0:0` for every statement.
fn is_usable(query_id: &str) -> bool {
    !query_id.bytes().all(|byte| byte == b'0' || byte == b':')
}

fn flows(edges: Vec<Edge<'_>>, vertices: &[Element<Vertex<'_>>], query_text: &str) -> Result<RecordLineage, Refusal> {
    let sources = source_ids(&edges);
    let is_source = |id: i64| sources.binary_search(&id).is_ok();
    let targets_are_columns = targets_are_columns(vertices, query_text, is_source);
    let mut builder = FlowsBuilder::default();
    for Element(vertex) in vertices {
        let name: &str = &vertex.name.0;
        let in_table = vertex.metadata.as_ref().and_then(|metadata| with_metadata(name, metadata));
        let by_name = if targets_are_columns || is_source(vertex.id) { table_column(name) } else { None };
        if let Some((table, column, created)) = in_table {
            builder.column(vertex.id, table, column, created);
        } else if let Some((table, column)) = by_name {
            builder.column(vertex.id, table, column, None);
        } else {
            builder.result(vertex.id, name);
        }
    }
    builder.finish(edges).map(RecordLineage::Known)
}

/// Whether targets without metadata are `db.table.column`: in a record that has no metadata at
/// all, of a statement that is no plain query, when all of them look like columns of one table
/// (Impala writes one). Otherwise they are labels, which may look like anything.
fn targets_are_columns(vertices: &[Element<Vertex<'_>>], query_text: &str, is_source: impl Fn(i64) -> bool) -> bool {
    if is_plain_query(query_text) || vertices.iter().any(|Element(vertex)| vertex.metadata.is_some()) {
        return false;
    }
    let mut targets = vertices.iter().filter(|Element(vertex)| !is_source(vertex.id));
    let table = |Element(vertex): &Element<Vertex<'_>>| {
        table_column(&vertex.name.0).map(|(table, _)| table.qualified.to_lowercase())
    };
    let Some(first) = targets.next().map(table) else { return false };
    first.is_some() && targets.all(|target| table(target) == first)
}

/// Table, column and the table's create time.
fn with_metadata<'v>(name: &'v str, metadata: &'v Metadata<'_>) -> Option<(TableName<'v>, &'v str, Option<Timestamp>)> {
    let table = split_table(&metadata.table_name.0)?;
    let column = without_table(name, table.qualified);
    let created = plausible(metadata.table_create_time);
    (!column.is_empty()).then_some((table, column, created))
}

/// The column of a name that is qualified by its table or not.
fn without_table<'v>(name: &'v str, table: &str) -> &'v str {
    let is_qualified = name.get(..table.len()).is_some_and(|start| start.eq_ignore_ascii_case(table));
    let column = if is_qualified { name[table.len()..].strip_prefix('.') } else { None };
    column.unwrap_or(name)
}

/// `db.table.column[.path]`, where database and table are plain words: a label can be any
/// expression (`a.x + b.y + c.z`).
fn table_column(name: &str) -> Option<(TableName<'_>, &str)> {
    let (table, column) = split_column(name)?;
    let is_plain =
        table.qualified.chars().all(|character| character.is_alphanumeric() || character == '_' || character == '.');
    is_plain.then_some((table, column))
}

#[cfg(test)]
mod tests;
