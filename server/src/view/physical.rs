//! Where data lies: from a table to its directory, and from a path to the tables around it.
//!
//! Whatever rests on a file system says which state of it.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;
use sextant_graph::directories_above;
use sextant_model::location::FileSystems;
use sextant_model::{Entity, EntityId, EntityState, EntityType, NameKey, NameKind, Timestamp, Viewer};
use sextant_store::{Facts, StoreError};
use utoipa::ToSchema;

use super::location::LocationMeaning;
use super::namespace::NamespaceState;
use super::words::{EntityStateWord, EntityTypeWord};
use super::{Object, in_seconds, location, namespace};

/// Of each list of tables at most this many are shown.
const LISTED: usize = 100;
/// Of the tables below a directory the first ones are shown.
const LISTED_BELOW: usize = 20;
/// At most this many locations below a directory are looked at.
const LOOKED_AT_BELOW: u64 = 5_000;

/// The properties of its directory that a table shows.
const SHOWN_OF_DIRECTORY: &[&str] = &[
    "owner",
    "group",
    "permissions",
    "lastModified",
    "fileCount",
    "directoryCount",
    "totalSize",
    "totalSizeWithCopies",
    "smallFileCount",
    "storagePolicy",
    "erasureCodingPolicy",
    "encryptionKey",
    "nameQuota",
    "spaceQuota",
    "trash",
    "movedToTrash",
];

/// Where the data of a database, table or partition lies.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocationAnswer {
    #[serde(flatten)]
    meaning: LocationMeaning,
    /// The directory, if a file system has shown it.
    #[schema(required)]
    directory: Option<DirectoryAnswer>,
    /// What a person must know of a directory that does not stand where it is expected.
    #[schema(required)]
    note: Option<String>,
    /// How many others have their data in the same place.
    also_here_total: usize,
    /// The first 100 of these.
    also_here: Vec<OwnerAnswer>,
}

/// What a table shows of its directory.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DirectoryAnswer {
    #[schema(value_type = String)]
    id: EntityId,
    #[serde(rename = "type")]
    #[schema(value_type = EntityTypeWord)]
    entity_type: EntityType,
    qualified_name: String,
    deleted: bool,
    #[schema(value_type = EntityStateWord)]
    state: EntityState,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    delete_time: Option<Timestamp>,
    /// `owner`, `group`, `permissions`, `lastModified`, `fileCount`, `totalSize`, `trash`, ... as far as they are known.
    #[serde(flatten)]
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    properties: Object,
    /// Bytes by the quarter in which their files were last changed, the newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_changed: Option<Vec<QuarterAnswer>>,
}

/// Bytes of files that were last changed in one quarter of a year.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuarterAnswer {
    /// `2026Q4`.
    quarter: String,
    #[schema(value_type = u64)]
    bytes: Value,
}

/// A database, table or partition with its location.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnerAnswer {
    #[schema(value_type = String)]
    id: EntityId,
    #[serde(rename = "type")]
    #[schema(value_type = EntityTypeWord)]
    entity_type: EntityType,
    qualified_name: String,
    cluster: String,
    deleted: bool,
    #[schema(value_type = EntityStateWord)]
    state: EntityState,
    /// As the metastore writes it.
    #[schema(required)]
    location: Option<String>,
    /// The path that is meant.
    path: String,
}

/// Which databases, tables and partitions have their data around a path.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "they stand among the fields of the path itself")]
pub struct AroundAnswer {
    /// How many have it at the path.
    located_here_total: usize,
    /// The first 100 of these.
    located_here: Vec<OwnerAnswer>,
    /// How many have it at the nearest directory above that is a table's or database's.
    located_above_total: usize,
    /// The first 100 of these.
    located_above: Vec<OwnerAnswer>,
    located_below: BelowAnswer,
}

/// What lives below a directory.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BelowAnswer {
    databases: u64,
    tables: u64,
    partitions: u64,
    /// Whether the numbers are all of them; if not, there are more.
    is_exact: bool,
    /// The first 20 tables.
    first: Vec<OwnerAnswer>,
}

/// Reads what lies where.
pub struct Physical<'a> {
    /// The facts.
    pub facts: &'a dyn Facts,
    /// Who asks.
    pub viewer: &'a Viewer,
    /// What locations mean.
    pub file_systems: &'a FileSystems,
}

impl Physical<'_> {
    /// Which state of the file system is known that an extractor shows.
    pub fn state(&self, source: &str) -> Result<Option<NamespaceState>, StoreError> {
        Ok(self.facts.last_stamp(source)?.map(|stamp| namespace::state(source, &stamp)))
    }

    /// Where the data of a database, table or partition lies.
    pub fn location(&self, entity: &Entity) -> Result<Option<LocationAnswer>, StoreError> {
        let Some(written) = written_location(entity) else {
            return Ok(None);
        };
        let (meaning, place) = location::location(self.file_systems, &entity.cluster, written);
        let directory = self.entity_at(&place.name)?;
        let note = self.note(&place.name, location::shown_by(&place.rule), directory.as_ref())?;
        let others: Vec<(NameKey, EntityId)> = self
            .facts
            .located_at(self.viewer, std::slice::from_ref(&place.name))?
            .into_iter()
            .filter(|(_, owner)| *owner != entity.id)
            .collect();
        let (also_here_total, also_here) = self.listed_owners(&others)?;
        let directory = directory.as_ref().map(of_directory);
        Ok(Some(LocationAnswer { meaning, directory, note, also_here_total, also_here }))
    }

    /// On which state of a file system a location rests: `None` where no extractor shows the file system, and
    /// `Some(None)` where it has not been shown yet.
    pub fn state_of_location(&self, location: &LocationAnswer) -> Result<Option<Option<NamespaceState>>, StoreError> {
        location.meaning.file_system.as_deref().map(|source| self.state(source)).transpose()
    }

    /// Which tables lie at, above and below a directory or file.
    pub fn around(&self, entity: &Entity) -> Result<AroundAnswer, StoreError> {
        let own_name =
            NameKey { cluster: entity.cluster.clone(), kind: NameKind::Path, qualified: entity.qualified_name.clone() };
        let names: Vec<NameKey> =
            self.facts.names_of(self.viewer, &[entity.id])?.into_iter().map(|(_, name)| name).collect();
        self.around_names(&own_name, &names)
    }

    /// Which tables lie at, above and below a path that no file system has shown.
    pub fn around_name(&self, name: &NameKey) -> Result<AroundAnswer, StoreError> {
        self.around_names(name, std::slice::from_ref(name))
    }

    /// Why no file system has shown a path, and on which state of one that rests (as of [`Self::state_of_location`]).
    pub fn why_not_shown(
        &self,
        name: &NameKey,
    ) -> Result<(Option<String>, Option<Option<NamespaceState>>), StoreError> {
        let place = self.file_systems.place(&name.cluster, &name.qualified);
        let source = location::shown_by(&place.rule);
        Ok((self.note(name, source, None)?, source.map(|source| self.state(source)).transpose()?))
    }

    fn around_names(&self, own_name: &NameKey, names: &[NameKey]) -> Result<AroundAnswer, StoreError> {
        let (located_here_total, located_here) = self.listed_owners(&self.facts.located_at(self.viewer, names)?)?;
        let (located_above_total, located_above) = self.listed_owners(&self.nearest_above(own_name)?)?;
        let located_below = self.below(own_name)?;
        Ok(AroundAnswer { located_here_total, located_here, located_above_total, located_above, located_below })
    }

    /// What lives at the nearest directory above that is a table's, with the partitions on the way
    /// there; where there is none, what lives at the nearest that is a database's. A directory also
    /// counts under the names that it had.
    fn nearest_above(&self, name: &NameKey) -> Result<Vec<(NameKey, EntityId)>, StoreError> {
        let mut above_of = directories_above(self.facts, self.viewer, std::iter::once(name))?;
        let above = above_of.remove(name).unwrap_or_default();
        let located = self.facts.located_at(self.viewer, &above)?;
        let owners = self.owners(&located)?;
        let mut databases = Vec::new();
        let mut nearest = Vec::new();
        for directory in &above {
            let mut has_table = false;
            let mut databases_here = Vec::new();
            for (at, owner) in located.iter().filter(|(at, _)| at == directory) {
                let Some(entity) = owners.get(owner).filter(|entity| !entity.is_deleted()) else {
                    continue;
                };
                if entity.entity_type == EntityType::Database {
                    databases_here.push((at.clone(), *owner));
                } else {
                    has_table |= entity.entity_type != EntityType::Partition;
                    nearest.push((at.clone(), *owner));
                }
            }
            if databases.is_empty() {
                databases = databases_here;
            }
            if has_table {
                break;
            }
        }
        Ok(if nearest.is_empty() { databases } else { nearest })
    }

    /// How many databases, tables and partitions live below a directory, and the first tables.
    fn below(&self, name: &NameKey) -> Result<BelowAnswer, StoreError> {
        let located = self.facts.located_below(self.viewer, name, LOOKED_AT_BELOW + 1)?;
        let is_exact = located.len() as u64 <= LOOKED_AT_BELOW;
        let owners = self.owners(&located)?;
        let (mut databases, mut tables, mut partitions) = (0_u64, 0_u64, 0_u64);
        let mut first = Vec::new();
        for (path, owner) in &located {
            let Some(entity) = owners.get(owner).filter(|entity| !entity.is_deleted()) else {
                continue;
            };
            match entity.entity_type {
                EntityType::Database => databases += 1,
                EntityType::Partition => partitions += 1,
                _ => {
                    tables += 1;
                    if first.len() < LISTED_BELOW {
                        first.push(of_owner(entity, path));
                    }
                }
            }
        }
        Ok(BelowAnswer { databases, tables, partitions, is_exact, first })
    }

    /// What a person must know of a path that does not stand where it is expected.
    fn note(&self, name: &NameKey, source: Option<&str>, found: Option<&Entity>) -> Result<Option<String>, StoreError> {
        if let Some(entity) = found.filter(|entity| !entity.is_deleted()) {
            let moved = entity.qualified_name != name.qualified || entity.cluster != name.cluster;
            return Ok(moved.then(|| {
                format!("there is no such directory any more: what was there is {} now", entity.qualified_name)
            }));
        }
        let Some(source) = source else {
            return Ok(Some("no extractor shows this file system".to_owned()));
        };
        let Some(stamp) = self.facts.last_stamp(source)? else {
            return Ok(Some(format!("extractor {source} has not shown this file system yet")));
        };
        let mut words = format!("no such directory in {}", namespace::in_words(&stamp));
        if let Some(gone) = found.and_then(|entity| entity.delete_time) {
            let _ = write!(words, "; it was found to be gone at {}", in_seconds(gone));
        }
        Ok(Some(words))
    }

    /// The directory or file that a name leads to.
    fn entity_at(&self, name: &NameKey) -> Result<Option<Entity>, StoreError> {
        for (found, entity) in self.facts.find_name(self.viewer, Some(&name.cluster), &name.qualified)? {
            if let Some(id) = entity.filter(|_| found.kind == NameKind::Path) {
                return Ok(self.facts.entities(self.viewer, &[id])?.pop());
            }
        }
        Ok(None)
    }

    /// How many of the owners may be seen, and the first of them.
    fn listed_owners(&self, located: &[(NameKey, EntityId)]) -> Result<(usize, Vec<OwnerAnswer>), StoreError> {
        let owners = self.owners(located)?;
        let mut listed: Vec<(&NameKey, &Entity)> =
            located.iter().filter_map(|(path, owner)| Some((path, owners.get(owner)?))).collect();
        // The nearest directory keeps its place before the others; at one place the living come first.
        listed.sort_by_key(|(path, entity)| {
            let far = std::cmp::Reverse(path.qualified.len());
            (entity.is_deleted(), far, rank(entity.entity_type), entity.qualified_name.clone())
        });
        let total = listed.len();
        listed.truncate(LISTED);
        Ok((total, listed.into_iter().map(|(path, entity)| of_owner(entity, path)).collect()))
    }

    /// The owners of these locations, as far as they may be seen.
    fn owners(&self, located: &[(NameKey, EntityId)]) -> Result<HashMap<EntityId, Entity>, StoreError> {
        let ids: Vec<EntityId> = located.iter().map(|(_, owner)| *owner).collect();
        let entities = self.facts.entities(self.viewer, &ids)?;
        Ok(entities.into_iter().map(|entity| (entity.id, entity)).collect())
    }
}

/// The location of a database, table or partition as its source writes it.
pub fn written_location(entity: &Entity) -> Option<&str> {
    let written = entity.properties.get("fileSystemPath").and_then(Value::as_str);
    written.filter(|written| !written.is_empty() && !is_path(entity))
}

/// Whether it is a directory or file.
pub const fn is_path(entity: &Entity) -> bool {
    matches!(entity.entity_type, EntityType::Directory | EntityType::File)
}

const fn rank(entity_type: EntityType) -> u8 {
    match entity_type {
        EntityType::Table | EntityType::View => 0,
        EntityType::Partition => 1,
        _ => 2,
    }
}

fn of_directory(directory: &Entity) -> DirectoryAnswer {
    let mut properties = directory.properties.clone();
    properties.retain(|key, value| SHOWN_OF_DIRECTORY.contains(&key.as_str()) && !value.is_null());
    DirectoryAnswer {
        id: directory.id,
        entity_type: directory.entity_type,
        qualified_name: directory.qualified_name.clone(),
        deleted: directory.is_deleted(),
        state: directory.state,
        delete_time: directory.delete_time,
        properties,
        last_changed: last_changed(directory),
    }
}

fn of_owner(owner: &Entity, path: &NameKey) -> OwnerAnswer {
    OwnerAnswer {
        id: owner.id,
        entity_type: owner.entity_type,
        qualified_name: owner.qualified_name.clone(),
        cluster: owner.cluster.clone(),
        deleted: owner.is_deleted(),
        state: owner.state,
        location: written_location(owner).map(str::to_owned),
        path: path.qualified.clone(),
    }
}

/// Bytes by the quarter in which their files were last changed, the newest first.
pub fn last_changed(directory: &Entity) -> Option<Vec<QuarterAnswer>> {
    let quarters = directory.properties.get("bytesByQuarter")?.as_object()?;
    let mut listed: Vec<QuarterAnswer> = quarters
        .iter()
        .map(|(quarter, bytes)| QuarterAnswer { quarter: quarter.clone(), bytes: bytes.clone() })
        .collect();
    listed.sort_by(|left, right| right.quarter.cmp(&left.quarter));
    Some(listed)
}
