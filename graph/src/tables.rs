//! The terrain of a walk over tables: which tables an operation brings together, and when.

use std::collections::{HashMap, HashSet};

use sextant_model::EntityId;
use sextant_model::operation::Role;
use sextant_store::{FlowPair, NameRef, StoreError};

use crate::answer::NodeContent;
use crate::ground::Ground;
use crate::options::Side;
use crate::physical::Physical;
use crate::terrain::{Expansion, ExpansionBuilder, Link, Standing, Terrain, Touch};

/// The tables around the walk, as far as it went.
pub(crate) struct Tables<'a> {
    pub(crate) ground: Ground<'a>,
    expansions: HashMap<(EntityId, Side), Expansion>,
    physical: Physical,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(ground: Ground<'a>) -> Self {
        Self { ground, expansions: HashMap::new(), physical: Physical::default() }
    }

    fn expand_table(&self, vertex: EntityId, users: &[EntityId], side: Side) -> Expansion {
        let mut expansion = ExpansionBuilder::default();
        for &operation in users {
            let Some(known) = self.ground.known_operation(operation) else {
                continue;
            };
            for &name in self.ground.names_of(vertex) {
                let mut hands_on = (false, false);
                for pair in known.pairs_at(name, side).filter(|pair| self.ground.options.walks(pair.data, pair.control))
                {
                    hands_on.0 |= pair.data;
                    hands_on.1 |= pair.control && self.ground.options.control_flow;
                    self.add_links(&mut expansion, operation, pair);
                }
                // Whoever writes a table is on its way, whatever it reads. Whoever only reads it is not.
                let (data, control) = match side {
                    Side::Upstream => (true, false),
                    Side::Downstream => hands_on,
                };
                if data || control {
                    for (at, current) in self.ground.uses(operation, name, side.near_role(), vertex) {
                        expansion.add_touch(Touch {
                            operation,
                            data,
                            control,
                            first: at.first,
                            last: at.last,
                            current,
                        });
                    }
                }
            }
        }
        expansion.finish()
    }

    fn add_links(&self, expansion: &mut ExpansionBuilder, operation: EntityId, pair: FlowPair) {
        let (Some(source), Some(target)) = (self.ground.vertex_of(pair.input), self.ground.vertex_of(pair.output))
        else {
            return;
        };
        for judged in self.ground.meetings(operation, pair.input, pair.output) {
            expansion.add_link(Link {
                source,
                target,
                operation,
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
            let Some(vertex) = self.ground.vertex_of(used.name) else {
                continue;
            };
            let (data, control) = match role {
                Role::Input => known.kinds_of_input(used.name),
                Role::Output => (true, false),
            };
            let current = self.ground.is_current(vertex, used.at);
            let left_out = !self.ground.options.had_been_seen(used.at.first)
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
        let fresh: Vec<EntityId> =
            vertices.iter().copied().filter(|&vertex| !self.expansions.contains_key(&(vertex, side))).collect();
        if fresh.is_empty() {
            return Ok(());
        }
        self.ground.load_names(&fresh)?;
        let names: Vec<NameRef> =
            fresh.iter().flat_map(|&vertex| self.ground.names_of(vertex).iter().copied()).collect();
        self.ground.load_users(&names, side)?;
        let mut users_of_each: Vec<Vec<EntityId>> = Vec::with_capacity(fresh.len());
        for &vertex in &fresh {
            let users = self.ground.users_of(vertex, side);
            self.ground.crowded |= users.cut;
            users_of_each.push(users.operations);
        }
        let mut all_users = users_of_each.concat();
        all_users.sort_unstable();
        all_users.dedup();

        let near: HashSet<NameRef> = names.into_iter().collect();
        let mut far: Vec<NameRef> = Vec::new();
        for operation in &all_users {
            let Some(known) = self.ground.known_operation(*operation) else {
                continue;
            };
            for pair in known.pairs.iter().filter(|pair| self.ground.options.walks(pair.data, pair.control)) {
                match side {
                    Side::Upstream if near.contains(&pair.output) => far.push(pair.input),
                    Side::Downstream if near.contains(&pair.input) => far.push(pair.output),
                    Side::Upstream | Side::Downstream => {}
                }
            }
        }
        self.ground.resolve(far)?;

        for (vertex, users) in fresh.into_iter().zip(users_of_each) {
            let expansion = if self.ground.is_operation(vertex) {
                self.ground.resolve_ends(&[vertex])?;
                self.expand_operation(vertex, side)
            } else {
                self.expand_table(vertex, &users, side)
            };
            self.expansions.insert((vertex, side), expansion);
        }
        Ok(())
    }

    fn expansion(&self, vertex: EntityId, side: Side) -> Option<&Expansion> {
        self.expansions.get(&(vertex, side))
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

    fn only_count(&mut self) {
        self.ground.only_count();
    }

    fn resolve_ends(&mut self, operations: &[EntityId]) -> Result<(), StoreError> {
        self.ground.resolve_ends(operations)
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
