//! What one transaction writes: the linker's decisions, ready to be stored.

use serde::{Deserialize, Serialize};

use sextant_model::feed::What;
use sextant_model::history::EntityChange;
use sextant_model::namespace::NamespaceStamp;
use sextant_model::operation::{Execution, FlowVariant, Operation, StatementText, Usage};
use sextant_model::problem::Problem;
use sextant_model::snapshot::PassProblem;
use sextant_model::{Entity, EntityId, EntityState, Life, NameKey, ObjectName, Timestamp};

use crate::RunLog;

/// A fingerprint of everything a source shows of one object, to see whether it changed.
pub type ContentHash = [u8; 16];

/// So many changes of each entity are kept, the newest.
pub const KEPT_ENTITY_CHANGES: u64 = 100;

/// Everything that is written together. Empty parts are normal.
///
/// Repeating a commit changes nothing: operations, texts, variants and executions that are there
/// already stay, spans of time only widen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// Entities to insert or replace, each with what happened to it.
    pub entities: Vec<EntityWrite>,
    /// Entities that are there and of which nothing but the state becomes another one.
    pub state_changes: Vec<StateChange>,
    /// What became of entities that were known before, for their history. One that is there (same
    /// entity, run, differences) is not written again; of each entity the newest
    /// [`KEPT_ENTITY_CHANGES`] are kept.
    pub entity_changes: Vec<EntityChange>,
    /// Lives to insert or replace, by entity and number. A directory or file without any has one,
    /// without a create time, for as long as it is there: that one is not told.
    pub lives: Vec<Life>,
    /// Names that lead to an entity from now on. A name that is not known yet is added.
    pub bindings: Vec<(NameKey, EntityId)>,
    /// Operations. One that is there stays, except that `lineage_known` may become true and new
    /// `pairs` are added to its own; of a pair with the same input and output each flag that
    /// either has is kept.
    pub operations: Vec<Operation>,
    /// Variants of flows. Of one that is there the span widens.
    pub variants: Vec<FlowVariant>,
    /// True texts. Of one that is there `first_seen` becomes the earlier of both.
    pub texts: Vec<StatementText>,
    /// Executions. Of one that is there the smaller evidence and the earlier receipt are kept.
    pub executions: Vec<Execution>,
    /// Uses of names by operations; of one that is there (same operation, name, role, life) the
    /// span widens. The name is added when it is not known yet.
    pub usages: Vec<Usage>,
    /// Uses that are computed anew because the lives behind a name changed. They are put in place
    /// before `usages` are merged.
    pub usage_replacements: Vec<UsageReplacement>,
    /// Stretches that leave the quarantine, since they were read or are judged anew in
    /// `quarantined`.
    pub released: Vec<EntityId>,
    /// What could not be read. One that is there stays as it is.
    pub quarantined: Vec<Quarantined>,
    /// Unfinished ends of file generations: replaced by generation, removed when `bytes` is empty.
    pub carries: Vec<Carry>,
    /// The inbox entry up to which everything is in the facts now. It never goes back.
    pub inbox_position: Option<u64>,
    /// Where data lies; replaces what is stored for the owner.
    pub locations: Vec<Location>,
    /// By which rules locations are names from now on.
    pub location_rules: Option<LocationRules>,
    /// Entities of a source whose id is not the one that their inode or path makes: that id, then
    /// the entity's. Replaces what is stored for the first.
    pub other_identities: Option<(String, Vec<(EntityId, EntityId)>)>,
    /// Replaces the names that a source's deletions are held for.
    pub held: Option<(String, Vec<ObjectName>)>,
    /// Replaces the directories and files that a source's deletions are held for.
    pub held_paths: Option<(String, Vec<EntityId>)>,
    /// A pass that ended.
    pub run: Option<ExtractorRun>,
    /// What a pass logged, once it has ended; replaces what is stored of it. Of each source the
    /// newest [`crate::KEPT_RUN_LOGS`] are kept.
    pub run_log: Option<RunLog>,
}

/// By which rules all locations are names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationRules {
    /// By no rules that are the same for all: they are on their way to others.
    Mixed,
    /// By those with this fingerprint.
    Are(ContentHash),
}

/// An entity and what happened to it.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityWrite {
    /// The entity as it is from now on.
    pub entity: Entity,
    /// For the change feed.
    pub what: What,
    /// The fingerprint to compare the next pass with; `None` leaves the stored one.
    pub content: Option<ContentHash>,
}

/// Another state of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateChange {
    /// Which entity.
    pub id: EntityId,
    /// Its state from now on.
    pub state: EntityState,
    /// The last complete pass that saw it, in the time of the state that was read. Never before
    /// the entity was first seen.
    pub last_seen: Option<Timestamp>,
    /// When the state was that first missed it; only for deleted ones.
    pub delete_time: Option<Timestamp>,
    /// For the change feed.
    pub what: What,
}

/// Where the data of a database, table or partition lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Whose.
    pub owner: EntityId,
    /// The name of the path, which is added when it is not known yet; `None` when there is none.
    pub place: Option<NameKey>,
}

/// All uses of one name by one operation, computed anew.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageReplacement {
    /// The operation.
    pub operation: EntityId,
    /// The name.
    pub name: NameKey,
    /// Its uses from now on; whatever was stored for the pair goes.
    pub usages: Vec<Usage>,
}

/// A stretch of a spool file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// From host, generation and offset, so that a second copy is the same.
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
    /// Kind, reason, offset in the file, and length.
    pub problem: Problem,
    /// The bytes as they came (of a line over the limit: its beginning).
    pub bytes: Vec<u8>,
    /// When the server received it.
    pub received: Timestamp,
}

/// The unfinished end of a file generation: the beginning of a record whose rest has not come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carry {
    /// The host whose agent sent it.
    pub host: String,
    /// The file generation.
    pub generation: String,
    /// Offset of the first byte in the generation.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// How a pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunOutcome {
    /// Everything in scope was listed and read, or named as a problem.
    Complete,
    /// A part of the source could not be listed: nothing in it was deleted.
    Incomplete,
    /// Too much vanished at once: the deletions wait for the next pass to agree.
    Held,
    /// The source could not be read at all.
    Failed,
}

/// What a pass saw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassCounts {
    /// Objects listed in scope.
    pub seen: u64,
    /// Objects that were not known.
    pub created: u64,
    /// Objects that differ from what was known.
    pub changed: u64,
    /// Objects that were gone or new-born under a known name.
    pub revived: u64,
    /// Objects that are gone.
    pub deleted: u64,
    /// Objects that seem gone, whose deletion is held.
    pub held: u64,
    /// Objects that left the configured scope.
    pub out_of_scope: u64,
    /// Objects that could not be read.
    pub failed: u64,
}

/// One run of a pull extractor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtractorRun {
    /// The extractor.
    pub source: String,
    /// When it began: the time of the snapshot.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// How it ended.
    pub outcome: RunOutcome,
    /// What it saw.
    pub counts: PassCounts,
    /// The error, or why it is held or incomplete, in words.
    pub message: Option<String>,
    /// What it could not read, at most 1,000 of them; `counts.failed` is the whole number.
    pub problems: Vec<PassProblem>,
    /// Patterns that matched nothing.
    pub idle_patterns: Vec<String>,
    /// The state of a namespace that the run applied.
    #[serde(default)]
    pub stamp: Option<NamespaceStamp>,
}
