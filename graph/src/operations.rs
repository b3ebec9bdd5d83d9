//! An operation as a walk knows it: its pairs and uses over numbered names.

use sextant_model::operation::{Operation, Role};

use crate::lives::LifeUse;
use crate::options::Side;

/// Number of a name within one walk.
pub(crate) type NameNumber = u32;

/// An operation with everything that it uses.
pub(crate) struct KnownOperation {
    /// Without its pairs: they are the next field.
    pub(crate) operation: Operation,
    pub(crate) pairs: Vec<NumberedPair>,
    /// By name and role.
    pub(crate) uses: Vec<NumberedUse>,
}

/// One input flowing into one output.
#[derive(Clone, Copy)]
pub(crate) struct NumberedPair {
    pub(crate) input: NameNumber,
    pub(crate) output: NameNumber,
    pub(crate) data: bool,
    pub(crate) control: bool,
}

/// A name used in one life.
#[derive(Clone, Copy)]
pub(crate) struct NumberedUse {
    pub(crate) name: NameNumber,
    pub(crate) role: Role,
    pub(crate) at: LifeUse,
}

impl KnownOperation {
    pub(crate) fn new(operation: Operation, pairs: Vec<NumberedPair>, mut uses: Vec<NumberedUse>) -> Self {
        uses.sort_unstable_by_key(|used| (used.name, used.role, used.at.life));
        Self { operation, pairs, uses }
    }

    /// When a name was used in a role, one per life.
    pub(crate) fn uses_of(&self, name: NameNumber, role: Role) -> Vec<LifeUse> {
        let begin = self.uses.partition_point(|used| (used.name, used.role) < (name, role));
        self.uses[begin..]
            .iter()
            .take_while(|used| (used.name, used.role) == (name, role))
            .map(|used| used.at)
            .collect()
    }

    /// The pairs that lie on one side of a name.
    pub(crate) fn pairs_at(&self, name: NameNumber, side: Side) -> impl Iterator<Item = NumberedPair> + '_ {
        self.pairs.iter().copied().filter(move |pair| match side {
            Side::Upstream => pair.output == name,
            Side::Downstream => pair.input == name,
        })
    }

    /// Whether an input's values flow, and whether it decides about rows. An operation that
    /// writes nothing (a plain query) has no pairs; what it reads, it reads for its result.
    pub(crate) fn kinds_of_input(&self, name: NameNumber) -> (bool, bool) {
        let mut kinds = (false, false);
        for pair in self.pairs_at(name, Side::Downstream) {
            kinds.0 |= pair.data;
            kinds.1 |= pair.control;
        }
        if kinds == (false, false) { (true, false) } else { kinds }
    }
}
