//! What the server cannot read now, and what it cannot take now.

use std::time::Duration;

use serde_json::{Value, json};
use sextant_extractors::push::Format;

use crate::support::{House, batch, copied, stdout};

const HOUR: Duration = Duration::from_hours(1);

fn impala(text: &str) -> Vec<u8> {
    let id = format!("1:{text}");
    let record = json!({"queryText": text, "queryId": id, "timestamp": 1_790_000_000, "edges": [], "vertices": []});
    format!("{record}\n").into_bytes()
}

async fn executions(house: &House) -> Value {
    house.answer("/api/v1/status").await["counts"]["executions"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_format_that_is_not_known_waits_for_a_server_that_reads_it() {
    let old = House::reading(&[Format::Impala], "").await;
    // One record over two batches, and one in a batch of its own; between them one that is read.
    let record = copied("db.a", "db.b", 1_790_000_000, "joe").replacen(",\"edges\"", ",\n\"edges\"", 1);
    let cut = record.find('\n').unwrap() + 1;
    let (first, second) = record.as_bytes().split_at(cut);
    let other = copied("db.c", "db.d", 1_790_000_100, "joe").into_bytes();
    for (format, start, bytes, generation) in [
        ("hive", 0, first, "g1"),
        ("impala", 0, impala("select 1").as_slice(), "g2"),
        ("hive", cut, second, "g1"),
        ("Hive", 0, other.as_slice(), "g3"),
    ] {
        let answer = old.deliver(batch(format, start, bytes, &json!({"generation": generation}))).await;
        assert_eq!(answer, (200, json!({"offset": start + bytes.len()})));
    }
    old.settled().await;
    let status = old.answer("/api/v1/status").await;
    assert_eq!((&status["counts"]["executions"], &status["intake"]["waiting"]), (&json!(1), &json!(0)));
    let waiting = status["intake"]["waitingForFormat"].as_array().unwrap();
    let waiting: Vec<_> = waiting.iter().map(|of| (&of["format"], &of["entries"], &of["bytes"])).collect();
    let (of_both, of_record) = (json!(other.len()), json!(record.len()));
    assert_eq!(waiting, [(&json!("Hive"), &json!(1), &of_both), (&json!("hive"), &json!(2), &of_record)]);
    assert!(status["attention"].to_string().contains("wait for a version of sextant that reads it"), "{status}");
    assert!(stdout(&old.sextant(&["status"]).await).contains("wait for a version that reads the format hive"));
    assert_eq!(old.answer("/api/v1/quarantine").await["total"], 0);

    let new = old.restarted().await;
    new.settled().await;
    assert_eq!(executions(&new).await, 3);
    let status = new.answer("/api/v1/status").await;
    assert_eq!(status["intake"]["waitingForFormat"], json!([]));
    assert_eq!(new.answer("/api/v1/quarantine").await["total"], 0);
    let again = new.deliver(batch("hive", 0, first, &json!({"generation": "g1"}))).await;
    assert_eq!(again, (200, json!({"offset": record.len()})), "what waited is kept and not asked for again");

    // It has left its place for good.
    let same = new.restarted().await;
    same.settled().await;
    assert_eq!(executions(&same).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_reader_is_bounded_and_holds_back_nothing_else() {
    let house = House::reading(&[Format::Impala], "max_waiting = \"5B\"").await;
    let kept = house.deliver(batch("spark", 0, b"one\ntwo\n", &json!({}))).await;
    assert_eq!(kept.0, 200);
    house.settled().await;
    let (status, refused) = house.deliver(batch("spark", 8, b"three\n", &json!({}))).await;
    assert_eq!(status, 422, "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("\"spark\""), "{refused}");
    let known = house.deliver(batch("impala", 0, &impala("select 1"), &json!({"generation": "g2"}))).await;
    assert_eq!(known.0, 200);
    house.settled().await;
    assert_eq!(executions(&house).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_wait_while_too_much_is_not_linked() {
    let house = House::reading(&[Format::Impala], "max_unlinked = \"1B\"").await;
    // The linking thread has something else to do until it is told otherwise.
    let (go_on, told) = std::sync::mpsc::channel::<()>();
    let server = std::sync::Arc::clone(house.running.server());
    let busy = tokio::spawn(async move { server.linker.run(move |_| told.recv_timeout(HOUR).is_ok()).await });
    let (first, second) = (impala("select 1"), impala("select 2"));
    assert_eq!(house.deliver(batch("impala", 0, &first, &json!({}))).await.0, 200);
    let next = batch("impala", first.len(), &second, &json!({}));
    let response = reqwest::Client::new().post(house.url("/api/v1/agent/batches")).body(next.clone());
    let response = response.send().await.unwrap();
    assert_eq!(response.status(), 429);
    assert!(response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() > 0);
    let refused: Value = response.json().await.unwrap();
    assert!(refused["error"].as_str().unwrap().contains("max_unlinked"), "{refused}");
    let status = house.answer("/api/v1/status").await;
    assert!(status["attention"].to_string().contains("agents are asked to wait"), "{status}");

    go_on.send(()).unwrap();
    assert!(busy.await.unwrap().unwrap());
    house.settled().await;
    assert_eq!(house.deliver(next).await.0, 200, "nothing of it was kept before, and nothing is missing");
    house.settled().await;
    assert_eq!(house.answer("/api/v1/status").await["intake"]["agentsWait"], Value::Null);
    assert_eq!(house.answer("/api/v1/search?query=type:operation_execution").await["total"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_wait_while_the_disk_is_nearly_full() {
    let house = House::reading(&[Format::Impala], "min_free_disk = \"1000000000GiB\"").await;
    let (status, refused) = house.deliver(batch("impala", 0, &impala("select 1"), &json!({}))).await;
    assert_eq!(status, 429, "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("min_free_disk"), "{refused}");
    assert_eq!(refused["retryAfterSeconds"], 5);
    assert_eq!(house.answer("/api/v1/intake").await["received"], 0);
}
