//! What is shown of agents and their spools.

use serde_json::json;

use crate::support::{House, batch};

const SPOOLS: &str = "/api/v1/agent/spools";

fn body(value: &serde_json::Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

async fn post(house: &House, path: &str, body: Vec<u8>) -> (u16, String) {
    let response = reqwest::Client::new().post(house.url(path)).body(body).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_spools_are_shown_with_lag_counts_and_the_last_error() {
    let house = House::with_metastore(&[]).await;
    let hello = json!({"agent": "agent-1", "host": "node-1", "version": "0.1.0"});
    house.post("/api/v1/agent/positions", body(&hello)).await;
    let spool = json!({"path": "/var/log/*.log", "format": "hive", "cluster": "dr", "filesKnown": 2,
        "bytesBehind": 3 << 20, "secondsBehind": 1500});
    let mut report = hello.clone();
    report["spools"] = json!([spool]);
    assert_eq!(post(&house, SPOOLS, body(&report)).await, (204, String::new()));
    house.deliver(batch("hive", 0, b"{\"version\":\"1.0\",\"edges\":[}\n", &json!({}))).await;
    house.settled().await;

    let agents = house.answer("/api/v1/agents").await;
    let agent = agents["results"].as_array().unwrap().iter().find(|agent| agent["agent"] == "agent-1").unwrap();
    assert_eq!((&agent["host"], &agent["silent"]), (&json!("node-1"), &json!(false)));
    let spool = &agent["spools"][0];
    assert_eq!(spool["inWords"], "3.0 MiB behind, the oldest of it for 25 min");
    assert_eq!((&spool["filesKnown"], &spool["problemsLastHour"]), (&json!(2), &json!(1)));
    let error = agent["lastError"]["inWords"].as_str().unwrap();
    assert!(error.starts_with("quarantined from /var/log/lineage.log at byte 0: "), "{error}");

    let status = String::from_utf8(house.sextant(&["status"]).await.stdout).unwrap();
    for words in [
        "  ! agent on node-1, spool /var/log/*.log: 3.0 MiB behind, the oldest of it for 25 min",
        "    spool     /var/log/*.log (hive, cluster dr)",
        "      2 files, 3.0 MiB behind, the oldest of it for 25 min; in the last hour 0 records, 1 problem",
        "quarantined from /var/log/lineage.log at byte 0: ",
    ] {
        assert!(status.contains(words), "{words:?} is not in\n{status}");
    }
    let extractors = house.answer("/api/v1/extractors").await;
    let push = extractors["push"].as_array().unwrap().iter().find(|push| push["format"] == "hive").unwrap();
    assert_eq!((&push["problemsLastHour"], &push["spools"]), (&json!(1), &json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_tells_nothing_of_its_spools_is_shown_all_the_same() {
    let house = House::with_metastore(&[]).await;
    house.deliver(batch("hive", 0, b"no lineage\n", &json!({}))).await;
    house.settled().await;
    let agents = house.answer("/api/v1/agents").await;
    let spool = &agents["results"][0]["spools"][0];
    assert_eq!(spool["path"], "/var/log");
    assert_eq!(spool["bytesBehind"], serde_json::Value::Null);
    assert_eq!(spool["inWords"], "the agent has not said how far it is behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_batch_is_the_agents_last_error() {
    let house = House::with_metastore(&[]).await;
    house.deliver(batch("hive", 0, b"first\n", &json!({}))).await;
    let longer = batch("hive", 6, b"x\n", &json!({"end": 70}));
    assert_eq!(house.deliver(longer).await.0, 400);
    let agents = house.answer("/api/v1/agents").await;
    let error = agents["results"][0]["lastError"]["inWords"].as_str().unwrap();
    assert!(error.starts_with("a batch of /var/log/lineage.log: "), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_no_reports_are_refused() {
    let house = House::with_metastore(&[]).await;
    let long = json!({"agent": "a", "host": "h".repeat(5000), "version": "1", "spools": []});
    let nameless = json!({"agent": "", "host": "h", "version": "1", "spools": []});
    let spool = |path: &str| {
        json!({"path": path, "format": "hive", "cluster": "dr", "filesKnown": 2, "bytesBehind": 0,
        "secondsBehind": 0})
    };
    let with = |spools: Vec<serde_json::Value>| json!({"agent": "a", "host": "h", "version": "1", "spools": spools});
    let many = with(vec![spool("/l"); 65]);
    let far = with(vec![spool(&"p".repeat(1_025))]);
    for refused in [b"?".to_vec(), b"{}".to_vec(), body(&long), body(&nameless), body(&many), body(&far)] {
        assert_eq!(house.post(SPOOLS, refused).await.0, 400);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_stopped_is_shown_as_stopped_and_can_be_forgotten() {
    let house = House::with_metastore(&[]).await;
    let hello = json!({"agent": "agent-1", "host": "node-1", "version": "0.1.0"});
    house.post("/api/v1/agent/positions", body(&hello)).await;
    assert_eq!(house.sextant(&["status", "--forget-agent", "node-1"]).await.status.code(), Some(2), "it still runs");

    let mut report = hello.clone();
    report["spools"] = json!([]);
    report["stopped"] = json!(true);
    assert_eq!(post(&house, SPOOLS, body(&report)).await.0, 204);
    let status = String::from_utf8(house.sextant(&["status"]).await.stdout).unwrap();
    assert!(status.contains("  ! agent on node-1: stopped since "), "{status}");
    let metrics = reqwest::get(house.url("/metrics")).await.unwrap().text().await.unwrap();
    assert!(metrics.contains("sextant_agent_stopped{agent=\"agent-1\",host=\"node-1\"} 1.0\n"), "{metrics}");

    let forgotten = house.sextant(&["status", "--forget-agent", "node-1"]).await;
    assert_eq!(forgotten.status.code(), Some(0), "{forgotten:?}");
    assert_eq!(house.answer("/api/v1/agents").await["results"], json!([]));
    assert_eq!(house.sextant(&["status", "--forget-agent", "node-1"]).await.status.code(), Some(3));

    house.post("/api/v1/agent/positions", body(&hello)).await;
    assert_eq!(house.answer("/api/v1/agents").await["results"][0]["stopped"], serde_json::Value::Null);
}
