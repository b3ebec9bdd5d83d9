//! What a pull extractor shows during one pass over its source.

use serde::{Deserialize, Serialize};

use crate::{EntityType, ObjectName, Properties, SourceType, Timestamp};

/// One object, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservedObject {
    /// Its name.
    pub name: ObjectName,
    /// DATABASE, TABLE or VIEW.
    pub entity_type: EntityType,
    /// The kind of service that shows it.
    pub source_type: SourceType,
    /// The source's create time.
    #[serde(default)]
    pub created: Option<Timestamp>,
    /// Technical properties by Navigator's names.
    #[serde(default)]
    pub properties: Properties,
    /// Columns, then partition keys, in the source's order.
    #[serde(default)]
    pub fields: Vec<ObservedField>,
    /// Partitions, where the extractor is configured to read them.
    #[serde(default)]
    pub partitions: Option<Vec<ObservedPartition>>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservedField {
    /// In lower case.
    pub name: String,
    /// The type, as the source writes it (`decimal(18,4)`).
    pub data_type: String,
    /// The comment, if there is one.
    #[serde(default)]
    pub comment: Option<String>,
    /// Whether the table is partitioned by it.
    #[serde(default)]
    pub partition_key: bool,
}

/// A partition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservedPartition {
    /// `dt=2026-01-01/hr=3`.
    pub name: String,
    /// The source's create time.
    #[serde(default)]
    pub created: Option<Timestamp>,
    /// Technical properties.
    #[serde(default)]
    pub properties: Properties,
}

/// One step of a pass, streamed from the extractor to the linker.
#[derive(Debug, Clone, PartialEq)]
pub enum PassStep {
    /// These names are there, in the configured scope. All names of one database come before its
    /// objects; a name may come without an object (it could not be read: a problem tells why).
    Listed(Vec<ObjectName>),
    /// These objects are there, whole.
    Objects(Vec<ObservedObject>),
    /// One object could not be read, or only in part. The others are unaffected.
    Problem(PassProblem),
}

/// What a pass could not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassProblem {
    /// The object; `None` when it concerns the pass as a whole (a pattern that matches nothing).
    pub object: Option<ObjectName>,
    /// What happened and what to do, in words.
    pub reason: String,
}

/// How a pass ended. Only a complete pass may lead to deletions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassSummary {
    /// Databases whose list of tables could not be read whole: nothing in them is deleted.
    pub incomplete_databases: Vec<String>,
    /// Include and exclude patterns that matched nothing.
    pub idle_patterns: Vec<String>,
}

/// The answer to asking once more for a name that a pass did not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existence {
    /// The source says "no such object".
    Gone,
    /// It is there after all (hidden from the list by rights, or moved during the pass).
    There,
    /// The source could not say.
    Unknown,
}
