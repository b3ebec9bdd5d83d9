//! What a walk over tables has learnt so far: names, the vertices that they lead to, operations.
//!
//! Everything is loaded in batches and kept for the rest of the walk. Names are numbered when they
//! are first met, so that they are compared as numbers from then on.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use sextant_model::operation::{Operation, Role, TablePair};
use sextant_model::{Entity, EntityId, Life, NameKey, Timestamp, Viewer};
use sextant_store::{Facts, FlowingOperation, NameUser, StoreError};

use crate::answer::NodeContent;
use crate::lives::{self, LatestLife, LifeUse, Meeting};
use crate::operations::{KnownOperation, NameNumber, NumberedPair, NumberedUse};
use crate::options::{Options, Side};
use crate::terrain::Standing;

/// Of one side of a table at most this many operations are looked at, those that ran last.
/// Calendars and the like are read by everybody, and nobody looks at a list of everybody.
pub(crate) const USERS_LIMIT: usize = 5_000;

/// The operations on one side of a vertex.
pub(crate) struct Users {
    /// Ascending.
    pub(crate) operations: Vec<EntityId>,
    /// Whether there are more.
    pub(crate) cut: bool,
}

/// Names, vertices and operations, as far as the walk went.
pub(crate) struct Ground<'a> {
    pub(crate) facts: &'a dyn Facts,
    pub(crate) viewer: &'a Viewer,
    pub(crate) options: &'a Options,
    numbers: HashMap<NameKey, NameNumber>,
    names: Vec<KnownName>,
    vertices: HashMap<EntityId, KnownVertex>,
    operations: HashMap<EntityId, KnownOperation>,
    /// Whether some table had more operations on a side than were looked at.
    pub(crate) crowded: bool,
}

struct KnownName {
    key: NameKey,
    destination: Destination,
    /// By role: the operations that read it, and those that write it. One more than
    /// [`USERS_LIMIT`] if there are more.
    users: [Option<Vec<NameUser>>; 2],
}

/// Where a name leads.
#[derive(Clone, Copy)]
enum Destination {
    /// Nobody asked yet.
    Unasked,
    /// To this entity, or to none, but it has not been looked at yet.
    Told(Option<EntityId>),
    /// To this vertex: an entity, or the name itself while it is unlinked.
    Vertex(EntityId),
    /// To something that the viewer may not see, or that was not there yet.
    Nowhere,
}

struct KnownVertex {
    content: Content,
    standing: Standing,
    latest: Option<LatestLife>,
    names: Option<Vec<NameNumber>>,
}

enum Content {
    Entity(Box<Entity>),
    Unlinked(NameNumber),
    Operation,
}

/// A meeting of two lives with what it says about the present.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JudgedMeeting {
    pub(crate) meeting: Meeting,
    pub(crate) source_current: bool,
    pub(crate) target_current: bool,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(facts: &'a dyn Facts, viewer: &'a Viewer, options: &'a Options) -> Self {
        Self {
            facts,
            viewer,
            options,
            numbers: HashMap::new(),
            names: Vec::new(),
            vertices: HashMap::new(),
            operations: HashMap::new(),
            crowded: false,
        }
    }

    /// Makes an entity known as the root; `false` when it is not there for the viewer.
    pub(crate) fn add_root_entity(&mut self, id: EntityId) -> Result<bool, StoreError> {
        let Some(entity) = self.facts.entities(self.viewer, &[id])?.into_iter().find(|entity| entity.id == id) else {
            return Ok(false);
        };
        let lives = self.facts.lives(&[id])?.remove(&id).unwrap_or_default();
        // The root is shown even where it was not there yet.
        let standing = lives::standing(&entity, &lives, self.options.as_of).unwrap_or(Standing::Living);
        self.add_entity(entity, &lives, standing);
        Ok(true)
    }

    /// Makes a name known as the root and gives its vertex: the entity, once it is linked.
    pub(crate) fn add_root_name(&mut self, name: &NameKey) -> Result<Option<EntityId>, StoreError> {
        let known = self.facts.name_by_id(self.viewer, name.id())?;
        match known {
            None => Ok(None),
            Some((_, Some(entity))) => Ok(self.add_root_entity(entity)?.then_some(entity)),
            Some((key, None)) => {
                let number = self.number_of(&key);
                Ok(Some(self.add_unlinked(number)))
            }
        }
    }

    /// Makes an operation known as the root; `false` when it is not there for the viewer.
    pub(crate) fn add_root_operation(&mut self, id: EntityId) -> Result<bool, StoreError> {
        self.load_operations(&[id])?;
        if !self.operations.contains_key(&id) {
            return Ok(false);
        }
        let vertex = KnownVertex { content: Content::Operation, standing: Standing::Living, latest: None, names: None };
        self.vertices.insert(id, vertex);
        Ok(true)
    }

    /// The number of a name.
    pub(crate) fn number_of(&mut self, key: &NameKey) -> NameNumber {
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        let number = self.names.len() as NameNumber;
        self.numbers.insert(key.clone(), number);
        self.names.push(KnownName { key: key.clone(), destination: Destination::Unasked, users: [None, None] });
        number
    }

    /// The vertex that a name leads to, as far as it was asked for.
    pub(crate) fn vertex_of(&self, name: NameNumber) -> Option<EntityId> {
        match self.names[name as usize].destination {
            Destination::Vertex(vertex) => Some(vertex),
            Destination::Unasked | Destination::Told(_) | Destination::Nowhere => None,
        }
    }

    /// The entity behind a vertex.
    pub(crate) fn entity(&self, vertex: EntityId) -> Option<&Entity> {
        match &self.vertices.get(&vertex)?.content {
            Content::Entity(entity) => Some(entity),
            Content::Unlinked(_) | Content::Operation => None,
        }
    }

    /// Finds out where these names lead.
    pub(crate) fn resolve(&mut self, names: impl IntoIterator<Item = NameNumber>) -> Result<(), StoreError> {
        let mut asked: HashSet<NameNumber> = HashSet::new();
        for name in names {
            if matches!(self.names[name as usize].destination, Destination::Unasked | Destination::Told(_)) {
                asked.insert(name);
            }
        }
        self.ask_where_they_lead(&asked)?;
        let mut linked: Vec<(NameNumber, EntityId)> = Vec::new();
        let mut unknown: HashSet<EntityId> = HashSet::new();
        for name in asked {
            match self.names[name as usize].destination {
                Destination::Told(None) => {
                    self.add_unlinked(name);
                }
                Destination::Told(Some(entity)) => {
                    linked.push((name, entity));
                    if !self.vertices.contains_key(&entity) {
                        unknown.insert(entity);
                    }
                }
                Destination::Unasked | Destination::Vertex(_) | Destination::Nowhere => {}
            }
        }
        if !unknown.is_empty() {
            let unknown: Vec<EntityId> = unknown.into_iter().collect();
            let mut lives_of = self.facts.lives(&unknown)?;
            for entity in self.facts.entities(self.viewer, &unknown)? {
                let lives = lives_of.remove(&entity.id).unwrap_or_default();
                if let Some(standing) = lives::standing(&entity, &lives, self.options.as_of) {
                    self.add_entity(entity, &lives, standing);
                }
            }
        }
        for (name, entity) in linked {
            let seen = self.vertices.contains_key(&entity);
            self.names[name as usize].destination =
                if seen { Destination::Vertex(entity) } else { Destination::Nowhere };
        }
        Ok(())
    }

    /// Asks for the entities behind those names that came without.
    fn ask_where_they_lead(&mut self, names: &HashSet<NameNumber>) -> Result<(), StoreError> {
        let is_unasked = |name: &NameNumber| matches!(self.names[*name as usize].destination, Destination::Unasked);
        let unasked: Vec<NameNumber> = names.iter().copied().filter(is_unasked).collect();
        if unasked.is_empty() {
            return Ok(());
        }
        let keys: Vec<NameKey> = unasked.iter().map(|&name| self.names[name as usize].key.clone()).collect();
        let states = self.facts.name_states(&keys)?;
        for (name, key) in unasked.into_iter().zip(keys) {
            let entity = states.get(&key).and_then(|state| state.entity);
            self.names[name as usize].destination = Destination::Told(entity);
        }
        Ok(())
    }

    /// When an operation brought an input and an output together, as far as the options let it be
    /// walked. Both names must lead to a vertex.
    pub(crate) fn meetings(&self, operation: EntityId, input: NameNumber, output: NameNumber) -> Vec<JudgedMeeting> {
        let Some(known) = self.operations.get(&operation) else {
            return Vec::new();
        };
        let (Some(source), Some(target)) = (self.vertex_of(input), self.vertex_of(output)) else {
            return Vec::new();
        };
        lives::meetings(&known.uses_of(input, Role::Input), &known.uses_of(output, Role::Output))
            .into_iter()
            .map(|meeting| JudgedMeeting {
                meeting,
                source_current: self.is_current(source, meeting.input),
                target_current: self.is_current(target, meeting.output),
            })
            .filter(|judged| {
                let current = judged.source_current && judged.target_current;
                self.options.had_been_seen(judged.meeting.first) && (current || !self.options.leaves_former_lives_out())
            })
            .collect()
    }

    /// When an operation used a name that leads to `vertex`, as far as the options let it be
    /// walked, each with whether it met the present life.
    pub(crate) fn uses(
        &self,
        operation: EntityId,
        name: NameNumber,
        role: Role,
        vertex: EntityId,
    ) -> Vec<(LifeUse, bool)> {
        let Some(known) = self.operations.get(&operation) else {
            return Vec::new();
        };
        known
            .uses_of(name, role)
            .into_iter()
            .map(|at| (at, self.is_current(vertex, at)))
            .filter(|(at, current)| {
                self.options.had_been_seen(at.first) && (*current || !self.options.leaves_former_lives_out())
            })
            .collect()
    }

    /// Whether the vertex is an operation: the root.
    pub(crate) fn is_operation(&self, vertex: EntityId) -> bool {
        self.vertices.get(&vertex).is_some_and(|known| matches!(known.content, Content::Operation))
    }

    /// An operation that was met, with everything that it uses.
    pub(crate) fn known_operation(&self, operation: EntityId) -> Option<&KnownOperation> {
        self.operations.get(&operation)
    }

    /// How a vertex that was met stands.
    pub(crate) fn standing(&self, vertex: EntityId) -> Standing {
        self.vertices.get(&vertex).map_or(Standing::Living, |known| known.standing)
    }

    /// What a vertex or operation that was met is.
    pub(crate) fn content(&self, vertex: EntityId) -> Option<NodeContent> {
        match self.vertices.get(&vertex).map(|known| &known.content) {
            Some(Content::Entity(entity)) => Some(NodeContent::Entity(Entity::clone(entity))),
            Some(Content::Unlinked(name)) => Some(NodeContent::Unlinked(self.names[*name as usize].key.clone())),
            Some(Content::Operation) | None => {
                self.operations.get(&vertex).map(|known| NodeContent::Operation(self.told_operation(known)))
            }
        }
    }

    /// The operation with its pairs by their names.
    fn told_operation(&self, known: &KnownOperation) -> Operation {
        let key_of = |name: NameNumber| self.names[name as usize].key.clone();
        let mut pairs: Vec<TablePair> = known
            .pairs
            .iter()
            .map(|pair| TablePair {
                input: key_of(pair.input),
                output: key_of(pair.output),
                data: pair.data,
                control: pair.control,
            })
            .collect();
        pairs.sort_unstable();
        Operation { pairs, ..known.operation.clone() }
    }

    /// What a vertex is called; an operation by its id.
    pub(crate) fn qualified_name(&self, vertex: EntityId) -> String {
        match self.vertices.get(&vertex).map(|known| &known.content) {
            Some(Content::Entity(entity)) => entity.qualified_name.clone(),
            Some(Content::Unlinked(name)) => self.names[*name as usize].key.qualified.clone(),
            Some(Content::Operation) | None => vertex.to_string(),
        }
    }

    /// How many inputs and outputs of an operation are known by name only, after
    /// [`Self::resolve_ends`].
    pub(crate) fn unlinked_ends(&self, operation: EntityId) -> [u64; 2] {
        let mut ends: [HashSet<NameNumber>; 2] = [HashSet::new(), HashSet::new()];
        let Some(known) = self.operations.get(&operation) else {
            return [0, 0];
        };
        for used in &known.uses {
            let unlinked = self.vertex_of(used.name).is_some_and(|vertex| self.standing(vertex) == Standing::Unlinked);
            if unlinked && self.options.had_been_seen(used.at.first) {
                ends[role_index(used.role)].insert(used.name);
            }
        }
        ends.map(|names| names.len() as u64)
    }

    /// How many operations were met whose records told no flows.
    pub(crate) fn operations_without_lineage(&self) -> u64 {
        self.operations.values().filter(|known| !known.operation.lineage_known).count() as u64
    }

    /// Finds out where all names lead that these operations use.
    pub(crate) fn resolve_ends(&mut self, operations: &[EntityId]) -> Result<(), StoreError> {
        let names: Vec<NameNumber> = operations
            .iter()
            .filter_map(|operation| self.operations.get(operation))
            .flat_map(|known| known.uses.iter().map(|used| used.name))
            .collect();
        self.resolve(names)
    }

    /// Whether a use of a vertex met its present life.
    pub(crate) fn is_current(&self, vertex: EntityId, at: LifeUse) -> bool {
        let latest = self.vertices.get(&vertex).and_then(|known| known.latest);
        latest.is_none_or(|latest| !latest.makes_former(at))
    }

    fn add_entity(&mut self, entity: Entity, lives: &[Life], standing: Standing) {
        let latest = LatestLife::of(lives, self.options.as_of);
        let id = entity.id;
        self.vertices
            .insert(id, KnownVertex { content: Content::Entity(Box::new(entity)), standing, latest, names: None });
    }

    fn add_unlinked(&mut self, name: NameNumber) -> EntityId {
        let id = self.names[name as usize].key.id();
        self.names[name as usize].destination = Destination::Vertex(id);
        self.vertices.entry(id).or_insert_with(|| KnownVertex {
            content: Content::Unlinked(name),
            standing: Standing::Unlinked,
            latest: None,
            names: Some(vec![name]),
        });
        id
    }

    /// The names that lead to a vertex, once loaded.
    pub(crate) fn names_of(&self, vertex: EntityId) -> &[NameNumber] {
        self.vertices.get(&vertex).and_then(|known| known.names.as_deref()).unwrap_or_default()
    }

    /// Finds out which names lead to these vertices.
    pub(crate) fn load_names(&mut self, vertices: &[EntityId]) -> Result<(), StoreError> {
        let nameless: Vec<EntityId> = vertices
            .iter()
            .copied()
            .filter(|id| {
                let vertex = self.vertices.get(id);
                vertex.is_some_and(|known| known.names.is_none() && matches!(known.content, Content::Entity(_)))
            })
            .collect();
        if nameless.is_empty() {
            return Ok(());
        }
        let mut found: HashMap<EntityId, Vec<NameNumber>> = HashMap::new();
        for (entity, key) in self.facts.names_of(self.viewer, &nameless)? {
            let number = self.number_of(&key);
            self.names[number as usize].destination = Destination::Vertex(entity);
            found.entry(entity).or_default().push(number);
        }
        for id in nameless {
            let vertex = self.vertices.get_mut(&id).expect("only known vertices are nameless");
            vertex.names = Some(found.remove(&id).unwrap_or_default());
        }
        Ok(())
    }

    /// Finds out which operations use these names on one side.
    pub(crate) fn load_users(&mut self, names: &[NameNumber], side: Side) -> Result<(), StoreError> {
        let role = side.near_role();
        let asked: Vec<NameNumber> =
            names.iter().copied().filter(|&name| self.users_at(name, role).is_none()).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let keys: Vec<NameKey> = asked.iter().map(|&name| self.names[name as usize].key.clone()).collect();
        let limit = USERS_LIMIT as u64 + 1;
        let users_of_each = self.facts.users_of_names(self.viewer, &keys, role, self.options.as_of, limit)?;
        for (name, users) in asked.into_iter().zip(users_of_each) {
            self.names[name as usize].users[role_index(role)] = Some(users);
        }
        Ok(())
    }

    fn users_at(&self, name: NameNumber, role: Role) -> Option<&[NameUser]> {
        self.names[name as usize].users[role_index(role)].as_deref()
    }

    /// Loads these operations with everything that they use.
    pub(crate) fn load_operations(&mut self, ids: &[EntityId]) -> Result<(), StoreError> {
        let asked: Vec<EntityId> = ids.iter().copied().filter(|id| !self.operations.contains_key(id)).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let flows = self.facts.flows_of_operations(self.viewer, &asked)?;
        let mut numbers: Vec<NameNumber> = Vec::with_capacity(flows.names.len());
        for (key, entity) in &flows.names {
            let number = self.number_of(key);
            let destination = &mut self.names[number as usize].destination;
            if matches!(destination, Destination::Unasked) {
                *destination = Destination::Told(*entity);
            }
            numbers.push(number);
        }
        let number_at = |place: u32| numbers[place as usize];
        for FlowingOperation { operation, pairs, uses } in flows.operations {
            let pairs = pairs.iter().map(|pair| NumberedPair {
                input: number_at(pair.input),
                output: number_at(pair.output),
                data: pair.data,
                control: pair.control,
            });
            let uses = uses.iter().map(|used| NumberedUse {
                name: number_at(used.name),
                role: used.role,
                at: LifeUse { life: used.life, first: used.first, last: used.last },
            });
            self.operations.insert(operation.id, KnownOperation::new(operation, pairs.collect(), uses.collect()));
        }
        Ok(())
    }

    /// The operations on one side of a vertex, each once, at most [`USERS_LIMIT`] of them.
    pub(crate) fn users_of(&self, vertex: EntityId, side: Side) -> Users {
        let mut last_uses: HashMap<EntityId, Timestamp> = HashMap::new();
        for &name in self.names_of(vertex) {
            for user in self.users_at(name, side.near_role()).unwrap_or_default() {
                let known = last_uses.entry(user.operation).or_insert(user.last);
                *known = user.last.max(*known);
            }
        }
        let mut users: Vec<(EntityId, Timestamp)> = last_uses.into_iter().collect();
        let cut = users.len() > USERS_LIMIT;
        if cut {
            users.sort_unstable_by_key(|&(operation, last)| (Reverse(last), operation));
            users.truncate(USERS_LIMIT);
        }
        let mut operations: Vec<EntityId> = users.into_iter().map(|(operation, _)| operation).collect();
        operations.sort_unstable();
        Users { operations, cut }
    }
}

const fn role_index(role: Role) -> usize {
    match role {
        Role::Input => 0,
        Role::Output => 1,
    }
}
