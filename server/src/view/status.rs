//! How everything stands.

use std::collections::BTreeMap;

use serde::Serialize;
use sextant_model::{EntityId, NameKey, Timestamp};
use sextant_store::WaitingEntries;
use utoipa::ToSchema;

use super::agent::{AgentAnswer, FailureAnswer};
use super::namespace::AppliedState;
use super::run::{RunAnswer, RunningAnswer};

/// How everything stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusAnswer {
    /// The version of the server.
    pub version: &'static str,
    /// When the server started.
    #[schema(value_type = String, format = DateTime)]
    pub started: Timestamp,
    /// What a person needs to know first, one sentence each; empty when all is well.
    pub attention: Vec<String>,
    /// The pull extractors.
    pub extractors: Vec<ExtractorAnswer>,
    /// Everybody who ever delivered.
    pub agents: Vec<AgentAnswer>,
    /// The disk of the data directory.
    pub disk: DiskAnswer,
    /// How far what arrived has come.
    pub intake: IntakeState,
    /// The graph that lineage walks over; null while it is being loaded.
    #[schema(required)]
    pub graph: Option<GraphAnswer>,
    /// How much is known.
    pub counts: CountsAnswer,
    /// Stretches in the quarantine by their kind.
    pub quarantine: BTreeMap<String, u64>,
    /// Names that operations use and no source has shown.
    pub unlinked_names: u64,
    /// The ten of these that most operations use.
    pub most_used_unlinked_names: Vec<UnlinkedNameAnswer>,
}

/// A pull extractor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtractorAnswer {
    /// Its name.
    pub name: String,
    /// `metastore`, `hdfs`, ...
    pub kind: &'static str,
    /// The names of the cluster that it shows, the first one first.
    pub clusters: Vec<String>,
    /// What it reads.
    pub uri: String,
    /// When it runs, as it is configured.
    pub schedule: String,
    /// The state of the file system that was applied last; null for a metastore.
    #[schema(required)]
    pub state: Option<AppliedState>,
    /// The run in progress.
    #[schema(required)]
    pub running: Option<RunningAnswer>,
    /// The run that ended last.
    #[schema(required)]
    pub last_run: Option<RunAnswer>,
    /// When it runs next.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub next_run: Option<Timestamp>,
    /// Scheduled runs that were skipped because one was in progress, since the server started.
    pub skipped: u64,
}

/// What a push extractor made of the records of all agents.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushExtractorAnswer {
    /// The format that it reads.
    pub format: &'static str,
    /// How many spools have it.
    pub spools: usize,
    /// Records that were understood.
    pub records_last_hour: u64,
    /// Stretches that were quarantined.
    pub problems_last_hour: u64,
    /// What went wrong last.
    #[schema(required)]
    pub last_error: Option<FailureAnswer>,
}

/// The disk of the data directory.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiskAnswer {
    /// The data directory.
    pub path: String,
    /// Bytes of all parts.
    pub used_bytes: u64,
    /// Bytes by part: `facts`, `inbox`, `index`, `images`, `other`.
    pub used: BTreeMap<String, u64>,
    /// Bytes that may still be written; null where the system does not tell.
    #[schema(required)]
    pub free_bytes: Option<u64>,
    /// The same for people.
    pub in_words: String,
}

/// How far what arrived has come.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeState {
    /// The newest entry of the inbox, by number.
    pub received: u64,
    /// The newest entry that is linked.
    pub linked: u64,
    /// Entries that wait to be linked.
    pub waiting: u64,
    /// Their bytes.
    pub waiting_bytes: u64,
    /// What waits for a server that reads its format.
    pub waiting_for_format: Vec<WaitingForFormat>,
    /// Why agents are asked to wait, if they are.
    #[schema(required)]
    pub agents_wait: Option<String>,
    /// The newest change, by number.
    pub newest_change: u64,
    /// The newest change that is searchable.
    pub searchable: u64,
    /// Changes that are not searchable yet.
    pub not_searchable: u64,
    /// Why linking or indexing stands still, if it does.
    #[schema(required)]
    pub trouble: Option<String>,
}

/// Entries that wait for a server that reads their format.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingForFormat {
    /// As the spool's configuration names it.
    format: String,
    /// How many entries.
    entries: u64,
    /// How many bytes, decompressed.
    bytes: u64,
    /// When the oldest was received.
    #[schema(value_type = String, format = DateTime)]
    oldest: Timestamp,
}

/// The graph in memory that lineage walks over.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphAnswer {
    /// The change up to which it is up to date, by number.
    pub position: u64,
    /// Changes that it has not taken in yet.
    pub changes_behind: u64,
    /// Operations that it knows.
    pub operations: u64,
    /// Uses of a name by an operation.
    pub relations: u64,
    /// Memory that is allocated for it.
    pub bytes: u64,
}

/// How much is known.
#[derive(Debug, Serialize, ToSchema)]
pub struct CountsAnswer {
    /// Entities by type, the deleted ones not among them.
    pub living: BTreeMap<String, u64>,
    /// Deleted entities by type.
    pub deleted: BTreeMap<String, u64>,
    /// Distinct statement shapes.
    pub operations: u64,
    /// Their runs.
    pub executions: u64,
}

/// A name that operations use and no source has shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnlinkedNameAnswer {
    /// `db.table`, `/path`.
    name: String,
    cluster: String,
    #[schema(value_type = String)]
    id: EntityId,
    /// How many operations use it.
    operations: u64,
}

/// What waits, as the API shows it.
pub fn waiting(entries: &WaitingEntries) -> WaitingForFormat {
    let WaitingEntries { format, entries, bytes, oldest } = entries.clone();
    WaitingForFormat { format, entries, bytes, oldest }
}

/// A name and how many operations use it, as the API shows them.
pub fn unlinked_name(name: &NameKey, operations: u64) -> UnlinkedNameAnswer {
    UnlinkedNameAnswer { name: name.qualified.clone(), cluster: name.cluster.clone(), id: name.id(), operations }
}
