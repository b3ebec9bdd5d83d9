//! What real Hive does to a table of a real metastore is told in its history, with the run that found
//! it and what that run logged; what only follows the data is not.

use anyhow::{Context, Result};
use serde_json::Value;
use sextant_tests::{Cluster, Server};

const BEFORE: &str = "
    create table orders (id int, item string comment 'what') tblproperties ('retention' = '30');
    create table untouched (id int);
    create table dropped (id int);
    create view v as select id from orders;
    insert into orders values (1, 'a');
    insert into untouched values (1);
";
const AFTER: &str = "
    alter table orders change id id bigint comment 'the key';
    alter table orders add columns (amount double);
    alter table orders set tblproperties ('retention' = '90', 'comment' = 'all orders');
    alter view v as select id, item from orders;
    insert into orders values (2, 'b', 2.5);
    insert into untouched values (2), (3);
    drop table dropped;
";

async fn history(server: &Server, table: &str) -> Result<Value> {
    server.api().get(&format!("/api/v1/entities/default.{table}/history"), &[]).await
}

/// What the newest change tells, in words.
fn told(history: &Value) -> Vec<&str> {
    let differences = history["changes"][0]["differences"].as_array();
    differences.into_iter().flatten().filter_map(|difference| difference["inWords"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hive_alters_is_told_with_the_run_that_found_it() -> Result<()> {
    let cluster = Cluster::start()?;
    let uri = cluster.uri();
    let extractor =
        format!("\n[[extractor]]\nname = \"hive\"\nkind = \"hms\"\nuri = \"{uri}\"\nschedule = \"0 0 0 1 1 *\"\n");
    let server = Server::start(&extractor).await?;
    cluster.hive_statements(BEFORE)?;
    server.cli(&["extract", "hive"])?.success()?;
    for table in ["orders", "untouched", "dropped", "v"] {
        assert_eq!(history(&server, table).await?["changes"], Value::Array(Vec::new()), "{table}");
    }
    cluster.hive_statements(AFTER)?;
    server.cli(&["extract", "hive"])?.success()?;

    let orders = history(&server, "orders").await?;
    let words = told(&orders);
    for expected in [
        "comment set: all orders",
        "parameter retention: 30 → 90",
        "column id, type: int → bigint",
        "column id, comment set: the key",
        "column amount added, type double",
    ] {
        assert!(words.contains(&expected), "{expected:?} in {words:?}");
    }
    // Hive notes who altered the table last; nothing else was decided.
    let others: Vec<&&str> = words.iter().filter(|word| !word.starts_with("parameter last_modified_by")).collect();
    assert_eq!(others.len(), 5, "{words:?}");
    let view = history(&server, "v").await?;
    assert!(told(&view).iter().any(|word| word.starts_with("query text: select id from orders → ")), "{view:#}");
    assert!(told(&view).contains(&"column item added, type string"), "{view:#}");
    assert_eq!(told(&history(&server, "dropped").await?), ["deleted"]);

    // Its statistics and times are other ones now.
    let run = server.api().get("/api/v1/extractors/hive/runs", &[]).await?["results"][0].clone();
    assert_eq!(run["counts"]["changed"], 3, "{run:#}");
    assert_eq!(history(&server, "untouched").await?["changes"], Value::Array(Vec::new()));

    assert_eq!(orders["changes"][0]["run"], run["started"]);
    let started = run["started"].as_str().context("a time")?;
    let log = server.api().get("/api/v1/extractors/hive/log", &[("run", started)]).await?;
    let lines = log["lines"].as_array().context("lines")?;
    let text = |line: Option<&Value>| line.and_then(|line| line["text"].as_str()).unwrap_or_default().to_owned();
    assert!(text(lines.first()).contains(uri), "{log:#}");
    assert!(text(lines.last()).contains("outcome=\"complete\""), "{log:#}");
    Ok(())
}
