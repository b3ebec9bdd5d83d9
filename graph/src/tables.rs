//! The terrain of a walk over tables: which tables an operation brings together, and when.

use rustc_hash::{FxHashMap, FxHashSet};
use sextant_model::EntityId;
use sextant_model::operation::Role;
use sextant_store::StoreError;

use crate::answer::NodeContent;
use crate::ground::{Ground, USERS_LIMIT};
use crate::memory::{OperationNumber, VertexNumber};
use crate::operations::{KnownOperation, NamePair};
use crate::options::Side;
use crate::physical::Physical;
use crate::terrain::{Expansion, ExpansionBuilder, Link, Standing, Terrain, Touch};

/// So many operations, with what they use, are brought near together: some 100 KiB.
const NEAR: usize = 256;

/// The tables around the walk, as far as it went.
pub(crate) struct Tables<'a> {
    pub(crate) ground: Ground<'a>,
    expansions: FxHashMap<(EntityId, Side), Expansion>,
    /// What lies next to vertices that were not expanded.
    far_ends: FxHashMap<(EntityId, Side), Vec<(EntityId, Standing)>>,
    physical: Physical,
    /// The operation that was read last.
    operation: KnownOperation,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(ground: Ground<'a>) -> Self {
        Self {
            ground,
            expansions: FxHashMap::default(),
            far_ends: FxHashMap::default(),
            physical: Physical::default(),
            operation: KnownOperation::default(),
        }
    }

    fn expand_table(&mut self, vertex: VertexNumber, side: Side) -> Expansion {
        let (users, crowded) = self.ground.users(vertex, side, USERS_LIMIT);
        self.ground.crowded |= crowded;
        let mut expansion = ExpansionBuilder::default();
        for (place, &user) in users.iter().enumerate() {
            if self.ground.is_exhausted() {
                break;
            }
            self.bring_near(&users, place);
            self.ground.read_operation(user, &mut self.operation);
            let operation = &self.operation;
            for name in self.ground.graph.names_of(vertex) {
                let mut hands_on = (false, false);
                for pair in
                    operation.pairs_at(name, side).filter(|pair| self.ground.options.walks(pair.data, pair.control))
                {
                    hands_on.0 |= pair.data;
                    hands_on.1 |= pair.control && self.ground.options.control_flow;
                    self.add_links(&mut expansion, operation, pair, side);
                }
                // Whoever writes a table is on its way, whatever it reads. Whoever only reads it is not.
                let (data, control) = match side {
                    Side::Upstream => (true, false),
                    Side::Downstream => hands_on,
                };
                if data || control {
                    for (at, current) in self.ground.uses(operation, name, side.near_role(), vertex) {
                        let (first, last) = (at.first, at.last);
                        expansion.add_touch(Touch { operation: operation.id, data, control, first, last, current });
                    }
                }
            }
        }
        expansion.finish()
    }

    /// Makes the next of these operations quick to read.
    fn bring_near(&self, operations: &[OperationNumber], place: usize) {
        if place.is_multiple_of(NEAR) {
            let end = operations.len().min(place + NEAR);
            self.ground.graph.bring_near(&operations[place..end]);
        }
    }

    /// What lies at the far ends of the links that an expansion of so many operations would have,
    /// without making them, and whether there are more operations.
    fn find_far_ends(&mut self, vertex: VertexNumber, side: Side, limit: usize) -> (Vec<(EntityId, Standing)>, bool) {
        let (users, crowded) = self.ground.users(vertex, side, limit);
        let mut found: FxHashSet<VertexNumber> = FxHashSet::default();
        for (place, &user) in users.iter().enumerate() {
            if self.ground.is_exhausted() {
                break;
            }
            self.bring_near(&users, place);
            self.ground.read_operation(user, &mut self.operation);
            for name in self.ground.graph.names_of(vertex) {
                for pair in self.operation.pairs_at(name, side) {
                    let far = match side {
                        Side::Upstream => pair.input,
                        Side::Downstream => pair.output,
                    };
                    let Some(far) = self.ground.destination(far).filter(|far| !found.contains(far)) else {
                        continue;
                    };
                    let walks = self.ground.options.walks(pair.data, pair.control);
                    if walks && self.ground.have_met(&self.operation, pair.input, pair.output) {
                        found.insert(far);
                    }
                }
            }
        }
        let told = |far| {
            let standing = self.ground.standing_of(far).unwrap_or(Standing::Living);
            (self.ground.graph.vertex_id(far), standing)
        };
        (found.into_iter().map(told).collect(), crowded)
    }

    fn add_links(&self, expansion: &mut ExpansionBuilder, operation: &KnownOperation, pair: NamePair, side: Side) {
        let (Some(source), Some(target)) = (self.ground.destination(pair.input), self.ground.destination(pair.output))
        else {
            return;
        };
        let far = match side {
            Side::Upstream => self.ground.standing_of(source),
            Side::Downstream => self.ground.standing_of(target),
        };
        let (source, target) = (self.ground.graph.vertex_id(source), self.ground.graph.vertex_id(target));
        for judged in self.ground.meetings(operation, pair.input, pair.output) {
            expansion.add_link(Link {
                source,
                target,
                operation: operation.id,
                far: far.unwrap_or(Standing::Living),
                data: pair.data,
                control: pair.control && self.ground.options.control_flow,
                first: judged.meeting.first,
                last: judged.meeting.last,
                current: judged.source_current && judged.target_current,
                source_current: judged.source_current,
                target_current: judged.target_current,
            });
        }
    }

    /// The inputs or outputs of the operation that is the root.
    fn expand_operation(&self, operation: EntityId, side: Side) -> Expansion {
        let mut expansion = ExpansionBuilder::default();
        let Some(known) = self.ground.known_operation(operation) else {
            return Expansion::default();
        };
        let role = match side {
            Side::Upstream => Role::Input,
            Side::Downstream => Role::Output,
        };
        for used in known.uses.iter().filter(|used| used.role == role) {
            let Some(number) = self.ground.destination(used.name) else {
                continue;
            };
            let vertex = self.ground.graph.vertex_id(number);
            let (data, control) = match role {
                Role::Input => known.kinds_of_input(used.name),
                Role::Output => (true, false),
            };
            let current = self.ground.is_current(number, used.at);
            let left_out = !self.ground.options.were_seen(used.at.first, used.at.last)
                || (!current && self.ground.options.leaves_former_lives_out())
                || !self.ground.options.walks(data, control);
            if left_out {
                continue;
            }
            let (source, target) = match role {
                Role::Input => (vertex, operation),
                Role::Output => (operation, vertex),
            };
            expansion.add_link(Link {
                source,
                target,
                operation,
                far: self.ground.standing_of(number).unwrap_or(Standing::Living),
                data,
                control: control && self.ground.options.control_flow,
                first: used.at.first,
                last: used.at.last,
                current,
                source_current: current,
                target_current: current,
            });
        }
        expansion.finish()
    }
}

impl Terrain for Tables<'_> {
    fn expand(&mut self, vertices: &[EntityId], side: Side) -> Result<(), StoreError> {
        for &vertex in vertices {
            if self.expansions.contains_key(&(vertex, side)) {
                continue;
            }
            let expansion = if self.ground.is_operation(vertex) {
                self.expand_operation(vertex, side)
            } else {
                let number = self.ground.graph.vertex(vertex);
                number.map_or_else(Expansion::default, |number| self.expand_table(number, side))
            };
            self.expansions.insert((vertex, side), expansion);
        }
        Ok(())
    }

    fn expansion(&self, vertex: EntityId, side: Side) -> Option<&Expansion> {
        self.expansions.get(&(vertex, side))
    }

    /// Tables have nothing in common that were worth reading at once.
    fn look_around(&mut self, _: &[EntityId], _: Side) -> Result<(), StoreError> {
        Ok(())
    }

    fn far_ends(&mut self, vertex: EntityId, side: Side) -> Result<Vec<(EntityId, Standing)>, StoreError> {
        if self.ground.is_operation(vertex) && !self.expansions.contains_key(&(vertex, side)) {
            self.expand(&[vertex], side)?;
        }
        if let Some(expansion) = self.expansions.get(&(vertex, side)) {
            return Ok(expansion.far_ends(side));
        }
        if let Some(known) = self.far_ends.get(&(vertex, side)) {
            return Ok(known.clone());
        }
        let Some(number) = self.ground.graph.vertex(vertex) else {
            return Ok(Vec::new());
        };
        let (ends, crowded) = self.find_far_ends(number, side, USERS_LIMIT);
        self.ground.counted_some |= crowded;
        self.far_ends.insert((vertex, side), ends.clone());
        Ok(ends)
    }

    fn glance(&mut self, vertex: EntityId, side: Side, operations: usize) -> (Vec<(EntityId, Standing)>, bool) {
        let number = self.ground.graph.vertex(vertex);
        number.map(|number| self.find_far_ends(number, side, operations)).unwrap_or_default()
    }

    fn load_beside(&mut self, vertices: &[EntityId]) -> Result<(), StoreError> {
        self.physical.load(&mut self.ground, vertices)
    }

    fn beside(&self, vertex: EntityId) -> Vec<EntityId> {
        self.physical.beside(vertex)
    }

    fn physical(&self) -> &Physical {
        &self.physical
    }

    fn ground(&self) -> &Ground<'_> {
        &self.ground
    }

    fn tell(&mut self, vertices: &[EntityId]) -> Result<(), StoreError> {
        self.ground.tell(vertices)
    }

    fn standing(&self, vertex: EntityId) -> Standing {
        self.ground.standing(vertex)
    }

    fn content(&self, vertex: EntityId) -> Option<NodeContent> {
        self.ground.content(vertex)
    }

    fn qualified_name(&self, vertex: EntityId) -> String {
        self.ground.qualified_name(vertex)
    }
}
