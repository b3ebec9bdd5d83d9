//! Operations (distinct statement shapes) and their executions.

use serde::{Deserialize, Serialize};

use crate::record::Flows;
use crate::{EntityId, NameKey, SourceType, Timestamp};

/// A distinct statement shape: literals folded, names as written. Its relations are shared by
/// all of its executions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// From cluster, source type, normaliser version, folded text, and the names as written.
    pub id: EntityId,
    /// Which engine runs it.
    pub source_type: SourceType,
    /// The cluster, under its first name (see [`NameKey::cluster`]).
    pub cluster: String,
    /// `QUERY`, `CREATETABLE_AS_SELECT`, ...: as the record says, else as the text begins.
    pub operation_type: Option<String>,
    /// Whether at least one record told its flows. If not, its lineage is unknown, not empty.
    pub lineage_known: bool,
    /// Which inputs flow into which outputs, by position in the operation's own lists.
    pub pairs: Vec<TablePair>,
}

/// One input table flowing into one output table of an operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TablePair {
    /// The input's name.
    pub input: NameKey,
    /// The output's name.
    pub output: NameKey,
    /// Whether values flow; otherwise the input only decides which rows arrive.
    pub data: bool,
    /// Whether the input (also) decides which rows arrive.
    pub control: bool,
}

/// The columns' part of an operation. One statement shape has several variants when what `*`
/// means has changed between its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowVariant {
    /// Whose.
    pub operation: EntityId,
    /// From the flows themselves.
    pub id: EntityId,
    /// Hyperedges; create times are left out (they belong to the executions), literals in
    /// expressions are folded.
    pub flows: Flows,
    /// The first and last run that told it.
    pub seen: SeenSpan,
}

/// First and last time, each with the execution that proves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenSpan {
    /// Time of the earliest execution.
    pub first: Timestamp,
    /// The earliest execution (of several at one time the smallest id).
    pub first_execution: EntityId,
    /// Time of the latest execution.
    pub last: Timestamp,
    /// The latest execution (of several at one time the largest id).
    pub last_execution: EntityId,
}

impl SeenSpan {
    /// The span of one execution.
    pub fn once(at: Timestamp, execution: EntityId) -> Self {
        Self { first: at, first_execution: execution, last: at, last_execution: execution }
    }

    /// The span that covers both.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        let (first, first_execution) = (self.first, self.first_execution).min((other.first, other.first_execution));
        let (last, last_execution) = (self.last, self.last_execution).max((other.last, other.last_execution));
        Self { first, first_execution, last, last_execution }
    }

    /// Whether the two share any time.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// A true text of an operation, with its literals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatementText {
    /// From operation and text.
    pub id: EntityId,
    /// Whose.
    pub operation: EntityId,
    /// The text as logged.
    pub text: String,
    /// The earliest run with this text.
    pub first_seen: Timestamp,
}

/// One run of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// From what makes the run unlike any other (see
    /// [`crate::record::PushRecord::execution_key`]).
    pub id: EntityId,
    /// Of which operation.
    pub operation: EntityId,
    /// Its true text.
    pub text: EntityId,
    /// The variant of the flows it told; `None` when its record had none.
    pub variant: Option<EntityId>,
    /// The user as logged.
    pub user: Option<String>,
    /// When it began.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// When the server received the record: the time that counts where the record has none.
    pub received: Timestamp,
    /// The engine's own id of the run.
    pub query_id: Option<String>,
    /// The execution engine.
    pub engine: Option<String>,
    /// YARN job ids.
    pub job_ids: Vec<String>,
    /// Create times of tables as the record tells them: qualified name and time.
    pub table_created: Vec<(String, Timestamp)>,
    /// Where the record was read.
    pub evidence: Evidence,
}

impl Execution {
    /// The time that orders executions: the end, else the start, else the receipt.
    pub fn time(&self) -> Timestamp {
        self.ended.or(self.started).unwrap_or(self.received)
    }
}

/// Where a record was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Evidence {
    /// The host whose agent sent it (or that ran `sextant import`).
    pub host: String,
    /// The spool file.
    pub file: String,
    /// Byte offset of the record in that file.
    pub offset: u64,
}

/// What an operation does with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It is read: values or conditions.
    Input,
    /// It is written.
    Output,
}

/// That an operation used a name, in one life of the entity behind the name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// The operation.
    pub operation: EntityId,
    /// The name, as written.
    pub name: NameKey,
    /// Read or written.
    pub role: Role,
    /// The life that was met; [`crate::incarnation::UNSEEN_LIFE`] for an unlinked name, and for
    /// executions that fit no life that was seen.
    pub life: u32,
    /// First and last execution.
    pub seen: SeenSpan,
}

/// A user as people know it, from the name as logged.
///
/// `joe@REALM` is `joe`. A service principal (`hive/host@REALM`) is no person: its short name is
/// given together with `true`.
pub fn short_user(logged: &str) -> (&str, bool) {
    let without_realm = logged.split('@').next().unwrap_or(logged);
    match without_realm.split_once('/') {
        Some((service, _host)) => (service, true),
        None => (without_realm, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_lose_their_realm() {
        assert_eq!(short_user("joe@CORP.EXAMPLE"), ("joe", false));
        assert_eq!(short_user("hive/node-3.example@CORP.EXAMPLE"), ("hive", true));
        assert_eq!(short_user("joe"), ("joe", false));
        assert_eq!(short_user(""), ("", false));
    }
}
