//! What could not be read: shown, read again, dropped.

use serde_json::json;
use sextant_model::problem::{Problem, ProblemKind};
use sextant_model::{EntityId, Timestamp};
use sextant_store::{Changes, Quarantined};

use crate::support::{House, batch, copied, stderr, stdout};

/// A stretch as an earlier version might have left it.
fn stretch(offset: u64, kind: ProblemKind, bytes: &[u8]) -> Quarantined {
    let parts: [&[u8]; 3] = [b"node-1", b"g1", &offset.to_be_bytes()];
    Quarantined {
        id: EntityId::derive("quarantined", &parts),
        host: "node-1".to_owned(),
        generation: "g1".to_owned(),
        file: "/var/log/lineage.log".to_owned(),
        format: "hive".to_owned(),
        cluster: "dr".to_owned(),
        problem: Problem { offset, length: bytes.len() as u64, kind, reason: "of former days".to_owned() },
        bytes: bytes.to_vec(),
        received: Timestamp::from_seconds(1_790_000_000),
    }
}

async fn house_with(quarantined: Vec<Quarantined>) -> House {
    let house = House::with_metastore(&[]).await;
    house.running.server().store.commit(&Changes { quarantined, ..Changes::default() }).unwrap();
    house
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_read_now_is_linked_once_and_the_rest_stays() {
    let good = copied("db.a", "db.b", 1_790_000_000, "joe");
    let glued = format!(
        "{}{{\"version\":\"1.0\" \"x\"}}\n{}",
        copied("db.c", "db.d", 1, "joe"),
        copied("db.e", "db.f", 2, "joe")
    );
    let long = Quarantined {
        problem: Problem {
            offset: 9_000,
            length: 1 << 40,
            kind: ProblemKind::TooLong,
            reason: "the line is too long".to_owned(),
        },
        ..stretch(9_000, ProblemKind::TooLong, b"{\"vers")
    };
    let house = house_with(vec![
        stretch(100, ProblemKind::Malformed, good.as_bytes()),
        stretch(5_000, ProblemKind::Malformed, glued.as_bytes()),
        stretch(8_000, ProblemKind::CutOff, b"{\"version\":\"1.0\","),
        long,
        Quarantined { format: "parchment".to_owned(), ..stretch(8_500, ProblemKind::UnknownFormat, b"runes") },
    ])
    .await;
    let linked = async || {
        let metrics = reqwest::get(house.url("/metrics")).await.unwrap().text().await.unwrap();
        let line = metrics.lines().find_map(|line| line.strip_prefix("sextant_records_linked_total "));
        line.unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(linked().await, 0);
    let answer = house.post("/api/v1/quarantine/replay", Vec::new()).await;
    assert_eq!(linked().await, 3);
    let expected = json!({"stretches": 5, "read": 1, "records": 3, "remaining": 3, "notWhole": 1});
    assert_eq!(answer, (200, expected));

    let found = house.answer("/api/v1/search?query=type:operation_execution").await;
    assert_eq!(found["total"], 3, "it is searchable when the answer comes");
    let operations = house.answer("/api/v1/operations/latest").await;
    let cluster = &operations["results"][0]["cluster"];
    assert_eq!(cluster, "prod", "dr shares its metastore");
    let id = operations["results"][0]["id"].as_str().unwrap();
    let run = &house.answer(&format!("/api/v1/entities/{id}/executions")).await["results"][0];
    assert_eq!(run["evidence"], json!({"host": "node-1", "file": "/var/log/lineage.log", "offset": 100}));

    let left = house.answer("/api/v1/quarantine").await;
    assert_eq!(left["total"], 4);
    let mut offsets: Vec<u64> =
        left["results"].as_array().unwrap().iter().map(|stretch| stretch["offset"].as_u64().unwrap()).collect();
    offsets.sort_unstable();
    let second = 5_000 + copied("db.c", "db.d", 1, "joe").len() as u64;
    assert_eq!(offsets, [second, 8_000, 8_500, 9_000]);
    let cut = left["results"].as_array().unwrap().iter().find(|stretch| stretch["offset"] == 8_000).unwrap();
    assert_eq!(cut["reason"], "the file ends before the record does", "the reason is that of today");

    let again = house.post("/api/v1/quarantine/replay", Vec::new()).await.1;
    assert_eq!(again, json!({"stretches": 4, "read": 0, "records": 0, "remaining": 3, "notWhole": 1}));
    house.deliver(batch("hive", 0, good.as_bytes(), &json!({"generation": "another copy"}))).await;
    house.settled().await;
    assert_eq!(house.answer("/api/v1/status").await["counts"]["executions"], 3, "another copy of it is the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_stretch_or_one_group_may_be_meant() {
    let record = |number: i64| copied("db.a", "db.b", number, "joe");
    let house = house_with(vec![
        stretch(1, ProblemKind::Malformed, record(1).as_bytes()),
        stretch(2, ProblemKind::Malformed, record(2).as_bytes()),
        stretch(3, ProblemKind::Inconsistent, record(3).as_bytes()),
        Quarantined { host: "node-2".to_owned(), ..stretch(4, ProblemKind::Inconsistent, record(4).as_bytes()) },
    ])
    .await;
    let groups = house.answer("/api/v1/quarantine?limit=1").await;
    assert_eq!(groups["total"], 4);
    let of = |group: &serde_json::Value| (group["kind"].clone(), group["host"].clone(), group["stretches"].clone());
    let groups: Vec<_> = groups["groups"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(groups.len(), 3);
    assert_eq!(groups[0], (json!("malformed"), json!("node-1"), json!(2)));
    assert_eq!(house.answer("/api/v1/quarantine?kind=inconsistent&host=node-2").await["total"], 1);

    let id = stretch(2, ProblemKind::Malformed, b"").id;
    let one = house.post(&format!("/api/v1/quarantine/replay?id={id}"), Vec::new()).await.1;
    assert_eq!((&one["stretches"], &one["read"]), (&json!(1), &json!(1)));
    let again = house.post(&format!("/api/v1/quarantine/replay?id={id}"), Vec::new()).await;
    assert_eq!(again.0, 404, "{}", again.1);
    let group = house.post("/api/v1/quarantine/replay?kind=inconsistent&host=node-1&format=hive", Vec::new()).await.1;
    assert_eq!((&group["stretches"], &group["read"]), (&json!(1), &json!(1)));

    assert_eq!(house.delete("/api/v1/quarantine").await.0, 400, "nothing says what to drop");
    assert_eq!(house.delete("/api/v1/quarantine?all=true&kind=malformed").await.0, 400);
    assert_eq!(house.delete("/api/v1/quarantine?kind=dull").await.0, 400);
    assert_eq!(house.delete("/api/v1/quarantine?kind=malformed").await, (200, json!({"dropped": 1})));
    assert_eq!(house.delete("/api/v1/quarantine?all=true").await, (200, json!({"dropped": 1})));
    assert_eq!(house.answer("/api/v1/status").await["quarantine"], json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_shows_replays_and_drops() {
    let bytes = b"{\"version\":\"1.0\", \xff\xfe\0 \x1b[31m";
    let house = house_with(vec![
        stretch(1, ProblemKind::Malformed, bytes),
        stretch(2, ProblemKind::Malformed, copied("db.a", "db.b", 1, "joe").as_bytes()),
    ])
    .await;
    let id = stretch(1, ProblemKind::Malformed, b"").id.to_string();
    let list = stdout(&house.sextant(&["quarantine", "list", "--reason", "malformed"]).await);
    assert!(list.contains("STRETCHES") && list.contains(&id) && list.contains("2 of 2 stretches"), "{list}");
    let shown = stdout(&house.sextant(&["quarantine", "show", &id]).await);
    assert!(shown.contains("of former days") && shown.contains('\u{fffd}') && !shown.contains('\u{1b}'), "{shown}");
    let whole = stdout(&house.sextant(&["quarantine", "show", &id, "-o", "json"]).await);
    let whole: serde_json::Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(whole["base64"], "eyJ2ZXJzaW9uIjoiMS4wIiwg//4AIBtbMzFt");

    let replayed = house.sextant(&["quarantine", "replay"]).await;
    let words = stdout(&replayed);
    assert!(words.contains("read again: 1 of 2 stretches, with 1 record"), "{words}");
    assert!(words.contains("1 is still not to be read"), "{words}");

    for (arguments, code, words) in [
        (&["quarantine", "drop"][..], 2, "nothing says what to drop"),
        (&["quarantine", "drop", "--all"], 2, "drop 1 stretch with their bytes: not without being told to"),
        (&["quarantine", "drop", "--kind", "dull", "--yes"], 2, "kind=dull"),
        (&["quarantine", "show", "00000000000000000000000000000000"], 3, "nothing in the quarantine"),
        (&["quarantine", "replay", "00000000000000000000000000000000"], 3, "nothing in the quarantine"),
    ] {
        let refused = house.sextant(arguments).await;
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}: {}", stderr(&refused));
        assert!(stderr(&refused).contains(words), "{arguments:?}: {}", stderr(&refused));
    }
    let dropped = house.sextant(&["quarantine", "drop", "--all", "--yes"]).await;
    assert_eq!((dropped.status.code(), stdout(&dropped).as_str()), (Some(0), "dropped 1 stretch\n"));
    for arguments in [
        &["quarantine", "drop", "--all", "--yes"][..],
        &["quarantine", "drop", "--kind", "malformed"],
        &["quarantine", "replay"],
    ] {
        let refused = house.sextant(arguments).await;
        assert_eq!(refused.status.code(), Some(3), "{arguments:?}");
        assert!(stderr(&refused).contains("nothing in the quarantine matches"), "{}", stderr(&refused));
    }
    let nothing = stdout(&house.sextant(&["quarantine", "list"]).await);
    assert!(nothing.contains("nothing"), "{nothing}");
}
