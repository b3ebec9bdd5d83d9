//! What the API says about who uses what: operations of a table, single operations, names that
//! nobody has shown, and what could follow in a query.

use serde_json::{Value, json};

use crate::support::{House, copied, database, table};

fn texts(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|used| used["shortText"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_on_a_table_is_found_in_one_place() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b")]).await;
    let records = copied("db.a", "db.b", 1_790_000_000, "joe")
        + &copied("db.a", "db.b", 1_790_000_050, "ann")
        + &copied("db.b", "db.a", 1_790_000_100, "joe")
        + &copied("db.a", "db.a", 1_790_000_200, "hive/host@REALM");
    house.import("lineage.log", &records).await;

    let all = house.answer("/api/v1/entities/db.a/operations").await;
    assert_eq!((&all["total"], &all["reads"], &all["writes"]), (&json!(3), &json!(2), &json!(2)));
    let roles: Vec<&Value> = all["results"].as_array().unwrap().iter().map(|used| &used["role"]).collect();
    assert_eq!(roles, ["both", "writes", "reads"]);
    let read = &all["results"][2];
    assert_eq!((&read["executions"], &read["usersOfRuns"], &read["engine"]), (&json!(2), &json!(2), &json!("tez")));
    assert_eq!((&read["users"][0]["principal"], &read["users"][1]["principal"]), (&json!("ann"), &json!("joe")));
    assert_eq!(read["lastRun"], "2026-09-21T14:14:11.000Z");

    let first = house.answer("/api/v1/entities/db.a.v/operations?role=reads&limit=1").await;
    assert_eq!((&first["total"], &first["next"]), (&json!(2), &json!(1)));
    assert!(texts(&first)[0].starts_with("insert into db.a select id, v from db.a"), "{first}");
    let second = house.answer("/api/v1/entities/db.a/operations?role=reads&limit=1&skip=1").await;
    assert!(texts(&second)[0].starts_with("insert into db.b") && second["next"].is_null(), "{second}");
    let early = house.answer("/api/v1/entities/db.a/operations?to=2026-09-21T14:14:30Z").await;
    assert_eq!((&early["total"], &early["writes"]), (&json!(1), &json!(0)));
    for wrong in ["role=write", "limit=0", "from=2026-02-01&to=2026-01-01", "from=yesterday"] {
        let (status, refusal) = house.get(&format!("/api/v1/entities/db.a/operations?{wrong}")).await;
        assert_eq!(status, 400, "{wrong}: {refusal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_shows_its_ends_users_and_evidence() {
    let house = House::with_metastore(&[database("db"), table("db", "a")]).await;
    let records = copied("db.a", "db.ghost", 1_790_000_000, "joe") + &copied("db.a", "db.ghost", 1_790_000_100, "ann");
    house.import("lineage.log", &records).await;
    let latest = house.answer("/api/v1/operations/latest").await;
    let id = latest["results"][0]["id"].as_str().unwrap();

    let operation = house.answer(&format!("/api/v1/operations/{id}")).await;
    assert_eq!(
        (&operation["id"], &operation["type"], &operation["executions"]),
        (&json!(id), &json!("OPERATION"), &json!(2))
    );
    assert_eq!((&operation["inputs"][0]["linked"], &operation["outputs"][0]["linked"]), (&json!(true), &json!(false)));
    assert_eq!((&operation["users"][0]["principal"], &operation["usersOfRuns"]), (&json!("ann"), &json!(2)));
    assert_eq!(operation["problems"], json!(["no source has shown db.ghost, which it writes"]));
    assert_eq!(operation["firstRun"]["evidence"]["offset"], 0);
    assert_eq!(operation["lastRun"]["evidence"]["offset"], records.len() / 2);
    let (status, _) = house.get("/api/v1/operations/00000000000000000000000000000000").await;
    assert_eq!(status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_nobody_has_shown_are_listed_by_use() {
    let house = House::with_metastore(&[database("db"), table("db", "a")]).await;
    let records = copied("db.a", "db.ghost", 1_790_000_000, "joe")
        + &copied("db.ghost", "db.a", 1_790_000_000, "joe")
        + &copied("db.a", "db.rare", 1_790_000_000, "joe");
    house.import("lineage.log", &records).await;

    let first = house.answer("/api/v1/unlinked?limit=1").await;
    assert_eq!((&first["total"], &first["next"]), (&json!(2), &json!(1)));
    assert_eq!((&first["results"][0]["name"], &first["results"][0]["operations"]), (&json!("db.ghost"), &json!(2)));
    let second = house.answer("/api/v1/unlinked?limit=1&skip=1").await;
    assert_eq!((&second["results"][0]["name"], &second["next"]), (&json!("db.rare"), &Value::Null));
    let used = house.answer("/api/v1/entities/db.ghost/operations").await;
    assert_eq!((&used["total"], &used["reads"]), (&json!(2), &json!(1)));
    assert_eq!(house.get("/api/v1/unlinked?skip=10000").await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_and_their_values_are_completed() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b")]).await;
    let fields = house.answer("/api/v1/search/completions?prefix=OWN").await;
    assert_eq!((&fields["fields"][0]["name"], &fields["fields"][0]["counted"]), (&json!("owner"), &json!(true)));
    let values = house.answer("/api/v1/search/completions?field=type&prefix=t").await;
    assert_eq!(values["values"], json!([{"value": "TABLE", "count": 2}]));
    let odd = house.answer("/api/v1/search/completions?field=type&prefix=%22%20(").await;
    assert_eq!(odd["values"], json!([]));
    assert_eq!(house.answer("/api/v1/search/completions?field=queryText").await["values"], json!([]));
    assert_eq!(house.get("/api/v1/search/completions?field=ownr").await.0, 400);
}
