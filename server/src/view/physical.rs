//! Where data lies: from a table to its directory, and from a path to the tables around it.
//!
//! Whatever rests on a file system says which state of it.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json as object};
use sextant_graph::directories_above;
use sextant_model::location::FileSystems;
use sextant_model::{Entity, EntityId, EntityType, NameKey, NameKind, Viewer};
use sextant_store::{Facts, StoreError};

use super::{Object, in_seconds, json, location, namespace};

/// Of each list of tables at most this many are shown.
const LISTED: usize = 100;
/// Of the tables below a directory the first ones are shown.
const LISTED_BELOW: usize = 20;
/// At most this many locations below a directory are looked at.
const LOOKED_AT_BELOW: u64 = 5_000;

/// What a table shows of its directory. The words are those of the directory itself.
const SHOWN_OF_DIRECTORY: &[&str] = &[
    "id",
    "type",
    "qualifiedName",
    "deleted",
    "state",
    "deleteTime",
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
    pub fn state(&self, source: &str) -> Result<Option<Object>, StoreError> {
        Ok(self.facts.last_stamp(source)?.map(|stamp| namespace::state(source, &stamp)))
    }

    /// Adds to a database, table or partition where its data lies.
    pub fn put_location(&self, shown: &mut Object, entity: &Entity) -> Result<(), StoreError> {
        let Some(written) = written_location(entity) else {
            return Ok(());
        };
        let (mut told, place) = location::location(self.file_systems, &entity.cluster, written);
        let source = location::shown_by(&place.rule);
        let directory = self.entity_at(&place.name)?;
        told.insert("directory".to_owned(), json(directory.as_ref().map(of_directory)));
        told.insert("note".to_owned(), json(self.note(&place.name, source, directory.as_ref())?));
        let others: Vec<(NameKey, EntityId)> = self
            .facts
            .located_at(self.viewer, std::slice::from_ref(&place.name))?
            .into_iter()
            .filter(|(_, owner)| *owner != entity.id)
            .collect();
        self.put_owners(&mut told, "alsoHere", &others)?;
        shown.insert("location".to_owned(), Value::Object(told));
        if let Some(source) = source {
            shown.insert("namespaceState".to_owned(), json(self.state(source)?));
        }
        Ok(())
    }

    /// Adds to a directory or file which tables lie at, above and below it.
    pub fn put_owners_around(&self, shown: &mut Object, entity: &Entity) -> Result<(), StoreError> {
        let own_name =
            NameKey { cluster: entity.cluster.clone(), kind: NameKind::Path, qualified: entity.qualified_name.clone() };
        let names: Vec<NameKey> =
            self.facts.names_of(self.viewer, &[entity.id])?.into_iter().map(|(_, name)| name).collect();
        self.put_around(shown, &own_name, &names)?;
        if let Some(quarters) = entity.properties.get("bytesByQuarter").and_then(Value::as_object) {
            shown.insert("lastChanged".to_owned(), last_changed(quarters));
        }
        shown.insert("namespaceState".to_owned(), json(self.state(&entity.source)?));
        Ok(())
    }

    /// Adds to a path that no file system has shown which tables lie at, above and below it.
    pub fn put_owners_around_name(&self, shown: &mut Object, name: &NameKey) -> Result<(), StoreError> {
        self.put_around(shown, name, std::slice::from_ref(name))?;
        let place = self.file_systems.place(&name.cluster, &name.qualified);
        let source = location::shown_by(&place.rule);
        shown.insert("note".to_owned(), json(self.note(name, source, None)?));
        if let Some(source) = source {
            shown.insert("namespaceState".to_owned(), json(self.state(source)?));
        }
        Ok(())
    }

    fn put_around(&self, shown: &mut Object, own_name: &NameKey, names: &[NameKey]) -> Result<(), StoreError> {
        let here = self.facts.located_at(self.viewer, names)?;
        self.put_owners(shown, "locatedHere", &here)?;
        let above = self.nearest_above(own_name)?;
        self.put_owners(shown, "locatedAbove", &above)?;
        shown.insert("locatedBelow".to_owned(), self.below(own_name)?);
        Ok(())
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
    fn below(&self, name: &NameKey) -> Result<Value, StoreError> {
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
        Ok(object!({
            "databases": databases,
            "tables": tables,
            "partitions": partitions,
            "isExact": is_exact,
            "first": first,
        }))
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

    fn put_owners(&self, shown: &mut Object, key: &str, located: &[(NameKey, EntityId)]) -> Result<(), StoreError> {
        let owners = self.owners(located)?;
        let mut listed: Vec<(&NameKey, &Entity)> =
            located.iter().filter_map(|(path, owner)| Some((path, owners.get(owner)?))).collect();
        // The nearest directory keeps its place before the others; at one place the living come first.
        listed.sort_by_key(|(path, entity)| {
            let far = std::cmp::Reverse(path.qualified.len());
            (entity.is_deleted(), far, rank(entity.entity_type), entity.qualified_name.clone())
        });
        shown.insert(format!("{key}Total"), listed.len().into());
        listed.truncate(LISTED);
        let listed: Vec<Value> = listed.into_iter().map(|(path, entity)| of_owner(entity, path)).collect();
        shown.insert(key.to_owned(), listed.into());
        Ok(())
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

fn of_directory(directory: &Entity) -> Value {
    let mut shown = super::entity::entity(directory);
    shown.retain(|key, value| SHOWN_OF_DIRECTORY.contains(&key.as_str()) && !value.is_null());
    if let Some(quarters) = directory.properties.get("bytesByQuarter").and_then(Value::as_object) {
        shown.insert("lastChanged".to_owned(), last_changed(quarters));
    }
    Value::Object(shown)
}

fn of_owner(owner: &Entity, path: &NameKey) -> Value {
    object!({
        "id": owner.id,
        "type": owner.entity_type,
        "qualifiedName": owner.qualified_name,
        "cluster": owner.cluster,
        "deleted": owner.is_deleted(),
        "state": owner.state,
        "location": written_location(owner),
        "path": path.qualified,
    })
}

/// Bytes by the quarter in which their files were last changed, the newest first.
fn last_changed(quarters: &Object) -> Value {
    let mut listed: Vec<(&String, &Value)> = quarters.iter().collect();
    listed.sort_by(|left, right| right.0.cmp(left.0));
    listed.into_iter().map(|(quarter, bytes)| object!({ "quarter": quarter, "bytes": bytes })).collect()
}
