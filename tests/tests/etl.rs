//! A small warehouse is built by real Hive while agent and server run and the metastore is
//! snapshotted: every table's lineage equals what the statements say.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;
use sextant_tests::{Agent, Cluster, Server, Spool, project_path, wait_for};

/// What the statements of `etl.sql` say: target column and the columns that its values come from.
///
/// Hive lists every column of a window function's input as its source, `dt` of `dw.ranked` among
/// them. A column from constants has no source; `count(*)` comes from a table as a whole.
const COLUMNS: &[(&str, &[&str])] = &[
    ("raw.orders.id", &["raw.customers.id"]),
    ("raw.orders.cust_id", &["raw.customers.id"]),
    ("raw.orders.item", &["raw.customers.id", "raw.customers.name"]),
    ("raw.orders.amount", &["raw.customers.id"]),
    ("dw.cust_total.cust_id", &["raw.orders.cust_id", "dw.cust_total.cust_id"]),
    ("dw.cust_total.total", &["raw.orders.amount", "dw.cust_total.total"]),
    ("dw.cust_total.n", &["raw.orders", "dw.cust_total.n"]),
    ("dw.cust_total.last_ts", &["raw.orders.ts", "dw.cust_total.last_ts"]),
    ("dw.order_wide.order_id", &["raw.orders.id"]),
    ("dw.order_wide.dt", &["raw.orders.dt"]),
    ("dw.order_wide.name", &["raw.customers.name"]),
    ("dw.order_wide.country", &["raw.customers.country"]),
    ("dw.order_wide.sku", &["raw.orders.item"]),
    ("dw.order_wide.gross", &["raw.orders.amount", "raw.orders.item"]),
    ("dw.order_wide.size", &["raw.orders.amount"]),
    ("dw.daily.country", &["raw.customers.country"]),
    ("dw.daily.orders", &["raw.orders.id"]),
    ("dw.daily.gross", &["raw.orders.amount"]),
    ("dw.daily.dt", &["raw.orders.dt"]),
    ("dw.people.id", &["raw.customers.id", "raw.orders.cust_id"]),
    ("dw.people.name", &["raw.customers.name", "raw.orders.cust_id"]),
    ("dw.ranked.cust_id", &["raw.orders.cust_id"]),
    ("dw.ranked.amount", &["raw.orders.amount"]),
    ("dw.ranked.rk", &["raw.orders.cust_id", "raw.orders.amount", "raw.orders.dt"]),
    ("dw.ranked.cust_sum", &["raw.orders.cust_id", "raw.orders.amount", "raw.orders.dt"]),
    ("dw.tags.id", &["raw.orders.id"]),
    ("dw.tags.tag", &["raw.orders.tags"]),
    ("dw.big.order_id", &["dw.order_wide.order_id"]),
    ("dw.big.gross", &["dw.order_wide.gross"]),
    ("dw.small.order_id", &["dw.order_wide.order_id"]),
    ("dw.small.gross", &["dw.order_wide.gross"]),
    ("dw.active.id", &["raw.customers.id"]),
    ("dw.active.email", &["raw.customers.email"]),
    ("mart.v_country.country", &["dw.order_wide.country"]),
    ("mart.v_country.gross", &["dw.order_wide.gross"]),
    ("mart.v_country.n", &["dw.order_wide"]),
    // The record names the SELECT's columns; the view was given a list of its own.
    ("mart.v_top.customer", &["raw.customers.name"]),
    ("mart.v_top.total", &["dw.cust_total.total"]),
    // Views are seen through.
    ("mart.report.customer", &["raw.customers.name"]),
    ("mart.report.total", &["dw.cust_total.total"]),
    ("mart.report.kind", &["dw.people.kind"]),
    ("mart.kpi.dt", &["dw.daily.dt"]),
    ("mart.kpi.per_country", &["dw.daily.gross", "dw.daily.country"]),
    ("mart.kpi.rate", &["raw.fx.rate"]),
    ("mart.kpi_like.dt", &["mart.kpi.dt"]),
    ("mart.kpi_like.per_country", &["mart.kpi.per_country"]),
    ("mart.kpi_like.rate", &["mart.kpi.rate"]),
];

/// Tables whose rows only decide which rows arrive: `IN (SELECT …)`.
const CONTROL_ONLY: &[(&str, &str)] = &[("raw.orders", "dw.active")];

/// Statements that leave a record.
const STATEMENTS: u64 = 22;

#[tokio::test(flavor = "multi_thread")]
async fn every_table_is_where_the_statements_say() -> Result<()> {
    let cluster = Cluster::start()?;
    let extractor = format!("\n[[extractor]]\nname = \"hive\"\nkind = \"hms\"\nuri = \"{}\"\n", cluster.uri());
    let server = Server::start(&extractor).await?;
    let spool = Spool { path: cluster.lineage_log(), format: "hive", cluster: "default" };
    let _agent = Agent::start(&server.url(), &[spool])?;

    let statements = fs::read_to_string(project_path("tests/realcluster/samples/etl.sql"))?;
    let (tables, views_and_more) = statements.split_once("-- views").context("etl.sql has a part with views")?;
    cluster.hive_statements(tables)?;
    server.cli(&["extract", "hive"])?.success()?;
    cluster.hive_statements(views_and_more)?;
    server.cli(&["extract", "hive"])?.success()?;
    wait_for("the statements to be searchable", async || {
        let found = server.api().get("/api/v1/search", &[("query", "type:operation_execution")]).await?;
        anyhow::ensure!(found["total"] == STATEMENTS, "{} of {STATEMENTS}", found["total"]);
        Ok(())
    })
    .await?;

    let mut targets: BTreeSet<&str> = COLUMNS.iter().map(|(column, _)| table_of(column)).collect();
    let sources: BTreeSet<&str> =
        COLUMNS.iter().flat_map(|(_, sources)| sources.iter().map(|column| table_of(column))).collect();
    targets.extend(&sources);
    for table in targets {
        let expected_up: BTreeSet<(String, String)> = COLUMNS
            .iter()
            .filter(|(target, _)| table_of(target) == table)
            .flat_map(|(target, sources)| sources.iter().map(|source| ((*source).to_owned(), (*target).to_owned())))
            .collect();
        assert_eq!(columns(&server, table, "upstream")?, expected_up, "upstream of {table}");
        let expected_down: BTreeSet<(String, String)> = COLUMNS
            .iter()
            .flat_map(|(target, sources)| sources.iter().map(|source| ((*source).to_owned(), (*target).to_owned())))
            .filter(|(source, _)| table_of(source) == table)
            .collect();
        assert_eq!(columns(&server, table, "downstream")?, expected_down, "downstream of {table}");
    }

    for (source, target) in CONTROL_ONLY {
        let without = lineage(&server, target, &["--direction", "upstream", "--depth", "1"])?;
        assert!(!names(&without).contains(*source), "{source} only controls {target}: {without:#}");
        let with = lineage(&server, target, &["--direction", "upstream", "--depth", "1", "--control-flow"])?;
        assert!(names(&with).contains(*source), "{source} controls {target}: {with:#}");
    }
    // The rename left the old name behind; what was written under it stays with it.
    assert_eq!(server.cli(&["entity", "mart.kpi2"])?.code, Some(0));
    Ok(())
}

/// `db.table` of `db.table.column`, or of itself.
fn table_of(name: &str) -> &str {
    match name.match_indices('.').nth(1) {
        Some((dot, _)) => &name[..dot],
        None => name,
    }
}

fn lineage(server: &Server, table: &str, options: &[&str]) -> Result<Value> {
    let mut arguments = vec!["lineage", table, "-o", "json", "--deleted", "--unlinked"];
    arguments.extend(options);
    server.cli(&arguments)?.json().with_context(|| format!("lineage {table}"))
}

fn names(lineage: &Value) -> BTreeSet<String> {
    let nodes = lineage["nodes"].as_array().into_iter().flatten();
    nodes.filter_map(|node| node["qualifiedName"].as_str()).map(str::to_owned).collect()
}

/// (source column, target column) of every data flow one hop away.
fn columns(server: &Server, table: &str, direction: &str) -> Result<BTreeSet<(String, String)>> {
    let answer = lineage(server, table, &["--direction", direction, "--depth", "1", "--columns"])?;
    // Its neighbours may flow into each other, too.
    let end = if direction == "upstream" { "target" } else { "source" };
    let mut columns = BTreeSet::new();
    for edge in answer["edges"].as_array().context("edges")?.iter().filter(|edge| edge[end] == answer["root"]) {
        for pair in edge["columns"].as_array().into_iter().flatten().filter(|pair| pair["type"] == "DATA_FLOW") {
            let part = |key: &str| pair[key].as_str().map(str::to_owned).with_context(|| format!("{key} in {pair}"));
            columns.insert((part("source")?, part("target")?));
        }
    }
    Ok(columns)
}
