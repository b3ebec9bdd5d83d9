//! Records of statements become operations, executions, texts, flow variants and uses of names.
//!
//! An operation is identified by its statement shape and the names *as written*, never by the
//! entities behind them, so that it makes no difference whether a snapshot showed them first.

use std::collections::{BTreeSet, HashMap};

use sextant_model::incarnation::{DEFAULT_SKEW_MS, UNSEEN_LIFE, life_of_execution};
use sextant_model::operation::{Evidence, Execution, FlowVariant, Operation, Role, SeenSpan, StatementText, Usage};
use sextant_model::record::{Flows, PushRecord, RecordLineage};
use sextant_model::{EntityId, NameKey, Timestamp};
use sextant_store::{Changes, Facts, NameState, StoreError};

use crate::flows::{folded, input_tables, output_tables, table_pairs, united_pairs};

/// A record together with where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcedRecord {
    /// What the extractor understood.
    pub record: PushRecord,
    /// Host, file and offset in the file.
    pub evidence: Evidence,
    /// The cluster, under its first name.
    pub cluster: String,
    /// When the server received it.
    pub received: Timestamp,
}

/// Turns a batch of records into changes. Records of one run (equal execution keys) count once.
pub fn link(facts: &dyn Facts, records: &[SourcedRecord]) -> Result<Changes, StoreError> {
    let runs = distinct_runs(facts, records)?;
    let mut batch = Batch::default();
    let described: Vec<Described> = runs.iter().map(|run| Described::of(run)).collect();
    let mut names: Vec<NameKey> =
        described.iter().flat_map(|run| run.uses.iter().map(|(name, _)| name.clone())).collect();
    names.sort_unstable();
    names.dedup();
    let states = facts.name_states(&names)?;
    for run in described {
        batch.add(run, &states);
    }
    Ok(batch.into_changes())
}

/// One record for each run. A record without any time of its own is told apart by when it was
/// received; a second copy of it must not widen any span, so known ones are left out.
fn distinct_runs<'a>(facts: &dyn Facts, records: &'a [SourcedRecord]) -> Result<Vec<Run<'a>>, StoreError> {
    let mut by_id: HashMap<EntityId, usize> = HashMap::with_capacity(records.len());
    let mut runs: Vec<Run<'a>> = Vec::with_capacity(records.len());
    for sourced in records {
        let id = execution_id(sourced);
        match by_id.get(&id) {
            None => {
                by_id.insert(id, runs.len());
                runs.push(Run { id, sourced });
            }
            Some(&index) => {
                let kept = &mut runs[index];
                if (sourced.received, &sourced.evidence) < (kept.sourced.received, &kept.sourced.evidence) {
                    kept.sourced = sourced;
                }
            }
        }
    }
    let timeless: Vec<EntityId> = runs.iter().filter(|run| run.is_timeless()).map(|run| run.id).collect();
    if !timeless.is_empty() {
        let known = facts.known_executions(&timeless)?;
        runs.retain(|run| !run.is_timeless() || !known.contains(&run.id));
    }
    Ok(runs)
}

fn execution_id(sourced: &SourcedRecord) -> EntityId {
    let mut parts: Vec<&[u8]> = vec![sourced.cluster.as_bytes()];
    parts.extend(sourced.record.execution_key.iter().map(String::as_bytes));
    EntityId::derive("execution", &parts)
}

struct Run<'a> {
    id: EntityId,
    sourced: &'a SourcedRecord,
}

impl Run<'_> {
    fn is_timeless(&self) -> bool {
        self.sourced.record.started.is_none() && self.sourced.record.ended.is_none()
    }
}

/// A run with everything about it that does not depend on what the store knows.
struct Described {
    execution: Execution,
    operation: Operation,
    text: StatementText,
    variant: Option<FlowVariant>,
    uses: Vec<(NameKey, Role)>,
}

impl Described {
    fn of(run: &Run<'_>) -> Self {
        let SourcedRecord { record, evidence, cluster, received } = run.sourced;
        let flows = match &record.lineage {
            RecordLineage::Unknown => None,
            RecordLineage::Known(flows) => Some(flows),
        };
        let names_of = |tables: BTreeSet<u32>, flows: &Flows| -> Vec<NameKey> {
            tables.into_iter().map(|table| NameKey::of(cluster, &flows.tables[table as usize].name)).collect()
        };
        let mut inputs = flows.map_or_else(Vec::new, |flows| names_of(input_tables(flows), flows));
        let mut outputs = flows.map_or_else(Vec::new, |flows| names_of(output_tables(flows), flows));
        inputs.sort_unstable();
        outputs.sort_unstable();

        let operation_id = operation_id(cluster, record, &inputs, &outputs);
        let time = record.ended.or(record.started).unwrap_or(*received);
        let text = StatementText {
            id: EntityId::derive("text", &[operation_id.as_bytes(), record.query_text.as_bytes()]),
            operation: operation_id,
            text: record.query_text.clone(),
            first_seen: time,
        };
        let variant = flows.map(|flows| {
            let flows = folded(flows);
            FlowVariant {
                operation: operation_id,
                id: variant_id(operation_id, &flows),
                flows,
                seen: SeenSpan::once(time, run.id),
            }
        });
        let execution = Execution {
            id: run.id,
            operation: operation_id,
            text: text.id,
            variant: variant.as_ref().map(|variant| variant.id),
            user: record.user.clone(),
            started: record.started,
            ended: record.ended,
            received: *received,
            query_id: record.query_id.clone(),
            engine: record.engine.clone(),
            job_ids: record.job_ids.clone(),
            table_created: flows.map_or_else(Vec::new, create_times),
            evidence: evidence.clone(),
        };
        let operation = Operation {
            id: operation_id,
            source_type: record.source_type,
            cluster: cluster.clone(),
            operation_type: record
                .operation_type
                .clone()
                .or_else(|| sextant_sql::statement_kind(&record.query_text).map(str::to_owned)),
            lineage_known: flows.is_some(),
            pairs: flows.map_or_else(Vec::new, |flows| table_pairs(flows, cluster)),
        };
        let uses = inputs
            .into_iter()
            .map(|name| (name, Role::Input))
            .chain(outputs.into_iter().map(|name| (name, Role::Output)))
            .collect();
        Self { execution, operation, text, variant, uses }
    }
}

fn operation_id(cluster: &str, record: &PushRecord, inputs: &[NameKey], outputs: &[NameKey]) -> EntityId {
    let version = sextant_sql::NORMALISER_VERSION.to_le_bytes();
    let shape = sextant_sql::normalise(&record.query_text);
    let mut parts: Vec<&[u8]> =
        vec![cluster.as_bytes(), record.source_type.as_str().as_bytes(), &version, shape.as_bytes(), b"inputs"];
    parts.extend(inputs.iter().map(|name| name.qualified.as_bytes()));
    parts.push(b"outputs");
    parts.extend(outputs.iter().map(|name| name.qualified.as_bytes()));
    EntityId::derive("operation", &parts)
}

fn variant_id(operation: EntityId, flows: &Flows) -> EntityId {
    let canonical = serde_json::to_vec(flows).expect("flows are plain lists of numbers and texts");
    EntityId::derive("flows", &[operation.as_bytes(), &canonical])
}

fn create_times(flows: &Flows) -> Vec<(String, Timestamp)> {
    flows.tables.iter().filter_map(|table| Some((table.name.qualified(), table.created?))).collect()
}

/// Which life of the entity behind a name an execution met.
pub(crate) fn life_met(
    state: Option<&NameState>,
    name: &NameKey,
    table_created: &[(String, Timestamp)],
    started: Option<Timestamp>,
    ended: Option<Timestamp>,
    received: Timestamp,
) -> u32 {
    let Some(state) = state.filter(|state| state.entity.is_some()) else {
        return UNSEEN_LIFE;
    };
    let created = table_created.iter().find(|(qualified, _)| *qualified == name.qualified).map(|(_, time)| *time);
    // A record without times happened some time before it was received.
    let ended = ended.or(if started.is_none() { Some(received) } else { None });
    life_of_execution(&state.lives, created, started, ended, DEFAULT_SKEW_MS)
}

/// What a batch adds up to; runs of one operation share its rows.
#[derive(Default)]
struct Batch {
    operations: HashMap<EntityId, Operation>,
    texts: HashMap<EntityId, StatementText>,
    variants: HashMap<EntityId, FlowVariant>,
    usages: HashMap<(EntityId, NameKey, Role, u32), SeenSpan>,
    executions: Vec<Execution>,
}

impl Batch {
    fn add(&mut self, run: Described, states: &HashMap<NameKey, NameState>) {
        let Described { execution, operation, text, variant, uses } = run;
        let seen = SeenSpan::once(execution.time(), execution.id);
        for (name, role) in uses {
            let life = life_met(
                states.get(&name),
                &name,
                &execution.table_created,
                execution.started,
                execution.ended,
                execution.received,
            );
            self.usages
                .entry((operation.id, name, role, life))
                .and_modify(|span| *span = span.merged(seen))
                .or_insert(seen);
        }
        self.texts
            .entry(text.id)
            .and_modify(|known| known.first_seen = known.first_seen.min(text.first_seen))
            .or_insert(text);
        if let Some(variant) = variant {
            self.variants.entry(variant.id).and_modify(|known| known.seen = known.seen.merged(seen)).or_insert(variant);
        }
        match self.operations.get_mut(&operation.id) {
            Some(known) => {
                if known.pairs != operation.pairs {
                    let pairs = std::mem::take(&mut known.pairs);
                    known.pairs = united_pairs(pairs.into_iter().chain(operation.pairs));
                }
            }
            None => {
                self.operations.insert(operation.id, operation);
            }
        }
        self.executions.push(execution);
    }

    fn into_changes(self) -> Changes {
        let mut changes = Changes {
            operations: self.operations.into_values().collect(),
            variants: self.variants.into_values().collect(),
            texts: self.texts.into_values().collect(),
            executions: self.executions,
            usages: self
                .usages
                .into_iter()
                .map(|((operation, name, role, life), seen)| Usage { operation, name, role, life, seen })
                .collect(),
            ..Changes::default()
        };
        // The same batch makes the same transaction, whatever the maps' order.
        changes.operations.sort_unstable_by_key(|operation| operation.id);
        changes.variants.sort_unstable_by_key(|variant| variant.id);
        changes.texts.sort_unstable_by_key(|text| text.id);
        changes.usages.sort_unstable_by(|a, b| {
            (a.operation, &a.name, a.role, a.life).cmp(&(b.operation, &b.name, b.role, b.life))
        });
        changes
    }
}
