//! Persistence: the inbox, the facts, and the change feed.
//!
//! Two transactions, never one (so that a long link never delays an acknowledgement):
//!
//! 1. [`Inbox::receive`] keeps raw bytes together with the position in their file generation, and
//!    only then answers. What it answered is kept.
//! 2. [`Facts::commit`] writes facts, their change feed and the inbox position that they came
//!    from. Either all of it is there after a crash, or none.
//!
//! The store decides nothing: what is deleted, linked or another life comes to it as
//! [`Changes`]. It knows no HTTP and no foreign format. Every read takes a
//! [`sextant_model::Viewer`].

mod changes;
mod contract;
mod error;
mod namespaces;
mod run_log;
pub mod sqlite;
mod walks;

pub use changes::{
    Carry, Changes, ContentHash, EntityWrite, ExtractorRun, KEPT_ENTITY_CHANGES, Location, LocationRules, PassCounts,
    Quarantined, RunOutcome, StateChange, UsageReplacement,
};
pub use contract::{
    AgentContact, CatalogEntry, Committed, Counts, ExecutionTimes, Facts, Inbox, InboxEntry, IncomingBatch,
    KeptChanges, NameState, OperationSummary, QuarantineFilter, QuarantineGroup, Received, Store, StoredQuarantined,
    WaitingEntries,
};
pub use error::StoreError;
pub use namespaces::{KnownPath, Namespaces, UsedPath, WrittenLocation};
pub use run_log::{KEPT_RUN_LOGS, LogLevel, LogLine, RunLog};
pub use sqlite::SqliteStore;
pub use walks::{
    ColumnFlows, EntityShape, FlowColumn, FlowPair, FlowUse, GraphPart, NameRef, OperationFlows, UsedName,
};
