//! When the lives behind a name become others, what operations did with that name is computed
//! anew from the executions' own times. So it makes no difference which came first.

use std::collections::{BTreeMap, BTreeSet};

use sextant_model::operation::{Role, SeenSpan, Usage};
use sextant_model::{EntityId, Life, NameKey, Viewer};
use sextant_store::{ExecutionTimes, Facts, NameState, StoreError, UsageReplacement};

use crate::operations::life_met;

/// The uses of every name in `other_lives`, given the lives behind it from now on.
pub(crate) fn relink(
    facts: &dyn Facts,
    other_lives: &BTreeMap<NameKey, Vec<Life>>,
) -> Result<Vec<UsageReplacement>, StoreError> {
    let names: Vec<NameKey> = other_lives.keys().cloned().collect();
    let mut roles: BTreeMap<(EntityId, NameKey), BTreeSet<Role>> = BTreeMap::new();
    for usage in facts.usages_of_names(&Viewer::all(), &names)? {
        roles.entry((usage.operation, usage.name)).or_default().insert(usage.role);
    }
    let mut replacements = Vec::with_capacity(roles.len());
    // Pairs come ordered by operation: its executions are read once.
    let mut current: Option<(EntityId, Vec<ExecutionTimes>)> = None;
    for ((operation, name), roles) in roles {
        let executions = match current.take() {
            Some((id, executions)) if id == operation => executions,
            _ => facts.execution_times(operation)?,
        };
        let lives = &other_lives[&name];
        let state = NameState { entity: lives.first().map(|life| life.entity), lives: lives.clone() };
        let mut spans: BTreeMap<u32, SeenSpan> = BTreeMap::new();
        for execution in &executions {
            let life = life_met(
                Some(&state),
                &name,
                &execution.table_created,
                execution.started,
                execution.ended,
                execution.received,
            );
            let time = execution.ended.or(execution.started).unwrap_or(execution.received);
            let seen = SeenSpan::once(time, execution.id);
            spans.entry(life).and_modify(|span| *span = span.merged(seen)).or_insert(seen);
        }
        let mut usages = Vec::with_capacity(roles.len() * spans.len());
        for role in roles {
            for (&life, &seen) in &spans {
                usages.push(Usage { operation, name: name.clone(), role, life, seen });
            }
        }
        replacements.push(UsageReplacement { operation, name, usages });
        current = Some((operation, executions));
    }
    Ok(replacements)
}
