//! What a walk over tables stands on: the graph in memory, and what was read of the store on top.
//!
//! The graph says which operations use which names, where names lead and what is deleted. What a
//! vertex is called is read from the store, in batches, once it is shown. Vertices that the graph
//! does not know (nothing uses them) are strangers: they have no neighbours.

use std::collections::HashMap;

use rustc_hash::{FxHashMap, FxHashSet};
use sextant_model::incarnation::UNSEEN_LIFE;
use sextant_model::operation::Role;
use sextant_model::{Entity, EntityId, EntityType, NameKey, Timestamp, Viewer};
use sextant_store::{Facts, NameRef, StoreError};

use crate::answer::NodeContent;
use crate::folded::{self, FoldedLife, FoldedLives};
use crate::lives::{self, Existence, LatestLife, LifeUse, Meeting};
use crate::memory::{Graph, Kind, NameNumber, OperationNumber, VertexNumber};
use crate::operations::KnownOperation;
use crate::options::{Options, Side};
use crate::terrain::Standing;

/// Of one side of a table at most this many operations are looked at, those that ran last.
/// Calendars and the like are read by everybody, and nobody looks at a list of everybody.
pub(crate) const USERS_LIMIT: usize = 5_000;

/// How much one walk looks at: operations with their pairs and, where columns are walked, the ends of
/// their flows. A few seconds; a walk holds up whoever keeps the graph up to date.
const EFFORT: u64 = 10_000_000;

/// The graph with what the walk has learnt so far.
pub(crate) struct Ground<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) facts: &'a dyn Facts,
    pub(crate) viewer: &'a Viewer,
    pub(crate) options: &'a Options,
    /// The vertex at which the walk begins: it is shown even where it was not there yet.
    root: Option<EntityId>,
    /// Where a path is to end: it is shown as the root is.
    pub(crate) goal: Option<EntityId>,
    /// The lives of folded tables that were met; `None` where a walk does not tell lives apart.
    pub(crate) folded: Option<FoldedLives>,
    /// The operations that were met and whose records told no flows.
    without_lineage: FxHashSet<OperationNumber>,
    /// How vertices stand that the graph does not know.
    strangers: FxHashMap<EntityId, Standing>,
    /// The entities that were told.
    entities: FxHashMap<EntityId, Entity>,
    /// The names that were told and lead nowhere, by their addresses.
    unlinked: FxHashMap<EntityId, NameKey>,
    /// Whether some table that the walk crossed had more operations on a side than were looked at.
    pub(crate) crowded: bool,
    /// The same of one whose neighbours were only counted.
    pub(crate) counted_some: bool,
    /// How much may still be looked at.
    effort: u64,
}

/// A meeting of two lives with what it says about the present.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JudgedMeeting {
    pub(crate) meeting: Meeting,
    pub(crate) source_current: bool,
    pub(crate) target_current: bool,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(graph: &'a Graph, facts: &'a dyn Facts, viewer: &'a Viewer, options: &'a Options) -> Self {
        Self {
            graph,
            facts,
            viewer,
            options,
            root: None,
            goal: None,
            folded: Some(FoldedLives::default()),
            without_lineage: FxHashSet::default(),
            strangers: FxHashMap::default(),
            entities: FxHashMap::default(),
            unlinked: FxHashMap::default(),
            crowded: false,
            counted_some: false,
            effort: EFFORT,
        }
    }

    /// Makes an entity known as the root; `false` when it is not there for the viewer.
    pub(crate) fn add_root_entity(&mut self, id: EntityId) -> Result<bool, StoreError> {
        self.root = Some(id);
        self.tell(&[id])?;
        Ok(self.entities.contains_key(&id))
    }

    /// Makes a name known as the root and gives its vertex: the entity, once it is linked.
    pub(crate) fn add_root_name(&mut self, name: &NameKey) -> Result<Option<EntityId>, StoreError> {
        match self.facts.name_by_id(self.viewer, name.id())? {
            None => Ok(None),
            Some((_, Some(entity))) => Ok(self.add_root_entity(entity)?.then_some(entity)),
            Some((key, None)) => {
                let address = self.meet_name(&key);
                self.root = Some(address);
                Ok(Some(address))
            }
        }
    }

    /// Makes a name known that leads nowhere, and gives its vertex.
    pub(crate) fn meet_name(&mut self, name: &NameKey) -> EntityId {
        let address = name.id();
        self.strangers.insert(address, Standing::Unlinked);
        self.unlinked.insert(address, name.clone());
        address
    }

    /// Makes an operation known as the root, and what it uses; `false` when it is not there.
    pub(crate) fn add_root_operation(&mut self, id: EntityId) -> Result<bool, StoreError> {
        let Some(number) = self.graph.operation(id) else {
            return Ok(false);
        };
        self.root = Some(id);
        let mut known = KnownOperation::default();
        self.read_operation(number, &mut known);
        let used: Vec<EntityId> = known.names.iter().filter_map(|&name| self.vertex_of(name)).collect();
        self.tell(&used)?;
        Ok(true)
    }

    // --- vertices ---

    /// The vertex that a name leads to, unless it was not there yet.
    pub(crate) fn destination(&self, name: NameNumber) -> Option<VertexNumber> {
        let vertex = self.graph.vertex_of(name)?;
        let is_there = self.options.as_of.is_none()
            || self.root == Some(self.graph.vertex_id(vertex))
            || self.standing_of(vertex).is_some();
        is_there.then_some(vertex)
    }

    /// The same by its id.
    pub(crate) fn vertex_of(&self, name: NameNumber) -> Option<EntityId> {
        self.destination(name).map(|vertex| self.graph.vertex_id(vertex))
    }

    /// Makes the life known that a use met of a vertex which folds by life, and gives its id.
    pub(crate) fn meet_life(&mut self, vertex: VertexNumber, at: LifeUse) -> EntityId {
        let id = folded::life_id(self.graph.vertex_id(vertex), at);
        if let Some(folded) = &mut self.folded {
            folded.meet(id, vertex, at);
        }
        id
    }

    /// Whether the lives of a vertex are vertices of their own.
    pub(crate) fn folds_by_life(&self, vertex: VertexNumber) -> bool {
        let id = Some(self.graph.vertex_id(vertex));
        self.folded.is_some()
            && !self.options.deleted
            && self.graph.latest_life(vertex).is_some_and(|latest| latest > 1)
            && self.standing_of(vertex) == Some(Standing::Deleted)
            && id != self.root
            && id != self.goal
    }

    /// The life of a folded table that an id of the walk means.
    pub(crate) fn folded_life(&self, id: EntityId) -> Option<FoldedLife> {
        self.folded.as_ref()?.get(id)
    }

    /// The entity or name behind an id of the walk.
    pub(crate) fn behind(&self, id: EntityId) -> EntityId {
        self.folded_life(id).map_or(id, |life| self.graph.vertex_id(life.vertex))
    }

    /// How a vertex of the graph stands; `None` when it was not there yet.
    pub(crate) fn standing_of(&self, vertex: VertexNumber) -> Option<Standing> {
        match self.graph.kind(vertex) {
            Kind::Unlinked => Some(Standing::Unlinked),
            Kind::Absent => None,
            Kind::Entity(_) if self.options.as_of.is_none() => {
                Some(if self.graph.is_deleted(vertex) { Standing::Deleted } else { Standing::Living })
            }
            Kind::Entity(_) => self.graph.existence(vertex).standing(self.options.as_of),
        }
    }

    /// How a vertex that was met stands.
    pub(crate) fn standing(&self, vertex: EntityId) -> Standing {
        let standing = match self.graph.vertex(vertex) {
            Some(number) => self.standing_of(number),
            None => self.strangers.get(&vertex).copied(),
        };
        standing.unwrap_or(Standing::Living)
    }

    /// Whether anything is known of a vertex, and it was there.
    pub(crate) fn knows(&self, vertex: EntityId) -> bool {
        match self.graph.vertex(vertex) {
            Some(number) => self.root == Some(vertex) || self.standing_of(number).is_some(),
            None => self.strangers.contains_key(&vertex),
        }
    }

    /// The type of the entity behind a vertex.
    pub(crate) fn entity_type(&self, vertex: EntityId) -> Option<EntityType> {
        match self.graph.vertex(vertex) {
            Some(number) => self.graph.kind(number).entity_type(),
            None => self.entities.get(&vertex).map(|entity| entity.entity_type),
        }
    }

    /// Whether the entity behind a vertex is deleted now, whatever time is asked for.
    pub(crate) fn is_deleted_now(&self, vertex: EntityId) -> bool {
        match self.graph.vertex(vertex) {
            Some(number) => self.graph.is_deleted(number),
            None => self.entities.get(&vertex).is_some_and(Entity::is_deleted),
        }
    }

    /// Whether the vertex is an operation: the root.
    pub(crate) fn is_operation(&self, vertex: EntityId) -> bool {
        self.root == Some(vertex) && self.graph.operation(vertex).is_some()
    }

    /// Whether a use of a vertex met its present life.
    pub(crate) fn is_current(&self, vertex: VertexNumber, at: LifeUse) -> bool {
        if self.options.as_of.is_none() && at.life != UNSEEN_LIFE {
            return self.graph.latest_life(vertex).is_none_or(|latest| latest == at.life);
        }
        let latest = LatestLife::of(self.graph.existence(vertex).lives, self.options.as_of);
        latest.is_none_or(|latest| !latest.makes_former(at))
    }

    // --- operations ---

    /// The operations on one side of a vertex in the time that is asked for, each once and without
    /// plain queries: at most [`USERS_LIMIT`], those that were seen last; of equally late ones those
    /// with the smallest ids.
    /// Answers also whether there were more.
    pub(crate) fn users(&self, vertex: VertexNumber, side: Side) -> (Vec<OperationNumber>, bool) {
        let role = side.near_role();
        let mut users: Vec<OperationNumber> =
            self.graph.names_of(vertex).flat_map(|name| self.graph.users(name, role)).collect();
        users.sort_unstable();
        users.dedup();
        if side == Side::Downstream {
            users.retain(|&user| self.graph.hands_on(user));
        }
        if self.options.restrict_time() {
            users.retain(|&user| self.was_used(vertex, role, user));
        }
        let crowded = users.len() > USERS_LIMIT;
        if crowded {
            let mut by_time: Vec<(Timestamp, OperationNumber)> =
                users.iter().map(|&user| (self.graph.last_seen(user), user)).collect();
            by_time.select_nth_unstable_by(USERS_LIMIT, |one, other| {
                let ids = || self.graph.operation_id(one.1).cmp(&self.graph.operation_id(other.1));
                other.0.cmp(&one.0).then_with(ids)
            });
            users = by_time[..USERS_LIMIT].iter().map(|&(_, user)| user).collect();
            users.sort_unstable();
        }
        (users, crowded)
    }

    /// How many operations are on one side of a vertex, one that uses several of its names several
    /// times.
    pub(crate) fn count_users(&self, vertex: VertexNumber, side: Side) -> usize {
        self.graph.names_of(vertex).map(|name| self.graph.count_users(name, side.near_role())).sum()
    }

    /// Whether an operation used a vertex in the time that is asked for.
    fn was_used(&self, vertex: VertexNumber, role: Role, user: OperationNumber) -> bool {
        let mut was_used = false;
        for name in self.graph.names_of(vertex) {
            self.graph.uses_of(user, name, role, |at| was_used |= self.options.were_seen(at.first, at.last));
        }
        was_used
    }

    /// Reads an operation in the place of another: it is met.
    pub(crate) fn read_operation(&mut self, operation: OperationNumber, into: &mut KnownOperation) {
        self.graph.read_operation(operation, into);
        self.spend(1 + into.pairs.len());
        if !into.lineage_known {
            self.without_lineage.insert(operation);
        }
    }

    /// So much more was looked at.
    pub(crate) fn spend(&mut self, effort: usize) {
        self.effort = self.effort.saturating_sub(effort as u64);
    }

    /// Whether the walk has looked at as much as it may: what it did not come to has no neighbours.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.effort == 0
    }

    /// An operation by its id.
    pub(crate) fn known_operation(&self, operation: EntityId) -> Option<KnownOperation> {
        let number = self.graph.operation(operation)?;
        let mut known = KnownOperation::default();
        self.graph.read_operation(number, &mut known);
        Some(known)
    }

    /// Whether [`Self::meetings`] has any.
    pub(crate) fn have_met(&self, operation: &KnownOperation, input: NameNumber, output: NameNumber) -> bool {
        if self.options.leaves_former_lives_out() {
            return self.meetings(operation, input, output).next().is_some();
        }
        let inputs = operation.uses_of(input, Role::Input);
        lives::meetings(inputs, operation.uses_of(output, Role::Output))
            .any(|meeting| self.options.were_seen(meeting.first, meeting.last))
    }

    /// When an operation brought an input and an output together, as far as the options let it be
    /// walked. Both names must lead to a vertex.
    pub(crate) fn meetings<'s>(
        &'s self,
        operation: &'s KnownOperation,
        input: NameNumber,
        output: NameNumber,
    ) -> impl Iterator<Item = JudgedMeeting> + 's {
        let ends = self.destination(input).zip(self.destination(output));
        ends.into_iter().flat_map(move |(source, target)| {
            let inputs = operation.uses_of(input, Role::Input);
            lives::meetings(inputs, operation.uses_of(output, Role::Output)).filter_map(move |meeting| {
                let source_current = self.is_current(source, meeting.input);
                let target_current = self.is_current(target, meeting.output);
                let is_history = !(source_current && target_current) && self.options.leaves_former_lives_out();
                let walks = self.options.were_seen(meeting.first, meeting.last) && !is_history;
                walks.then_some(JudgedMeeting { meeting, source_current, target_current })
            })
        })
    }

    /// When an operation used a name that leads to `vertex`, as far as the options let it be
    /// walked, each with whether it met the present life.
    pub(crate) fn uses<'s>(
        &'s self,
        operation: &'s KnownOperation,
        name: NameNumber,
        role: Role,
        vertex: VertexNumber,
    ) -> impl Iterator<Item = (LifeUse, bool)> + 's {
        operation.uses_of(name, role).map(move |at| (at, self.is_current(vertex, at))).filter(|(at, current)| {
            self.options.were_seen(at.first, at.last) && (*current || !self.options.leaves_former_lives_out())
        })
    }

    /// How many inputs and outputs of an operation are known by name only.
    pub(crate) fn unlinked_ends(&self, operation: EntityId) -> [u64; 2] {
        let mut inputs: FxHashSet<NameNumber> = FxHashSet::default();
        let mut outputs: FxHashSet<NameNumber> = FxHashSet::default();
        for used in self.known_operation(operation).into_iter().flat_map(|known| known.uses) {
            let vertex = self.graph.vertex_of(used.name);
            let unlinked = vertex.is_some_and(|vertex| self.graph.kind(vertex) == Kind::Unlinked);
            if unlinked && self.options.were_seen(used.at.first, used.at.last) {
                match used.role {
                    Role::Input => inputs.insert(used.name),
                    Role::Output => outputs.insert(used.name),
                };
            }
        }
        [inputs.len() as u64, outputs.len() as u64]
    }

    /// How many operations were met whose records told no flows.
    pub(crate) fn operations_without_lineage(&self) -> u64 {
        self.without_lineage.len() as u64
    }

    // --- what is read of the store ---

    /// Finds out what these vertices are called. Entities that the graph does not know become
    /// known, as far as they are there for the viewer.
    pub(crate) fn tell(&mut self, vertices: &[EntityId]) -> Result<(), StoreError> {
        let mut entities: Vec<EntityId> = Vec::new();
        let mut names: Vec<(EntityId, NameRef)> = Vec::new();
        for &vertex in vertices {
            if self.entities.contains_key(&vertex) || self.unlinked.contains_key(&vertex) || self.is_operation(vertex) {
                continue;
            }
            match self.graph.vertex(vertex) {
                Some(number) if self.graph.kind(number) == Kind::Unlinked => {
                    let name = self.graph.names_of(number).next();
                    names.extend(name.map(|name| (vertex, self.graph.name_ref(name))));
                }
                _ => entities.push(vertex),
            }
        }
        if !names.is_empty() {
            let refs: Vec<NameRef> = names.iter().map(|(_, name)| *name).collect();
            for ((vertex, _), (key, _)) in names.into_iter().zip(self.facts.names(self.viewer, &refs)?) {
                self.unlinked.insert(vertex, key);
            }
        }
        if entities.is_empty() {
            return Ok(());
        }
        let told = self.facts.entities(self.viewer, &entities)?;
        let strangers: Vec<EntityId> =
            told.iter().map(|entity| entity.id).filter(|&id| self.graph.vertex(id).is_none()).collect();
        let mut lives_of = if strangers.is_empty() { HashMap::new() } else { self.facts.lives(&strangers)? };
        for entity in told {
            let id = entity.id;
            if self.graph.vertex(id).is_none() {
                let existence = Existence::of(&entity, lives_of.remove(&id).unwrap_or_default());
                let standing = existence.standing(self.options.as_of);
                let standing = if self.root == Some(id) { standing.or(Some(Standing::Living)) } else { standing };
                self.strangers.extend(standing.map(|standing| (id, standing)));
            }
            self.entities.insert(id, entity);
        }
        Ok(())
    }

    /// An entity that was told.
    pub(crate) fn entity(&self, vertex: EntityId) -> Option<&Entity> {
        self.entities.get(&vertex)
    }

    /// The name of a vertex that no source has shown, once it was told.
    pub(crate) fn unlinked_name(&self, vertex: EntityId) -> Option<&NameKey> {
        self.unlinked.get(&vertex)
    }

    /// What a vertex or operation is that was told.
    pub(crate) fn content(&self, vertex: EntityId) -> Option<NodeContent> {
        if let Some(entity) = self.entities.get(&vertex) {
            return Some(NodeContent::Entity(entity.clone()));
        }
        if let Some(name) = self.unlinked.get(&vertex) {
            return Some(NodeContent::Unlinked(name.clone()));
        }
        self.graph.operation(vertex).map(|_| NodeContent::Operation)
    }

    /// What a vertex is called that was told; an operation by its id.
    pub(crate) fn qualified_name(&self, vertex: EntityId) -> String {
        match (self.entities.get(&vertex), self.unlinked.get(&vertex)) {
            (Some(entity), _) => entity.qualified_name.clone(),
            (None, Some(name)) => name.qualified.clone(),
            (None, None) => vertex.to_string(),
        }
    }
}
