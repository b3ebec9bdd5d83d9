//! Where the data of databases, tables and partitions lies.
//!
//! A pass makes names of what it writes. When the configured file systems are others, all names
//! are made anew, once ([`Rebuild`]).

use sextant_model::location::FileSystems;
use sextant_model::{Entity, EntityId, EntityType, NameKey};
use sextant_store::{Changes, ContentHash, EntityWrite, Facts, Location, LocationRules, StoreError};

/// So many entities become one commit.
const AT_ONCE: u64 = 20_000;

/// The locations that these entities say, and for those that say none that there is none.
pub(crate) fn locations(file_systems: &FileSystems, writes: &[EntityWrite]) -> Vec<Location> {
    writes
        .iter()
        .map(|write| &write.entity)
        .filter(|entity| has_location(entity))
        .map(|entity| Location {
            owner: entity.id,
            place: place(
                file_systems,
                &entity.cluster,
                entity.properties.get("fileSystemPath").and_then(serde_json::Value::as_str),
            ),
        })
        .collect()
}

fn has_location(entity: &Entity) -> bool {
    matches!(entity.entity_type, EntityType::Database | EntityType::Table | EntityType::View | EntityType::Partition)
}

fn place(file_systems: &FileSystems, cluster: &str, written: Option<&str>) -> Option<NameKey> {
    let written = written.filter(|written| !written.is_empty())?;
    Some(file_systems.place(cluster, written).name)
}

/// All locations on their way to new names. Repeating a part changes nothing, so that it may be
/// broken off at any point and begun anew. The first part says that the names follow no rules:
/// whatever is configured after a break, they are all made again.
#[derive(Debug)]
pub struct Rebuild {
    file_systems: FileSystems,
    fingerprint: ContentHash,
    after: Option<EntityId>,
    begun: bool,
    done: bool,
}

impl Rebuild {
    /// What is to be done when these file systems are not those by which all locations were made
    /// into names; `None` when nothing is.
    pub fn needed(facts: &dyn Facts, file_systems: &FileSystems) -> Result<Option<Self>, StoreError> {
        let fingerprint = file_systems.fingerprint();
        if facts.location_rules()? == Some(fingerprint) {
            return Ok(None);
        }
        Ok(Some(Self { file_systems: file_systems.clone(), fingerprint, after: None, begun: false, done: false }))
    }

    /// The next part, to be committed before the next call; `None` after the last.
    pub fn step(&mut self, facts: &dyn Facts) -> Result<Option<Changes>, StoreError> {
        if self.done {
            return Ok(None);
        }
        if !self.begun {
            self.begun = true;
            return Ok(Some(Changes { location_rules: Some(LocationRules::Mixed), ..Changes::default() }));
        }
        let written = facts.written_locations(self.after, AT_ONCE)?;
        self.done = (written.len() as u64) < AT_ONCE;
        self.after = written.last().map(|last| last.owner);
        let locations = written
            .into_iter()
            .map(|entity| Location {
                owner: entity.owner,
                place: place(&self.file_systems, &entity.cluster, entity.location.as_deref()),
            })
            .collect();
        let location_rules = self.done.then_some(LocationRules::Are(self.fingerprint));
        Ok(Some(Changes { locations, location_rules, ..Changes::default() }))
    }
}
