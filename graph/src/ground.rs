//! What a walk over tables has learnt so far: names, the vertices that they lead to, operations.
//!
//! Everything is loaded in batches and kept for the rest of the walk. Names are meant by how the
//! store numbers them, and read only when it matters where they lead.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use sextant_model::operation::{Operation, Role, TablePair};
use sextant_model::{Entity, EntityId, Life, NameKey, Timestamp, Viewer};
use sextant_store::{Facts, NameRef, NameUser, OperationRef, StoreError};

use crate::answer::NodeContent;
use crate::lives::{self, LatestLife, LifeUse, Meeting};
use crate::operations::KnownOperation;
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
    names: HashMap<NameRef, KnownName>,
    vertices: HashMap<EntityId, KnownVertex>,
    operations: HashMap<EntityId, KnownOperation>,
    /// The operations that were asked for; `None` for one that is not there for the viewer.
    operation_ids: HashMap<OperationRef, Option<EntityId>>,
    /// Whether everything that is shown has been met, and what is met from now on is only counted:
    /// whether a flow into it is history does not matter any more.
    counting: bool,
    /// Whether some table had more operations on a side than were looked at.
    pub(crate) crowded: bool,
}

#[derive(Default)]
struct KnownName {
    /// Once it was read.
    key: Option<NameKey>,
    destination: Destination,
    /// By role: the operations that read it, and those that write it. One more than
    /// [`USERS_LIMIT`] if there are more.
    users: [Option<Vec<NameUser>>; 2],
}

/// Where a name leads.
#[derive(Clone, Copy, Default)]
enum Destination {
    /// Nobody asked yet.
    #[default]
    Unasked,
    /// To this vertex: an entity, or the name itself while it is unlinked.
    Vertex(EntityId),
    /// To something that the viewer may not see, or that was not there yet.
    Nowhere,
}

struct KnownVertex {
    content: Content,
    standing: Standing,
    latest: Option<LatestLife>,
    names: Option<Vec<NameRef>>,
}

enum Content {
    Entity(Box<Entity>),
    Unlinked(NameKey),
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
            names: HashMap::new(),
            vertices: HashMap::new(),
            operations: HashMap::new(),
            operation_ids: HashMap::new(),
            counting: false,
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
                let named = self.facts.name_refs(self.viewer, &[key])?;
                let Some(name) = named.first().copied().flatten() else {
                    return Ok(None);
                };
                self.resolve([name])?;
                Ok(self.vertex_of(name))
            }
        }
    }

    /// From now on what is met is only counted.
    pub(crate) fn only_count(&mut self) {
        self.counting = true;
    }

    /// Makes an operation known as the root; `false` when it is not there for the viewer.
    pub(crate) fn add_root_operation(&mut self, id: EntityId) -> Result<bool, StoreError> {
        let Some(operation) = self.facts.operation_ref(self.viewer, id)? else {
            return Ok(false);
        };
        self.load_operations([operation])?;
        if !self.operations.contains_key(&id) {
            return Ok(false);
        }
        let vertex = KnownVertex { content: Content::Operation, standing: Standing::Living, latest: None, names: None };
        self.vertices.insert(id, vertex);
        Ok(true)
    }

    /// The vertex that a name leads to, as far as it was asked for.
    pub(crate) fn vertex_of(&self, name: NameRef) -> Option<EntityId> {
        match self.names.get(&name)?.destination {
            Destination::Vertex(vertex) => Some(vertex),
            Destination::Unasked | Destination::Nowhere => None,
        }
    }

    /// The entity behind a vertex.
    pub(crate) fn entity(&self, vertex: EntityId) -> Option<&Entity> {
        match &self.vertices.get(&vertex)?.content {
            Content::Entity(entity) => Some(entity),
            Content::Unlinked(_) | Content::Operation => None,
        }
    }

    /// Finds out where these names lead, and what they are.
    pub(crate) fn resolve(&mut self, names: impl IntoIterator<Item = NameRef>) -> Result<(), StoreError> {
        let mut asked: HashSet<NameRef> = HashSet::new();
        for name in names {
            if self.names.get(&name).is_none_or(|known| known.key.is_none()) {
                asked.insert(name);
            }
        }
        if asked.is_empty() {
            return Ok(());
        }
        let asked: Vec<NameRef> = asked.into_iter().collect();
        let told = self.facts.names(self.viewer, &asked)?;
        let mut linked: Vec<(NameRef, EntityId)> = Vec::new();
        let mut unknown: HashSet<EntityId> = HashSet::new();
        for (name, (key, entity)) in asked.into_iter().zip(told) {
            match entity {
                None => self.add_unlinked(name, &key),
                Some(entity) => {
                    linked.push((name, entity));
                    if !self.vertices.contains_key(&entity) {
                        unknown.insert(entity);
                    }
                }
            }
            self.names.entry(name).or_default().key = Some(key);
        }
        self.load_entities(&unknown.into_iter().collect::<Vec<_>>())?;
        for (name, entity) in linked {
            let seen = self.vertices.contains_key(&entity);
            self.names.entry(name).or_default().destination =
                if seen { Destination::Vertex(entity) } else { Destination::Nowhere };
        }
        Ok(())
    }

    /// Makes these entities known, as far as they are there for the viewer.
    pub(crate) fn meet(&mut self, ids: impl IntoIterator<Item = EntityId>) -> Result<(), StoreError> {
        let unknown: HashSet<EntityId> = ids.into_iter().filter(|id| !self.vertices.contains_key(id)).collect();
        self.load_entities(&unknown.into_iter().collect::<Vec<_>>())
    }

    /// Whether anything is known of a vertex.
    pub(crate) fn knows(&self, vertex: EntityId) -> bool {
        self.vertices.contains_key(&vertex)
    }

    /// The name of a vertex that no source has shown.
    pub(crate) fn unlinked_name(&self, vertex: EntityId) -> Option<&NameKey> {
        match &self.vertices.get(&vertex)?.content {
            Content::Unlinked(name) => Some(name),
            Content::Entity(_) | Content::Operation => None,
        }
    }

    fn load_entities(&mut self, ids: &[EntityId]) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        let lives_matter = !self.counting || self.options.leaves_former_lives_out();
        let mut lives_of = if lives_matter { self.facts.lives(ids)? } else { HashMap::new() };
        for entity in self.facts.entities(self.viewer, ids)? {
            let lives = lives_of.remove(&entity.id).unwrap_or_default();
            if let Some(standing) = lives::standing(&entity, &lives, self.options.as_of) {
                self.add_entity(entity, &lives, standing);
            }
        }
        Ok(())
    }

    /// When an operation brought an input and an output together, as far as the options let it be
    /// walked. Both names must lead to a vertex.
    pub(crate) fn meetings(&self, operation: EntityId, input: NameRef, output: NameRef) -> Vec<JudgedMeeting> {
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
        name: NameRef,
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
            Some(Content::Unlinked(key)) => Some(NodeContent::Unlinked(key.clone())),
            Some(Content::Operation) | None => {
                self.operations.get(&vertex).map(|known| NodeContent::Operation(self.told_operation(known)))
            }
        }
    }

    /// The operation with its pairs by their names, after [`Self::resolve_ends`].
    fn told_operation(&self, known: &KnownOperation) -> Operation {
        let key_of = |name: NameRef| self.names.get(&name).and_then(|known| known.key.clone());
        let mut pairs: Vec<TablePair> = Vec::with_capacity(known.pairs.len());
        for pair in &known.pairs {
            if let (Some(input), Some(output)) = (key_of(pair.input), key_of(pair.output)) {
                pairs.push(TablePair { input, output, data: pair.data, control: pair.control });
            }
        }
        pairs.sort_unstable();
        Operation { pairs, ..known.operation.clone() }
    }

    /// What a vertex is called; an operation by its id.
    pub(crate) fn qualified_name(&self, vertex: EntityId) -> String {
        match self.vertices.get(&vertex).map(|known| &known.content) {
            Some(Content::Entity(entity)) => entity.qualified_name.clone(),
            Some(Content::Unlinked(key)) => key.qualified.clone(),
            Some(Content::Operation) | None => vertex.to_string(),
        }
    }

    /// How many inputs and outputs of an operation are known by name only, after
    /// [`Self::resolve_ends`].
    pub(crate) fn unlinked_ends(&self, operation: EntityId) -> [u64; 2] {
        let mut ends: [HashSet<NameRef>; 2] = [HashSet::new(), HashSet::new()];
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
        let names: Vec<NameRef> = operations
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

    fn add_unlinked(&mut self, name: NameRef, key: &NameKey) {
        let id = key.id();
        self.names.entry(name).or_default().destination = Destination::Vertex(id);
        self.vertices.entry(id).or_insert_with(|| KnownVertex {
            content: Content::Unlinked(key.clone()),
            standing: Standing::Unlinked,
            latest: None,
            names: Some(vec![name]),
        });
    }

    /// The names that lead to a vertex, once loaded.
    pub(crate) fn names_of(&self, vertex: EntityId) -> &[NameRef] {
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
        let mut found: HashMap<EntityId, Vec<NameRef>> = HashMap::new();
        for (entity, name) in self.facts.name_refs_of(self.viewer, &nameless)? {
            self.names.entry(name).or_default().destination = Destination::Vertex(entity);
            found.entry(entity).or_default().push(name);
        }
        for id in nameless {
            let vertex = self.vertices.get_mut(&id).expect("only known vertices are nameless");
            vertex.names = Some(found.remove(&id).unwrap_or_default());
        }
        Ok(())
    }

    /// Finds out which operations use these names on one side, and loads them.
    pub(crate) fn load_users(&mut self, names: &[NameRef], side: Side) -> Result<(), StoreError> {
        let role = side.near_role();
        let asked: Vec<NameRef> = names.iter().copied().filter(|&name| self.users_at(name, role).is_none()).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let limit = USERS_LIMIT as u64 + 1;
        let users_of_each = self.facts.users_of_names(self.viewer, &asked, role, self.options.as_of, limit)?;
        let operations: HashSet<OperationRef> = users_of_each.iter().flatten().map(|user| user.operation).collect();
        for (name, users) in asked.into_iter().zip(users_of_each) {
            self.names.entry(name).or_default().users[role_index(role)] = Some(users);
        }
        self.load_operations(operations)
    }

    fn users_at(&self, name: NameRef, role: Role) -> Option<&[NameUser]> {
        self.names.get(&name)?.users[role_index(role)].as_deref()
    }

    /// Loads these operations with everything that they use.
    fn load_operations(&mut self, operations: impl IntoIterator<Item = OperationRef>) -> Result<(), StoreError> {
        let asked: Vec<OperationRef> =
            operations.into_iter().filter(|operation| !self.operation_ids.contains_key(operation)).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let told = self.facts.flows(self.viewer, &asked)?;
        for operation in asked {
            self.operation_ids.insert(operation, None);
        }
        for (operation, flows) in told {
            let id = flows.operation.id;
            self.operation_ids.insert(operation, Some(id));
            self.operations.insert(id, KnownOperation::new(flows));
        }
        Ok(())
    }

    /// The operations on one side of a vertex, each once, at most [`USERS_LIMIT`] of them.
    pub(crate) fn users_of(&self, vertex: EntityId, side: Side) -> Users {
        let mut last_uses: HashMap<EntityId, Timestamp> = HashMap::new();
        for &name in self.names_of(vertex) {
            for user in self.users_at(name, side.near_role()).unwrap_or_default() {
                if let Some(operation) = self.operation_ids.get(&user.operation).copied().flatten() {
                    let known = last_uses.entry(operation).or_insert(user.last);
                    *known = user.last.max(*known);
                }
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
