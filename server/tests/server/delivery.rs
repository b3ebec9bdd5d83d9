//! Bytes on their way, whole and damaged.

use serde_json::{Value, json};

use crate::support::{House, copied, database, table};

/// A batch of `bytes` that begin at `start`.
pub(crate) fn batch(format: &str, start: usize, bytes: &[u8], more: &Value) -> Vec<u8> {
    let mut header = json!({
        "agent": "agent-1",
        "host": "node-1",
        "generation": "g1",
        "path": "/var/log/lineage.log",
        "format": format,
        "cluster": "dr",
        "start": start,
        "end": start + bytes.len(),
    });
    for (key, value) in more.as_object().unwrap() {
        header[key] = value.clone();
    }
    let mut body = format!("{header}\n").into_bytes();
    body.extend(zstd::encode_all(bytes, 1).unwrap());
    body
}

pub(crate) const BATCHES: &str = "/api/v1/agent/batches";

pub(crate) async fn settled(house: &House) {
    assert_eq!(house.answer("/api/v1/intake?wait=true").await["done"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gap_is_refused_with_the_position_that_is_kept() {
    let house = House::with_metastore(&[]).await;
    let hello = json!({"agent": "agent-1", "host": "node-1", "version": "0"}).to_string();
    let positions = house.post("/api/v1/agent/positions", hello.clone().into_bytes()).await;
    assert_eq!(positions, (200, json!({"positions": []})));
    let line = copied("db.a", "db.b", 1_790_000_000, "joe").into_bytes();
    assert_eq!(house.post(BATCHES, batch("hive", 10, &line, &json!({}))).await, (409, json!({"offset": 0})));
    let kept = (200, json!({"offset": line.len()}));
    assert_eq!(house.post(BATCHES, batch("hive", 0, &line, &json!({}))).await, kept);
    assert_eq!(house.post(BATCHES, batch("hive", 0, &line, &json!({}))).await, kept, "twice is once");
    let positions = house.post("/api/v1/agent/positions", hello.into_bytes()).await.1;
    assert_eq!(positions["positions"], json!([{"generation": "g1", "offset": line.len()}]));
    settled(&house).await;
    assert_eq!(house.answer("/api/v1/status").await["counts"]["executions"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_over_several_batches_is_one_record() {
    let house = House::with_metastore(&[database("db"), table("db", "a")]).await;
    let record = copied("db.a", "db.b", 1_790_000_000, "joe").replacen(",\"edges\"", ",\n\"edges\"", 1);
    let cut = record.find('\n').unwrap() + 1;
    let (first, second) = record.as_bytes().split_at(cut);
    house.post(BATCHES, batch("hive", 0, first, &json!({}))).await;
    settled(&house).await;
    house.post(BATCHES, batch("hive", cut, second, &json!({}))).await;
    settled(&house).await;
    let latest = house.answer("/api/v1/operations/latest").await;
    let id = latest["results"][0]["id"].as_str().expect("the record was understood");
    // Cluster `dr` shares the metastore of `prod`, and is known under its name.
    assert_eq!(latest["results"][0]["cluster"], "prod");
    let run = &house.answer(&format!("/api/v1/entities/{id}/executions")).await["results"][0];
    assert_eq!(run["evidence"], json!({"host": "node-1", "file": "/var/log/lineage.log", "offset": 0}));
    assert_eq!(house.answer("/api/v1/quarantine").await["total"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_kept_with_its_place() {
    let house = House::with_metastore(&[]).await;
    let good = copied("db.a", "db.b", 1_790_000_000, "joe");
    let bad = "{\"version\":\"1.0\",\"edges\":[}\n";
    let bytes = format!("{good}{bad}{good}");
    house.post(BATCHES, batch("hive", 0, bytes.as_bytes(), &json!({}))).await;
    let long = json!({"end": bytes.len() + 1_000_000, "skipped": {"length": 1_000_000, "hash": "beef"}});
    let (status, _) = house.post(BATCHES, batch("hive", bytes.len(), b"{\"vers", &long)).await;
    assert_eq!(status, 200);
    house.post(BATCHES, batch("parchment", 0, b"runes\n", &json!({"generation": "g2"}))).await;
    let unfinished = json!({"generation": "g3", "last": true});
    house.post(BATCHES, batch("hive", 0, b"{\"version\":\"1.0\",\n", &unfinished)).await;
    settled(&house).await;

    let status = house.answer("/api/v1/status").await;
    assert_eq!(status["counts"]["executions"], 1, "the records around it are read");
    let kept = house.answer("/api/v1/quarantine").await;
    assert_eq!(kept["total"], 4);
    let of_kind = |kind: &str| {
        kept["results"].as_array().unwrap().iter().find(|stretch| stretch["kind"] == kind).unwrap().clone()
    };
    let malformed = of_kind("malformed");
    assert_eq!(malformed["offset"], good.len());
    assert_eq!((&malformed["host"], &malformed["file"]), (&json!("node-1"), &json!("/var/log/lineage.log")));
    assert_eq!(of_kind("too-long")["length"], 1_000_000);
    assert!(of_kind("unknown-format")["reason"].as_str().unwrap().contains("\"parchment\""));
    assert_eq!(of_kind("cut-off")["offset"], 0);
    let id = malformed["id"].as_str().unwrap();
    let one = house.answer(&format!("/api/v1/quarantine/{id}")).await;
    assert_eq!(one["text"], bad.trim_end());
    let (status, _) = house.get(&format!("/api/v1/quarantine/{}", "0".repeat(32))).await;
    assert_eq!(status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_no_batches_are_refused() {
    let house = House::with_metastore(&[]).await;
    let nameless = batch("hive", 0, b"x\n", &json!({"agent": ""}));
    let backwards = batch("hive", 5, b"", &json!({"end": 3}));
    let mut damaged = batch("hive", 0, b"x\n", &json!({}));
    damaged.truncate(damaged.len() - 3);
    let shorter = batch("hive", 0, b"x\n", &json!({"end": 7}));
    for body in [Vec::new(), b"{}\n".to_vec(), b"no line end".to_vec(), nameless, backwards, damaged, shorter] {
        let (status, answer) = house.post(BATCHES, body).await;
        assert_eq!(status, 400, "{answer}");
        assert!(answer["error"].is_string());
    }
    assert_eq!(house.post("/api/v1/agent/positions", b"?".to_vec()).await.0, 400);
}
