//! Entities, and names that lead to none.

use serde::Serialize;
use sextant_model::name::split_qualified;
use sextant_model::{Entity, EntityId, EntityState, EntityType, NameKey, NameKind, Properties, SourceType, Timestamp};
use utoipa::ToSchema;

use super::words::{EntityStateWord, EntityTypeWord, SourceTypeWord};

/// The keys that no property of an entity overwrites, also where a single entity is answered.
const FIXED_KEYS: &[&str] = &[
    "id",
    "type",
    "sourceType",
    "source",
    "cluster",
    "originalName",
    "parentPath",
    "parentId",
    "qualifiedName",
    "deleted",
    "state",
    "deleteTime",
    "firstSeen",
    "lastSeen",
    "position",
];

/// A database, table, view, field, partition, directory or file.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntityAnswer {
    #[schema(value_type = String)]
    id: EntityId,
    #[serde(rename = "type")]
    #[schema(value_type = EntityTypeWord)]
    entity_type: EntityType,
    #[schema(value_type = SourceTypeWord)]
    source_type: SourceType,
    /// The name of the extractor that shows it.
    source: String,
    cluster: String,
    /// Its own name, without its parents.
    original_name: String,
    /// `/db` for a table, `/db/table` for a field, the directory of a directory or file.
    #[schema(required)]
    parent_path: Option<String>,
    #[schema(value_type = Option<String>, required)]
    parent_id: Option<EntityId>,
    /// `db`, `db.table`, `db.table.column`, `/path`.
    qualified_name: String,
    deleted: bool,
    #[schema(value_type = EntityStateWord)]
    state: EntityState,
    /// When the pass that first missed it ran.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    delete_time: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    first_seen: Timestamp,
    /// The last complete pass that saw it before it was gone; null while it lives.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    last_seen: Option<Timestamp>,
    /// The place among its siblings of a field, from 0.
    position: u32,
    /// Technical properties: `owner`, `created`, `fileSystemPath`, `dataType`, ...
    #[serde(flatten)]
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    properties: Properties,
}

impl EntityAnswer {
    /// Leaves out properties under keys that the answer around it has.
    #[must_use]
    pub fn without_properties(mut self, keys: &[&str]) -> Self {
        for key in keys {
            self.properties.remove(*key);
        }
        self
    }
}

/// An entity as the API shows it.
pub fn entity(entity: &Entity) -> EntityAnswer {
    let shown = EntityAnswer {
        id: entity.id,
        entity_type: entity.entity_type,
        source_type: entity.source_type,
        source: entity.source.clone(),
        cluster: entity.cluster.clone(),
        original_name: entity.original_name.clone(),
        parent_path: entity.parent_path.clone(),
        parent_id: entity.parent,
        qualified_name: entity.qualified_name.clone(),
        deleted: entity.is_deleted(),
        state: entity.state,
        delete_time: entity.delete_time,
        first_seen: entity.first_seen,
        last_seen: entity.last_seen,
        position: entity.position,
        properties: entity.properties.clone(),
    };
    shown.without_properties(FIXED_KEYS)
}

/// A name that operations use and no source has shown, or a column that the catalog does not list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnlinkedAnswer {
    #[schema(value_type = String)]
    id: EntityId,
    /// Null for a name: nobody knows what is behind it.
    #[serde(rename = "type")]
    #[schema(value_type = Option<EntityTypeWord>, required)]
    entity_type: Option<EntityType>,
    /// Always null.
    #[schema(value_type = Option<SourceTypeWord>, required)]
    source_type: Option<SourceType>,
    #[schema(required)]
    cluster: Option<String>,
    /// Its own name, without its parents.
    original_name: String,
    #[schema(required)]
    parent_path: Option<String>,
    /// The table of a column.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    parent_id: Option<EntityId>,
    /// `db.table`, `/path`, `db.table.column`.
    qualified_name: String,
    /// Always false.
    deleted: bool,
    /// Always true.
    unlinked: bool,
}

/// A name that operations use and no source has shown.
pub fn unlinked_name(name: &NameKey) -> UnlinkedAnswer {
    let parts = split_qualified(&name.qualified);
    let (own_name, parent_path) = match name.kind {
        NameKind::Path => {
            let (parent, own_name) = name.qualified.rsplit_once('/').unwrap_or(("", &name.qualified));
            (own_name.to_owned(), Some(if parent.is_empty() { "/".to_owned() } else { parent.to_owned() }))
        }
        _ => (parts.last().cloned().unwrap_or_default(), (parts.len() > 1).then(|| format!("/{}", parts[0]))),
    };
    UnlinkedAnswer {
        id: name.id(),
        entity_type: None,
        source_type: None,
        cluster: Some(name.cluster.clone()),
        original_name: own_name,
        parent_path,
        parent_id: None,
        qualified_name: name.qualified.clone(),
        deleted: false,
        unlinked: true,
    }
}

/// A column that the catalog does not list.
pub fn unlisted_column(id: EntityId, table: EntityId, column: &str, qualified_name: &str) -> UnlinkedAnswer {
    let parts = split_qualified(qualified_name);
    UnlinkedAnswer {
        id,
        entity_type: Some(EntityType::Field),
        source_type: None,
        cluster: None,
        original_name: column.to_owned(),
        parent_path: (parts.len() > 2).then(|| format!("/{}/{}", parts[0], parts[1])),
        parent_id: Some(table),
        qualified_name: qualified_name.to_owned(),
        deleted: false,
        unlinked: true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::json;
    use super::*;

    #[test]
    fn properties_never_overwrite_the_fixed_keys() {
        let mut properties = Properties::new();
        properties.insert("id".to_owned(), "forged".into());
        properties.insert("owner".to_owned(), "etl".into());
        let table = Entity {
            id: EntityId::derive("test", &[]),
            entity_type: EntityType::Table,
            source_type: SourceType::Hive,
            source: "hive".to_owned(),
            cluster: "prod".to_owned(),
            original_name: "t".to_owned(),
            qualified_name: "db.t".to_owned(),
            parent: None,
            parent_path: Some("/db".to_owned()),
            state: EntityState::Living,
            delete_time: None,
            last_seen: None,
            first_seen: Timestamp::from_seconds(1_700_000_000),
            position: 0,
            properties,
        };
        let shown = json(entity(&table));
        assert_eq!(shown["id"], table.id.to_string());
        assert_eq!(shown["owner"], "etl");
        assert_eq!(shown["type"], "TABLE");
        assert_eq!(shown["deleted"], false);
    }

    #[test]
    fn an_unlinked_name_has_its_parts() {
        let shown = json(unlinked_name(&NameKey {
            cluster: "prod".to_owned(),
            kind: NameKind::Relation,
            qualified: "db.`a.b`".to_owned(),
        }));
        assert_eq!(shown["originalName"], "a.b");
        assert_eq!(shown["parentPath"], "/db");
        assert_eq!(shown["unlinked"], true);
        assert_eq!(shown["type"], Value::Null);
    }
}
