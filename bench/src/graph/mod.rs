//! The graph in memory at one, five and twenty million relations: loading, memory, walks; beside
//! it a recursive query over the same relations in PostgreSQL.

mod history;
mod postgres;

use std::time::Instant;

use anyhow::{Context, Result};
use sextant_graph::{Asset, Direction, Graph, LiveGraph, Options, Root, walk};
use sextant_model::Viewer;
use sextant_store::{Facts, SqliteStore};

use crate::report::{Report, disk_bytes, memory_mib};
use history::{COLUMNS, History, column_name, table_id};

/// How many relations each history has, unless `SEXTANT_BENCH_RELATIONS` says otherwise.
const RELATIONS: [u64; 3] = [1_000_000, 5_000_000, 20_000_000];
const WALKS: usize = 2_000;
/// Walks that fill the pages of the store's file before the measured ones.
const WARM_UP: usize = 200;

/// Measures each history from an empty directory on.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    for relations in sizes()? {
        let history = History::of(relations);
        measure(report, &history)?;
        postgres::measure(report, &history)?;
    }
    Ok(())
}

fn sizes() -> Result<Vec<u64>> {
    let Ok(told) = std::env::var("SEXTANT_BENCH_RELATIONS") else {
        return Ok(RELATIONS.to_vec());
    };
    told.split(',')
        .map(|size| size.trim().parse().with_context(|| format!("SEXTANT_BENCH_RELATIONS: {size}")))
        .collect()
}

fn measure(report: &mut Report, history: &History) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(folder.path())?;
    let begin = Instant::now();
    let relations = history.store(&store)?;
    let size = format!("{} million relations", relations / 1_000_000);
    let (mib, seconds) = (disk_bytes(folder.path()) >> 20, begin.elapsed().as_secs_f64());
    report.row(
        format!("{size}: in the store"),
        format!(
            "{relations} uses of {} tables by {} operations, {mib} MiB, written in {seconds:.0} s",
            history.tables, history.operations
        ),
    );

    let (before, _) = memory_mib(std::process::id());
    let (begin, worked) = (Instant::now(), processor_seconds());
    let graph = LiveGraph::load(&store)?;
    let (seconds, worked) = (begin.elapsed().as_secs_f64(), processor_seconds() - worked);
    let (after, peak) = memory_mib(std::process::id());
    let bytes = graph.read().size().bytes;
    report.row(
        format!("{size}: loading"),
        format!(
            "{seconds:.1} s ({worked:.1} s of one core); the graph has {} MiB ({:.0} bytes for each relation); the process grew from {before} to \
             {after} MiB with the mapped file, peak {peak} MiB",
            bytes >> 20,
            bytes as f64 / relations as f64
        ),
    );

    let graph_now = graph.read();
    for (what, options) in [
        ("depth 3, limit 100", Options { depth: 3, ..Options::default() }),
        ("depth 3, limit 100, operations", Options { depth: 3, operations: true, ..Options::default() }),
        ("depth 10, limit 100", Options { depth: 10, ..Options::default() }),
        ("depth 10, limit 5,000", Options { depth: 10, limit: 5_000, ..Options::default() }),
    ] {
        let root = |random: &mut _| Root::Asset(Asset::Entity(table_id(history.some_table(random))));
        let figures = walks(&graph_now, &store, root, &options)?;
        report.row(format!("{size}: both directions, {what}"), figures);
    }
    let root = |random: &mut fastrand::Rng| Root::Field {
        table: table_id(history.some_table(random)),
        column: column_name(random.u32(0..COLUMNS)),
    };
    let figures = walks(&graph_now, &store, root, &Options { depth: 3, ..Options::default() })?;
    report.row(format!("{size}: from column to column, both directions, depth 3, limit 100"), figures);
    drop(graph_now);
    let begin = Instant::now();
    let runs = history.run_again(&store, 10_000)?;
    let written = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    while graph.follow(&store)? {}
    report.row(
        format!("{size}: {runs} operations run again"),
        format!("stored in {written:.2} s, followed in {:.2} s", begin.elapsed().as_secs_f64()),
    );
    Ok(())
}

fn walks(
    graph: &Graph,
    store: &dyn Facts,
    some_root: impl Fn(&mut fastrand::Rng) -> Root,
    options: &Options,
) -> Result<String> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut milliseconds = Vec::with_capacity(WALKS);
    let mut nodes = 0;
    let mut worked = 0.0;
    let options = Options { direction: Direction::Both, ..options.clone() };
    let (warm_up, walks) = if options.limit > 1_000 { (10, WALKS / 20) } else { (WARM_UP, WALKS) };
    for number in 0..warm_up + walks {
        if number == warm_up {
            worked = processor_seconds();
        }
        let root = some_root(&mut random);
        let begin = Instant::now();
        let answer = walk(graph, store, &Viewer::all(), &root, &options)?;
        if number >= warm_up {
            milliseconds.push(begin.elapsed().as_secs_f64() * 1000.0);
            nodes += answer.nodes.len();
        }
    }
    let each = (processor_seconds() - worked) * 1000.0 / walks as f64;
    let percentiles = Percentiles::of(&mut milliseconds);
    Ok(format!("{percentiles}; {each:.2} ms of one core and {} nodes on average", nodes / walks))
}

/// What this process has used of one core, seconds. Unlike the clock it hardly depends on what else
/// runs on the machine.
fn processor_seconds() -> f64 {
    // Fields 14 and 15 of the line, which begins with the name in brackets; in hundredths of a second.
    let line = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = line.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

/// Of samples in milliseconds.
struct Percentiles([f64; 3]);

impl Percentiles {
    fn of(samples: &mut [f64]) -> Self {
        samples.sort_by(f64::total_cmp);
        Self([0.5, 0.95, 0.99].map(|share| samples[((samples.len() - 1) as f64 * share) as usize]))
    }
}

impl std::fmt::Display for Percentiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, slow, slowest] = self.0;
        write!(f, "p50 {median:.2} ms, p95 {slow:.2} ms, p99 {slowest:.2} ms")
    }
}
