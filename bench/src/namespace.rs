//! States of a namespace with a million directories: the first one, the same one again, one
//! after 1 % changed, one after four databases were renamed, and one without half of it.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use sextant_linker::SourceInstance;
use sextant_linker::namespace::{NamespaceEnd, NamespacePass};
use sextant_model::location::FileSystems;
use sextant_model::namespace::{DirectoryTotals, IdentityMode, NamespaceStamp, NamespaceSummary, ObservedPath};
use sextant_model::{EntityType, Timestamp};
use sextant_store::{Facts, PassCounts, SqliteStore};

use crate::report::{Report, disk_bytes};

const DATABASES: u64 = 400;
const TABLES: u64 = 25;
const PARTITIONS: u64 = 99;
/// The root, the warehouse, databases, tables and partitions.
const DIRECTORIES: u64 = 2 + DATABASES * (1 + TABLES * (1 + PARTITIONS));
/// One table of so many changes.
const CHANGED_EVERY: u64 = 100;
/// Paths that an extractor sends at once.
const AT_ONCE: usize = 1_000;

/// What has happened to the namespace so far.
#[derive(Default)]
struct Happened {
    /// The tables' partitions were written again so many times.
    changes: u64,
    /// Four databases are called something else.
    renamed: bool,
    /// The second half of the databases is gone.
    halved: bool,
}

/// Shows the states one after the other to an empty store.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(folder.path())?;
    let steps = [
        ("first state", Happened::default()),
        ("the same state again", Happened::default()),
        ("1 % changed", Happened { changes: 1, ..Happened::default() }),
        ("four databases renamed (10,004 paths)", Happened { changes: 1, renamed: true, halved: false }),
        ("half of it gone", Happened { changes: 1, renamed: true, halved: true }),
    ];
    for (number, (what, happened)) in steps.into_iter().enumerate() {
        let (seconds, counts, memory) = pass(&store, number as i64, &happened)?;
        ensure!(counts.seen == DIRECTORIES || happened.halved, "{} directories were shown", counts.seen);
        report.row(
            what,
            format!(
                "{seconds:.1} s ({:.0} directories/s), {} MB of memory; {} created, {} changed, {} deleted",
                counts.seen as f64 / seconds,
                memory >> 20,
                counts.created,
                counts.changed,
                counts.deleted
            ),
        );
        if number == 0 {
            report.row("on disk", format!("{} MB", disk_bytes(folder.path()) >> 20));
        }
    }
    Ok(())
}

fn pass(store: &SqliteStore, number: i64, happened: &Happened) -> Result<(f64, PassCounts, u64)> {
    let taken = Timestamp::from_seconds(1_796_000_000 + number * 3600);
    let source = SourceInstance { name: "hdfs".to_owned(), cluster: "default".to_owned() };
    let begin = Instant::now();
    let mut pass = NamespacePass::begin(store, source, &FileSystems::default(), taken)?;
    let stamp = NamespaceStamp {
        namespace_id: Some(1),
        transaction: Some(number as u64),
        taken,
        identity: IdentityMode::Inode,
        origin: "made up".to_owned(),
    };
    pass.opened(store, stamp)?;
    let mut batch = Vec::with_capacity(AT_ONCE);
    let mut failed = None;
    let mut most_memory = 0;
    let mut show = |path: ObservedPath| {
        batch.push(path);
        if batch.len() == AT_ONCE && failed.is_none() {
            failed = commit(&mut pass, store, std::mem::take(&mut batch)).err();
            most_memory = most_memory.max(memory_bytes());
        }
    };
    show_all(happened, &mut show);
    if let Some(error) = failed {
        return Err(error);
    }
    commit(&mut pass, store, batch)?;
    let end = NamespaceEnd {
        summary: NamespaceSummary::default(),
        problems: Vec::new(),
        accept_deletions: false,
        finished: taken,
    };
    let changes = pass.finish(store, &|_| true, end)?;
    store.commit(&changes)?;
    most_memory = most_memory.max(memory_bytes());
    let counts = changes.run.context("a pass ends with its run")?.counts;
    Ok((begin.elapsed().as_secs_f64(), counts, most_memory))
}

fn commit(pass: &mut NamespacePass, store: &SqliteStore, paths: Vec<ObservedPath>) -> Result<()> {
    let changes = pass.paths(store, paths)?;
    store.commit(&changes)?;
    Ok(())
}

fn show_all(happened: &Happened, show: &mut impl FnMut(ObservedPath)) {
    show(directory(1, None, "/", 10_000_000 + happened.changes));
    show(directory(2, Some(1), "/warehouse", 10_000_000 + happened.changes));
    let mut inode = 2;
    let databases = if happened.halved { DATABASES / 2 } else { DATABASES };
    for database in 0..databases {
        let prefix = if happened.renamed && database < 4 { "moved" } else { "department" };
        let database_path = format!("/warehouse/{prefix}_{database}.db");
        inode += 1;
        let database_inode = inode;
        show(directory(inode, Some(2), &database_path, 25_000 + happened.changes));
        for table in 0..TABLES {
            let table_path = format!("{database_path}/customer_orders_{table}");
            inode += 1;
            let table_inode = inode;
            let is_changed = (database * TABLES + table).is_multiple_of(CHANGED_EVERY);
            let changes = if is_changed { happened.changes } else { 0 };
            show(directory(inode, Some(database_inode), &table_path, 1_000 + changes));
            for partition in 0..PARTITIONS {
                let path = format!("{table_path}/ingest_date=2026-{:02}-{:02}", partition / 28 + 1, partition % 28 + 1);
                inode += 1;
                show(directory(inode, Some(table_inode), &path, 10 + changes));
            }
        }
    }
}

fn directory(inode: u64, parent_inode: Option<u64>, path: &str, files: u64) -> ObservedPath {
    ObservedPath {
        inode: Some(inode),
        parent_inode,
        owner: "hive".to_owned(),
        group: "hadoop".to_owned(),
        mode: 0o770,
        modified: Some(Timestamp::from_seconds(1_795_000_000 + files as i64)),
        totals: Some(DirectoryTotals {
            files,
            directories: 0,
            bytes: files * 64_000_000,
            bytes_with_copies: files * 192_000_000,
            small_files: files / 3,
            bytes_by_quarter: [("2026Q3".to_owned(), files * 24_000_000), ("2026Q4".to_owned(), files * 40_000_000)]
                .into(),
        }),
        ..ObservedPath::new(path.to_owned(), EntityType::Directory)
    }
}

/// The memory of the process itself. The database file, which is mapped, is not counted.
fn memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}
