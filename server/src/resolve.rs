//! From what a person calls something to the thing itself. The one place that decides it.
//!
//! - An id (32 hexadecimal digits) works everywhere.
//! - A bare name means the one living entity of that name, `default.` first; when none lives, the
//!   one that is deleted.
//! - `db.table`, `db.table.column` and `/path` mean exactly that; metastore names in any case.
//! - `hdfs://authority/path` is the path of the file system that is configured to have that address.
//! - A path that a directory or file had before leads to it as long as no other has it.
//! - Of several things of one name the living ones come first, then the deleted, then the names
//!   that no source has shown. Several of the same rank are ambiguous.

use std::collections::BTreeSet;

use sextant_model::location::{FileSystems, LocationRule};
use sextant_model::name::split_qualified;
use sextant_model::operation::Execution;
use sextant_model::{Entity, EntityId, EntityType, NameKey, NameKind, ObjectName, Viewer};
use sextant_store::{Facts, StoreError};

/// Candidates that are listed for an ambiguous name.
const MAX_CANDIDATES: u64 = 50;

/// What somebody asks for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The name or id as typed.
    pub name: &'a str,
    /// Only in this cluster (under its first name).
    pub cluster: Option<&'a str>,
    /// Only of this type.
    pub entity_type: Option<EntityType>,
    /// What paths with an address mean.
    pub file_systems: &'a FileSystems,
}

/// What a name leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolved {
    /// Something that a source has shown.
    Entity(Box<Entity>),
    /// A statement shape.
    Operation(EntityId),
    /// One run.
    Execution(Box<Execution>),
    /// A name that operations use and no source has shown.
    Unlinked(NameKey),
    /// A column that the catalog does not list, of a table that it does.
    UnlistedColumn {
        /// The table.
        table: Box<Entity>,
        /// The column, in lower case.
        column: String,
    },
}

/// Why a name leads to nothing, or to too much.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// Nothing has that name.
    #[error("nothing is called {0:?}")]
    NotFound(String),
    /// Several things have that name.
    #[error("{name:?} is ambiguous: {} things are called so", candidates.len())]
    Ambiguous {
        /// The name as typed.
        name: String,
        /// The entities.
        candidates: Vec<Entity>,
        /// Names that no source has shown.
        unlinked: Vec<NameKey>,
    },
    /// The facts cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Finds what is meant.
pub fn resolve(facts: &dyn Facts, viewer: &Viewer, wanted: Wanted<'_>) -> Result<Resolved, ResolveError> {
    let name = wanted.name.trim();
    if let Ok(id) = name.parse::<EntityId>()
        && let Some(resolved) = by_id(facts, viewer, id)?
    {
        return Ok(resolved);
    }
    let finder = Finder { facts, viewer, wanted };
    if is_location(name) {
        return finder.location(name);
    }
    let parts: Vec<String> = split_qualified(name).into_iter().map(|part| part.to_lowercase()).collect();
    if parts.iter().any(String::is_empty) {
        return Err(finder.not_found());
    }
    match parts.as_slice() {
        [bare] => finder.bare(bare),
        [database, relation] => finder.relation(database, relation),
        // Columns of nested types have dots of their own.
        [database, relation, column @ ..] => finder.column(database, relation, &column.join(".")),
        [] => Err(finder.not_found()),
    }
}

/// `/path`, which may have a colon, or a path behind a scheme. A name of the metastore has no `:/`.
fn is_location(name: &str) -> bool {
    name.starts_with('/') || name.split_once(':').is_some_and(|(_, path)| path.starts_with('/'))
}

fn by_id(facts: &dyn Facts, viewer: &Viewer, id: EntityId) -> Result<Option<Resolved>, StoreError> {
    if let Some(entity) = facts.entities(viewer, &[id])?.pop() {
        return Ok(Some(Resolved::Entity(Box::new(entity))));
    }
    if !facts.bare_operations(viewer, &[id])?.is_empty() {
        return Ok(Some(Resolved::Operation(id)));
    }
    if let Some(execution) = facts.executions(viewer, &[id])?.pop() {
        return Ok(Some(Resolved::Execution(Box::new(execution))));
    }
    // The address of a name leads on to its entity once it is linked.
    match facts.name_by_id(viewer, id)? {
        Some((_, Some(entity))) => {
            Ok(facts.entities(viewer, &[entity])?.pop().map(|entity| Resolved::Entity(Box::new(entity))))
        }
        Some((name, None)) => Ok(Some(Resolved::Unlinked(name))),
        None => Ok(None),
    }
}

/// Everything that has a name, by rank.
#[derive(Default)]
struct Found {
    living: Vec<Entity>,
    gone: Vec<Entity>,
    unlinked: Vec<NameKey>,
}

impl Found {
    /// Takes up what is not known yet.
    fn add(&mut self, entity: Entity) {
        let rank = if entity.is_deleted() { &mut self.gone } else { &mut self.living };
        if !rank.iter().any(|known| known.id == entity.id) {
            rank.push(entity);
        }
    }

    fn join(&mut self, other: Self) {
        for entity in other.living.into_iter().chain(other.gone) {
            self.add(entity);
        }
        self.unlinked.extend(other.unlinked);
    }
}

struct Finder<'a> {
    facts: &'a dyn Facts,
    viewer: &'a Viewer,
    wanted: Wanted<'a>,
}

impl Finder<'_> {
    fn not_found(&self) -> ResolveError {
        ResolveError::NotFound(self.wanted.name.chars().take(200).collect())
    }

    fn is_wanted(&self, entity: &Entity) -> bool {
        self.wanted.entity_type.is_none_or(|wanted| wanted == entity.entity_type)
    }

    fn by_qualified(&self, qualified: &str, kind: NameKind) -> Result<Found, ResolveError> {
        let mut found = Found::default();
        for (name, entity) in self.facts.find_name(self.viewer, self.wanted.cluster, qualified)? {
            if name.kind != kind {
                continue;
            }
            let Some(id) = entity else {
                if self.wanted.entity_type.is_none() {
                    found.unlinked.push(name);
                }
                continue;
            };
            for entity in self.facts.entities(self.viewer, &[id])? {
                if self.is_wanted(&entity) {
                    found.add(entity);
                }
            }
        }
        Ok(found)
    }

    /// The only one of the highest rank that has any.
    fn one_of(&self, found: Found) -> Result<Resolved, ResolveError> {
        for mut entities in [found.living, found.gone] {
            if entities.len() == 1 {
                return Ok(Resolved::Entity(Box::new(entities.remove(0))));
            }
            if !entities.is_empty() {
                return Err(self.ambiguous(entities, Vec::new()));
            }
        }
        let mut unlinked = found.unlinked;
        if unlinked.len() == 1 {
            return Ok(Resolved::Unlinked(unlinked.remove(0)));
        }
        if unlinked.is_empty() { Err(self.not_found()) } else { Err(self.ambiguous(Vec::new(), unlinked)) }
    }

    fn ambiguous(&self, candidates: Vec<Entity>, unlinked: Vec<NameKey>) -> ResolveError {
        ResolveError::Ambiguous { name: self.wanted.name.chars().take(200).collect(), candidates, unlinked }
    }

    /// What has this path, as every cluster understands it.
    fn location(&self, location: &str) -> Result<Resolved, ResolveError> {
        let clusters: BTreeSet<&str> = match self.wanted.cluster {
            Some(cluster) => BTreeSet::from([cluster]),
            None => self.wanted.file_systems.0.iter().map(|file_system| file_system.cluster.as_str()).collect(),
        };
        let mut names: BTreeSet<(Option<String>, String)> = BTreeSet::new();
        for cluster in clusters {
            let place = self.wanted.file_systems.place(cluster, location);
            let told_by_address = matches!(place.rule, LocationRule::Address { .. });
            let cluster = told_by_address.then_some(place.name.cluster);
            names.insert((cluster, place.name.qualified));
        }
        if names.is_empty() {
            names.insert((None, FileSystems::default().place("", location).name.qualified));
        }
        let mut found = Found::default();
        for (cluster, qualified) in &names {
            let cluster = cluster.as_deref().or(self.wanted.cluster);
            let finder = Finder { wanted: Wanted { cluster, ..self.wanted }, ..*self };
            found.join(finder.by_qualified(qualified, NameKind::Path)?);
        }
        self.one_of(found)
    }

    fn bare(&self, bare: &str) -> Result<Resolved, ResolveError> {
        let in_default = self.by_qualified(&ObjectName::relation("default", bare).qualified(), NameKind::Relation)?;
        if !in_default.living.is_empty() {
            return self.one_of(in_default);
        }
        let mut found = in_default;
        let anywhere = self.facts.find_relation(self.viewer, self.wanted.cluster, bare, MAX_CANDIDATES)?;
        let databases = self.by_qualified(&ObjectName::database(bare).qualified(), NameKind::Database)?;
        found.unlinked.extend(databases.unlinked);
        for entity in anywhere.into_iter().chain(databases.living).chain(databases.gone) {
            if self.is_wanted(&entity) {
                found.add(entity);
            }
        }
        self.one_of(found)
    }

    fn relation(&self, database: &str, relation: &str) -> Result<Resolved, ResolveError> {
        let qualified = ObjectName::relation(database, relation).qualified();
        self.one_of(self.by_qualified(&qualified, NameKind::Relation)?)
    }

    fn column(&self, database: &str, relation: &str, column: &str) -> Result<Resolved, ResolveError> {
        // The type narrows the column, not the table that holds it.
        let tables = Finder { wanted: Wanted { entity_type: None, ..self.wanted }, ..*self };
        let Resolved::Entity(table) = tables.relation(database, relation)? else {
            return Err(self.not_found());
        };
        let field = EntityId::of_field(table.id, column);
        match self.facts.entities(self.viewer, &[field])?.pop() {
            Some(field) if self.is_wanted(&field) => Ok(Resolved::Entity(Box::new(field))),
            Some(_) => Err(self.not_found()),
            None => Ok(Resolved::UnlistedColumn { table, column: column.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_have_a_colon() {
        for location in ["/", "/w/a", "/w/a:b", "/w/t=10:30/f", "hdfs://prod/w", "hdfs:/w"] {
            assert!(is_location(location), "{location}");
        }
        for name in ["a", "db.t", "db.t.c:d", "", ":"] {
            assert!(!is_location(name), "{name}");
        }
    }
}
