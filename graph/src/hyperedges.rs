//! The columns' part of operations, as hyperedges over names.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use sextant_model::{EntityId, EntityType};
use sextant_store::StoreError;

use crate::ground::Ground;
use crate::memory::{FlowSet, Hyperedge, Kind, NameNumber, NamedColumn};
use crate::options::Side;

/// A view with more fields than this is not matched by position.
const FIELDS_LIMIT: u64 = 10_000;

const VIEW: Kind = Kind::Entity(EntityType::View);

/// One set of flows that an operation was seen with.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) set: FlowSet,
    /// By their places: targets that are another column than the record says.
    by_position: HashMap<u32, NamedColumn>,
}

impl Variant {
    /// The sources of an edge, as far as a table keeps them.
    pub(crate) fn sources<'s>(&'s self, edge: &Hyperedge) -> impl Iterator<Item = &'s NamedColumn> + use<'s> {
        self.ends(edge, Side::Upstream)
    }

    /// The targets of an edge, as far as a table keeps them.
    pub(crate) fn targets<'s>(&'s self, edge: &Hyperedge) -> impl Iterator<Item = &'s NamedColumn> + use<'s> {
        self.ends(edge, Side::Downstream)
    }

    /// What of an edge lies on a side, as far as a table keeps it.
    pub(crate) fn ends<'s>(&'s self, edge: &Hyperedge, side: Side) -> impl Iterator<Item = &'s NamedColumn> + use<'s> {
        let places = match side {
            Side::Upstream => self.set.sources(edge),
            Side::Downstream => self.set.targets(edge),
        };
        let renamed = move |place| (side == Side::Downstream).then(|| self.by_position.get(place)).flatten();
        places.iter().filter_map(move |place| renamed(place).or_else(|| self.set.vertex(*place)))
    }

    /// What it mentions of nested columns.
    pub(crate) fn nested(&self) -> impl Iterator<Item = &NamedColumn> {
        let is_nested = |named: &&NamedColumn| named.column.as_deref().is_some_and(|column| column.contains('.'));
        self.set.vertices.iter().flatten().chain(self.by_position.values()).filter(is_nested)
    }
}

/// The variants that were asked for, each operation read once.
#[derive(Default)]
pub(crate) struct Hyperedges {
    variants: HashMap<EntityId, Rc<[Variant]>>,
    view_fields: HashMap<EntityId, Rc<[String]>>,
}

impl Hyperedges {
    /// The variants of an operation, the latest first, as far as the options let them be walked.
    pub(crate) fn of(&mut self, ground: &Ground<'_>, operation: EntityId) -> Result<Rc<[Variant]>, StoreError> {
        if let Some(known) = self.variants.get(&operation) {
            return Ok(Rc::clone(known));
        }
        let sets = ground.graph.operation(operation).map(|number| ground.graph.flow_sets(number)).unwrap_or_default();
        let mut variants = Vec::with_capacity(sets.len());
        for set in sets.into_iter().filter(|set| ground.options.were_seen(set.first, set.last)) {
            let by_position = self.columns_by_position(ground, &set)?;
            variants.push(Variant { set, by_position });
        }
        let variants: Rc<[Variant]> = variants.into();
        self.variants.insert(operation, Rc::clone(&variants));
        Ok(variants)
    }

    /// Hive up to 3.1 names the columns of the view's select where the view has a column list of
    /// its own. They are as many as the view's fields, and in their order.
    fn columns_by_position(
        &mut self,
        ground: &Ground<'_>,
        set: &FlowSet,
    ) -> Result<HashMap<u32, NamedColumn>, StoreError> {
        let mut matched = HashMap::new();
        let mut names: Vec<NameNumber> = set.vertices.iter().flatten().map(|column| column.name).collect();
        names.dedup();
        let is_view =
            |name: &NameNumber| ground.destination(*name).is_some_and(|vertex| ground.graph.kind(vertex) == VIEW);
        if !names.iter().any(is_view) {
            return Ok(matched);
        }
        let is_target: HashSet<u32> = set.edges.iter().flat_map(|edge| set.targets(edge)).copied().collect();
        let mut targets_of: HashMap<NameNumber, Vec<u32>> = HashMap::new();
        for (index, column) in (0_u32..).zip(&set.vertices) {
            if let Some(NamedColumn { name, column: Some(_) }) = column
                && is_target.contains(&index)
                && is_view(name)
            {
                targets_of.entry(*name).or_default().push(index);
            }
        }
        for (name, targets) in targets_of {
            let Some(view) = ground.vertex_of(name) else {
                continue;
            };
            let fields = self.fields_of(ground, view, ground.is_deleted_now(view))?;
            let is_field = |index: &u32| {
                let column = set.vertices[*index as usize].as_ref().and_then(|column| column.column.as_deref());
                column.is_some_and(|column| fields.iter().any(|field| field == column))
            };
            if targets.len() == fields.len() && !targets.iter().all(is_field) {
                for (index, field) in targets.into_iter().zip(fields.iter()) {
                    matched.insert(index, NamedColumn { name, column: Some(Arc::from(field.as_str())) });
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
