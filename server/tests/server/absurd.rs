//! Records that no engine would write and any program may: each is linked or quarantined, and what
//! comes behind it goes on.

use proptest::prelude::*;
use serde_json::{Value, json};
use sextant_extractors::push::{self, Format};
use sextant_linker::operations::{SourcedRecord, link};
use sextant_model::operation::Evidence;
use sextant_model::{Timestamp, Viewer};
use sextant_store::{Facts, SqliteStore};

use crate::support::{House, batch, copied};

fn hive(vertices: &[Value], edges: &[Value]) -> Value {
    json!({
        "version": "1.0", "user": "joe", "timestamp": 1_790_000_000, "duration": 1, "jobIds": [], "engine": "tez",
        "database": "default", "hash": "h", "queryText": "insert into t select * from s", "edges": edges,
        "vertices": vertices,
    })
}

fn column(id: usize, name: &str) -> Value {
    json!({"id": id, "vertexType": "COLUMN", "vertexId": name})
}

fn projection(sources: &[usize], targets: &[usize]) -> Value {
    json!({"sources": sources, "targets": targets, "edgeType": "PROJECTION"})
}

/// What is absurd about a record, and the record.
fn absurd_records() -> Vec<(&'static str, Value)> {
    let many = 100_000;
    let sources: Vec<usize> = (0..many).collect();
    let targets: Vec<usize> = (many..2 * many).collect();
    let columns = |of: &dyn Fn(usize) -> String| -> Vec<Value> {
        (0..2 * many).map(|number| column(number, &of(number))).collect()
    };
    let in_two_tables = columns(&|number| format!("db.t{}.c{number}", number / many));
    let one_to_one: Vec<Value> = sources.iter().map(|source| projection(&[*source], &[source + many])).collect();
    let in_many_tables: Vec<Value> = (0..4_000).map(|number| column(number, &format!("db.t{number}.c"))).collect();
    let half: Vec<usize> = (0..2_000).collect();
    let other_half: Vec<usize> = (2_000..4_000).collect();
    let two_names =
        |source: &str, target: &str| hive(&[column(0, target), column(1, source)], &[projection(&[1], &[0])]);
    let with = |key: &str, value: Value| {
        let mut record = two_names("db.s.c", "db.t.c");
        record[key] = value;
        record
    };
    let long = "x".repeat(1 << 20);
    vec![
        ("one edge over 200,000 columns", hive(&in_two_tables, &[projection(&sources, &targets)])),
        ("100,000 edges", hive(&in_two_tables, &one_to_one)),
        ("four million pairs of tables", hive(&in_many_tables, &[projection(&half, &other_half)])),
        ("names of a mebibyte", two_names(&format!("{long}.{long}.{long}"), &format!("db.{long}y.c"))),
        ("names with NUL and line ends", two_names("d\0b.s\n.\0", "db\u{202e}.\u{1b}[31m.c\u{fffd}")),
        ("empty names", two_names("", "..")),
        ("a time without end", with("timestamp", json!(i64::MAX))),
        ("a time before all", with("timestamp", json!(i64::MIN))),
        ("a time that is no number of seconds", with("timestamp", json!(1e300))),
        ("an endless duration", with("duration", json!(i64::MAX))),
        ("100,000 jobs", with("jobIds", json!(vec!["job"; many]))),
        ("a user with NUL", with("user", json!("jo\0e"))),
        ("no text", with("queryText", json!(""))),
        ("a text of one long word", with("queryText", json!("x".repeat(4 << 20)))),
        ("a text of parentheses", with("queryText", json!("(".repeat(1 << 20)))),
        ("a text of quotes", with("queryText", json!("'\"`".repeat(1 << 18)))),
        ("a text with NUL", with("queryText", json!("insert\0into t"))),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn absurd_records_stop_nothing() {
    let house = House::with_metastore(&[]).await;
    let mut expected = 0;
    for (number, (what, record)) in absurd_records().into_iter().enumerate() {
        let bytes = format!("{record}\n{}", copied("db.a", "db.b", 1_790_000_000 + number as i64, "joe"));
        let generation = format!("g{number}");
        let answer = house.deliver(batch("hive", 0, bytes.as_bytes(), &json!({"generation": generation}))).await;
        assert_eq!(answer.0, 200, "{what}");
        house.settled().await;
        let status = house.answer("/api/v1/status").await;
        assert_eq!(status["intake"]["trouble"], Value::Null, "{what}");
        let tally = house.answer(&format!("/api/v1/intake?host=node-1&generation={generation}")).await["tally"].clone();
        assert_eq!(tally["records"].as_u64().unwrap() + tally["problems"].as_u64().unwrap(), 2, "{what}: {tally}");
        expected += 1;
    }
    let found = house.answer("/api/v1/search?query=queryText:literal&limit=1").await;
    assert_eq!(found["total"], 1, "all copies are runs of one statement: {found}");
    let id = found["results"][0]["id"].as_str().unwrap();
    let runs = house.answer(&format!("/api/v1/entities/{id}/executions?limit=1000")).await;
    assert_eq!(runs["results"].as_array().unwrap().len(), expected);
    let kept = house.answer("/api/v1/quarantine").await;
    let wide = kept["groups"].as_array().unwrap().iter().find(|group| group["kind"] == "too-long");
    assert_eq!(wide.map(|group| &group["stretches"]), Some(&json!(1)), "{kept}");
    assert!(kept["groups"].as_array().unwrap().iter().all(|group| group["kind"] != "failed"), "{kept}");
}

fn odd_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,4}(\\.[a-z]{1,4}){0,3}",
        2 => ".{0,12}",
        1 => Just("\0".to_owned()),
        1 => Just(String::new()),
        1 => prop::sample::select(vec!["DB.T.C", "a..b", "...", "db.t.\u{0}", "ſ.ß.İ", "\u{10ffff}.x.y"]).prop_map(str::to_owned),
    ]
}

fn odd_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => (1_700_000_000_i64..1_800_000_000).prop_map(|number| json!(number)),
        2 => any::<i64>().prop_map(|number| json!(number)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => Just(Value::Null),
        1 => Just(json!("1790000000")),
    ]
}

prop_compose! {
    fn odd_record()(
        names in prop::collection::vec(odd_text(), 0..6),
        edges in prop::collection::vec((prop::collection::vec(0_usize..6, 0..4), prop::collection::vec(0_usize..6, 0..4), any::<bool>(), odd_text()), 0..4),
        (text, user, engine, database, job) in (odd_text(), odd_text(), odd_text(), odd_text(), odd_text()),
        (timestamp, other_time, created) in (odd_number(), odd_number(), odd_number()),
        is_hive: bool,
    ) -> (Format, Value) {
        let edges: Vec<Value> = edges
            .into_iter()
            .map(|(sources, targets, data, expression)| json!({
                "sources": sources, "targets": targets, "edgeType": if data { "PROJECTION" } else { "PREDICATE" },
                "expression": expression,
            }))
            .collect();
        let vertices: Vec<Value> = names
            .iter()
            .enumerate()
            .map(|(id, name)| json!({
                "id": id, "vertexType": "COLUMN", "vertexId": name,
                "metadata": {"tableName": name, "tableCreateTime": created},
            }))
            .collect();
        if is_hive {
            let record = json!({
                "version": "1.0", "queryText": text, "user": user, "timestamp": timestamp, "duration": other_time,
                "jobIds": [job], "engine": engine, "database": database, "hash": "h", "edges": edges,
                "vertices": vertices,
            });
            (Format::Hive, record)
        } else {
            let record = json!({
                "queryText": text, "queryId": job, "user": user, "timestamp": timestamp, "endTime": other_time,
                "operationType": engine, "tableLocation": database, "edges": edges, "vertices": vertices,
            });
            (Format::Impala, record)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// What a reader understands, linker and store take, and give back.
    #[test]
    fn whatever_is_understood_can_be_stored(records in prop::collection::vec(odd_record(), 1..8)) {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(directory.path()).unwrap();
        let mut understood = Vec::new();
        for (number, (format, record)) in records.iter().enumerate() {
            let parsed = push::parse(*format, record.to_string().as_bytes(), true);
            for record in parsed.records {
                let evidence = Evidence { host: "h\0".to_owned(), file: String::new(), offset: number as u64 };
                let received = Timestamp::from_seconds(1_790_000_000);
                understood.push(SourcedRecord { record, evidence, cluster: "c\0".to_owned(), received });
            }
        }
        let changes = link(&store, &understood).unwrap();
        let executions = changes.executions.len() as u64;
        prop_assert_eq!(store.commit(&changes).unwrap().new_executions, executions);
        let again = link(&store, &understood).unwrap();
        prop_assert_eq!(store.commit(&again).unwrap().new_executions, 0);
        let viewer = Viewer::all();
        let operations: Vec<_> = changes.operations.iter().map(|operation| operation.id).collect();
        prop_assert_eq!(store.operations(&viewer, &operations).unwrap().len(), operations.len());
        prop_assert!(store.usages_of_operations(&viewer, &operations).is_ok());
        for operation in operations {
            prop_assert!(store.variants(&viewer, operation).is_ok());
            prop_assert!(store.executions_of(&viewer, operation, 0, 100).is_ok());
        }
    }
}
