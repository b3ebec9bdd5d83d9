//! What a walk over lineage reads: thousands of operations and names, most of them only to be
//! counted. So they are meant by how the store numbers them, and told in full when they are shown.

use sextant_model::Timestamp;
use sextant_model::operation::{Operation, Role};

/// How the store numbers a name. Never changes, and means nothing to another store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameRef(pub(crate) i64);

/// How the store numbers an operation. Never changes, and means nothing to another store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationRef(pub(crate) i64);

/// An operation that uses a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameUser {
    /// Which operation.
    pub operation: OperationRef,
    /// When it used the name last.
    pub last: Timestamp,
}

/// An operation with everything that it uses.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationFlows {
    /// The operation. Its own list of pairs is empty: they are the next field.
    pub operation: Operation,
    /// Which inputs flow into which outputs.
    pub pairs: Vec<FlowPair>,
    /// Which names it uses, in no particular order.
    pub uses: Vec<FlowUse>,
}

/// One input flowing into one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
