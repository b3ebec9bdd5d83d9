//! The change feed: one ordered list of what changed, written in the same transaction as the
//! facts. Everything derived (search index, graph, outgoing events) follows it.

use serde::{Deserialize, Serialize};

use crate::EntityId;

/// One entry of the feed. It has no body: a follower reads the current facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Position in commit order, from 1.
    pub seq: u64,
    /// What kind of thing changed.
    pub subject: Subject,
    /// Which one.
    pub id: EntityId,
    /// What happened to it.
    pub what: What,
}

/// What kind of thing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// A database, table, view, field, partition, directory or file.
    Entity,
    /// An operation: itself, its flows, or what its names lead to.
    Operation,
    /// A true text of an operation (`id` is the text's).
    Text,
    /// An execution.
    Execution,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// Seen for the first time.
    Created,
    /// Different from before.
    Changed,
    /// Gone.
    Deleted,
    /// There again.
    Revived,
    /// An operation's names lead elsewhere now (linked, another life).
    Linked,
}

impl Subject {
    /// The number kept in the store.
    pub const fn code(self) -> i64 {
        match self {
            Self::Entity => 1,
            Self::Operation => 2,
            Self::Text => 3,
            Self::Execution => 4,
        }
    }

    /// The subject of a stored number.
    pub fn from_code(code: i64) -> Option<Self> {
        [Self::Entity, Self::Operation, Self::Text, Self::Execution].into_iter().find(|subject| subject.code() == code)
    }
}

impl What {
    /// The number kept in the store.
    pub const fn code(self) -> i64 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 3,
            Self::Revived => 4,
            Self::Linked => 5,
        }
    }

    /// What a stored number means.
    pub fn from_code(code: i64) -> Option<Self> {
        [Self::Created, Self::Changed, Self::Deleted, Self::Revived, Self::Linked]
            .into_iter()
            .find(|what| what.code() == code)
    }
}
