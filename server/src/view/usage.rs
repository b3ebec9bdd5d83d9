//! Which operations use something.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;
use sextant_model::operation::{Role, Usage};
use sextant_model::{Entity, EntityId, EntityType, NameKey, SourceType, Timestamp, Viewer};
use sextant_store::{Facts, OperationSummary, StoreError};
use utoipa::ToSchema;

use super::operation::operation;
use super::words::{RoleWord, SourceTypeWord};

/// Operations that an entity's own answer lists.
const LISTED: usize = 20;

/// Which operations use an entity.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsersAnswer {
    /// How many, each counted once for reading and once for writing.
    used_by_total: usize,
    /// The 20 that ran last.
    used_by: Vec<UsageAnswer>,
}

/// That an operation reads or writes something.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageAnswer {
    /// The operation's id.
    #[schema(value_type = String)]
    operation: EntityId,
    #[schema(value_type = RoleWord)]
    role: Role,
    /// `QUERY`, `CREATETABLE_AS_SELECT`, ...
    #[schema(required)]
    operation_type: Option<String>,
    /// Which engine runs it.
    #[schema(value_type = SourceTypeWord)]
    source_type: SourceType,
    /// Its earliest true text, with its literals.
    query_text: String,
    /// Who ran it last.
    #[schema(required)]
    principal: Option<String>,
    /// Whether that is a service whose end user nobody knows.
    #[schema(required)]
    user_is_service: Option<bool>,
    /// The first run that used it so.
    #[schema(value_type = String, format = DateTime)]
    first_seen: Timestamp,
    /// The last one.
    #[schema(value_type = String, format = DateTime)]
    last_seen: Timestamp,
}

/// The names under which operations use an entity: of a field or partition those of its table.
pub fn used_names(facts: &dyn Facts, viewer: &Viewer, entity: &Entity) -> Result<Vec<NameKey>, StoreError> {
    let asset = match entity.entity_type {
        EntityType::Field | EntityType::Partition => entity.parent.unwrap_or(entity.id),
        _ => entity.id,
    };
    Ok(facts.names_of(viewer, &[asset])?.into_iter().map(|(_, name)| name).collect())
}

/// Which operations use one of these names, the last ones first.
pub fn users(facts: &dyn Facts, viewer: &Viewer, names: &[NameKey]) -> Result<UsersAnswer, StoreError> {
    let mut usages = of_all_lives(facts.usages_of_names(viewer, names)?);
    usages.sort_by_key(|usage| (Reverse(usage.seen.last), usage.operation, usage.role));
    let used_by_total = usages.len();
    usages.truncate(LISTED);
    let ids: Vec<EntityId> = usages.iter().map(|usage| usage.operation).collect();
    let operations: HashMap<EntityId, OperationSummary> =
        facts.operations(viewer, &ids)?.into_iter().map(|summary| (summary.operation.id, summary)).collect();
    let used_by = usages.iter().filter_map(|usage| Some(usage_of(usage, operations.get(&usage.operation)?))).collect();
    Ok(UsersAnswer { used_by_total, used_by })
}

/// One for each operation and role, whatever name and life of the entity it used.
fn of_all_lives(mut usages: Vec<Usage>) -> Vec<Usage> {
    usages.sort_by_key(|usage| (usage.operation, usage.role));
    usages.dedup_by(|next, known| {
        let same = (next.operation, next.role) == (known.operation, known.role);
        if same {
            known.seen = known.seen.merged(next.seen);
        }
        same
    });
    usages
}

fn usage_of(usage: &Usage, summary: &OperationSummary) -> UsageAnswer {
    let operation = operation(summary);
    UsageAnswer {
        operation: usage.operation,
        role: usage.role,
        operation_type: operation.operation_type,
        source_type: operation.source_type,
        query_text: operation.query_text,
        principal: operation.user.principal,
        user_is_service: operation.user.user_is_service,
        first_seen: usage.seen.first,
        last_seen: usage.seen.last,
    }
}
