//! The columns' part of operations, as hyperedges over names.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use sextant_model::operation::SeenSpan;
use sextant_model::record::{FlowKind, Flows, Vertex};
use sextant_model::{EntityId, EntityType, NameKey};
use sextant_store::{NameRef, StoreError};

use crate::ground::Ground;
use crate::memory::NameNumber;

/// A view with more fields than this is not matched by position.
const FIELDS_LIMIT: u64 = 10_000;

/// A column of a name, or the named table as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NamedColumn {
    pub(crate) name: NameNumber,
    /// `None` for the table as a whole.
    pub(crate) column: Option<Rc<str>>,
}

/// Every source flows into every target.
#[derive(Debug)]
pub(crate) struct Hyperedge {
    pub(crate) kind: FlowKind,
    pub(crate) sources: Vec<NamedColumn>,
    pub(crate) targets: Vec<NamedColumn>,
    pub(crate) expression: Option<Rc<str>>,
}

/// One set of flows that an operation was seen with.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) seen: SeenSpan,
    pub(crate) edges: Vec<Hyperedge>,
}

/// The variants that were asked for, each operation read once.
#[derive(Default)]
pub(crate) struct Hyperedges {
    variants: HashMap<EntityId, Rc<[Variant]>>,
    keys: HashMap<NameNumber, Rc<NameKey>>,
    view_fields: HashMap<EntityId, Rc<[String]>>,
}

impl Hyperedges {
    /// The variants of an operation, the latest first, as far as the options let them be walked.
    pub(crate) fn of(&mut self, ground: &Ground<'_>, operation: EntityId) -> Result<Rc<[Variant]>, StoreError> {
        if let Some(known) = self.variants.get(&operation) {
            return Ok(Rc::clone(known));
        }
        let mut stored = ground.facts.variants(ground.viewer, operation)?;
        stored.retain(|variant| ground.options.were_seen(variant.seen.first, variant.seen.last));
        stored.sort_by_key(|variant| (std::cmp::Reverse(variant.seen.last), variant.id));
        let used = if stored.is_empty() { Vec::new() } else { self.names_of(ground, operation)? };
        let mut variants = Vec::with_capacity(stored.len());
        for variant in stored {
            let edges = self.numbered(ground, &variant.flows, &used)?;
            variants.push(Variant { seen: variant.seen, edges });
        }
        let variants: Rc<[Variant]> = variants.into();
        self.variants.insert(operation, Rc::clone(&variants));
        Ok(variants)
    }

    /// The names that an operation uses, which are those that its records mention.
    fn names_of(
        &mut self,
        ground: &Ground<'_>,
        operation: EntityId,
    ) -> Result<Vec<(NameNumber, Rc<NameKey>)>, StoreError> {
        let names = ground.known_operation(operation).map(|known| known.names).unwrap_or_default();
        let unknown: Vec<NameNumber> = names.iter().copied().filter(|name| !self.keys.contains_key(name)).collect();
        let refs: Vec<NameRef> = unknown.iter().map(|&name| ground.graph.name_ref(name)).collect();
        for (name, (key, _)) in unknown.into_iter().zip(ground.facts.names(ground.viewer, &refs)?) {
            self.keys.insert(name, Rc::new(key));
        }
        Ok(names.into_iter().map(|name| (name, Rc::clone(&self.keys[&name]))).collect())
    }

    fn numbered(
        &mut self,
        ground: &Ground<'_>,
        flows: &Flows,
        used: &[(NameNumber, Rc<NameKey>)],
    ) -> Result<Vec<Hyperedge>, StoreError> {
        let mut names: Vec<Option<NameNumber>> = Vec::with_capacity(flows.tables.len());
        for table in &flows.tables {
            let (kind, qualified) = (table.name.kind(), table.name.qualified());
            let mentioned = used.iter().find(|(_, key)| key.kind == kind && key.qualified == qualified);
            names.push(mentioned.map(|(name, _)| *name));
        }
        let columns: Vec<Option<NamedColumn>> = flows.vertices.iter().map(|vertex| named(vertex, &names)).collect();
        let by_position = self.columns_by_position(ground, flows, &columns)?;

        let mut edges = Vec::with_capacity(flows.edges.len());
        for edge in &flows.edges {
            let at = |index: &u32| columns.get(*index as usize).cloned().flatten();
            let target_at = |index: &u32| by_position.get(index).cloned().or_else(|| at(index));
            edges.push(Hyperedge {
                kind: edge.kind,
                sources: edge.sources.iter().filter_map(at).collect(),
                targets: edge.targets.iter().filter_map(target_at).collect(),
                expression: edge.expression.as_deref().map(Rc::from),
            });
        }
        Ok(edges)
    }

    /// Hive up to 3.1 names the columns of the view's select where the view has a column list of
    /// its own. They are as many as the view's fields, and in their order.
    fn columns_by_position(
        &mut self,
        ground: &Ground<'_>,
        flows: &Flows,
        columns: &[Option<NamedColumn>],
    ) -> Result<HashMap<u32, NamedColumn>, StoreError> {
        let is_target: HashSet<u32> = flows.edges.iter().flat_map(|edge| edge.targets.iter().copied()).collect();
        let mut targets_of: HashMap<NameNumber, Vec<u32>> = HashMap::new();
        for (index, column) in (0_u32..).zip(columns) {
            if let Some(NamedColumn { name, column: Some(_) }) = column
                && is_target.contains(&index)
            {
                targets_of.entry(*name).or_default().push(index);
            }
        }
        let mut matched = HashMap::new();
        for (name, targets) in targets_of {
            let Some(view) = ground.vertex_of(name) else {
                continue;
            };
            if ground.entity_type(view) != Some(EntityType::View) {
                continue;
            }
            let fields = self.fields_of(ground, view, ground.is_deleted_now(view))?;
            let is_field = |index: &u32| {
                let column = columns[*index as usize].as_ref().and_then(|column| column.column.as_deref());
                column.is_some_and(|column| fields.iter().any(|field| field == column))
            };
            if targets.len() == fields.len() && !targets.iter().all(is_field) {
                for (index, field) in targets.into_iter().zip(fields.iter()) {
                    matched.insert(index, NamedColumn { name, column: Some(Rc::from(field.as_str())) });
                }
            }
        }
        Ok(matched)
    }

    fn fields_of(&mut self, ground: &Ground<'_>, view: EntityId, deleted: bool) -> Result<Rc<[String]>, StoreError> {
        if let Some(known) = self.view_fields.get(&view) {
            return Ok(Rc::clone(known));
        }
        let fields: Rc<[String]> = ground
            .facts
            .children(ground.viewer, view, 0, FIELDS_LIMIT)?
            .into_iter()
            .filter(|child| child.entity_type == EntityType::Field && (deleted || !child.is_deleted()))
            .map(|field| field.original_name)
            .collect();
        self.view_fields.insert(view, Rc::clone(&fields));
        Ok(fields)
    }
}

/// The column behind a vertex, if its table's name was ever seen: every table that an operation
/// uses was.
fn named(vertex: &Vertex, names: &[Option<NameNumber>]) -> Option<NamedColumn> {
    let name_of = |table: u32| names.get(table as usize).copied().flatten();
    match vertex {
        Vertex::Column { table, column } => {
            Some(NamedColumn { name: name_of(*table)?, column: Some(Rc::from(column.as_str())) })
        }
        Vertex::Table { table } => Some(NamedColumn { name: name_of(*table)?, column: None }),
        Vertex::Result { .. } => None,
    }
}
