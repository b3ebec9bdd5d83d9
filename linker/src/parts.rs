//! The columns and partitions of an object, compared with those that are stored.

use std::collections::HashMap;

use sextant_model::feed::What;
use sextant_model::snapshot::{ObservedField, ObservedObject, ObservedPartition};
use sextant_model::{Entity, EntityId, EntityState, EntityType, ObjectName, Properties, Timestamp};
use sextant_store::EntityWrite;

/// The object whose parts are compared.
pub(crate) struct Parent<'a> {
    /// As it is from now on.
    pub(crate) entity: &'a Entity,
    /// Its name.
    pub(crate) name: &'a ObjectName,
    /// Time of the pass.
    pub(crate) now: Timestamp,
    /// Time of the last complete pass before it.
    pub(crate) previous: Option<Timestamp>,
}

/// What has to be written so that the parts of `object` are stored as it shows them.
/// Partitions are left alone when the extractor did not read them.
pub(crate) fn compare_parts(parent: &Parent<'_>, object: &ObservedObject, stored: Vec<Entity>) -> Vec<EntityWrite> {
    let mut stored: HashMap<EntityId, Entity> = stored.into_iter().map(|entity| (entity.id, entity)).collect();
    if object.partitions.is_none() {
        stored.retain(|_, entity| entity.entity_type != EntityType::Partition);
    }
    let fields = object.fields.iter().enumerate().map(|(position, field)| parent.field(position as u32, field));
    let partitions = object.partitions.iter().flatten().map(|partition| parent.partition(partition));

    let mut writes = Vec::new();
    for mut part in fields.chain(partitions) {
        let what = match stored.remove(&part.id) {
            None => What::Created,
            Some(before) => {
                part.first_seen = before.first_seen;
                if before == part {
                    continue;
                }
                if before.state == EntityState::Living { What::Changed } else { What::Revived }
            }
        };
        writes.push(EntityWrite { entity: part, what, content: None });
    }
    for mut gone in stored.into_values().filter(|entity| entity.state == EntityState::Living) {
        gone.state = EntityState::Deleted;
        gone.delete_time = Some(parent.now);
        gone.last_seen = parent.previous.max(Some(gone.first_seen));
        writes.push(EntityWrite { entity: gone, what: What::Deleted, content: None });
    }
    writes
}

impl Parent<'_> {
    fn field(&self, position: u32, field: &ObservedField) -> Entity {
        let mut properties = Properties::new();
        properties.insert("dataType".to_owned(), field.data_type.clone().into());
        if let Some(comment) = &field.comment {
            properties.insert("originalDescription".to_owned(), comment.clone().into());
        }
        if field.partition_key {
            properties.insert("partitionKey".to_owned(), true.into());
        }
        let id = EntityId::of_field(self.entity.id, &field.name);
        self.part(id, EntityType::Field, &field.name, self.name.qualified_column(&field.name), position, properties)
    }

    fn partition(&self, partition: &ObservedPartition) -> Entity {
        let mut properties = partition.properties.clone();
        if let Some(created) = partition.created {
            properties.insert("created".to_owned(), created.to_string().into());
        }
        let id = EntityId::of_partition(self.entity.id, &partition.name);
        let qualified = format!("{}/{}", self.name.qualified(), partition.name);
        self.part(id, EntityType::Partition, &partition.name, qualified, 0, properties)
    }

    fn part(
        &self,
        id: EntityId,
        entity_type: EntityType,
        name: &str,
        qualified_name: String,
        position: u32,
        properties: Properties,
    ) -> Entity {
        Entity {
            id,
            entity_type,
            source_type: self.entity.source_type,
            source: self.entity.source.clone(),
            cluster: self.entity.cluster.clone(),
            original_name: name.to_owned(),
            qualified_name,
            parent: Some(self.entity.id),
            parent_path: Some(format!("/{}/{}", self.name.database, self.name.last_part())),
            state: EntityState::Living,
            delete_time: None,
            last_seen: None,
            first_seen: self.now,
            position,
            properties,
        }
    }
}
