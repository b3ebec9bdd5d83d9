//! What an extractor of push records understood: one run of one statement, names as written.

use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::{ObjectName, SourceType, Timestamp};

/// What came out of a stretch of a spool file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// The runs that were understood, in file order.
    pub records: Vec<PushRecord>,
    /// What was not understood, to be quarantined.
    pub problems: Vec<Problem>,
    /// Lines that are no lineage and do not claim to be (other log lines of the same file).
    pub ignored_lines: u64,
    /// How many bytes of the input are dealt with. The rest is the beginning of a record that
    /// spans several lines and is handed in again with what follows it.
    pub consumed: usize,
}

/// One run of a statement, as its record tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PushRecord {
    /// Byte offset of the record's first byte, relative to the input that was parsed.
    pub offset: u64,
    /// How many bytes it covers.
    pub length: u64,
    /// Which engine ran it.
    pub source_type: SourceType,
    /// The statement, as logged.
    pub query_text: String,
    /// The engine's own id of the run, where it has one that tells runs apart.
    pub query_id: Option<String>,
    /// The user as logged, Kerberos realm and all.
    pub user: Option<String>,
    /// When the run began; `None` when absent or absurd.
    pub started: Option<Timestamp>,
    /// When it ended; `None` when absent or absurd.
    pub ended: Option<Timestamp>,
    /// The execution engine (`mr`, `tez`, `spark`).
    pub engine: Option<String>,
    /// The session's current database.
    pub database: Option<String>,
    /// YARN job ids.
    pub job_ids: Vec<String>,
    /// The kind of statement, where the record says it (`CREATETABLE`, `INSERT`, ...).
    pub operation_type: Option<String>,
    /// Where a created table lies (Impala's DDL records).
    pub table_location: Option<String>,
    /// What makes this run unlike any other: the same parts mean the same run, wherever a second
    /// copy of the record came from.
    pub execution_key: Vec<String>,
    /// What flowed where, or that the record does not say.
    pub lineage: RecordLineage,
}

/// What a record says about the flow of data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RecordLineage {
    /// The record has no edges and no vertices: the statement ran, its lineage is unknown.
    Unknown,
    /// The flows between columns.
    Known(Flows),
}

/// Flows between the columns of tables, as hyperedges over a list of vertices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Flows {
    /// The tables that are mentioned, each once.
    pub tables: Vec<TableMention>,
    /// Columns, whole tables, and result columns.
    pub vertices: Vec<Vertex>,
    /// From which vertices to which.
    pub edges: Vec<FlowEdge>,
}

/// A table as the record names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TableMention {
    /// Its qualified name.
    pub name: ObjectName,
    /// The create time of the incarnation that was used, where the record says it.
    pub created: Option<Timestamp>,
}

/// One end of a flow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Vertex {
    /// A column of `tables[table]`, in lower case; may be a path into a nested type (`a.item.b`).
    Column {
        /// Index into [`Flows::tables`].
        table: u32,
        /// The column.
        column: String,
    },
    /// `tables[table]` as a whole (`count(*)`).
    Table {
        /// Index into [`Flows::tables`].
        table: u32,
    },
    /// A column of the statement's own result, which no table keeps.
    Result {
        /// The label, as logged.
        label: String,
    },
}

/// What an edge means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FlowKind {
    /// Values of the sources end up in the targets (PROJECTION).
    #[serde(rename = "DATA_FLOW")]
    Data,
    /// The sources decide which rows arrive (PREDICATE).
    #[serde(rename = "CONTROL_FLOW")]
    Control,
}

/// A hyperedge: every source flows into every target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FlowEdge {
    /// Data or control.
    pub kind: FlowKind,
    /// Indices into [`Flows::vertices`], ascending. Empty for constants.
    pub sources: Vec<u32>,
    /// Indices into [`Flows::vertices`], ascending.
    pub targets: Vec<u32>,
    /// The engine's own expression text, where it gives one.
    pub expression: Option<String>,
}
