//! What runs logged, over the API and on the command line.

use serde_json::{Value, json};
use sextant::extraction::KeepsRunLines;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::support::{House, database, stdout, table};

fn texts(log: &Value) -> Vec<&str> {
    log["lines"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_kept_with_what_it_logged() {
    // As the server itself keeps it; for all tests of this process.
    let _ = tracing_subscriber::registry().with(KeepsRunLines.with_filter(LevelFilter::INFO)).try_init();
    let house = House::with_metastore(&[database("db"), table("db", "a")]).await;
    let path = |run: &Value| format!("/api/v1/extractors/hive/log?run={}", run["started"].as_str().unwrap());
    let first = house.extract().await;
    std::fs::remove_file(house.directory.path().join("metastore.jsonl")).unwrap();
    let second = house.extract().await;
    assert_eq!(second["outcome"], "failed");

    let newest = house.answer("/api/v1/extractors/hive/log").await;
    assert_eq!(
        (&newest["started"], &newest["running"], &newest["kept"]),
        (&second["started"], &json!(false), &json!(true))
    );
    assert!(texts(&newest)[0].starts_with("pass begins phase=\"start\" uri=\"file://"), "{newest}");
    let last = newest["lines"].as_array().unwrap().last().unwrap();
    assert_eq!(last["level"], "error");
    assert!(last["text"].as_str().unwrap().contains(second["message"].as_str().unwrap()), "{newest}");

    // The process has the newest; the others and, after a restart, all are stored.
    let of_first = house.answer(&path(&first)).await;
    assert!(
        texts(&of_first).last().unwrap().starts_with("pass is over phase=\"end\" outcome=\"complete\""),
        "{of_first}"
    );
    let never = house.answer("/api/v1/extractors/hive/log?run=2020-01-01").await;
    assert_eq!((&never["kept"], &never["lines"]), (&json!(false), &json!([])));
    assert_eq!(house.get("/api/v1/extractors/spark/log").await.0, 404);
    assert_eq!(house.get("/api/v1/extractors/hive/log?run=soon").await.0, 400);

    let house = house.restarted().await;
    assert_eq!(house.answer(&path(&second)).await, newest);
    assert_eq!(house.answer(&path(&first)).await, of_first);

    let started = second["started"].as_str().unwrap();
    let shown = house.sextant(&["status", "--log", "hive", "--run", started]).await;
    assert_eq!(shown.status.code(), Some(0));
    let shown = stdout(&shown);
    assert!(shown.starts_with(&format!("run of hive at {started}: it is over\n")), "{shown}");
    assert!(shown.contains(" ERROR "), "{shown}");
    let never = house.sextant(&["status", "--log", "hive", "--run", "2020-01-01"]).await;
    assert_eq!(
        (never.status.code(), stdout(&never).as_str()),
        (Some(3), "no log is kept of a run of hive at 2020-01-01T00:00:00.000Z\n")
    );
}
