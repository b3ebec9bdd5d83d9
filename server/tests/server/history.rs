//! What became of a thing, over the API and on the command line.

use serde_json::{Value, json};

use crate::support::{House, database, stdout, table};

/// `db.a` with another owner, a parameter, a column more and one of another type.
fn changed() -> Value {
    let mut changed = table("db", "a");
    changed["properties"] =
        json!({"owner": "joe", "params": {"transactional": "true", "numRows": "7", "quality": "a\nb"}});
    changed["fields"][1]["dataType"] = json!("int");
    changed["fields"].as_array_mut().unwrap().push(json!({"name": "w", "dataType": "date"}));
    changed
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_told_with_the_run_that_found_them() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b")]).await;
    let none = house.answer("/api/v1/entities/db.a/history").await;
    assert_eq!((&none["changes"], &none["changesForgotten"]), (&json!([]), &json!(0)));

    house.set_metastore(&[database("db"), changed()]);
    let run = house.extract().await;
    let history = house.answer("/api/v1/entities/db.a/history").await;
    let change = &history["changes"][0];
    assert_eq!(
        (&change["extractor"], &change["run"], &change["time"]),
        (&json!("hive"), &run["started"], &run["started"])
    );
    let words: Vec<&str> =
        change["differences"].as_array().unwrap().iter().map(|told| told["inWords"].as_str().unwrap()).collect();
    let expected =
        ["owner: etl → joe", "parameter quality set: a b", "column v, type: string → int", "column w added, type date"];
    assert_eq!(words, expected);
    assert_eq!(
        change["differences"][1],
        json!({
            "kind": "property", "column": null, "property": "params.quality",
            "before": null, "after": "a\nb", "cut": false, "inWords": "parameter quality set: a b",
        })
    );

    let gone = house.answer("/api/v1/entities/db.b/history").await;
    assert_eq!(gone["changes"][0]["differences"][0]["kind"], "deleted");
    let column = house.answer("/api/v1/entities/db.a.v/history").await;
    assert_eq!(column["changes"].as_array().unwrap().len(), 1);
    assert_eq!(column["changes"][0]["differences"].as_array().unwrap().len(), 1);
    assert_eq!(column["changes"][0]["differences"][0]["inWords"], "column v, type: string → int");

    house.extract().await;
    let again = house.answer("/api/v1/entities/db.a/history").await;
    assert_eq!(again["changes"], history["changes"], "a run that finds nothing tells nothing");
    let house = house.restarted().await;
    assert_eq!(house.answer("/api/v1/entities/db.a/history").await["changes"], history["changes"]);

    let shown = house.sextant(&["entity", "db.a", "--history"]).await;
    let shown = stdout(&shown);
    for line in ["  life 1, created 2026-01-01T00:00:00.000Z, first seen ", "  db.a\n", "    owner: etl → joe\n"] {
        assert!(shown.contains(line), "{line:?} in {shown}");
    }
    let started = run["started"].as_str().unwrap();
    assert!(shown.contains(&format!("  {started}, run of hive at {started}\n")), "{shown}");
}
