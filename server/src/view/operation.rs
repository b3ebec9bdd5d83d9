//! Operations with what they read and write.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;
use sextant_model::operation::{Operation, Role};
use sextant_model::{EntityId, NameKey, Viewer};
use sextant_store::{Facts, OperationSummary, StoreError};

use super::{Object, json, one_line, put_user};

/// Characters of a statement that serve as an operation's own name.
const NAME_LENGTH: usize = 80;

/// An operation as lists and graphs show it.
pub fn operation(summary: &OperationSummary) -> Object {
    let mut object = bare_operation(&summary.operation);
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("originalName", one_line(&summary.text, NAME_LENGTH).into());
    put("queryText", json(&summary.text));
    put("distinctTexts", json(summary.texts));
    put("executions", json(summary.executions));
    put("firstSeen", json(summary.seen.map(|seen| seen.first)));
    put("lastSeen", json(summary.seen.map(|seen| seen.last)));
    put_user(&mut object, summary.last_user.as_deref());
    object
}

/// An operation whose counts and text are not at hand.
pub fn bare_operation(operation: &Operation) -> Object {
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("id", json(operation.id));
    put("type", "OPERATION".into());
    put("sourceType", json(operation.source_type));
    put("cluster", json(&operation.cluster));
    put("originalName", Value::Null);
    put("parentPath", Value::Null);
    put("qualifiedName", Value::Null);
    put("deleted", json(false));
    put("operationType", json(&operation.operation_type));
    put("lineageKnown", json(operation.lineage_known));
    object
}

/// Adds `inputs` and `outputs`: each name once, with the entity it leads to.
pub fn put_inputs_and_outputs(
    object: &mut Object,
    facts: &dyn Facts,
    viewer: &Viewer,
    operation: EntityId,
) -> Result<(), StoreError> {
    let mut names: BTreeMap<Role, BTreeMap<NameKey, Vec<u32>>> = BTreeMap::new();
    for usage in facts.usages_of_operations(viewer, &[operation])? {
        names.entry(usage.role).or_default().entry(usage.name).or_default().push(usage.life);
    }
    let all_names: Vec<NameKey> = names.values().flat_map(BTreeMap::keys).cloned().collect();
    let entities = visible_entities(facts, viewer, &all_names)?;
    for (role, key) in [(Role::Input, "inputs"), (Role::Output, "outputs")] {
        let mut ends = Vec::new();
        for (name, lives) in names.remove(&role).unwrap_or_default() {
            // A name whose entity may not be seen looks as if it were not there.
            let Some(entity) = entities.get(&name) else {
                continue;
            };
            ends.push(end(&name, *entity, role, &lives));
        }
        object.insert(key.to_owned(), Value::Array(ends));
    }
    Ok(())
}

fn end(name: &NameKey, entity: Option<EntityId>, role: Role, lives: &[u32]) -> Value {
    let mut end = Object::new();
    end.insert("name".to_owned(), json(&name.qualified));
    end.insert("id".to_owned(), json(entity.unwrap_or_else(|| name.id())));
    end.insert("linked".to_owned(), json(entity.is_some()));
    end.insert("role".to_owned(), json(role));
    end.insert("cluster".to_owned(), json(&name.cluster));
    end.insert("lives".to_owned(), json(lives.iter().collect::<HashSet<_>>().len()));
    Value::Object(end)
}

/// What the names lead to; a name whose entity may not be seen is left out.
fn visible_entities(
    facts: &dyn Facts,
    viewer: &Viewer,
    names: &[NameKey],
) -> Result<HashMap<NameKey, Option<EntityId>>, StoreError> {
    let states = facts.name_states(names)?;
    let linked: Vec<EntityId> = states.values().filter_map(|state| state.entity).collect();
    let visible: HashSet<EntityId> = facts.entities(viewer, &linked)?.iter().map(|entity| entity.id).collect();
    let mut entities = HashMap::new();
    for name in names {
        match states.get(name).and_then(|state| state.entity) {
            None => drop(entities.insert(name.clone(), None)),
            Some(id) if visible.contains(&id) => drop(entities.insert(name.clone(), Some(id))),
            Some(_) => {}
        }
    }
    Ok(entities)
}
