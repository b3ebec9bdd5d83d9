//! Wide statements: memory and disk must grow with sources plus targets, never with their product.

use anyhow::Result;
use sextant_linker::operations::{SourcedRecord, link};
use sextant_model::operation::Evidence;
use sextant_model::record::{FlowEdge, FlowKind, Flows, PushRecord, RecordLineage, TableMention, Vertex};
use sextant_model::{ObjectName, SourceType, Timestamp};
use sextant_store::{Facts, SqliteStore};

use crate::report::{Report, disk_bytes, memory_mib};

const STATEMENTS: u64 = 10_000;

/// Stores 10,000 distinct statements of n x n columns with a predicate over all of them.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    for width in [50, 100, 200] {
        let folder = tempfile::tempdir()?;
        let store = SqliteStore::open(folder.path())?;
        for first in (0..STATEMENTS).step_by(500) {
            let records: Vec<SourcedRecord> = (first..first + 500).map(|number| wide(number, width)).collect();
            store.commit(&link(&store, &records)?)?;
        }
        drop(store);
        let bytes = disk_bytes(folder.path());
        let (_, peak) = memory_mib(std::process::id());
        report.row(
            format!("{STATEMENTS} distinct statements of {width} x {width} columns"),
            format!(
                "{} MiB on disk, {:.1} bytes for each source or target column; peak memory {peak} MiB",
                bytes >> 20,
                bytes as f64 / (STATEMENTS * 2 * u64::from(width)) as f64
            ),
        );
    }
    Ok(())
}

/// Every target from every source, and every target under a predicate over every source.
fn wide(number: u64, width: u32) -> SourcedRecord {
    let table = |name: String| TableMention { name: ObjectName::relation("mart", &name), created: None };
    let mut flows = Flows {
        tables: vec![table(format!("target_{number}")), table(format!("source_{number}"))],
        ..Flows::default()
    };
    for (table, prefix) in [(0, "out"), (1, "in")] {
        for column in 0..width {
            flows.vertices.push(Vertex::Column { table, column: format!("{prefix}_column_{column:04}") });
        }
    }
    let targets: Vec<u32> = (0..width).collect();
    let sources: Vec<u32> = (width..2 * width).collect();
    for target in &targets {
        flows.edges.push(FlowEdge {
            kind: FlowKind::Data,
            sources: sources.clone(),
            targets: vec![*target],
            expression: None,
        });
    }
    flows.edges.push(FlowEdge { kind: FlowKind::Control, sources, targets, expression: None });
    let text = format!("insert into mart.target_{number} select transform(*) from mart.source_{number}");
    SourcedRecord {
        record: PushRecord {
            offset: 0,
            length: 0,
            source_type: SourceType::Hive,
            execution_key: vec![text.clone()],
            query_text: text,
            query_id: None,
            user: None,
            started: Some(Timestamp::from_seconds(1_790_000_000)),
            ended: None,
            engine: None,
            database: None,
            job_ids: Vec::new(),
            operation_type: None,
            table_location: None,
            lineage: RecordLineage::Known(flows),
        },
        evidence: Evidence { host: "host".to_owned(), file: "file".to_owned(), offset: number },
        cluster: "default".to_owned(),
        received: Timestamp::from_seconds(1_790_000_001),
    }
}
