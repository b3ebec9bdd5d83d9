//! Entities, and names that lead to none.

use serde_json::Value;
use sextant_model::name::split_qualified;
use sextant_model::{Entity, EntityId, NameKey, NameKind};

use super::{Object, json};

/// An entity as the API shows it.
pub fn entity(entity: &Entity) -> Object {
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("id", json(entity.id));
    put("type", json(entity.entity_type));
    put("sourceType", json(entity.source_type));
    put("source", json(&entity.source));
    put("cluster", json(&entity.cluster));
    put("originalName", json(&entity.original_name));
    put("parentPath", json(&entity.parent_path));
    put("parentId", json(entity.parent));
    put("qualifiedName", json(&entity.qualified_name));
    put("deleted", json(entity.is_deleted()));
    put("state", json(entity.state));
    put("deleteTime", json(entity.delete_time));
    put("firstSeen", json(entity.first_seen));
    put("lastSeen", json(entity.last_seen));
    put("position", json(entity.position));
    for (key, value) in &entity.properties {
        object.entry(key.clone()).or_insert_with(|| value.clone());
    }
    object
}

/// A name that operations use and no source has shown.
pub fn unlinked_name(name: &NameKey) -> Object {
    let parts = split_qualified(&name.qualified);
    let (own_name, parent_path) = match name.kind {
        NameKind::Path => {
            let (parent, own_name) = name.qualified.rsplit_once('/').unwrap_or(("", &name.qualified));
            (own_name.to_owned(), Some(if parent.is_empty() { "/".to_owned() } else { parent.to_owned() }))
        }
        _ => (parts.last().cloned().unwrap_or_default(), (parts.len() > 1).then(|| format!("/{}", parts[0]))),
    };
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("id", json(name.id()));
    put("type", Value::Null);
    put("sourceType", Value::Null);
    put("cluster", json(&name.cluster));
    put("originalName", json(own_name));
    put("parentPath", json(parent_path));
    put("qualifiedName", json(&name.qualified));
    put("deleted", json(false));
    put("unlinked", json(true));
    object
}

/// A column that the catalog does not list.
pub fn unlisted_column(id: EntityId, table: EntityId, column: &str, qualified_name: &str) -> Object {
    let parts = split_qualified(qualified_name);
    let parent_path = (parts.len() > 2).then(|| format!("/{}/{}", parts[0], parts[1]));
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("id", json(id));
    put("type", "FIELD".into());
    put("sourceType", Value::Null);
    put("cluster", Value::Null);
    put("originalName", json(column));
    put("parentPath", json(parent_path));
    put("parentId", json(table));
    put("qualifiedName", json(qualified_name));
    put("deleted", json(false));
    put("unlinked", json(true));
    object
}

#[cfg(test)]
mod tests {
    use sextant_model::{EntityState, EntityType, Properties, SourceType, Timestamp};

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
        let shown = entity(&table);
        assert_eq!(shown["id"], table.id.to_string());
        assert_eq!(shown["owner"], "etl");
        assert_eq!(shown["type"], "TABLE");
        assert_eq!(shown["deleted"], false);
    }

    #[test]
    fn an_unlinked_name_has_its_parts() {
        let shown = unlinked_name(&NameKey {
            cluster: "prod".to_owned(),
            kind: NameKind::Relation,
            qualified: "db.`a.b`".to_owned(),
        });
        assert_eq!(shown["originalName"], "a.b");
        assert_eq!(shown["parentPath"], "/db");
        assert_eq!(shown["unlinked"], true);
        assert_eq!(shown["type"], Value::Null);
    }
}
