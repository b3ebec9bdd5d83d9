//! What of the facts is searchable, under which fields.
//!
//! An entity is one document. An operation is one document for each of its true texts, so that a
//! literal that was folded is still found. An execution is one small document.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sextant_model::feed::{Change, Subject};
use sextant_model::name::split_qualified;
use sextant_model::operation::{Execution, Operation, StatementText, short_user};
use sextant_model::{Entity, EntityId, EntityType, Timestamp, Viewer};
use sextant_search::{Document, FIELDS, Field, Kind, Value};
use sextant_store::{Facts, StoreError};

/// The search field whose values are `key=value`.
const TABLE_PARAMETERS: &str = "tableParameters";
/// The property that holds a table's parameters.
const PARAMETERS: &str = "params";

/// The documents that these changes concern, as the facts are now.
pub(super) fn of_changes(facts: &dyn Facts, changes: &[Change]) -> Result<Vec<Document>, StoreError> {
    let mut by_subject: BTreeMap<Subject, BTreeSet<EntityId>> = BTreeMap::new();
    for change in changes {
        by_subject.entry(change.subject).or_default().insert(change.id);
    }
    let mut documents = Vec::new();
    for (subject, ids) in by_subject {
        documents.extend(of_subject(facts, subject, &ids.into_iter().collect::<Vec<_>>())?);
    }
    Ok(documents)
}

/// The documents of these things of one kind.
pub(super) fn of_subject(facts: &dyn Facts, subject: Subject, ids: &[EntityId]) -> Result<Vec<Document>, StoreError> {
    let viewer = Viewer::all();
    match subject {
        Subject::Entity => Ok(facts.entities(&viewer, ids)?.iter().map(of_entity).collect()),
        // What is searchable of an operation stands in the documents of its texts.
        Subject::Operation => Ok(Vec::new()),
        Subject::Text => {
            let texts = facts.texts(&viewer, ids)?;
            let operations = operations(facts, texts.iter().map(|text| text.operation))?;
            let known = texts.iter().filter_map(|text| Some(of_text(text, operations.get(&text.operation)?)));
            Ok(known.collect())
        }
        Subject::Execution => {
            let executions = facts.executions(&viewer, ids)?;
            let operations = operations(facts, executions.iter().map(|run| run.operation))?;
            let known = executions.iter().filter_map(|run| Some(of_execution(run, operations.get(&run.operation)?)));
            Ok(known.collect())
        }
    }
}

fn operations(
    facts: &dyn Facts,
    ids: impl Iterator<Item = EntityId>,
) -> Result<HashMap<EntityId, Operation>, StoreError> {
    let distinct: BTreeSet<EntityId> = ids.collect();
    let distinct: Vec<EntityId> = distinct.into_iter().collect();
    let operations = facts.bare_operations(&Viewer::all(), &distinct)?;
    Ok(operations.into_iter().map(|operation| (operation.id, operation)).collect())
}

/// Fields in the making.
struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    fn text(&mut self, field: &'static str, text: &str) {
        if !text.is_empty() {
            self.0.push((field, Value::Text(text.to_owned())));
        }
    }

    fn time(&mut self, field: &'static str, time: Option<Timestamp>) {
        if let Some(time) = time {
            self.0.push((field, Value::Time(time)));
        }
    }

    fn has(&self, field: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == field)
    }
}

fn of_entity(entity: &Entity) -> Document {
    let mut fields = Fields(Vec::new());
    fields.text("type", entity.entity_type.as_str());
    fields.text("sourceType", entity.source_type.as_str());
    fields.text("source", &entity.source);
    fields.text("cluster", &entity.cluster);
    fields.text("originalName", &entity.original_name);
    fields.text("qualifiedName", &entity.qualified_name);
    fields.text("parentPath", entity.parent_path.as_deref().unwrap_or_default());
    fields.text("state", entity.state.as_str());
    fields.0.push(("deleted", Value::Bool(entity.is_deleted())));
    if let Some(parent) = entity.parent {
        fields.text("parentId", &parent.to_string());
    }
    if !matches!(entity.entity_type, EntityType::Directory | EntityType::File) {
        fields.text("database", split_qualified(&entity.qualified_name).first().map_or("", String::as_str));
    }
    fields.time("deleteTime", entity.delete_time);
    fields.time("firstSeen", Some(entity.first_seen));
    fields.time("lastSeen", entity.last_seen);
    for field in FIELDS {
        // What is set above is not for a source to say.
        if fields.has(field.name) {
            continue;
        }
        if let Some(property) = entity.properties.get(field.name) {
            put_property(&mut fields, field, property);
        }
    }
    if let Some(parameters) = entity.properties.get(PARAMETERS).and_then(serde_json::Value::as_object) {
        for (key, value) in parameters {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            fields.text(TABLE_PARAMETERS, &format!("{key}={value}"));
        }
    }
    if let Some(rows) = rows_told(entity).filter(|_| !fields.has("rowCount")) {
        fields.0.push(("rowCount", Value::Number(rows)));
    }
    Document { key: entity.id, entity: entity.id, fields: fields.0 }
}

/// How many rows a table's statistics tell; -1 is how Hive says that it does not know.
fn rows_told(entity: &Entity) -> Option<i64> {
    let told = entity.properties.get(PARAMETERS)?.get("numRows")?;
    let rows = told.as_i64().or_else(|| told.as_str()?.parse().ok())?;
    (rows >= 0).then_some(rows)
}

/// A property under the field of its name, as far as it is of the field's kind.
fn put_property(fields: &mut Fields, field: &'static Field, property: &serde_json::Value) {
    if let Some(list) = property.as_array() {
        for item in list {
            put_property(fields, field, item);
        }
        return;
    }
    match field.kind {
        Kind::Keyword | Kind::Name | Kind::Path | Kind::Text => match property {
            serde_json::Value::String(text) => fields.text(field.name, text),
            serde_json::Value::Number(number) => fields.text(field.name, &number.to_string()),
            serde_json::Value::Bool(truth) => fields.text(field.name, &truth.to_string()),
            _ => {}
        },
        Kind::Flag => {
            if let Some(truth) = property.as_bool() {
                fields.0.push((field.name, Value::Bool(truth)));
            }
        }
        Kind::Number => {
            let number = property.as_i64().or_else(|| property.as_str().and_then(|text| text.parse().ok()));
            if let Some(number) = number {
                fields.0.push((field.name, Value::Number(number)));
            }
        }
        Kind::Date => {
            let time = match property {
                serde_json::Value::String(text) => Timestamp::parse(text),
                other => other.as_i64().map(Timestamp::from_millis),
            };
            fields.time(field.name, time);
        }
    }
}

fn put_operation(fields: &mut Fields, operation: &Operation) {
    fields.text("sourceType", operation.source_type.as_str());
    fields.text("cluster", &operation.cluster);
    fields.text("operationType", operation.operation_type.as_deref().unwrap_or_default());
    fields.0.push(("deleted", Value::Bool(false)));
}

fn of_text(text: &StatementText, operation: &Operation) -> Document {
    let mut fields = Fields(Vec::new());
    fields.text("type", EntityType::Operation.as_str());
    fields.text("queryText", &text.text);
    put_operation(&mut fields, operation);
    Document { key: text.id, entity: operation.id, fields: fields.0 }
}

fn of_execution(run: &Execution, operation: &Operation) -> Document {
    let mut fields = Fields(Vec::new());
    fields.text("type", EntityType::OperationExecution.as_str());
    fields.text("parentId", &run.operation.to_string());
    put_operation(&mut fields, operation);
    if let Some(logged) = &run.user {
        let (short, _) = short_user(logged);
        fields.text("principal", short);
        if short != logged {
            fields.text("principal", logged);
        }
    }
    fields.time("started", run.started);
    fields.time("ended", run.ended);
    fields.text("queryId", run.query_id.as_deref().unwrap_or_default());
    fields.text("engine", run.engine.as_deref().unwrap_or_default());
    for job in &run.job_ids {
        fields.text("jobId", job);
    }
    Document { key: run.id, entity: run.id, fields: fields.0 }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sextant_model::{EntityState, Properties, SourceType};

    use super::*;

    #[test]
    fn a_table_is_found_by_its_properties_and_parameters() {
        let mut properties = Properties::new();
        properties.insert("owner".to_owned(), json!("etl"));
        properties.insert("created".to_owned(), json!("2026-11-30T00:00:00Z"));
        properties.insert("columnCount".to_owned(), json!(3));
        properties.insert("type".to_owned(), json!("forged"));
        properties.insert(PARAMETERS.to_owned(), json!({"transactional": "true", "numRows": "12"}));
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
        let document = of_entity(&table);
        let values = |name: &str| -> Vec<Value> {
            document.fields.iter().filter(|(field, _)| *field == name).map(|(_, value)| value.clone()).collect()
        };
        assert_eq!(values("type"), [Value::Text("TABLE".to_owned())]);
        assert_eq!(values("owner"), [Value::Text("etl".to_owned())]);
        assert_eq!(values("database"), [Value::Text("db".to_owned())]);
        assert_eq!(values("columnCount"), [Value::Number(3)]);
        assert_eq!(values("created"), [Value::Time(Timestamp::from_millis(1_795_996_800_000))]);
        assert_eq!(
            values(TABLE_PARAMETERS),
            [Value::Text("numRows=12".to_owned()), Value::Text("transactional=true".to_owned())]
        );
        assert_eq!(values("rowCount"), [Value::Number(12)]);
    }

    #[test]
    fn what_a_file_system_shows_is_of_its_fields_kind() {
        let shown = [
            ("group", json!("staff")),
            ("permissions", json!("rwxr-x---")),
            ("fileSystemPath", json!("/w/<b>\n\"t")),
            ("formerPaths", json!(["/a", "/b"])),
            ("size", json!(7)),
            ("lastModified", json!("2026-11-30T00:00:00.000Z")),
            ("trash", json!(true)),
            ("bytesByQuarter", json!({"2026Q4": 7})),
        ];
        let document = of_entity(&Entity {
            id: EntityId::derive("test", &[]),
            entity_type: EntityType::File,
            source_type: SourceType::Hdfs,
            source: "hdfs".to_owned(),
            cluster: "prod".to_owned(),
            original_name: "t".to_owned(),
            qualified_name: "/w/<b>\n\"t".to_owned(),
            parent: None,
            parent_path: Some("/w".to_owned()),
            state: EntityState::Living,
            delete_time: None,
            last_seen: None,
            first_seen: Timestamp::from_seconds(1_700_000_000),
            position: 0,
            properties: shown.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        });
        let has = |field: &'static str, value: Value| assert!(document.fields.contains(&(field, value)), "{field}");
        has("group", Value::Text("staff".to_owned()));
        has("fileSystemPath", Value::Text("/w/<b>\n\"t".to_owned()));
        has("formerPaths", Value::Text("/b".to_owned()));
        has("size", Value::Number(7));
        has("lastModified", Value::Time(Timestamp::from_millis(1_795_996_800_000)));
        has("trash", Value::Bool(true));
        assert!(!document.fields.iter().any(|(field, _)| *field == "database"));
    }
}
