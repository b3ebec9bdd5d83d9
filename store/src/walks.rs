//! What walks over lineage go over: names, the entities behind them, and operations, without
//! their texts. A graph in memory is built of it and follows the change feed.

use sextant_model::operation::Role;
use sextant_model::record::FlowEdge;
use sextant_model::{EntityId, EntityType, Life, Timestamp};

/// How the store numbers a name: densely, in the order in which names came. Never changes, and
/// means nothing to another store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameRef(pub(crate) u32);

impl NameRef {
    /// The number, from 0 on and with few gaps, so that it can be a place in a list.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A part of what walks go over. In a whole one every name comes before what refers to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphPart {
    /// Names that operations use.
    pub names: Vec<UsedName>,
    /// What such names lead to.
    pub entities: Vec<EntityShape>,
    /// Operations that are told.
    pub operations: Vec<OperationFlows>,
}

/// A name that operations use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedName {
    /// How it is numbered.
    pub name: NameRef,
    /// Its address as long as it leads nowhere.
    pub address: EntityId,
    /// The entity that it leads to.
    pub entity: Option<EntityId>,
}

/// What of an entity decides where a walk goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityShape {
    /// Which one.
    pub id: EntityId,
    /// Its type.
    pub entity_type: EntityType,
    /// Whether it is deleted now.
    pub deleted: bool,
    /// When it was first missed, of a deleted one.
    pub delete_time: Option<Timestamp>,
    /// Its lives, by number.
    pub lives: Vec<Life>,
}

/// An operation with everything that it uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationFlows {
    /// Which one.
    pub id: EntityId,
    /// Whether its records told flows.
    pub lineage_known: bool,
    /// Which inputs flow into which outputs.
    pub pairs: Vec<FlowPair>,
    /// Which names it uses, in no particular order.
    pub uses: Vec<FlowUse>,
    /// How columns flow in it, one for each set of flows that its runs told, by their ids.
    pub columns: Vec<ColumnFlows>,
}

impl OperationFlows {
    /// The names in its uses and pairs, each once.
    pub fn names(&self) -> Vec<NameRef> {
        let ends = self.pairs.iter().flat_map(|pair| [pair.input, pair.output]);
        let mut names: Vec<NameRef> = self.uses.iter().map(|used| used.name).chain(ends).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// One input flowing into one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowPair {
    /// The input's name.
    pub input: NameRef,
    /// The output's name.
    pub output: NameRef,
    /// Whether values flow.
    pub data: bool,
    /// Whether the input (also) decides which rows arrive.
    pub control: bool,
}

/// The use of a name in one life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowUse {
    /// The name.
    pub name: NameRef,
    /// What the operation does with it.
    pub role: Role,
    /// Which life of the entity behind the name.
    pub life: u32,
    /// When it was first seen.
    pub first: Timestamp,
    /// When it was last seen.
    pub last: Timestamp,
}

/// How columns flow in an operation, as some of its runs told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnFlows {
    /// The id of this set of flows.
    pub variant: EntityId,
    /// When a run told it first.
    pub first: Timestamp,
    /// When a run told it last.
    pub last: Timestamp,
    /// What flows; `None` in the place of columns of the statement's result, which no table keeps.
    pub vertices: Vec<Option<FlowColumn>>,
    /// From which of them to which, by their places.
    pub edges: Vec<FlowEdge>,
}

/// A column of a name that the operation uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowColumn {
    /// The name.
    pub name: NameRef,
    /// The column, in lower case; may be a path into a nested type. `None` for the table as a whole.
    pub column: Option<String>,
}
