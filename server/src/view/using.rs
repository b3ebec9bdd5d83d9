//! The operations that read or write something.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use sextant_model::operation::{Role, Usage};
use sextant_model::{EntityId, EntityType, SourceType, Timestamp, Viewer};
use sextant_store::{Facts, OperationSummary, StoreError};
use utoipa::ToSchema;

use super::one_line;
use super::user::{RunnersAnswer, runners};
use super::words::{OperationTypeWord, SourceTypeWord};

/// Characters of a statement that a list shows.
const SHORT_TEXT: usize = 200;
/// Runs of each operation that are looked at for who ran it.
const LOOKED_AT_RUNS: u64 = 20;

/// Operations that read or write something, the one that used it last first.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsingOperationsAnswer {
    /// How many operations of the role that was asked for.
    total: usize,
    /// How many operations read it in the time that was asked for.
    reads: usize,
    /// How many operations write it in that time.
    writes: usize,
    results: Vec<UsingOperationAnswer>,
    /// The `skip` of the next part; null when there is none.
    #[schema(required)]
    next: Option<u64>,
}

/// An operation that reads or writes something.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsingOperationAnswer {
    /// The operation's id.
    #[schema(value_type = String)]
    id: EntityId,
    #[serde(rename = "type")]
    #[schema(value_type = OperationTypeWord)]
    entity_type: EntityType,
    role: UseWord,
    /// `QUERY`, `CREATETABLE_AS_SELECT`, ...
    #[schema(required)]
    operation_type: Option<String>,
    /// Which kind of service runs it.
    #[schema(value_type = SourceTypeWord)]
    source_type: SourceType,
    cluster: String,
    /// The beginning of its earliest true text, on one line.
    short_text: String,
    /// Whether a record told its flows. If not, its lineage is unknown, not empty.
    lineage_known: bool,
    /// How many runs it has.
    executions: u64,
    /// The first run that used this.
    #[schema(value_type = String, format = DateTime)]
    first_used: Timestamp,
    /// The last run that used this.
    #[schema(value_type = String, format = DateTime)]
    last_used: Timestamp,
    /// Its last run.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    last_run: Option<Timestamp>,
    #[serde(flatten)]
    runners: RunnersAnswer,
}

/// What an operation does with something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UseWord {
    /// It reads it.
    Reads,
    /// It writes it.
    Writes,
    /// It does both.
    Both,
}

/// Which operations are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct WantedUses {
    /// Only those that read, or only those that write.
    pub role: Option<Role>,
    /// Only those that used it at or after this time, from their first to their last run that did.
    pub from: Option<Timestamp>,
    /// Only those that used it at or before this time.
    pub to: Option<Timestamp>,
    /// How many to leave out.
    pub skip: u64,
    /// At most this many.
    pub limit: u64,
}

/// One operation's uses, put together over names, roles and lives.
#[derive(Debug, Clone, Copy)]
struct Use {
    operation: EntityId,
    reads: bool,
    writes: bool,
    first: Timestamp,
    last: Timestamp,
}

/// The operations behind these uses, as they are wanted.
pub fn using_operations(
    facts: &dyn Facts,
    viewer: &Viewer,
    usages: &[Usage],
    wanted: WantedUses,
) -> Result<UsingOperationsAnswer, StoreError> {
    let mut uses = put_together(usages, wanted);
    let reads = uses.iter().filter(|used| used.reads).count();
    let writes = uses.iter().filter(|used| used.writes).count();
    uses.retain(|used| match wanted.role {
        None => true,
        Some(Role::Input) => used.reads,
        Some(Role::Output) => used.writes,
    });
    uses.sort_by_key(|used| (Reverse(used.last), used.operation));
    let total = uses.len();
    let end = wanted.skip.saturating_add(wanted.limit);
    let page: Vec<Use> = uses.into_iter().skip(wanted.skip as usize).take(wanted.limit as usize).collect();
    let ids: Vec<EntityId> = page.iter().map(|used| used.operation).collect();
    let summaries: BTreeMap<EntityId, OperationSummary> =
        facts.operations(viewer, &ids)?.into_iter().map(|summary| (summary.operation.id, summary)).collect();
    let mut results = Vec::with_capacity(page.len());
    for used in page {
        if let Some(summary) = summaries.get(&used.operation) {
            let runners = runners(facts, viewer, summary, LOOKED_AT_RUNS)?;
            results.push(using_operation(used, summary, runners));
        }
    }
    Ok(UsingOperationsAnswer { total, reads, writes, results, next: (end < total as u64).then_some(end) })
}

fn put_together(usages: &[Usage], wanted: WantedUses) -> Vec<Use> {
    let mut uses: BTreeMap<EntityId, Use> = BTreeMap::new();
    for usage in usages {
        let (first, last) = (usage.seen.first, usage.seen.last);
        if wanted.from.is_some_and(|from| last < from) || wanted.to.is_some_and(|to| first > to) {
            continue;
        }
        let operation = usage.operation;
        let merged = uses.entry(operation).or_insert(Use { operation, reads: false, writes: false, first, last });
        merged.reads |= usage.role == Role::Input;
        merged.writes |= usage.role == Role::Output;
        merged.first = merged.first.min(first);
        merged.last = merged.last.max(last);
    }
    uses.into_values().collect()
}

fn using_operation(used: Use, summary: &OperationSummary, runners: RunnersAnswer) -> UsingOperationAnswer {
    let operation = &summary.operation;
    UsingOperationAnswer {
        id: operation.id,
        entity_type: EntityType::Operation,
        role: match (used.reads, used.writes) {
            (true, true) => UseWord::Both,
            (false, true) => UseWord::Writes,
            _ => UseWord::Reads,
        },
        operation_type: operation.operation_type.clone(),
        source_type: operation.source_type,
        cluster: operation.cluster.clone(),
        short_text: one_line(&summary.text, SHORT_TEXT),
        lineage_known: operation.lineage_known,
        executions: summary.executions,
        first_used: used.first,
        last_used: used.last,
        last_run: summary.seen.map(|seen| seen.last),
        runners,
    }
}
