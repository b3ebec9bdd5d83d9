//! Walks of depth 3 over a million relations.

use std::time::Instant;

use anyhow::Result;
use sextant_graph::{Asset, Direction, LiveGraph, Options, Root, walk};
use sextant_model::feed::What;
use sextant_model::operation::{Operation, Role, SeenSpan, TablePair, Usage};
use sextant_model::{
    Entity, EntityId, EntityState, EntityType, Life, NameKey, NameKind, ObjectName, Properties, SourceType, Timestamp,
    Viewer,
};
use sextant_store::{Changes, EntityWrite, Facts, SqliteStore};

use crate::report::{Report, percentiles};

const TABLES: u64 = 250_000;
const OPERATIONS: u64 = 250_000;
const WALKS: usize = 2_000;

/// Fills a store with operations that read three tables and write one, most of them from a small
/// part of the tables, and walks from random tables.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(folder.path())?;
    let mut random = fastrand::Rng::with_seed(7);
    for first in (0..TABLES).step_by(5_000) {
        let mut changes = Changes::default();
        (first..first + 5_000).for_each(|number| add_table(&mut changes, number));
        store.commit(&changes)?;
    }
    let mut relations = 0;
    for first in (0..OPERATIONS).step_by(5_000) {
        let mut changes = Changes::default();
        for number in first..first + 5_000 {
            relations += add_operation(&mut changes, number, &mut random);
        }
        store.commit(&changes)?;
    }
    let graph = LiveGraph::load(&store)?;
    report.row("relations (uses of a table by an operation)", relations.to_string());
    for (what, direction, columns) in [
        ("upstream, depth 3, limit 100", Direction::Upstream, false),
        ("both directions, depth 3, limit 100", Direction::Both, false),
    ] {
        let options = Options { direction, depth: 3, limit: 100, columns, ..Options::default() };
        let mut milliseconds = Vec::with_capacity(WALKS);
        let mut nodes = 0;
        for _ in 0..WALKS {
            let root = Root::Asset(Asset::Entity(table_id(random.u64(0..TABLES))));
            let begin = Instant::now();
            let answer = walk(&graph.read(), &store, &Viewer::all(), &root, &options)?;
            milliseconds.push(begin.elapsed().as_secs_f64() * 1000.0);
            nodes += answer.nodes.len();
        }
        let (median, slow) = percentiles(&mut milliseconds);
        let mean_nodes = nodes / WALKS;
        report.row(what, format!("p50 {median:.2} ms, p95 {slow:.2} ms ({mean_nodes} nodes on average)"));
    }
    Ok(())
}

fn table_name(number: u64) -> ObjectName {
    ObjectName::relation(&format!("db{:02}", number % 50), &format!("t{number:07}"))
}

fn table_id(number: u64) -> EntityId {
    EntityId::of_object("hive", NameKind::Relation, &table_name(number).qualified())
}

fn moment(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(1_790_000_000 + seconds as i64)
}

fn add_table(changes: &mut Changes, number: u64) {
    let (name, id) = (table_name(number), table_id(number));
    changes.bindings.push((NameKey::of("default", &name), id));
    changes.lives.push(Life {
        entity: id,
        number: 1,
        created: Some(moment(0)),
        first_seen: moment(0),
        last_seen: None,
        over: None,
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
        state: EntityState::Living,
        delete_time: None,
        last_seen: None,
        first_seen: moment(0),
        position: 0,
        properties: Properties::new(),
    };
    changes.entities.push(EntityWrite { entity, what: What::Created, content: Some([0; 16]) });
}

/// Three tables in, one table out: four relations. Low numbers are read far more often.
fn add_operation(changes: &mut Changes, number: u64, random: &mut fastrand::Rng) -> u64 {
    let id = EntityId::derive("operation", &[&number.to_le_bytes()]);
    let output = NameKey::of("default", &table_name(number % TABLES));
    let seen = SeenSpan::once(moment(number), id);
    let mut pairs = Vec::new();
    let mut inputs: Vec<u64> = (0..3).map(|_| (random.f64().powi(4) * TABLES as f64) as u64).collect();
    inputs.sort_unstable();
    inputs.dedup();
    for input in inputs {
        let input = NameKey::of("default", &table_name(input));
        let usage = Usage { operation: id, name: input.clone(), role: Role::Input, life: 1, seen };
        changes.usages.push(usage);
        pairs.push(TablePair { input, output: output.clone(), data: true, control: false });
    }
    let relations = pairs.len() as u64 + 1;
    changes.usages.push(Usage { operation: id, name: output, role: Role::Output, life: 1, seen });
    changes.operations.push(Operation {
        id,
        source_type: SourceType::Impala,
        cluster: "default".to_owned(),
        operation_type: Some("QUERY".to_owned()),
        lineage_known: true,
        pairs,
    });
    relations
}
