//! Which tables and paths hold the same data.
//!
//! A table lies where its source says. A path holds the data of the tables (and of the tables of
//! the partitions) that lie exactly there, also under one of its former names; where none does,
//! of those that lie in the nearest directory above, also under one of that directory's former names.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sextant_model::{Entity, EntityId, EntityType, NameKey, NameKind};
use sextant_store::StoreError;

use crate::above::directories_above;
use crate::answer::Placement;
use crate::ground::Ground;
use crate::terrain::Standing;

/// What holds the same data, as far as it was asked for.
#[derive(Debug, Default)]
pub(crate) struct Physical {
    /// Per vertex that was asked for what holds the same data.
    beside: HashMap<EntityId, BTreeSet<EntityId>>,
    /// By table and path.
    placements: BTreeMap<(EntityId, EntityId), Placement>,
    /// Tables whose source tells no location.
    unplaced: BTreeSet<EntityId>,
}

/// A table that an owner's location speaks for.
#[derive(Debug, Clone, Copy)]
struct Owner {
    table: EntityId,
    owner: EntityId,
}

impl Physical {
    /// What holds the same data as a vertex, after [`Self::load`]; ascending.
    pub(crate) fn beside(&self, vertex: EntityId) -> Vec<EntityId> {
        self.beside.get(&vertex).into_iter().flatten().copied().collect()
    }

    /// All pairs that were found.
    pub(crate) fn placements(&self) -> impl Iterator<Item = &Placement> {
        self.placements.values()
    }

    /// The tables that were asked for and whose source tells no location.
    pub(crate) fn unplaced(&self) -> impl Iterator<Item = EntityId> {
        self.unplaced.iter().copied()
    }

    /// Finds out what holds the same data as these vertices.
    pub(crate) fn load(&mut self, ground: &mut Ground<'_>, vertices: &[EntityId]) -> Result<(), StoreError> {
        let mut tables = Vec::new();
        let mut paths = Vec::new();
        let mut unlinked = Vec::new();
        for &vertex in vertices {
            if self.beside.contains_key(&vertex) {
                continue;
            }
            self.beside.insert(vertex, BTreeSet::new());
            match ground.entity_type(vertex) {
                Some(EntityType::Directory | EntityType::File) => paths.push(vertex),
                Some(EntityType::Table | EntityType::View) if ground.options.physical => tables.push(vertex),
                None if ground.standing(vertex) == Standing::Unlinked => unlinked.push(vertex),
                _ => {}
            }
        }
        ground.tell(&unlinked)?;
        let is_path = |vertex: &EntityId| ground.unlinked_name(*vertex).is_some_and(|name| name.kind == NameKind::Path);
        paths.extend(unlinked.into_iter().filter(is_path));
        self.load_tables(ground, &tables)?;
        self.load_paths(ground, &paths)
    }

    fn load_tables(&mut self, ground: &mut Ground<'_>, tables: &[EntityId]) -> Result<(), StoreError> {
        if tables.is_empty() {
            return Ok(());
        }
        let located = ground.facts.locations_of(ground.viewer, tables)?;
        let locations: Vec<NameKey> = located.iter().map(|(_, location)| location.clone()).collect();
        let destinations = destinations(ground, &locations)?;
        let mut unplaced: BTreeSet<EntityId> = tables.iter().copied().collect();
        for (table, location) in located {
            unplaced.remove(&table);
            if let Some(&path) = destinations.get(&location) {
                self.add(table, Placement { table, path, owner: table, location, below: false });
            }
        }
        unplaced.retain(|&table| ground.entity_type(table) == Some(EntityType::Table));
        self.unplaced.extend(unplaced);
        Ok(())
    }

    fn load_paths(&mut self, ground: &mut Ground<'_>, paths: &[EntityId]) -> Result<(), StoreError> {
        if paths.is_empty() {
            return Ok(());
        }
        ground.tell(paths)?;
        let mut names_of: HashMap<EntityId, Vec<NameKey>> = HashMap::new();
        for (path, name) in ground.facts.names_of(ground.viewer, paths)? {
            names_of.entry(path).or_default().push(name);
        }
        for &path in paths {
            if let Some(name) = ground.unlinked_name(path) {
                names_of.insert(path, vec![name.clone()]);
            }
        }
        let own_names: HashMap<EntityId, NameKey> =
            paths.iter().filter_map(|&path| Some((path, own_name(ground, path)?))).collect();
        let mut above_of = directories_above(ground.facts, ground.viewer, own_names.values())?;
        let mut asked: BTreeSet<NameKey> = names_of.values().flatten().cloned().collect();
        asked.extend(above_of.values().flatten().cloned());
        let asked: Vec<NameKey> = asked.into_iter().collect();
        let located = ground.facts.located_at(ground.viewer, &asked)?;
        let owners = self::owners(ground, located.iter().map(|(_, owner)| *owner))?;
        let mut tables_at: HashMap<NameKey, Vec<Owner>> = HashMap::new();
        for (name, owner) in located {
            if let Some(&table) = owners.get(&owner) {
                tables_at.entry(name).or_default().push(Owner { table, owner });
            }
        }
        for &path in paths {
            let mut exact = false;
            for location in names_of.get(&path).into_iter().flatten() {
                for &Owner { table, owner } in tables_at.get(location).into_iter().flatten() {
                    exact = true;
                    self.add(path, Placement { table, path, owner, location: location.clone(), below: false });
                }
            }
            if exact {
                continue;
            }
            let above = own_names.get(&path).and_then(|name| above_of.remove(name)).unwrap_or_default();
            let Some(location) = above.into_iter().find(|name| tables_at.contains_key(name)) else {
                continue;
            };
            for &Owner { table, owner } in &tables_at[&location] {
                self.add(path, Placement { table, path, owner, location: location.clone(), below: true });
            }
        }
        Ok(())
    }

    /// Notes a pair that was found from one of its ends.
    fn add(&mut self, from: EntityId, placement: Placement) {
        let other = if from == placement.table { placement.path } else { placement.table };
        self.beside.entry(from).or_default().insert(other);
        let says_it_itself = placement.owner == placement.table;
        match self.placements.entry((placement.table, placement.path)) {
            Entry::Vacant(vacant) => {
                vacant.insert(placement);
            }
            // The table's own word counts more than that of one of its partitions.
            Entry::Occupied(mut known) if says_it_itself => {
                known.insert(placement);
            }
            Entry::Occupied(_) => {}
        }
    }
}

/// Where locations lead: to the path that has the name, or to the name itself. One that was not there at the time that
/// is asked for is left out.
fn destinations(ground: &mut Ground<'_>, locations: &[NameKey]) -> Result<HashMap<NameKey, EntityId>, StoreError> {
    let mut destinations: HashMap<NameKey, EntityId> = HashMap::new();
    for (name, state) in ground.facts.name_states(locations)? {
        let path = state.entity.unwrap_or_else(|| ground.meet_name(&name));
        destinations.insert(name, path);
    }
    ground.tell(&destinations.values().copied().collect::<Vec<_>>())?;
    destinations.retain(|_, path| ground.knows(*path));
    Ok(destinations)
}

/// The present name of a path.
fn own_name(ground: &Ground<'_>, path: EntityId) -> Option<NameKey> {
    match ground.entity(path) {
        Some(entity) => Some(NameKey {
            cluster: entity.cluster.clone(),
            kind: NameKind::Path,
            qualified: entity.qualified_name.clone(),
        }),
        None => ground.unlinked_name(path).cloned(),
    }
}

/// The tables that these owners of locations stand for, as far as the options show them. Databases
/// stand for none: they have no lineage.
fn owners(
    ground: &mut Ground<'_>,
    owners: impl Iterator<Item = EntityId>,
) -> Result<HashMap<EntityId, EntityId>, StoreError> {
    let owners: HashSet<EntityId> = owners.collect();
    let owners: Vec<EntityId> = owners.into_iter().collect();
    let shown: Vec<Entity> = ground.facts.entities(ground.viewer, &owners)?;
    let mut tables: HashMap<EntityId, EntityId> = HashMap::new();
    for owner in &shown {
        match (owner.entity_type, owner.parent) {
            (EntityType::Table | EntityType::View, _) => {
                tables.insert(owner.id, owner.id);
            }
            (EntityType::Partition, Some(table)) if ground.options.deleted || !owner.is_deleted() => {
                tables.insert(owner.id, table);
            }
            _ => {}
        }
    }
    ground.tell(&tables.values().copied().collect::<Vec<_>>())?;
    tables.retain(|_, table| {
        ground.knows(*table) && (ground.options.deleted || ground.standing(*table) != Standing::Deleted)
    });
    Ok(tables)
}
