//! The ground of a walk from column to column.
//!
//! Lies on top of [`Tables`]: the operations next to a column are those next to its table, and
//! each of them knows as hyperedges which columns flow into which. A table that counts as a whole
//! (`count(*)`) is a vertex of its own: the table.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet};
use sextant_model::name::split_qualified;
use sextant_model::operation::Role;
use sextant_model::record::FlowKind;
use sextant_model::{Entity, EntityId, ObjectName};
use sextant_store::StoreError;

use crate::answer::NodeContent;
use crate::ground::{Ground, JudgedMeeting};
use crate::hyperedges::{Hyperedges, Variant};
use crate::lives::Existence;
use crate::memory::{NameNumber, NamedColumn, OperationNumber};
use crate::operations::KnownOperation;
use crate::options::Side;
use crate::physical::Physical;
use crate::tables::Tables;
use crate::terrain::{Expansion, ExpansionBuilder, Link, Standing, Terrain, Touch};

/// The columns around the walk, as far as it went.
pub(crate) struct Columns<'a> {
    tables: Tables<'a>,
    hyperedges: Hyperedges,
    known: HashMap<EntityId, KnownColumn>,
    /// Where paths into nested columns lead: to a column whose own name has dots, or to the
    /// column at the path's beginning.
    nested: HashMap<(EntityId, Arc<str>), EntityId>,
    expansions: HashMap<(EntityId, Side), Expansion>,
}

/// The columns that are being expanded, by table and name.
type NearColumns = HashMap<EntityId, HashMap<Arc<str>, EntityId>>;

struct KnownColumn {
    table: EntityId,
    /// `None` for the table as a whole.
    column: Option<Arc<str>>,
    field: Option<Entity>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(mut tables: Tables<'a>) -> Self {
        // A column is the same column in every life of its table.
        tables.ground.folded = None;
        Self {
            tables,
            hyperedges: Hyperedges::default(),
            known: HashMap::default(),
            nested: HashMap::default(),
            expansions: HashMap::default(),
        }
    }

    /// Makes a column of a known table the root.
    pub(crate) fn add_root(&mut self, table: EntityId, column: &str) -> Result<EntityId, StoreError> {
        let column = column.to_lowercase();
        let id = EntityId::of_field(table, &column);
        self.known.insert(id, KnownColumn { table, column: Some(Arc::from(column)), field: None });
        self.load_fields(&[id])?;
        Ok(id)
    }

    fn load_fields(&mut self, ids: &[EntityId]) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        for field in self.tables.ground.facts.entities(self.tables.ground.viewer, ids)? {
            if let Some(known) = self.known.get_mut(&field.id) {
                known.field = Some(field);
            }
        }
        Ok(())
    }

    /// Finds out where the paths into nested columns lead that these variants mention.
    fn resolve_nested(&mut self, variants: &[Variant]) -> Result<(), StoreError> {
        let mut unknown: HashMap<EntityId, (EntityId, Arc<str>)> = HashMap::default();
        for named in variants.iter().flat_map(Variant::nested) {
            let (Some(table), Some(column)) = (self.tables.ground.vertex_of(named.name), &named.column) else {
                continue;
            };
            if !self.nested.contains_key(&(table, Arc::clone(column))) {
                unknown.insert(EntityId::of_field(table, column), (table, Arc::clone(column)));
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let ids: Vec<EntityId> = unknown.keys().copied().collect();
        let listed: BTreeSet<EntityId> = self
            .tables
            .ground
            .facts
            .entities(self.tables.ground.viewer, &ids)?
            .into_iter()
            .map(|field| field.id)
            .collect();
        for (id, (table, path)) in unknown {
            let leads_to = if listed.contains(&id) { id } else { EntityId::of_field(table, first_step(&path)) };
            self.nested.insert((table, path), leads_to);
        }
        Ok(())
    }

    fn vertex_of(&self, named: &NamedColumn) -> Option<EntityId> {
        let table = self.tables.ground.vertex_of(named.name)?;
        match &named.column {
            None => Some(table),
            Some(path) if path.contains('.') => self.nested.get(&(table, Arc::clone(path))).copied(),
            Some(column) => Some(EntityId::of_field(table, column)),
        }
    }

    /// The same for one that is being expanded.
    fn near_vertex(&self, named: &NamedColumn, near: &NearColumns) -> Option<EntityId> {
        match &named.column {
            Some(column) if !column.contains('.') => {
                near.get(&self.tables.ground.vertex_of(named.name)?)?.get(column).copied()
            }
            _ => self.vertex_of(named),
        }
    }

    /// Notes a column that was met; `true` when it was not known.
    fn meet(&mut self, vertex: EntityId, named: &NamedColumn) -> bool {
        if self.known.contains_key(&vertex) {
            return false;
        }
        let Some(table) = self.tables.ground.vertex_of(named.name) else {
            return false;
        };
        let column = named.column.as_ref().map(|path| {
            let is_nested = path.contains('.') && vertex != EntityId::of_field(table, path);
            if is_nested { Arc::from(first_step(path)) } else { Arc::clone(path) }
        });
        self.known.insert(vertex, KnownColumn { table, column, field: None });
        true
    }

    fn add_flows(
        &mut self,
        known: &KnownOperation,
        variants: &[Variant],
        side: Side,
        near_columns: &NearColumns,
        fresh: &mut HashMap<EntityId, ExpansionBuilder>,
    ) -> Vec<EntityId> {
        let mut met = Vec::new();
        for variant in variants {
            let mut meetings: HashMap<(NameNumber, NameNumber), Vec<JudgedMeeting>> = HashMap::default();
            for edge in &variant.set.edges {
                let (data, control) = (edge.kind == FlowKind::Data, edge.kind == FlowKind::Control);
                if !self.tables.ground.options.walks(data, control) {
                    continue;
                }
                for near in variant.ends(edge, side.other()) {
                    let Some(near_vertex) = self.near_vertex(near, near_columns) else {
                        continue;
                    };
                    let Some(builder) = fresh.get_mut(&near_vertex) else {
                        continue;
                    };
                    if side == Side::Upstream || variant.ends(edge, side).next().is_some() {
                        let touch = Touch {
                            operation: known.id,
                            data: data || side == Side::Upstream,
                            control: control && side == Side::Downstream,
                            first: variant.set.first,
                            last: variant.set.last,
                            current: false,
                        };
                        self.add_touches(builder, touch, known, near.name, side.near_role());
                    }
                    for far in variant.ends(edge, side) {
                        let Some(far_vertex) = self.vertex_of(far) else {
                            continue;
                        };
                        let (source, target) = match side {
                            Side::Upstream => (far_vertex, near_vertex),
                            Side::Downstream => (near_vertex, far_vertex),
                        };
                        let names = match side {
                            Side::Upstream => (far.name, near.name),
                            Side::Downstream => (near.name, far.name),
                        };
                        let together = meetings
                            .entry(names)
                            .or_insert_with(|| self.tables.ground.meetings(known, names.0, names.1).collect());
                        for judged in together {
                            let first = judged.meeting.first.max(variant.set.first);
                            let last = judged.meeting.last.min(variant.set.last);
                            if first > last || !self.tables.ground.options.were_seen(first, last) {
                                continue;
                            }
                            builder.add_link(Link {
                                source,
                                target,
                                operation: known.id,
                                // Known once its column is.
                                far: Standing::Living,
                                data,
                                control,
                                first,
                                last,
                                current: judged.source_current && judged.target_current,
                                source_current: judged.source_current,
                                target_current: judged.target_current,
                            });
                        }
                        if self.meet(far_vertex, far) {
                            met.push(far_vertex);
                        }
                    }
                }
            }
        }
        met
    }

    fn add_touches(
        &self,
        builder: &mut ExpansionBuilder,
        variant: Touch,
        operation: &KnownOperation,
        name: NameNumber,
        role: Role,
    ) {
        let Some(table) = self.tables.ground.destination(name) else {
            return;
        };
        for (at, current) in self.tables.ground.uses(operation, name, role, table) {
            let (first, last) = (at.first.max(variant.first), at.last.min(variant.last));
            if first <= last && self.tables.ground.options.were_seen(first, last) {
                builder.add_touch(Touch { first, last, current, ..variant });
            }
        }
    }

    /// The rows of a table that is folded are those of its inputs; a shown table ends the walk.
    fn add_whole_tables(&mut self, tables: &[EntityId], fresh: &mut HashMap<EntityId, ExpansionBuilder>) {
        for &table in tables {
            if self.tables.ground.options.deleted || self.tables.ground.standing(table) != Standing::Deleted {
                continue;
            }
            let (Some(expansion), Some(builder)) =
                (self.tables.expansion(table, Side::Upstream), fresh.get_mut(&table))
            else {
                continue;
            };
            for &link in &expansion.links {
                builder.add_link(link);
                self.known.entry(link.source).or_insert(KnownColumn { table: link.source, column: None, field: None });
            }
            for &touch in &expansion.touches {
                builder.add_touch(touch);
            }
        }
    }
}

impl Terrain for Columns<'_> {
    fn expand(&mut self, vertices: &[EntityId], side: Side) -> Result<(), StoreError> {
        let mut fresh: HashMap<EntityId, ExpansionBuilder> = vertices
            .iter()
            .filter(|&&vertex| !self.expansions.contains_key(&(vertex, side)))
            .map(|&vertex| (vertex, ExpansionBuilder::default()))
            .collect();
        if fresh.is_empty() {
            return Ok(());
        }
        let met = || fresh.keys().filter_map(|vertex| self.known.get(vertex));
        let whole: Vec<EntityId> = met().filter(|known| known.column.is_none()).map(|known| known.table).collect();
        let mut near_columns = NearColumns::default();
        for (&vertex, known) in fresh.keys().filter_map(|vertex| Some((vertex, self.known.get(vertex)?))) {
            if let Some(column) = &known.column {
                near_columns.entry(known.table).or_default().insert(Arc::clone(column), vertex);
            }
        }
        self.tables.expand(&whole, side)?;

        let mut users: Vec<OperationNumber> = Vec::new();
        for &table in near_columns.keys() {
            let Some(table) = self.tables.ground.graph.vertex(table) else {
                continue;
            };
            let (of_table, crowded) = self.tables.ground.users(table, side);
            self.tables.ground.crowded |= crowded;
            users.extend(of_table);
        }
        users.sort_unstable();
        users.dedup();
        let mut met = Vec::new();
        let mut operation = KnownOperation::default();
        for user in users {
            if self.tables.ground.is_exhausted() {
                break;
            }
            self.tables.ground.read_operation(user, &mut operation);
            let variants = self.hyperedges.of(&self.tables.ground, operation.id)?;
            self.tables.ground.spend(variants.iter().map(|variant| variant.set.ends_count()).sum());
            self.resolve_nested(&variants)?;
            met.extend(self.add_flows(&operation, &variants, side, &near_columns, &mut fresh));
        }
        if side == Side::Upstream {
            self.add_whole_tables(&whole, &mut fresh);
        }
        self.load_fields(&met)?;
        for (vertex, builder) in fresh {
            let mut expansion = builder.finish();
            for link in &mut expansion.links {
                link.far = self.standing(link.far_end(side));
            }
            self.expansions.insert((vertex, side), expansion);
        }
        Ok(())
    }

    /// What lies around a column is known with its far ends.
    fn expand_to(&mut self, vertices: &[EntityId], side: Side, _: &FxHashSet<EntityId>) -> Result<(), StoreError> {
        self.expand(vertices, side)
    }

    fn expansion(&self, vertex: EntityId, side: Side) -> Option<&Expansion> {
        self.expansions.get(&(vertex, side))
    }

    /// Columns of one table have its operations in common.
    fn look_around(&mut self, vertices: &[EntityId], side: Side) -> Result<(), StoreError> {
        self.expand(vertices, side)
    }

    fn far_ends(&mut self, vertex: EntityId, side: Side) -> Result<Vec<(EntityId, Standing)>, StoreError> {
        self.expand(&[vertex], side)?;
        Ok(self.expansion(vertex, side).map(|expansion| expansion.far_ends(side)).unwrap_or_default())
    }

    /// The other columns that its table's operations have to do with are not read for a count.
    fn glance(&mut self, vertex: EntityId, side: Side, operations: usize) -> (Vec<(EntityId, Standing)>, bool) {
        let table = self.known.get(&vertex).map(|known| known.table);
        let (ends, is_least) = table.map(|table| self.tables.glance(table, side, operations)).unwrap_or_default();
        (Vec::new(), is_least || !ends.is_empty())
    }

    /// A column lies where its table does: the walk stays with columns.
    fn load_beside(&mut self, _: &[EntityId]) -> Result<(), StoreError> {
        Ok(())
    }

    fn beside(&self, _: EntityId) -> Vec<EntityId> {
        Vec::new()
    }

    fn physical(&self) -> &Physical {
        self.tables.physical()
    }

    fn ground(&self) -> &Ground<'_> {
        &self.tables.ground
    }

    fn tell(&mut self, vertices: &[EntityId]) -> Result<(), StoreError> {
        let tables: BTreeSet<EntityId> =
            vertices.iter().map(|vertex| self.known.get(vertex).map_or(*vertex, |known| known.table)).collect();
        self.tables.ground.tell(&tables.into_iter().collect::<Vec<_>>())
    }

    fn standing(&self, vertex: EntityId) -> Standing {
        let Some(known) = self.known.get(&vertex) else {
            return Standing::Living;
        };
        let of_table = self.tables.ground.standing(known.table);
        match &known.field {
            Some(field) if of_table == Standing::Living => {
                Existence::of(field, Vec::new()).standing(self.tables.ground.options.as_of).unwrap_or(Standing::Living)
            }
            _ => of_table,
        }
    }

    fn content(&self, vertex: EntityId) -> Option<NodeContent> {
        let Some(known) = self.known.get(&vertex) else {
            return self.tables.ground.content(vertex);
        };
        let Some(column) = &known.column else {
            return self.tables.ground.content(known.table);
        };
        if let Some(field) = &known.field {
            return Some(NodeContent::Entity(field.clone()));
        }
        Some(NodeContent::Column {
            table: known.table,
            column: column.as_ref().to_owned(),
            qualified_name: self.qualified_name(vertex),
            unlinked: self.tables.ground.standing(known.table) == Standing::Unlinked,
        })
    }

    fn qualified_name(&self, vertex: EntityId) -> String {
        let Some(known) = self.known.get(&vertex) else {
            return self.tables.ground.qualified_name(vertex);
        };
        qualified_column(&self.tables.ground.qualified_name(known.table), known.column.as_deref())
    }
}

/// The column at the beginning of a path into a nested type.
pub(crate) fn first_step(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// `db.table.column`; `db.table` for the table as a whole.
pub(crate) fn qualified_column(table: &str, column: Option<&str>) -> String {
    let Some(column) = column else {
        return table.to_owned();
    };
    match split_qualified(table).as_slice() {
        [database, relation] if !table.starts_with('/') => {
            ObjectName::relation(database, relation).qualified_column(column)
        }
        _ => format!("{table}.{column}"),
    }
}
