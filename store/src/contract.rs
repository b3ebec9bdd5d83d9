//! The coarse operations that every store has, whatever keeps the rows.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use sextant_model::delivery::{BatchHeader, Hello, Position};
use sextant_model::feed::{Change, Subject};
use sextant_model::history::EntityChange;
use sextant_model::operation::{Execution, FlowVariant, Operation, SeenSpan, StatementText, Usage};
use sextant_model::problem::{Problem, ProblemKind};
use sextant_model::{Entity, EntityId, EntityState, Life, NameKey, ObjectName, Timestamp, Viewer};

use crate::{Carry, Changes, ContentHash, ExtractorRun, GraphPart, NameRef, Namespaces, RunLog, StoreError};

/// Both halves.
pub trait Store: Inbox + Facts {}
impl<T: Inbox + Facts> Store for T {}

/// A batch on its way in.
#[derive(Debug, Clone, Copy)]
pub struct IncomingBatch<'a> {
    /// Where the bytes come from.
    pub header: &'a BatchHeader,
    /// The zstd frame.
    pub payload: &'a [u8],
    /// When it arrived.
    pub received: Timestamp,
}

/// A batch that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxEntry {
    /// Position in the inbox, from 1.
    pub seq: u64,
    /// Where the bytes come from. `start` may lie after the batch's own, when its beginning was
    /// kept before.
    pub header: BatchHeader,
    /// The bytes, decompressed; of a damaged entry what there is.
    pub bytes: Vec<u8>,
    /// How many bytes it is in [`Inbox::bytes_after`].
    pub length: u64,
    /// When it arrived.
    pub received: Timestamp,
    /// What is wrong with it, if it is not as it was kept (a bad disk). Then the bytes are not to be read, and the
    /// header has empty values where it cannot be told.
    pub damage: Option<String>,
}

/// A batch that is kept, and how much of it is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// Everything before this offset of the generation is kept.
    pub offset: u64,
    /// Bytes that were not there before, decompressed.
    pub new_bytes: u64,
}

/// Entries that wait for a server that reads their format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingEntries {
    /// The format, as the spool's configuration names it.
    pub format: String,
    /// How many entries.
    pub entries: u64,
    /// How many bytes, decompressed.
    pub bytes: u64,
    /// When the oldest was received.
    pub oldest: Timestamp,
}

/// What the server knows of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentContact {
    /// The agent's id.
    pub agent: String,
    /// Its host.
    pub host: String,
    /// Its version, once it said hello.
    pub version: Option<String>,
    /// When it was last heard.
    pub last_contact: Timestamp,
    /// When it said that it stops, if that was its last word.
    pub stopped: Option<Timestamp>,
    /// How many file generations it has sent bytes of.
    pub generations: u64,
    /// How many bytes of them are kept.
    pub bytes: u64,
}

/// Raw bytes with their positions, kept before they are acknowledged. Safe to share between
/// threads; every call is its own transaction.
pub trait Inbox: Send + Sync {
    /// Keeps a batch and answers up to where its generation is kept now. What was kept before is
    /// not kept again. Errors with [`StoreError::Ahead`] when bytes are missing before it.
    fn receive(&self, batch: IncomingBatch<'_>) -> Result<Received, StoreError>;
    /// Notes that an agent is there.
    fn hello(&self, hello: &Hello, at: Timestamp) -> Result<(), StoreError>;
    /// Notes that an agent stops.
    fn goodbye(&self, agent: &str, host: &str, at: Timestamp) -> Result<(), StoreError>;
    /// Forgets everybody who was heard from a host, but not what is kept of their files. Answers how many there were.
    fn forget_agents(&self, host: &str) -> Result<u64, StoreError>;
    /// How far every generation of an agent is kept.
    fn positions(&self, agent: &str) -> Result<Vec<Position>, StoreError>;
    /// The entries after `seq`, oldest first: at least one if there is any, then as many as fit
    /// into `max_bytes` (decompressed).
    fn entries_after(&self, seq: u64, max_bytes: usize) -> Result<Vec<InboxEntry>, StoreError>;
    /// The newest entry's `seq`, 0 when nothing was ever received.
    fn newest_entry(&self) -> Result<u64, StoreError>;
    /// How many bytes the entries after `seq` have, decompressed.
    fn bytes_after(&self, seq: u64) -> Result<u64, StoreError>;
    /// Drops the bytes (never the positions) of entries up to `seq`, but not of those that wait.
    fn drop_entries_through(&self, seq: u64) -> Result<(), StoreError>;
    /// Whether an entry after `seq` was dropped already: then `seq` is older than this inbox knows.
    fn next_is_missing(&self, seq: u64) -> Result<bool, StoreError>;
    /// Forgets how far generations are kept, so that agents deliver again what they still have.
    fn forget_positions(&self) -> Result<(), StoreError>;
    /// Lets an entry wait, since nobody reads its format yet: it is not dropped. Answers how many bytes wait more than
    /// before, decompressed: none when it waits already.
    fn let_wait(&self, seq: u64) -> Result<u64, StoreError>;
    /// What waits, by format.
    fn waiting(&self, viewer: &Viewer) -> Result<Vec<WaitingEntries>, StoreError>;
    /// Entries of these formats wait no longer: they are at the end of the inbox now, in their
    /// former order. Answers how many there were.
    fn release(&self, formats: &[String]) -> Result<u64, StoreError>;
    /// Everybody who was ever heard.
    fn agents(&self, viewer: &Viewer) -> Result<Vec<AgentContact>, StoreError>;
}

/// What is behind a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameState {
    /// The entity that it leads to; `None` while no source has shown it.
    pub entity: Option<EntityId>,
    /// The entity's lives.
    pub lives: Vec<Life>,
}

/// What is known of an object of a source, for the comparison with the next pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Its identity.
    pub id: EntityId,
    /// Its name.
    pub name: ObjectName,
    /// Whether it is there.
    pub state: EntityState,
    /// Fingerprint of what was shown last.
    pub content: ContentHash,
}

/// The times of an execution that decide which life it met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionTimes {
    /// Which execution.
    pub id: EntityId,
    /// When it began.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// When its record was received.
    pub received: Timestamp,
    /// Create times of tables as the record tells them.
    pub table_created: Vec<(String, Timestamp)>,
}

/// What a commit did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Committed {
    /// The feed's newest position after it.
    pub seq: u64,
    /// Executions that were not there before.
    pub new_executions: u64,
}

/// What is kept of an entity's changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptChanges {
    /// The newest first.
    pub changes: Vec<EntityChange>,
    /// How many older ones there were that are no longer kept.
    pub forgotten: u64,
}

/// An operation with what is counted over its executions.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationSummary {
    /// The operation.
    pub operation: Operation,
    /// Its earliest true text (by first run, then by id).
    pub text: String,
    /// How many distinct true texts it has.
    pub texts: u64,
    /// How many executions.
    pub executions: u64,
    /// First and last of them.
    pub seen: Option<SeenSpan>,
    /// The user of the last execution, as logged.
    pub last_user: Option<String>,
}

/// A quarantined stretch as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredQuarantined {
    /// Its place among all of them, in the order in which they were written.
    pub place: u64,
    /// Its id.
    pub id: EntityId,
    /// The host whose agent sent it.
    pub host: String,
    /// The file generation.
    pub generation: String,
    /// The spool file.
    pub file: String,
    /// The spool's format.
    pub format: String,
    /// The spool's cluster.
    pub cluster: String,
    /// Kind, reason, offset and length.
    pub problem: Problem,
    /// When it was received.
    pub received: Timestamp,
    /// How many of its bytes are kept: all, or of a line over the limit its beginning.
    pub kept: u64,
    /// The first of those, at most as many as were asked for.
    pub bytes: Vec<u8>,
}

impl StoredQuarantined {
    /// Whether all of it is kept, so that it can be read again.
    pub fn is_whole(&self) -> bool {
        self.kept == self.problem.length
    }
}

/// Which quarantined stretches are meant. What is `None` restricts nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuarantineFilter {
    /// Only the one with this id.
    pub id: Option<EntityId>,
    /// Only those of this kind.
    pub kind: Option<ProblemKind>,
    /// Only those of this host.
    pub host: Option<String>,
    /// Only those of spools of this format.
    pub format: Option<String>,
}

/// Quarantined stretches that have kind, host and format in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuarantineGroup {
    /// Why they were not understood.
    pub kind: ProblemKind,
    /// The host whose agent sent them.
    pub host: String,
    /// The spools' format.
    pub format: String,
    /// How many.
    pub stretches: u64,
    /// How long they were in their files, bytes.
    pub bytes: u64,
    /// When the first of them was received.
    pub oldest: Timestamp,
    /// When the last of them was received.
    pub newest: Timestamp,
}

/// Totals for the first page and the metrics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Entities by type, the deleted ones not among them.
    pub living: Vec<(String, u64)>,
    /// Deleted entities by type.
    pub deleted: Vec<(String, u64)>,
    /// Distinct statement shapes.
    pub operations: u64,
    /// Their runs.
    pub executions: u64,
    /// Names that are used by operations and that no source has shown.
    pub unlinked_names: u64,
    /// Quarantined stretches by kind.
    pub quarantined: Vec<(String, u64)>,
}

/// Facts and their change feed. One writer at a time; reads do not wait for it.
pub trait Facts: Namespaces {
    /// Writes everything in one transaction.
    fn commit(&self, changes: &Changes) -> Result<Committed, StoreError>;

    // --- what the linker asks before it decides ---

    /// The inbox entry up to which everything is in the facts.
    fn inbox_position(&self) -> Result<u64, StoreError>;
    /// The unfinished end of a generation, if there is one.
    fn carry(&self, host: &str, generation: &str) -> Result<Option<Carry>, StoreError>;
    /// Which of these executions are there.
    fn known_executions(&self, ids: &[EntityId]) -> Result<HashSet<EntityId>, StoreError>;
    /// What is behind these names; a name that was never seen is left out.
    fn name_states(&self, names: &[NameKey]) -> Result<HashMap<NameKey, NameState>, StoreError>;
    /// The lives of these entities.
    fn lives(&self, entities: &[EntityId]) -> Result<HashMap<EntityId, Vec<Life>>, StoreError>;
    /// The times of all executions of an operation.
    fn execution_times(&self, operation: EntityId) -> Result<Vec<ExecutionTimes>, StoreError>;
    /// Every database and relation of a source, also the deleted ones.
    fn catalog(&self, source: &str) -> Result<Vec<CatalogEntry>, StoreError>;
    /// The names that a source's deletions are held for.
    fn held(&self, source: &str) -> Result<Vec<ObjectName>, StoreError>;

    // --- reads ---

    /// These entities, as far as they are there and may be seen, in no particular order.
    fn entities(&self, viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<Entity>, StoreError>;
    /// The parts of an entity of one level down (tables of a database, fields and partitions of a
    /// table), by position and name, after the first `skip`.
    fn children(&self, viewer: &Viewer, parent: EntityId, skip: u64, limit: u64) -> Result<Vec<Entity>, StoreError>;
    /// Names equal to `qualified`, in any cluster or in one, linked or not.
    fn find_name(
        &self,
        viewer: &Viewer,
        cluster: Option<&str>,
        qualified: &str,
    ) -> Result<Vec<(NameKey, Option<EntityId>)>, StoreError>;
    /// Relations by their bare name, in any database, those that are not deleted first, at most
    /// `limit`.
    fn find_relation(
        &self,
        viewer: &Viewer,
        cluster: Option<&str>,
        bare: &str,
        limit: u64,
    ) -> Result<Vec<Entity>, StoreError>;
    /// The name behind an id of [`NameKey::id`].
    fn name_by_id(&self, viewer: &Viewer, id: EntityId) -> Result<Option<(NameKey, Option<EntityId>)>, StoreError>;
    /// The names that lead to these entities.
    fn names_of(&self, viewer: &Viewer, entities: &[EntityId]) -> Result<Vec<(EntityId, NameKey)>, StoreError>;
    /// All uses of these names.
    fn usages_of_names(&self, viewer: &Viewer, names: &[NameKey]) -> Result<Vec<Usage>, StoreError>;
    /// All uses by these operations.
    fn usages_of_operations(&self, viewer: &Viewer, operations: &[EntityId]) -> Result<Vec<Usage>, StoreError>;
    /// Operations with their counts.
    fn operations(&self, viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<OperationSummary>, StoreError>;
    /// Operations without their counts and texts.
    fn bare_operations(&self, viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<Operation>, StoreError>;
    /// The operations that ran last, newest first.
    fn latest_operations(&self, viewer: &Viewer, limit: u64) -> Result<Vec<OperationSummary>, StoreError>;
    /// The variants of an operation's column flows.
    fn variants(&self, viewer: &Viewer, operation: EntityId) -> Result<Vec<FlowVariant>, StoreError>;
    /// True texts of an operation, earliest first.
    fn texts_of(&self, viewer: &Viewer, operation: EntityId, limit: u64) -> Result<Vec<StatementText>, StoreError>;
    /// These texts.
    fn texts(&self, viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<StatementText>, StoreError>;
    /// These executions.
    fn executions(&self, viewer: &Viewer, ids: &[EntityId]) -> Result<Vec<Execution>, StoreError>;
    /// Executions of an operation, newest first, after the first `skip`.
    fn executions_of(
        &self,
        viewer: &Viewer,
        operation: EntityId,
        skip: u64,
        limit: u64,
    ) -> Result<Vec<Execution>, StoreError>;
    /// Names that operations use and no source has shown, each with how many operations use it,
    /// most used first.
    fn unlinked_names(&self, viewer: &Viewer, limit: u64) -> Result<Vec<(NameKey, u64)>, StoreError>;
    /// Quarantined stretches, newest first, each with at most `max_bytes` of its bytes.
    fn quarantined(
        &self,
        viewer: &Viewer,
        filter: &QuarantineFilter,
        skip: u64,
        limit: u64,
        max_bytes: u64,
    ) -> Result<Vec<StoredQuarantined>, StoreError>;
    /// Quarantined stretches in groups, the largest first.
    fn quarantine_groups(&self, viewer: &Viewer, filter: &QuarantineFilter)
    -> Result<Vec<QuarantineGroup>, StoreError>;
    /// Whole quarantined stretches in the order of their places, after one and through another: at
    /// least one if there is any, then as many as `max_bytes` hold, at most `limit`.
    fn quarantined_after(
        &self,
        filter: &QuarantineFilter,
        after: u64,
        through: u64,
        limit: u64,
        max_bytes: u64,
    ) -> Result<Vec<StoredQuarantined>, StoreError>;
    /// The last place that was given to a quarantined stretch that is there, 0 when there is none.
    fn last_quarantined(&self) -> Result<u64, StoreError>;
    /// Forgets quarantined stretches and their bytes. Answers how many.
    fn drop_quarantined(&self, filter: &QuarantineFilter) -> Result<u64, StoreError>;
    /// One quarantined stretch, with at most `max_bytes` of its bytes.
    fn quarantined_by_id(
        &self,
        viewer: &Viewer,
        id: EntityId,
        max_bytes: u64,
    ) -> Result<Option<StoredQuarantined>, StoreError>;
    /// What runs found changed of an entity since it was first seen.
    fn entity_changes(&self, viewer: &Viewer, entity: EntityId) -> Result<KeptChanges, StoreError>;
    /// Runs of a source, newest first.
    fn runs(&self, viewer: &Viewer, source: &str, limit: u64) -> Result<Vec<ExtractorRun>, StoreError>;
    /// What the run of a source that began then logged; without a time the newest of which
    /// something is kept.
    fn run_log(&self, viewer: &Viewer, source: &str, started: Option<Timestamp>) -> Result<Option<RunLog>, StoreError>;
    /// When the last complete run of a source began (held and incomplete ones do not count).
    fn last_complete_run(&self, source: &str) -> Result<Option<Timestamp>, StoreError>;
    /// Totals.
    fn counts(&self, viewer: &Viewer) -> Result<Counts, StoreError>;

    // --- for walks ---

    /// These names in the order of the question, each with the entity that it leads to.
    fn names(&self, viewer: &Viewer, names: &[NameRef]) -> Result<Vec<(NameKey, Option<EntityId>)>, StoreError>;

    // --- for followers ---

    /// Changes after `seq`, in order.
    fn changes_after(&self, seq: u64, limit: u64) -> Result<Vec<Change>, StoreError>;
    /// The newest change, 0 when there is none.
    fn newest_change(&self) -> Result<u64, StoreError>;
    /// Ids of everything of one kind, ascending, after `after`, to build something anew.
    fn scan(&self, subject: Subject, after: Option<EntityId>, limit: u64) -> Result<Vec<EntityId>, StoreError>;
    /// Hands over everything that walks go over, as it is at one moment, part by part: all names,
    /// then all entities, then all operations. Answers the newest change of that moment.
    fn scan_graph(&self, take: &mut dyn FnMut(GraphPart)) -> Result<u64, StoreError>;
    /// What walks go over of these operations and entities as they are now: the operations with
    /// all names that they use, the names that lead to the entities and that operations use, and
    /// what is behind all these names. What is not there is left out.
    fn graph_part(&self, operations: &[EntityId], entities: &[EntityId]) -> Result<GraphPart, StoreError>;
}
