//! Measures the SQLite store: `cargo run --release -p sextant-store --example measure [DIR]`.
//!
//! Prints, for commits of 5,000 executions: repeated shapes, distinct shapes, reads of uses, a
//! snapshot of tables, and the bytes on the disk. Nothing here is a test; the figures depend on the machine.

#![expect(clippy::print_stdout, reason = "a measurement prints what it measured")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sextant_model::feed::What;
use sextant_model::operation::{
    Evidence, Execution, FlowVariant, Operation, Role, SeenSpan, StatementText, TablePair, Usage,
};
use sextant_model::record::{FlowEdge, FlowKind, Flows, TableMention, Vertex};
use sextant_model::{
    Entity, EntityId, EntityState, EntityType, NameKey, ObjectName, Properties, SourceType, Timestamp, Viewer,
};
use sextant_store::{Changes, EntityWrite, Facts, SqliteStore};

const PER_COMMIT: u64 = 5_000;
const TABLES: u64 = 20_000;
const FIELDS: u32 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parent = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    repeated_shapes(&parent, 200_000)?;
    distinct_shapes(&parent, 50_000)?;
    repeated_shapes(&parent, 1_000_000)?;
    usages(&parent, 1_000_000)?;
    tables(&parent, 10_000)
}

fn tables(parent: &Path, tables: u64) -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir_in(parent)?;
    let store = SqliteStore::open(directory.path())?;
    let mut changes = Changes::default();
    for table in 0..tables {
        let id = EntityId::derive("table", &[&table.to_le_bytes()]);
        changes.entities.push(entity(id, EntityType::Table, None, &format!("db.table_{table}"), 0));
        for column in 0..FIELDS {
            let name = format!("column_{column}");
            let qualified_name = format!("db.table_{table}.{name}");
            let field = EntityId::of_field(id, &name);
            changes.entities.push(entity(field, EntityType::Field, Some(id), &qualified_name, column));
        }
    }
    let count = changes.entities.len() as u64;
    println!("{count} entities, new: {}", timed(|| store.commit(&changes))?.each(count));
    println!("{count} entities, again: {}", timed(|| store.commit(&changes))?.each(count));
    let ids: Vec<EntityId> = changes.entities.iter().map(|write| write.entity.id).collect();
    println!("{count} entities, read: {}", timed(|| store.entities(&Viewer::all(), &ids))?.each(count));
    drop(store);
    report_size(directory.path(), count)
}

fn entity(
    id: EntityId,
    entity_type: EntityType,
    parent: Option<EntityId>,
    qualified_name: &str,
    position: u32,
) -> EntityWrite {
    let mut properties = Properties::new();
    properties.insert("dataType".to_owned(), "decimal(18,4)".into());
    let entity = Entity {
        id,
        entity_type,
        source_type: SourceType::Hive,
        source: "hive".to_owned(),
        cluster: "prod".to_owned(),
        original_name: qualified_name.rsplit('.').next().unwrap_or_default().to_owned(),
        qualified_name: qualified_name.to_owned(),
        parent,
        parent_path: Some("/db/table".to_owned()),
        state: EntityState::Living,
        delete_time: None,
        last_seen: None,
        first_seen: time(0),
        position,
        properties,
    };
    EntityWrite { entity, what: What::Created, content: parent.is_none().then_some([7; 16]) }
}

fn repeated_shapes(parent: &Path, executions: u64) -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir_in(parent)?;
    let store = SqliteStore::open(directory.path())?;
    let mut spent = Spent::default();
    for first in (0..executions).step_by(PER_COMMIT as usize) {
        let mut changes = Changes::default();
        let mut shapes = BTreeSet::new();
        for number in first..first + PER_COMMIT {
            // Some statements run often, most now and then.
            let shape = (number * 7919 % 45) * (number * 104_729 % 53);
            changes.executions.push(execution(number, shape, number % 5));
            shapes.insert(shape);
        }
        for shape in shapes {
            add_shape(&mut changes, shape, first);
        }
        spent += timed(|| store.commit(&changes))?;
    }
    println!("{executions} executions, repeated shapes: {}", spent.each(executions));
    drop(store);
    report_size(directory.path(), executions)
}

fn distinct_shapes(parent: &Path, executions: u64) -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir_in(parent)?;
    let store = SqliteStore::open(directory.path())?;
    let mut spent = Spent::default();
    for first in (0..executions).step_by(PER_COMMIT as usize) {
        let mut changes = Changes::default();
        for number in first..first + PER_COMMIT {
            changes.executions.push(execution(number, number, 0));
            add_shape(&mut changes, number, number);
        }
        spent += timed(|| store.commit(&changes))?;
    }
    println!("{executions} executions, distinct shapes: {}", spent.each(executions));
    drop(store);
    report_size(directory.path(), executions)
}

fn usages(parent: &Path, usages: u64) -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir_in(parent)?;
    let store = SqliteStore::open(directory.path())?;
    let operations = usages / 4;
    let mut spent = Spent::default();
    for first in (0..operations).step_by(PER_COMMIT as usize) {
        let mut changes = Changes::default();
        for shape in first..first + PER_COMMIT {
            add_shape(&mut changes, shape, shape);
        }
        changes.variants.clear();
        changes.texts.clear();
        spent += timed(|| store.commit(&changes))?;
    }
    println!("{usages} usages with their operations: {}", spent.each(usages));

    let viewer = Viewer::all();
    let names: Vec<NameKey> = (0..2_000).map(|number| table(number * 17 % TABLES)).collect();
    let mut found = 0;
    let spent = timed(|| store.usages_of_names(&viewer, &names).inspect(|usages| found = usages.len()))?;
    println!("{found} usages of 2000 names: {}", spent.each(found as u64));

    let ids: Vec<EntityId> = (0..20_000).map(|number| operation_id(number * 17 % operations)).collect();
    let spent = timed(|| store.usages_of_operations(&viewer, &ids).inspect(|usages| found = usages.len()))?;
    println!("{found} usages of 20000 operations: {}", spent.each(found as u64));

    let ids = &ids[..1];
    let spent = timed(|| (0..1_000).try_for_each(|_| store.usages_of_operations(&viewer, ids).map(drop)))?;
    println!("usages of one operation, 1000 calls: {}", spent.each(1_000));
    drop(store);
    report_size(directory.path(), usages)
}

fn add_shape(changes: &mut Changes, shape: u64, number: u64) {
    let operation = operation_id(shape);
    let (first_input, output) = (table(shape * 13 % TABLES), table(shape * 29 % TABLES));
    let inputs = [first_input, table(shape * 7 % TABLES), table(shape * 3 % TABLES)];
    let seen = SeenSpan::once(time(number), execution_id(number));
    changes.operations.push(Operation {
        id: operation,
        source_type: SourceType::Hive,
        cluster: "prod".to_owned(),
        operation_type: Some("CREATETABLE_AS_SELECT".to_owned()),
        lineage_known: true,
        pairs: inputs
            .iter()
            .map(|input| TablePair { input: input.clone(), output: output.clone(), data: true, control: false })
            .collect(),
    });
    changes.texts.push(StatementText {
        id: text_id(shape, 0),
        operation,
        text: format!(
            "CREATE TABLE db_{shape}.t AS SELECT a.id, a.name, b.amount, c.region, sum(b.amount) OVER (PARTITION BY \
             c.region ORDER BY a.id) AS total FROM source_{shape}.a JOIN source_{shape}.b ON a.id = b.id LEFT JOIN \
             source_{shape}.c ON b.region_id = c.id WHERE a.dt = '2026-11-{shape}' AND b.amount > {shape}"
        ),
        first_seen: time(number),
    });
    changes.variants.push(FlowVariant {
        operation,
        id: EntityId::derive("flows", &[operation.as_bytes()]),
        flows: flows(shape),
        seen,
    });
    for (name, role) in inputs.into_iter().map(|name| (name, Role::Input)).chain([(output, Role::Output)]) {
        changes.usages.push(Usage { operation, name, role, life: 1, seen });
    }
}

fn flows(shape: u64) -> Flows {
    let mention = |name: &str| TableMention { name: ObjectName::relation(&format!("s{shape}"), name), created: None };
    let columns = 10;
    let column =
        |number: u32| Vertex::Column { table: number / columns, column: format!("column_{}", number % columns) };
    Flows {
        tables: vec![mention("a"), mention("b")],
        vertices: (0..2 * columns).map(column).collect(),
        edges: (0..columns)
            .map(|number| FlowEdge {
                kind: FlowKind::Data,
                sources: vec![number],
                targets: vec![columns + number],
                expression: None,
            })
            .chain([FlowEdge {
                kind: FlowKind::Control,
                sources: vec![0, 3],
                targets: (columns..2 * columns).collect(),
                expression: Some("(a.id = b.id)".to_owned()),
            }])
            .collect(),
    }
}

fn execution(number: u64, shape: u64, text: u64) -> Execution {
    let ended = time(number);
    Execution {
        id: execution_id(number),
        operation: operation_id(shape),
        text: text_id(shape, text),
        variant: Some(EntityId::derive("flows", &[operation_id(shape).as_bytes()])),
        user: Some(format!("user{}@CORP.EXAMPLE", number % 40)),
        started: Some(ended.plus_millis(-5_000)),
        ended: Some(ended),
        received: ended.plus_millis(3_217),
        query_id: Some(format!("{:016x}:{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15), number)),
        engine: Some("tez".to_owned()),
        job_ids: vec![format!("job_1700000000000_{number}")],
        table_created: vec![
            (format!("db.table_{}", shape * 13 % TABLES), Timestamp::from_seconds(1_700_000_000)),
            (format!("db.table_{}", shape * 29 % TABLES), Timestamp::from_seconds(1_700_000_000)),
        ],
        evidence: Evidence {
            host: format!("edge-{}", number % 3),
            file: format!("/var/log/hive/lineage/lineage-{}.log", number / 10_000),
            offset: number * 1_900,
        },
    }
}

fn execution_id(number: u64) -> EntityId {
    EntityId::derive("execution", &[&number.to_le_bytes()])
}

fn operation_id(shape: u64) -> EntityId {
    EntityId::derive("operation", &[&shape.to_le_bytes()])
}

fn text_id(shape: u64, number: u64) -> EntityId {
    EntityId::derive("text", &[&shape.to_le_bytes(), &number.to_le_bytes()])
}

fn table(number: u64) -> NameKey {
    NameKey::of("prod", &ObjectName::relation("db", &format!("table_{number}")))
}

fn time(number: u64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + number as i64 * 400)
}

/// What some work took.
#[derive(Clone, Copy, Default)]
struct Spent {
    elapsed: Duration,
    /// On a processor, as far as Linux tells; on a busy machine this is the steadier figure.
    computing: Duration,
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.elapsed += other.elapsed;
        self.computing += other.computing;
    }
}

impl Spent {
    /// Microseconds for one of `count` rows.
    fn each(self, count: u64) -> String {
        let micros = |duration: Duration| duration.as_secs_f64() * 1e6 / count as f64;
        format!("{:.2} us each ({:.2} computing)", micros(self.elapsed), micros(self.computing))
    }
}

fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<Spent, E> {
    let (begun, computed) = (Instant::now(), computing_time());
    work()?;
    Ok(Spent { elapsed: begun.elapsed(), computing: computing_time().saturating_sub(computed) })
}

fn computing_time() -> Duration {
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

fn report_size(directory: &Path, rows: u64) -> Result<(), Box<dyn std::error::Error>> {
    let size = std::fs::metadata(directory.join("facts.db"))?.len();
    println!("    {} bytes on the disk each", size / rows);
    Ok(())
}
