//! The terrain of a walk over tables: which tables an operation brings together, and when.

use rustc_hash::{FxHashMap, FxHashSet};
use sextant_model::EntityId;
use sextant_model::operation::Role;
use sextant_store::StoreError;

use crate::answer::NodeContent;
use crate::folded::{self, FoldedLife};
use crate::ground::Ground;
use crate::lives::LifeUse;
use crate::memory::{NameNumber, OperationNumber, VertexNumber};
use crate::operations::{KnownOperation, NamePair};
use crate::options::Side;
use crate::physical::Physical;
use crate::terrain::{Expansion, ExpansionBuilder, Link, Standing, Terrain, Touch};

/// So many operations, with what they use, are brought near together: some 100 KiB.
const NEAR: usize = 256;

/// What is being expanded: a vertex, or one life of a folded one.
#[derive(Clone, Copy)]
struct Near {
    id: EntityId,
    vertex: VertexNumber,
    life: Option<FoldedLife>,
}

impl Near {
    fn is_met_by(self, at: LifeUse) -> bool {
        self.life.is_none_or(|life| life.fits(at))
    }
}

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

    /// `near` is the vertex itself, or one of its lives. Where far ends are given, only the links to them
    /// are wanted.
    fn expand_table(&mut self, near: Near, side: Side, far: Option<&FxHashSet<EntityId>>) -> Expansion {
        let (users, crowded) = self.ground.users(near.vertex, side);
        self.ground.crowded |= crowded;
        let mut expansion = ExpansionBuilder::default();
        let mut operation = std::mem::take(&mut self.operation);
        let names: Vec<NameNumber> = self.ground.graph.names_of(near.vertex).collect();
        for (place, &user) in users.iter().enumerate() {
            if self.ground.is_exhausted() {
                break;
            }
            self.bring_near(&users, place);
            self.ground.read_operation(user, &mut operation);
            for &name in &names {
                let mut hands_on = (false, false);
                for pair in
                    operation.pairs_at(name, side).filter(|pair| self.ground.options.walks(pair.data, pair.control))
                {
                    hands_on.0 |= pair.data;
                    hands_on.1 |= pair.control && self.ground.options.control_flow;
                    self.add_links(&mut expansion, &operation, pair, near, side, far);
                }
                // Whoever writes a table is on its way, whatever it reads. Whoever only reads it is not.
                let (data, control) = match side {
                    Side::Upstream => (true, false),
                    Side::Downstream => hands_on,
                };
                if far.is_none() && (data || control) {
                    let met = self.ground.uses(&operation, name, side.near_role(), near.vertex);
                    for (at, current) in met.filter(|(at, _)| near.is_met_by(*at)) {
                        let (first, last) = (at.first, at.last);
                        expansion.add_touch(Touch { operation: operation.id, data, control, first, last, current });
                    }
                }
            }
        }
        self.operation = operation;
        expansion.finish()
    }

    /// The vertex that an id of the walk means.
    fn near(&self, id: EntityId) -> Option<Near> {
        if let Some(life) = self.ground.folded_life(id) {
            return Some(Near { id, vertex: life.vertex, life: Some(life) });
        }
        self.ground.graph.vertex(id).map(|vertex| Near { id, vertex, life: None })
    }

    /// Makes the next of these operations quick to read.
    fn bring_near(&self, operations: &[OperationNumber], place: usize) {
        if place.is_multiple_of(NEAR) {
            let end = operations.len().min(place + NEAR);
            self.ground.graph.bring_near(&operations[place..end]);
        }
    }

    /// What lies at the far ends of the links that an expansion would have, without making them, and
    /// whether there are more operations than were looked at.
    fn find_far_ends(&mut self, near: Near, side: Side) -> (Vec<(EntityId, Standing)>, bool) {
        let (users, crowded) = self.ground.users(near.vertex, side);
        // Those whose lives are no vertices, and the lives of the others.
        let mut found: FxHashSet<VertexNumber> = FxHashSet::default();
        let mut lives: FxHashSet<EntityId> = FxHashSet::default();
        let mut operation = std::mem::take(&mut self.operation);
        let names: Vec<NameNumber> = self.ground.graph.names_of(near.vertex).collect();
        for (place, &user) in users.iter().enumerate() {
            if self.ground.is_exhausted() {
                break;
            }
            self.bring_near(&users, place);
            self.ground.read_operation(user, &mut operation);
            for &name in &names {
                for pair in operation.pairs_at(name, side) {
                    let far = match side {
                        Side::Upstream => pair.input,
                        Side::Downstream => pair.output,
                    };
                    let Some(far) = self.ground.destination(far).filter(|far| !found.contains(far)) else {
                        continue;
                    };
                    if !self.ground.options.walks(pair.data, pair.control) {
                        continue;
                    }
                    let by_life = self.ground.folds_by_life(far);
                    if near.life.is_none() && !by_life {
                        if self.ground.have_met(&operation, pair.input, pair.output) {
                            found.insert(far);
                        }
                        continue;
                    }
                    let met: Vec<LifeUse> = self.far_uses(&operation, pair, near, side);
                    if by_life {
                        lives.extend(met.into_iter().map(|at| self.ground.meet_life(far, at)));
                    } else if !met.is_empty() {
                        found.insert(far);
                    }
                }
            }
        }
        self.operation = operation;
        let told = |far| {
            let standing = self.ground.standing_of(far).unwrap_or(Standing::Living);
            (self.ground.graph.vertex_id(far), standing)
        };
        let lives = lives.into_iter().map(|life| (life, Standing::Deleted));
        (found.into_iter().map(told).chain(lives).collect(), crowded)
    }

    /// With which uses of its far name a pair met what is near.
    fn far_uses(&self, operation: &KnownOperation, pair: NamePair, near: Near, side: Side) -> Vec<LifeUse> {
        let meetings = self.ground.meetings(operation, pair.input, pair.output);
        let ends = meetings.map(|judged| side.ends(judged.meeting.input, judged.meeting.output));
        ends.filter(|ends| near.is_met_by(ends.0)).map(|ends| ends.1).collect()
    }

    fn add_links(
        &mut self,
        expansion: &mut ExpansionBuilder,
        operation: &KnownOperation,
        pair: NamePair,
        near: Near,
        side: Side,
        wanted: Option<&FxHashSet<EntityId>>,
    ) {
        let (Some(source), Some(target)) = (self.ground.destination(pair.input), self.ground.destination(pair.output))
        else {
            return;
        };
        let (_, far) = side.ends(source, target);
        let standing = self.ground.standing_of(far).unwrap_or(Standing::Living);
        let by_life = self.ground.folds_by_life(far);
        let entity = self.ground.graph.vertex_id(far);
        let mut met: Vec<LifeUse> = Vec::new();
        for judged in self.ground.meetings(operation, pair.input, pair.output) {
            let (here, there) = side.ends(judged.meeting.input, judged.meeting.output);
            if !near.is_met_by(here) {
                continue;
            }
            let end = if by_life { folded::life_id(entity, there) } else { entity };
            if wanted.is_some_and(|wanted| !wanted.contains(&end)) {
                continue;
            }
            met.extend(by_life.then_some(there));
            let (source, target) = match side {
                Side::Upstream => (end, near.id),
                Side::Downstream => (near.id, end),
            };
            expansion.add_link(Link {
                source,
                target,
                operation: operation.id,
                far: standing,
                data: pair.data,
                control: pair.control && self.ground.options.control_flow,
                first: judged.meeting.first,
                last: judged.meeting.last,
                current: judged.source_current && judged.target_current,
                source_current: judged.source_current,
                target_current: judged.target_current,
            });
        }
        for at in met {
            self.ground.meet_life(far, at);
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
                self.near(vertex).map_or_else(Expansion::default, |near| self.expand_table(near, side, None))
            };
            self.expansions.insert((vertex, side), expansion);
        }
        Ok(())
    }

    fn expand_to(&mut self, vertices: &[EntityId], side: Side, far: &FxHashSet<EntityId>) -> Result<(), StoreError> {
        for &vertex in vertices {
            if let Some(near) = self.near(vertex) {
                let expansion = self.expand_table(near, side, Some(far));
                self.expansions.insert((vertex, side), expansion);
            }
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
        if let Some(known) = self.far_ends.get(&(vertex, side)) {
            return Ok(known.clone());
        }
        if self.ground.is_operation(vertex) && !self.expansions.contains_key(&(vertex, side)) {
            self.expand(&[vertex], side)?;
        }
        if let Some(expansion) = self.expansions.get(&(vertex, side)) {
            return Ok(expansion.far_ends(side));
        }
        let Some(near) = self.near(vertex) else {
            return Ok(Vec::new());
        };
        let (ends, crowded) = self.find_far_ends(near, side);
        self.ground.counted_some |= crowded;
        self.far_ends.insert((vertex, side), ends.clone());
        Ok(ends)
    }

    fn glance(&mut self, vertex: EntityId, side: Side, operations: usize) -> (Vec<(EntityId, Standing)>, bool) {
        match self.near(vertex) {
            None => (Vec::new(), false),
            Some(near) if self.ground.count_users(near.vertex, side) > operations => (Vec::new(), true),
            Some(near) => (self.find_far_ends(near, side).0, false),
        }
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
        let behind: Vec<EntityId> = vertices.iter().map(|&vertex| self.ground.behind(vertex)).collect();
        self.ground.tell(&behind)
    }

    fn standing(&self, vertex: EntityId) -> Standing {
        self.ground.standing(self.ground.behind(vertex))
    }

    fn content(&self, vertex: EntityId) -> Option<NodeContent> {
        self.ground.content(self.ground.behind(vertex))
    }

    fn qualified_name(&self, vertex: EntityId) -> String {
        self.ground.qualified_name(self.ground.behind(vertex))
    }
}
