//! The graph in memory: who uses which name, where names lead, and what is there.
//!
//! Guaranteed:
//!
//! - It is a function of the facts that it was told: told part by part, in any order and again, it
//!   answers as one that was built anew of the same facts.
//! - It knows no texts: what a walk shows is read from the store.
//!
//! Names, vertices (entities, and names that lead nowhere) and operations have numbers in the
//! order in which they came. Whatever varies in length lies in one of three allocations (`slabs`);
//! an operation's uses and pairs are packed (`record`), and so are the flows of its columns
//! (`flows`). All of a relation, with its share of the names, tables and operations, is some 55
//! bytes, and each column in a statement's flows two or three more.

mod flows;
mod ids;
mod record;
mod slabs;
mod vertex;

use std::hint::black_box;

use sextant_model::operation::Role;
use sextant_model::{EntityId, EntityType, Timestamp};
use sextant_store::{ColumnFlows, EntityShape, GraphPart, NameRef, OperationFlows, UsedName};

use crate::lives::{Existence, LifeUse};
use crate::operations::{KnownOperation, NamePair, NameUse};
use flows::ColumnNames;
pub(crate) use flows::{FlowSet, Hyperedge, NamedColumn};
use ids::Numbers;
use slabs::{Slab, Slabs};
pub(crate) use vertex::{Kind, PackedLives};

/// A name in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NameNumber(u32);

/// An operation in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OperationNumber(u32);

/// A vertex in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct VertexNumber(u32);

/// Stands for none, among numbers.
const NONE: u32 = u32::MAX;

/// Everything that walks go over.
#[derive(Debug, Default)]
pub struct Graph {
    /// By how the store numbers names: the number here, or [`NONE`].
    numbers_of_names: Vec<u32>,
    names: Vec<NameEntry>,
    vertices: Vec<VertexEntry>,
    numbers_of_vertices: Numbers,
    operations: Vec<OperationEntry>,
    numbers_of_operations: Numbers,
    /// Names of vertices, users of names.
    lists: Slabs<u32>,
    /// Operations and entities, packed.
    records: Slabs<u8>,
    /// How columns flow in operations, packed. Walks over tables have no use for it.
    flows: Slabs<u8>,
    columns: ColumnNames,
    /// How many uses of a name by an operation.
    relations: u64,
    /// Where records are written before they have a place.
    scratch: Vec<u8>,
}

#[derive(Debug)]
struct NameEntry {
    name: NameRef,
    /// The vertex that it leads to; [`NONE`] for a name that only pairs mention.
    vertex: u32,
    /// By role: the operations that read it, and those that write it.
    users: [Slab; 2],
}

#[derive(Debug)]
struct VertexEntry {
    id: EntityId,
    kind: Kind,
    deleted: bool,
    /// The number of its latest life; [`NONE`] where no life is known.
    latest_life: u32,
    names: Slab,
    existence: Slab,
}

#[derive(Debug)]
struct OperationEntry {
    id: EntityId,
    lineage_known: bool,
    /// Whether it has pairs.
    has_pairs: bool,
    /// When a run of it was seen last.
    last: Timestamp,
    record: Slab,
    flows: Slab,
}

/// How large a graph is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Names that operations use.
    pub names: u64,
    /// Operations.
    pub operations: u64,
    /// Uses of a name by an operation.
    pub relations: u64,
    /// Memory that is allocated for all of it.
    pub bytes: u64,
}

impl Graph {
    /// Takes in a part of the facts in the place of what is known of it.
    pub fn apply(&mut self, part: &GraphPart) {
        for name in &part.names {
            self.put_name(name);
        }
        for entity in &part.entities {
            self.put_entity(entity);
        }
        for operation in &part.operations {
            self.put_operation(operation);
        }
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let bytes = self.numbers_of_names.capacity() * size_of::<u32>()
            + self.names.capacity() * size_of::<NameEntry>()
            + self.vertices.capacity() * size_of::<VertexEntry>()
            + self.operations.capacity() * size_of::<OperationEntry>()
            + self.numbers_of_vertices.bytes()
            + self.numbers_of_operations.bytes()
            + self.lists.bytes()
            + self.records.bytes()
            + self.flows.bytes()
            + self.columns.bytes();
        Size {
            names: self.names.len() as u64,
            operations: self.operations.len() as u64,
            relations: self.relations,
            bytes: bytes as u64,
        }
    }

    fn put_name(&mut self, told: &UsedName) {
        let name = self.number_name(told.name);
        let vertex = match told.entity {
            Some(entity) => self.number_vertex(entity, Kind::Absent),
            None => self.number_vertex(told.address, Kind::Unlinked),
        };
        let before = self.names[name as usize].vertex;
        if before == vertex {
            return;
        }
        if before != NONE {
            self.lists.remove(&mut self.vertices[before as usize].names, name);
        }
        self.names[name as usize].vertex = vertex;
        self.lists.push(&mut self.vertices[vertex as usize].names, name);
    }

    /// One that no used name leads to is left out.
    fn put_entity(&mut self, told: &EntityShape) {
        let Some(number) = self.numbers_of_vertices.find(told.id, |number| self.vertices[number as usize].id) else {
            return;
        };
        let vertex = &mut self.vertices[number as usize];
        vertex.kind = Kind::Entity(told.entity_type);
        vertex.deleted = told.deleted;
        vertex.latest_life = told.lives.iter().map(|life| life.number).max().unwrap_or(NONE);
        self.records.set(&mut vertex.existence, &vertex::encode(told));
    }

    fn put_operation(&mut self, told: &OperationFlows) {
        let mut uses: Vec<NameUse> = Vec::with_capacity(told.uses.len());
        for used in &told.uses {
            let at = LifeUse { life: used.life, first: used.first, last: used.last };
            uses.push(NameUse { name: NameNumber(self.number_name(used.name)), role: used.role, at });
        }
        let mut pairs: Vec<NamePair> = Vec::with_capacity(told.pairs.len());
        for pair in &told.pairs {
            let (input, output) = (self.number_name(pair.input), self.number_name(pair.output));
            pairs.push(NamePair {
                input: NameNumber(input),
                output: NameNumber(output),
                data: pair.data,
                control: pair.control,
            });
        }
        let mut bytes = std::mem::take(&mut self.scratch);
        record::encode(&mut uses, &pairs, &mut bytes);

        let number = self.number_operation(told.id);
        let mut before: Vec<(NameNumber, Role)> = Vec::new();
        record::used_names(self.records.get(self.operations[number as usize].record), |name, role| {
            before.push((name, role));
        });
        self.relations = self.relations + uses.len() as u64 - before.len() as u64;
        before.dedup();
        let mut now: Vec<(NameNumber, Role)> = uses.iter().map(|used| (used.name, used.role)).collect();
        now.dedup();
        for &(name, role) in before.iter().filter(|used| now.binary_search(used).is_err()) {
            self.lists.remove(&mut self.names[name.0 as usize].users[role_index(role)], number);
        }
        for &(name, role) in now.iter().filter(|used| before.binary_search(used).is_err()) {
            self.lists.push(&mut self.names[name.0 as usize].users[role_index(role)], number);
        }
        let operation = &mut self.operations[number as usize];
        operation.lineage_known = told.lineage_known;
        operation.has_pairs = !told.pairs.is_empty();
        operation.last = uses.iter().map(|used| used.at.last).max().unwrap_or_default();
        self.records.set(&mut operation.record, &bytes);
        let mut sets: Vec<FlowSet> = told.columns.iter().map(|told| self.flow_set(told)).collect();
        flows::encode(&mut sets, &mut self.columns, &mut bytes);
        self.flows.set(&mut self.operations[number as usize].flows, &bytes);
        self.scratch = bytes;
    }

    fn flow_set(&mut self, told: &ColumnFlows) -> FlowSet {
        let mut vertices = Vec::with_capacity(told.vertices.len());
        for vertex in &told.vertices {
            vertices.push(vertex.as_ref().map(|told| NamedColumn {
                name: NameNumber(self.number_name(told.name)),
                column: told.column.as_deref().map(|text| self.columns.shared(text)),
            }));
        }
        let mut set = FlowSet::new(told.variant, told.first, told.last, vertices);
        for edge in &told.edges {
            set.add_edge(edge.kind, &edge.sources, &edge.targets);
        }
        set
    }

    fn number_name(&mut self, name: NameRef) -> u32 {
        let place = name.number() as usize;
        if self.numbers_of_names.len() <= place {
            self.numbers_of_names.resize(place + 1, NONE);
        }
        if self.numbers_of_names[place] == NONE {
            self.numbers_of_names[place] = self.names.len() as u32;
            self.names.push(NameEntry { name, vertex: NONE, users: [Slab::default(); 2] });
        }
        self.numbers_of_names[place]
    }

    fn number_vertex(&mut self, id: EntityId, kind: Kind) -> u32 {
        if let Some(known) = self.numbers_of_vertices.find(id, |number| self.vertices[number as usize].id) {
            return known;
        }
        let number = self.vertices.len() as u32;
        let (names, existence) = (Slab::default(), Slab::default());
        self.vertices.push(VertexEntry { id, kind, deleted: false, latest_life: NONE, names, existence });
        self.numbers_of_vertices.insert(id, number, |number| self.vertices[number as usize].id);
        number
    }

    fn number_operation(&mut self, id: EntityId) -> u32 {
        if let Some(known) = self.numbers_of_operations.find(id, |number| self.operations[number as usize].id) {
            return known;
        }
        let number = self.operations.len() as u32;
        let (last, record, flows) = (Timestamp::default(), Slab::default(), Slab::default());
        self.operations.push(OperationEntry { id, lineage_known: false, has_pairs: false, last, record, flows });
        self.numbers_of_operations.insert(id, number, |number| self.operations[number as usize].id);
        number
    }

    // --- what walks read ---

    /// How the store numbers a name.
    pub(crate) fn name_ref(&self, name: NameNumber) -> NameRef {
        self.names[name.0 as usize].name
    }

    /// The vertex of an id, if names that operations use lead to it.
    pub(crate) fn vertex(&self, id: EntityId) -> Option<VertexNumber> {
        let number = self.numbers_of_vertices.find(id, |number| self.vertices[number as usize].id)?;
        let vertex = &self.vertices[number as usize];
        (vertex.kind != Kind::Absent && vertex.names.len() > 0).then_some(VertexNumber(number))
    }

    /// The vertex that a name leads to.
    pub(crate) fn vertex_of(&self, name: NameNumber) -> Option<VertexNumber> {
        let number = self.names[name.0 as usize].vertex;
        (number != NONE && self.vertices[number as usize].kind != Kind::Absent).then_some(VertexNumber(number))
    }

    /// The id of a vertex: the entity's, or a name's address.
    pub(crate) fn vertex_id(&self, vertex: VertexNumber) -> EntityId {
        self.vertices[vertex.0 as usize].id
    }

    pub(crate) fn kind(&self, vertex: VertexNumber) -> Kind {
        self.vertices[vertex.0 as usize].kind
    }

    /// Whether an entity is deleted now.
    pub(crate) fn is_deleted(&self, vertex: VertexNumber) -> bool {
        self.vertices[vertex.0 as usize].deleted
    }

    /// Since when an entity is there, and whether it still is.
    pub(crate) fn existence(&self, vertex: VertexNumber) -> Existence<PackedLives<'_>> {
        let entry = &self.vertices[vertex.0 as usize];
        vertex::decode(entry.id, self.records.get(entry.existence))
    }

    /// The number of the latest of an entity's lives.
    pub(crate) fn latest_life(&self, vertex: VertexNumber) -> Option<u32> {
        let number = self.vertices[vertex.0 as usize].latest_life;
        (number != NONE).then_some(number)
    }

    /// The names that lead to a vertex.
    pub(crate) fn names_of(&self, vertex: VertexNumber) -> impl Iterator<Item = NameNumber> + '_ {
        self.lists.get(self.vertices[vertex.0 as usize].names).iter().map(|&number| NameNumber(number))
    }

    /// The operations that use a name in a role, in no particular order.
    pub(crate) fn users(&self, name: NameNumber, role: Role) -> impl Iterator<Item = OperationNumber> + '_ {
        let users = self.names[name.0 as usize].users[role_index(role)];
        self.lists.get(users).iter().map(|&number| OperationNumber(number))
    }

    /// How many they are.
    pub(crate) fn count_users(&self, name: NameNumber, role: Role) -> usize {
        self.names[name.0 as usize].users[role_index(role)].len()
    }

    /// When an operation used a name in a role, one per life.
    pub(crate) fn uses_of(&self, operation: OperationNumber, name: NameNumber, role: Role, take: impl FnMut(LifeUse)) {
        record::uses_of(self.records.get(self.operations[operation.0 as usize].record), name, role, take);
    }

    /// The number of an operation that is told.
    pub(crate) fn operation(&self, id: EntityId) -> Option<OperationNumber> {
        self.numbers_of_operations.find(id, |number| self.operations[number as usize].id).map(OperationNumber)
    }

    pub(crate) fn operation_id(&self, operation: OperationNumber) -> EntityId {
        self.operations[operation.0 as usize].id
    }

    /// Whether what an operation reads may go anywhere: not in a plain query, whose records told
    /// its flows and that it writes nothing.
    pub(crate) fn hands_on(&self, operation: OperationNumber) -> bool {
        let entry = &self.operations[operation.0 as usize];
        entry.has_pairs || !entry.lineage_known
    }

    /// When a run of an operation was seen last.
    pub(crate) fn last_seen(&self, operation: OperationNumber) -> Timestamp {
        self.operations[operation.0 as usize].last
    }

    /// How columns flow in an operation, the latest first.
    pub(crate) fn flow_sets(&self, operation: OperationNumber) -> Vec<FlowSet> {
        flows::decode(self.flows.get(self.operations[operation.0 as usize].flows), &self.columns)
    }

    /// Touches what a walk is about to read of these operations and of what they use. Memory brings
    /// many things at a time where none has to be read to know the next; a walk that reads one
    /// operation after the other waits for each of its tables.
    pub(crate) fn bring_near(&self, operations: &[OperationNumber]) {
        let records: Vec<Slab> = operations.iter().map(|number| self.operations[number.0 as usize].record).collect();
        let mut touched: u64 = records
            .iter()
            .map(|&record| u64::from(self.records.get(record).first().copied().unwrap_or_default()))
            .sum();
        let mut names: Vec<NameNumber> = Vec::new();
        for &record in &records {
            record::names(self.records.get(record), &mut names);
        }
        let vertices: Vec<u32> = names.iter().map(|name| self.names[name.0 as usize].vertex).collect();
        let known = vertices.iter().filter_map(|&number| self.vertices.get(number as usize));
        touched += known.map(|vertex| u64::from(vertex.latest_life)).sum::<u64>();
        black_box(touched);
    }

    /// Reads an operation in the place of another.
    pub(crate) fn read_operation(&self, operation: OperationNumber, into: &mut KnownOperation) {
        let entry = &self.operations[operation.0 as usize];
        into.id = entry.id;
        into.lineage_known = entry.lineage_known;
        record::decode(self.records.get(entry.record), into);
    }
}

impl Kind {
    /// The type of an entity.
    pub(crate) fn entity_type(self) -> Option<EntityType> {
        match self {
            Self::Entity(entity_type) => Some(entity_type),
            Self::Unlinked | Self::Absent => None,
        }
    }
}

const fn role_index(role: Role) -> usize {
    match role {
        Role::Input => 0,
        Role::Output => 1,
    }
}
