//! An operation as a walk knows it: its pairs and uses of names.

use sextant_model::operation::{Operation, Role};
use sextant_store::{FlowPair, NameRef, OperationFlows};

use crate::lives::LifeUse;
use crate::options::Side;

/// An operation with everything that it uses.
pub(crate) struct KnownOperation {
    /// Without its pairs: they are the next field.
    pub(crate) operation: Operation,
    pub(crate) pairs: Vec<FlowPair>,
    /// By name and role.
    pub(crate) uses: Vec<NameUse>,
}

/// A name used in one life.
#[derive(Clone, Copy)]
pub(crate) struct NameUse {
    pub(crate) name: NameRef,
    pub(crate) role: Role,
    pub(crate) at: LifeUse,
}

impl KnownOperation {
    pub(crate) fn new(flows: OperationFlows) -> Self {
        let mut uses: Vec<NameUse> = Vec::with_capacity(flows.uses.len());
        for used in &flows.uses {
            let at = LifeUse { life: used.life, first: used.first, last: used.last };
            uses.push(NameUse { name: used.name, role: used.role, at });
        }
        uses.sort_unstable_by_key(|used| (used.name, used.role, used.at.life));
        Self { operation: flows.operation, pairs: flows.pairs, uses }
    }

    /// When a name was used in a role, one per life.
    pub(crate) fn uses_of(&self, name: NameRef, role: Role) -> Vec<LifeUse> {
        let begin = self.uses.partition_point(|used| (used.name, used.role) < (name, role));
        self.uses[begin..]
            .iter()
            .take_while(|used| (used.name, used.role) == (name, role))
            .map(|used| used.at)
            .collect()
    }

    /// The pairs that lie on one side of a name.
    pub(crate) fn pairs_at(&self, name: NameRef, side: Side) -> impl Iterator<Item = FlowPair> + '_ {
        self.pairs.iter().copied().filter(move |pair| match side {
            Side::Upstream => pair.output == name,
            Side::Downstream => pair.input == name,
        })
    }

    /// Whether an input's values flow, and whether it decides about rows. An operation that
    /// writes nothing (a plain query) has no pairs; what it reads, it reads for its result.
    pub(crate) fn kinds_of_input(&self, name: NameRef) -> (bool, bool) {
        let mut kinds = (false, false);
        for pair in self.pairs_at(name, Side::Downstream) {
            kinds.0 |= pair.data;
            kinds.1 |= pair.control;
        }
        if kinds == (false, false) { (true, false) } else { kinds }
    }
}
