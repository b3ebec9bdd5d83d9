//! An operation as a walk knows it: its pairs and uses of names.

use sextant_model::EntityId;
use sextant_model::operation::Role;

use crate::lives::LifeUse;
use crate::memory::NameNumber;
use crate::options::Side;

/// An operation with everything that it uses. Walks meet tens of thousands: one is read in the
/// place of another, so that nothing is allocated for most.
#[derive(Debug)]
pub(crate) struct KnownOperation {
    pub(crate) id: EntityId,
    /// Whether its records told flows.
    pub(crate) lineage_known: bool,
    /// The names in its pairs and uses, ascending.
    pub(crate) names: Vec<NameNumber>,
    pub(crate) pairs: Vec<NamePair>,
    /// By name, role and life.
    pub(crate) uses: Vec<NameUse>,
}

/// A name used in one life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameUse {
    pub(crate) name: NameNumber,
    pub(crate) role: Role,
    pub(crate) at: LifeUse,
}

/// One input flowing into one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamePair {
    pub(crate) input: NameNumber,
    pub(crate) output: NameNumber,
    /// Whether values flow.
    pub(crate) data: bool,
    /// Whether the input (also) decides which rows arrive.
    pub(crate) control: bool,
}

impl Default for KnownOperation {
    /// A place for one that is to be read.
    fn default() -> Self {
        Self {
            id: EntityId::from_bytes([0; 16]),
            lineage_known: false,
            names: Vec::new(),
            pairs: Vec::new(),
            uses: Vec::new(),
        }
    }
}

impl KnownOperation {
    /// When a name was used in a role, one per life.
    pub(crate) fn uses_of(&self, name: NameNumber, role: Role) -> impl Iterator<Item = LifeUse> + Clone + '_ {
        let begin = self.uses.partition_point(|used| (used.name, used.role) < (name, role));
        self.uses[begin..].iter().take_while(move |used| (used.name, used.role) == (name, role)).map(|used| used.at)
    }

    /// The pairs that lie on one side of a name.
    pub(crate) fn pairs_at(&self, name: NameNumber, side: Side) -> impl Iterator<Item = NamePair> + '_ {
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
