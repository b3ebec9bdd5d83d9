//! The answer of a walk.

use sextant_model::record::FlowKind;
use sextant_model::{Entity, EntityId, EntityType, NameKey, Timestamp};

use crate::Direction;

/// A part of the lineage graph around a root.
#[derive(Debug, Clone, PartialEq)]
pub struct Lineage {
    /// Where the walk began.
    pub root: EntityId,
    /// Which way it went.
    pub direction: Direction,
    /// How many hops it was allowed.
    pub depth: u8,
    /// How many nodes it was allowed.
    pub limit: usize,
    /// The root first, then by distance, then the most recently seen. Empty when the root is not
    /// there (or may not be seen).
    pub nodes: Vec<Node>,
    /// By source, target and kind.
    pub edges: Vec<Edge>,
    /// Which of the nodes hold the same data, by table and path.
    pub placements: Vec<Placement>,
    /// Whether something within `depth` was left out because of a limit.
    pub cut: bool,
    /// What the answer can and cannot say.
    pub coverage: Coverage,
}

/// What an answer can and cannot say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Operations next to the shown assets whose records told no flows.
    pub operations_without_lineage: u64,
    /// Everything that a reader must know about what is not in the answer, in words.
    pub notes: Vec<String>,
}

/// An asset or operation in the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The entity's or operation's id; for a name that leads nowhere its address.
    pub id: EntityId,
    /// What it is.
    pub content: NodeContent,
    /// Whether it is deleted: now, or at the time that is asked for.
    pub deleted: bool,
    /// Hops from the root; an operation is as far as what lies behind it.
    pub depth: u8,
    /// How many neighbouring assets upstream are not in the answer although the options would
    /// show them; 0 for operations.
    pub more_upstream: u64,
    /// Whether there may be more than that: on the side to which the walk did not go from an asset
    /// nothing is counted behind folded assets, nor where very many operations are.
    pub more_upstream_is_least: bool,
    /// The same for downstream.
    pub more_downstream: u64,
    /// The same for downstream.
    pub more_downstream_is_least: bool,
    /// How many inputs are known by name only, whether or not they are shown. What flows in
    /// through folded assets counts too. Counted on the side to which the walk went, and for
    /// operations.
    pub unlinked_inputs: u64,
    /// The same for outputs.
    pub unlinked_outputs: u64,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeContent {
    /// What a source has shown.
    Entity(Entity),
    /// A statement shape, whose id is the node's.
    Operation,
    /// A name that no source has shown.
    Unlinked(NameKey),
    /// A column that the catalog does not list.
    Column {
        /// The table's entity, or the address of its name.
        table: EntityId,
        /// The column, in lower case.
        column: String,
        /// `db.table.column`.
        qualified_name: String,
        /// Whether the table, too, is known by name only.
        unlinked: bool,
    },
}

impl NodeContent {
    pub(crate) fn is_column(&self) -> bool {
        match self {
            Self::Entity(entity) => entity.entity_type == EntityType::Field,
            Self::Column { .. } => true,
            Self::Operation | Self::Unlinked(_) => false,
        }
    }
}

/// Where knowledge of an edge comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Seen in a run.
    Observed,
}

impl Mark {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Observed => "observed",
        }
    }
}

/// That data flows, or that rows are decided upon.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Id of a node.
    pub source: EntityId,
    /// Id of a node.
    pub target: EntityId,
    /// Data or control. A chain is data only if all its hops are.
    pub kind: FlowKind,
    /// Where it is known from.
    pub mark: Mark,
    /// The operations on the way, ascending. Empty where operations are nodes.
    pub via: Vec<EntityId>,
    /// What is folded on the way, by name.
    pub hides: Vec<Hidden>,
    /// Which columns flow into which, if asked for. Where operations are nodes, the edges into
    /// tables carry them.
    pub columns: Vec<ColumnPair>,
    /// When it was first seen. For a chain: when its last link was first seen.
    pub first_seen: Timestamp,
    /// When it was last seen.
    pub last_seen: Timestamp,
    /// Whether only earlier lives of its ends (or of what is folded) have it.
    pub former_incarnation: bool,
}

/// That the data of a table lies in a directory, or a file in the directory of a table. It is the
/// same data: an edge of this kind costs no hop and has no direction in which data flows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placement {
    /// Id of a node: a table or view.
    pub table: EntityId,
    /// Id of a node: a directory, a file, or a path that no file system has shown.
    pub path: EntityId,
    /// Whose location says so: the table, or one of its partitions.
    pub owner: EntityId,
    /// What the location means: the path, a directory above it, or a former name of one.
    pub location: NameKey,
    /// Whether the path only lies below the location.
    pub below: bool,
}

/// An asset on an edge that is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// Which one.
    pub entity: EntityId,
    /// `db.table` or `db.table.column`.
    pub qualified_name: String,
    /// Why.
    pub reason: HiddenReason,
}

/// Why an asset is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenReason {
    /// It is deleted.
    Deleted,
}

impl HiddenReason {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
        }
    }
}

/// One column flowing into another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ColumnPair {
    /// `db.table.column`, or `db.table` when the table counts as a whole (`count(*)`).
    pub source: String,
    /// `db.table.column`.
    pub target: String,
    /// Data or control.
    pub kind: FlowKind,
    /// The engine's own expression text, where it gives one. Of a chain the last one.
    pub expression: Option<String>,
}
