//! Operations with what they read and write.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use sextant_model::operation::Role;
use sextant_model::{EntityId, EntityType, NameKey, SourceType, Timestamp, Viewer};
use sextant_store::{Facts, OperationSummary, StoreError};
use utoipa::ToSchema;

use super::one_line;
use super::user::{UserAnswer, user};
use super::words::{OperationTypeWord, RoleWord, SourceTypeWord};

/// Characters of a statement that serve as an operation's own name.
const NAME_LENGTH: usize = 80;

/// A distinct statement shape.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationAnswer {
    #[schema(value_type = String)]
    id: EntityId,
    #[serde(rename = "type")]
    #[schema(value_type = OperationTypeWord)]
    entity_type: EntityType,
    /// Which engine runs it.
    #[schema(value_type = SourceTypeWord)]
    pub(super) source_type: SourceType,
    cluster: String,
    /// The beginning of its text, on one line.
    original_name: String,
    /// Always null.
    #[schema(required)]
    parent_path: Option<String>,
    /// Always null.
    #[schema(required)]
    qualified_name: Option<String>,
    /// Always false.
    deleted: bool,
    /// `QUERY`, `CREATETABLE_AS_SELECT`, ...
    #[schema(required)]
    pub(super) operation_type: Option<String>,
    /// Whether a record told its flows. If not, its lineage is unknown, not empty.
    lineage_known: bool,
    /// Its earliest true text, with its literals.
    pub(super) query_text: String,
    /// How many true texts it has.
    distinct_texts: u64,
    /// How many runs.
    executions: u64,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    first_seen: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    last_seen: Option<Timestamp>,
    /// Who ran it last.
    #[serde(flatten)]
    pub(super) user: UserAnswer,
}

/// An operation as lists and graphs show it.
pub fn operation(summary: &OperationSummary) -> OperationAnswer {
    let operation = &summary.operation;
    OperationAnswer {
        id: operation.id,
        entity_type: EntityType::Operation,
        source_type: operation.source_type,
        cluster: operation.cluster.clone(),
        original_name: one_line(&summary.text, NAME_LENGTH),
        parent_path: None,
        qualified_name: None,
        deleted: false,
        operation_type: operation.operation_type.clone(),
        lineage_known: operation.lineage_known,
        query_text: summary.text.clone(),
        distinct_texts: summary.texts,
        executions: summary.executions,
        first_seen: summary.seen.map(|seen| seen.first),
        last_seen: summary.seen.map(|seen| seen.last),
        user: user(summary.last_user.as_deref()),
    }
}

/// A name that an operation reads or writes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndAnswer {
    /// As written in the statement.
    pub(super) name: String,
    /// The entity's id; of a name that no source has shown the name's.
    #[schema(value_type = String)]
    id: EntityId,
    /// Whether a source has shown it.
    pub(super) linked: bool,
    #[schema(value_type = RoleWord)]
    role: Role,
    cluster: String,
    /// How many lives of the entity were met.
    lives: usize,
}

/// Inputs and outputs: each name once, with the entity it leads to.
pub fn inputs_and_outputs(
    facts: &dyn Facts,
    viewer: &Viewer,
    operation: EntityId,
) -> Result<(Vec<EndAnswer>, Vec<EndAnswer>), StoreError> {
    let mut names: BTreeMap<Role, BTreeMap<NameKey, Vec<u32>>> = BTreeMap::new();
    for usage in facts.usages_of_operations(viewer, &[operation])? {
        names.entry(usage.role).or_default().entry(usage.name).or_default().push(usage.life);
    }
    let all_names: Vec<NameKey> = names.values().flat_map(BTreeMap::keys).cloned().collect();
    let entities = visible_entities(facts, viewer, &all_names)?;
    let mut ends = |role: Role| {
        let mut ends = Vec::new();
        for (name, lives) in names.remove(&role).unwrap_or_default() {
            // A name whose entity may not be seen looks as if it were not there.
            if let Some(entity) = entities.get(&name) {
                ends.push(end(&name, *entity, role, &lives));
            }
        }
        ends
    };
    Ok((ends(Role::Input), ends(Role::Output)))
}

fn end(name: &NameKey, entity: Option<EntityId>, role: Role, lives: &[u32]) -> EndAnswer {
    EndAnswer {
        name: name.qualified.clone(),
        id: entity.unwrap_or_else(|| name.id()),
        linked: entity.is_some(),
        role,
        cluster: name.cluster.clone(),
        lives: lives.iter().collect::<HashSet<_>>().len(),
    }
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
