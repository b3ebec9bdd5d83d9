//! A made-up history of a cluster: operations that read up to six tables and write one. How often
//! a table is read follows a power law, so that a few are read by a hundredth of all operations.

use anyhow::Result;
use sextant_model::feed::What;
use sextant_model::operation::{FlowVariant, Operation, Role, SeenSpan, TablePair, Usage};
use sextant_model::record::{FlowEdge, FlowKind, Flows, TableMention, Vertex};
use sextant_model::{
    Entity, EntityId, EntityState, EntityType, Life, NameKey, NameKind, ObjectName, Properties, SourceType, Timestamp,
};
use sextant_store::{Changes, EntityWrite, Facts};

const ROWS_PER_COMMIT: u64 = 20_000;
/// Of every table. Each is copied into that of the same name; of an input that only decides which
/// rows arrive, one column does.
pub(super) const COLUMNS: u32 = 10;

/// Primes, so that being read often has nothing to do with being written often.
const READ: u64 = 2_654_435_761;
const WRITTEN: u64 = 1_000_000_007;

/// What is in a history.
pub(super) struct History {
    pub(super) tables: u64,
    pub(super) operations: u64,
}

/// Which tables an operation reads and writes, by their numbers.
pub(super) struct Statement {
    pub(super) number: u64,
    pub(super) inputs: Vec<u64>,
    /// Those of them that only decide which rows arrive.
    pub(super) decides: Option<u64>,
    pub(super) output: u64,
}

impl History {
    /// With about so many uses of a table by an operation.
    pub(super) fn of(relations: u64) -> Self {
        Self { tables: relations / 5, operations: relations * 10 / 44 }
    }

    /// Every table as likely as any other.
    pub(super) fn some_table(&self, random: &mut fastrand::Rng) -> u64 {
        random.u64(0..self.tables)
    }

    /// Few tables far more often than others; other ones for every spread.
    fn popular_table(&self, random: &mut fastrand::Rng, spread: u64) -> u64 {
        let rank = (random.f64().powi(3) * self.tables as f64) as u64;
        rank.wrapping_mul(spread) % self.tables
    }

    /// The operations in the order in which they ran; the same every time.
    pub(super) fn statements(&self) -> impl Iterator<Item = Statement> + '_ {
        let mut random = fastrand::Rng::with_seed(7);
        (0..self.operations).map(move |number| {
            let wanted = random.usize(1..7);
            let mut inputs: Vec<u64> = (0..wanted).map(|_| self.popular_table(&mut random, READ)).collect();
            inputs.sort_unstable();
            inputs.dedup();
            let decides = inputs.last().copied().filter(|_| random.u8(0..10) == 0);
            // Most tables have a statement of their own, some have many.
            let has_own = random.u8(0..10) < 8;
            let output = if has_own { number % self.tables } else { self.popular_table(&mut random, WRITTEN) };
            Statement { number, inputs, decides, output }
        })
    }

    /// Writes all of it; answers the number of relations.
    pub(super) fn store(&self, store: &dyn Facts) -> Result<u64> {
        for first in (0..self.tables).step_by(ROWS_PER_COMMIT as usize) {
            let mut changes = Changes::default();
            (first..self.tables.min(first + ROWS_PER_COMMIT)).for_each(|number| add_table(&mut changes, number));
            store.commit(&changes)?;
        }
        let mut relations = 0;
        let mut changes = Changes::default();
        for statement in self.statements() {
            add_statement(&mut changes, &statement);
            if changes.operations.len() as u64 == ROWS_PER_COMMIT {
                relations += changes.usages.len() as u64;
                store.commit(&std::mem::take(&mut changes))?;
            }
        }
        relations += changes.usages.len() as u64;
        store.commit(&changes)?;
        Ok(relations)
    }

    /// Runs the first so many operations a second time; answers how many they were.
    pub(super) fn run_again(&self, store: &dyn Facts, operations: usize) -> Result<usize> {
        let mut changes = Changes::default();
        for statement in self.statements().take(operations) {
            add_statement(&mut changes, &Statement { number: statement.number, ..statement });
        }
        for usage in &mut changes.usages {
            usage.seen.last = moment(self.operations + 1);
        }
        let count = changes.operations.len();
        store.commit(&changes)?;
        Ok(count)
    }
}

fn table_name(number: u64) -> ObjectName {
    ObjectName::relation(&format!("db{:02}", number % 50), &format!("t{number:08}"))
}

/// The id of the table of a number.
pub(super) fn table_id(number: u64) -> EntityId {
    EntityId::of_object("hive", NameKind::Relation, &table_name(number).qualified())
}

fn moment(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000 + seconds as i64)
}

fn add_table(changes: &mut Changes, number: u64) {
    let (name, id) = (table_name(number), table_id(number));
    // One of fifty was dropped.
    let over = (number % 50 == 7).then(|| moment(number));
    changes.bindings.push((NameKey::of("default", &name), id));
    changes.lives.push(Life {
        entity: id,
        number: 1,
        created: Some(moment(0)),
        first_seen: moment(0),
        last_seen: over,
        over,
    });
    let entity = Entity {
        id,
        entity_type: EntityType::Table,
        source_type: SourceType::Hive,
        source: "hive".to_owned(),
        cluster: "default".to_owned(),
        original_name: name.last_part().to_owned(),
        qualified_name: name.qualified(),
        parent: None,
        parent_path: Some(format!("/{}", name.database)),
        state: if over.is_some() { EntityState::Deleted } else { EntityState::Living },
        delete_time: over,
        last_seen: None,
        first_seen: moment(0),
        position: 0,
        properties: Properties::new(),
    };
    changes.entities.push(EntityWrite { entity, what: What::Created, content: Some([0; 16]) });
}

fn add_statement(changes: &mut Changes, statement: &Statement) {
    let id = EntityId::derive("operation", &[&statement.number.to_le_bytes()]);
    let output = NameKey::of("default", &table_name(statement.output));
    let seen = SeenSpan::once(moment(statement.number), id);
    changes.variants.push(FlowVariant { operation: id, id, flows: column_flows(statement), seen });
    let mut pairs = Vec::with_capacity(statement.inputs.len());
    for &number in &statement.inputs {
        let input = NameKey::of("default", &table_name(number));
        changes.usages.push(Usage { operation: id, name: input.clone(), role: Role::Input, life: 1, seen });
        let control = statement.decides == Some(number);
        pairs.push(TablePair { input, output: output.clone(), data: !control, control });
    }
    changes.usages.push(Usage { operation: id, name: output, role: Role::Output, life: 1, seen });
    changes.operations.push(Operation {
        id,
        source_type: SourceType::Impala,
        cluster: "default".to_owned(),
        operation_type: Some("QUERY".to_owned()),
        lineage_known: true,
        pairs,
    });
}

fn column_flows(statement: &Statement) -> Flows {
    let tables = statement.inputs.iter().chain([&statement.output]);
    let tables: Vec<TableMention> =
        tables.map(|number| TableMention { name: table_name(*number), created: None }).collect();
    let columns = |table: u32| (0..COLUMNS).map(move |column| Vertex::Column { table, column: column_name(column) });
    let vertices = (0..tables.len() as u32).flat_map(columns).collect();
    let (decides, copied): (Vec<u32>, Vec<u32>) = (0..statement.inputs.len() as u32)
        .partition(|&input| statement.decides == Some(statement.inputs[input as usize]));
    let target = |column| statement.inputs.len() as u32 * COLUMNS + column;
    let mut edges: Vec<FlowEdge> = (0..COLUMNS)
        .map(|column| FlowEdge {
            kind: FlowKind::Data,
            sources: copied.iter().map(|input| input * COLUMNS + column).collect(),
            targets: vec![target(column)],
            expression: None,
        })
        .collect();
    let targets: Vec<u32> = (0..COLUMNS).map(target).collect();
    edges.extend(decides.iter().map(|input| FlowEdge {
        kind: FlowKind::Control,
        sources: vec![input * COLUMNS],
        targets: targets.clone(),
        expression: None,
    }));
    Flows { tables, vertices, edges }
}

/// The name of a table's column of a number.
pub(super) fn column_name(number: u32) -> String {
    format!("column_{number}")
}
