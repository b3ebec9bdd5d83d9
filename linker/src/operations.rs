//! Records of statements become operations, executions, texts, flow variants and uses of names.
//!
//! An operation is identified by its statement shape and the names *as written*, never by the
//! entities behind them, so that it makes no difference whether a snapshot showed them first.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sextant_model::incarnation::{DEFAULT_SKEW_MS, UNSEEN_LIFE, life_of_execution};
use sextant_model::operation::{Evidence, Execution, FlowVariant, Operation, Role, SeenSpan, StatementText, Usage};
use sextant_model::record::{Flows, PushRecord, RecordLineage};
use sextant_model::{EntityId, NameKey, Timestamp};
use sextant_store::{Changes, Facts, NameState, StoreError};

use crate::flows::united_pairs;
use crate::meaning::{Meaning, Meanings};

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
    let mut meanings = Meanings::default();
    let places: Vec<Option<usize>> =
        runs.iter().map(|run| Some(meanings.place_of(&run.sourced.cluster, run.flows()?))).collect();
    let states = facts.name_states(&meanings.names())?;
    let mut batch = Batch::default();
    for (run, place) in runs.iter().zip(places) {
        batch.add(run, place.map(|place| &meanings[place]), &states);
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

impl<'a> Run<'a> {
    /// What its record tells of columns; nothing when that is unknown.
    fn flows(&self) -> Option<&'a Flows> {
        match &self.sourced.record.lineage {
            RecordLineage::Unknown => None,
            RecordLineage::Known(flows) => Some(flows),
        }
    }

    fn is_timeless(&self) -> bool {
        self.sourced.record.started.is_none() && self.sourced.record.ended.is_none()
    }
}

fn operation_id(cluster: &str, record: &PushRecord, meaning: Option<&Meaning>) -> EntityId {
    let version = sextant_sql::NORMALISER_VERSION.to_le_bytes();
    let shape = sextant_sql::normalise(&record.query_text);
    let (inputs, outputs) = meaning.map_or((&[][..], &[][..]), |meaning| (&meaning.inputs, &meaning.outputs));
    let mut parts: Vec<&[u8]> =
        vec![cluster.as_bytes(), record.source_type.as_str().as_bytes(), &version, shape.as_bytes(), b"inputs"];
    parts.extend(inputs.iter().map(|name| name.qualified.as_bytes()));
    parts.push(b"outputs");
    parts.extend(outputs.iter().map(|name| name.qualified.as_bytes()));
    EntityId::derive("operation", &parts)
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
struct Batch<'a> {
    operations: HashMap<EntityId, Operation>,
    texts: HashMap<EntityId, StatementText>,
    variants: HashMap<EntityId, FlowVariant>,
    usages: HashMap<(EntityId, &'a NameKey, Role, u32), SeenSpan>,
    executions: Vec<Execution>,
}

impl<'a> Batch<'a> {
    /// Adds a run. `meaning` is that of its flows, if it told any.
    fn add(&mut self, run: &Run<'a>, meaning: Option<&'a Meaning>, states: &HashMap<NameKey, NameState>) {
        let SourcedRecord { record, evidence, cluster, received } = run.sourced;
        let operation = operation_id(cluster, record, meaning);
        let time = record.ended.or(record.started).unwrap_or(*received);
        let seen = SeenSpan::once(time, run.id);
        self.add_operation(operation, run.sourced, meaning);
        let execution = Execution {
            id: run.id,
            operation,
            text: self.add_text(operation, &record.query_text, time),
            variant: meaning.map(|meaning| self.add_variant(operation, meaning, seen)),
            user: record.user.clone(),
            started: record.started,
            ended: record.ended,
            received: *received,
            query_id: record.query_id.clone(),
            engine: record.engine.clone(),
            job_ids: record.job_ids.clone(),
            table_created: meaning.map_or_else(Vec::new, |meaning| meaning.table_created.clone()),
            evidence: evidence.clone(),
        };
        for (name, role) in meaning.into_iter().flat_map(Meaning::uses) {
            let life = life_met(
                states.get(name),
                name,
                &execution.table_created,
                execution.started,
                execution.ended,
                execution.received,
            );
            self.usages
                .entry((operation, name, role, life))
                .and_modify(|span| *span = span.merged(seen))
                .or_insert(seen);
        }
        self.executions.push(execution);
    }

    fn add_operation(&mut self, id: EntityId, sourced: &SourcedRecord, meaning: Option<&Meaning>) {
        let pairs = meaning.map_or(&[][..], |meaning| &meaning.pairs);
        match self.operations.entry(id) {
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                known.lineage_known |= meaning.is_some();
                if known.pairs != pairs {
                    let before = std::mem::take(&mut known.pairs);
                    known.pairs = united_pairs(before.into_iter().chain(pairs.iter().cloned()));
                }
            }
            Entry::Vacant(entry) => {
                let record = &sourced.record;
                let told_type = record.operation_type.clone();
                entry.insert(Operation {
                    id,
                    source_type: record.source_type,
                    cluster: sourced.cluster.clone(),
                    operation_type: told_type
                        .or_else(|| sextant_sql::statement_kind(&record.query_text).map(str::to_owned)),
                    lineage_known: meaning.is_some(),
                    pairs: pairs.to_vec(),
                });
            }
        }
    }

    fn add_text(&mut self, operation: EntityId, text: &str, time: Timestamp) -> EntityId {
        let id = EntityId::derive("text", &[operation.as_bytes(), text.as_bytes()]);
        self.texts
            .entry(id)
            .and_modify(|known| known.first_seen = known.first_seen.min(time))
            .or_insert_with(|| StatementText { id, operation, text: text.to_owned(), first_seen: time });
        id
    }

    fn add_variant(&mut self, operation: EntityId, meaning: &Meaning, seen: SeenSpan) -> EntityId {
        let id = meaning.variant_id(operation);
        self.variants
            .entry(id)
            .and_modify(|known| known.seen = known.seen.merged(seen))
            .or_insert_with(|| FlowVariant { operation, id, flows: meaning.folded.clone(), seen });
        id
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
                .map(|((operation, name, role, life), seen)| Usage { operation, name: name.clone(), role, life, seen })
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
