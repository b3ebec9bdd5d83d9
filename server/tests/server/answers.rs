//! What the API says about what it knows.

use serde_json::{Value, json};
use sextant::server::RunningServer;

use crate::support::{House, config, copied, database, table};

fn names(answer: &Value, list: &str) -> Vec<String> {
    let name = |thing: &Value| thing["qualifiedName"].as_str().unwrap_or("-").to_owned();
    answer[list].as_array().unwrap().iter().map(name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_found_with_its_properties_and_users() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b")]).await;
    house.import("lineage.log", &copied("db.a", "db.b", 1_790_000_000, "hive/host@REALM")).await;

    let found = house.answer("/api/v1/search?query=type:table%20owner:etl&facets=type").await;
    assert_eq!(found["total"], 2);
    assert_eq!(found["totalIsExact"], true);
    assert_eq!(found["facets"], json!({"type": [{"value": "TABLE", "count": 2}]}));
    let entity = &found["results"][0];
    for key in
        ["id", "type", "sourceType", "cluster", "originalName", "parentPath", "qualifiedName", "deleted", "owner"]
    {
        assert!(!entity[key].is_null(), "{key}: {entity}");
    }

    let by_name = house.answer("/api/v1/entities/DB.A").await;
    let by_id = house.answer(&format!("/api/v1/entities/{}", by_name["id"].as_str().unwrap())).await;
    assert_eq!(by_name, by_id);
    assert_eq!(by_name["usedBy"][0]["role"], "input");
    assert_eq!(by_name["usedBy"][0]["principal"], "hive");
    assert_eq!(by_name["usedBy"][0]["userIsService"], true);

    let history = house.answer("/api/v1/entities/db.a/history").await;
    assert_eq!(history["lives"][0]["number"], 1);
    assert_eq!(history["lives"][0]["over"], Value::Null);
    assert_eq!(history["names"], json!([{"qualifiedName": "db.a", "present": true}]));

    let columns = house.answer("/api/v1/entities/db.a/children?limit=1").await;
    assert_eq!(names(&columns, "results"), ["db.a.id"]);
    assert_eq!(columns["next"], 1);
    let column = house.answer("/api/v1/entities/db.a.v").await;
    assert_eq!((&column["type"], &column["dataType"]), (&json!("FIELD"), &json!("string")));
    let by_parameter = house.answer("/api/v1/search?query=tp_transactional:true").await;
    assert_eq!(by_parameter["total"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_and_runs_are_found_by_their_true_text() {
    let house = House::with_metastore(&[database("db"), table("db", "a")]).await;
    let first = copied("db.a", "db.b", 1_790_000_000, "joe@REALM");
    let second = first.replace("folded literal", "another").replace("1790000000", "1790000100");
    house.import("lineage.log", &(first + &second)).await;

    let found = house.answer("/api/v1/search?query=queryText:*another*").await;
    assert_eq!(found["total"], 1, "one operation with two texts: {found}");
    let id = found["results"][0]["id"].as_str().unwrap();
    let operation = house.answer(&format!("/api/v1/entities/{id}")).await;
    assert_eq!(operation["type"], "OPERATION");
    assert_eq!(operation["executions"], 2);
    assert_eq!(operation["queryTexts"].as_array().unwrap().len(), 2);
    assert_eq!(operation["inputs"][0]["name"], "db.a");
    assert_eq!(operation["inputs"][0]["linked"], true);
    assert_eq!(operation["outputs"][0]["name"], "db.b");
    assert_eq!(operation["outputs"][0]["linked"], false);
    assert_eq!(operation["firstSeen"], "2026-09-21T14:13:21.000Z");

    let runs = house.answer(&format!("/api/v1/entities/{id}/executions")).await;
    let run = &runs["results"][0];
    assert_eq!(run["principal"], "joe");
    assert_eq!(run["principalOriginal"], "joe@REALM");
    assert!(run["evidence"]["offset"].is_u64() && run["evidence"]["file"].is_string(), "{run}");
    let found = house.answer("/api/v1/search?query=type:operation_execution%20principal:joe").await;
    assert_eq!(found["total"], 2);

    let flows = house.answer(&format!("/api/v1/operations/{id}/flows")).await;
    let edges = flows["variants"][0]["edges"].as_array().unwrap();
    assert_eq!(edges[0]["type"], "DATA_FLOW");
    assert!(edges.iter().any(|edge| edge["sources"] == json!([{"table": "db.a", "column": "v"}])), "{flows}");
    let latest = house.answer("/api/v1/operations/latest").await;
    assert_eq!(latest["results"][0]["id"], id);
}

#[tokio::test(flavor = "multi_thread")]
async fn lineage_has_the_promised_shape() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b")]).await;
    let records = copied("db.a", "db.b", 1_790_000_000, "joe") + &copied("db.ghost", "db.a", 1_790_000_000, "joe");
    house.import("lineage.log", &records).await;

    let lineage = house.answer("/api/v1/lineage/db.b?columns=true").await;
    assert_eq!(names(&lineage, "nodes"), ["db.b", "db.a"]);
    assert_eq!(lineage["root"], lineage["nodes"][0]["id"]);
    assert_eq!(
        (&lineage["direction"], &lineage["depth"], &lineage["limit"], &lineage["cut"]),
        (&json!("both"), &json!(2), &json!(100), &json!(false))
    );
    let upstream = &lineage["nodes"][1];
    assert_eq!((&upstream["hidden"], &upstream["unlinked"]), (&json!(false), &json!(false)));
    assert_eq!((&upstream["moreUpstream"], &upstream["unlinkedInputs"]), (&json!(0), &json!(1)));
    let edge = &lineage["edges"][0];
    assert_eq!((&edge["source"], &edge["target"]), (&upstream["id"], &lineage["root"]));
    assert_eq!((&edge["type"], &edge["mark"]), (&json!("DATA_FLOW"), &json!("observed")));
    assert_eq!(edge["via"].as_array().unwrap().len(), 1);
    assert_eq!(edge["columns"].as_array().unwrap().len(), 2);
    assert_eq!(edge["formerIncarnation"], false);
    assert!(edge["firstSeen"].is_string() && edge["lastSeen"].is_string());
    assert!(!lineage["coverage"]["notes"].as_array().unwrap().is_empty());

    let with_ghost = house.answer("/api/v1/lineage?name=db.b&unlinked&operations").await;
    let ghost = with_ghost["nodes"].as_array().unwrap().iter().find(|node| node["qualifiedName"] == "db.ghost");
    let ghost = ghost.expect("the unlinked name is a node");
    assert_eq!((&ghost["unlinked"], &ghost["type"]), (&json!(true), &Value::Null));
    let operations = with_ghost["nodes"].as_array().unwrap().iter().filter(|node| node["type"] == "OPERATION");
    assert!(operations.clone().count() == 2 && operations.clone().all(|node| node["queryText"].is_string()));

    // Its address leads to the same, and it is no search result.
    let id = ghost["id"].as_str().unwrap();
    let shown = house.answer(&format!("/api/v1/entities/{id}")).await;
    assert_eq!((&shown["unlinked"], &shown["usedByTotal"]), (&json!(true), &json!(1)));
    assert_eq!(house.answer("/api/v1/lineage/db.ghost").await["root"], id);
    assert_eq!(house.answer("/api/v1/search?query=qualifiedName:ghost").await["total"], 0);

    let of_column = house.answer("/api/v1/lineage/db.b.v?direction=upstream").await;
    assert_eq!(names(&of_column, "nodes"), ["db.b.v", "db.a.v"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_has_the_shape_of_a_lineage() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b"), table("db", "c")]).await;
    let records = copied("db.a", "db.b", 1_790_000_000, "joe") + &copied("db.b", "db.c", 1_790_100_000, "joe");
    house.import("lineage.log", &records).await;
    let path = house.answer("/api/v1/paths?from=db.a&to=db.c&direction=downstream").await;
    assert_eq!(names(&path, "nodes"), ["db.a", "db.b", "db.c"]);
    assert_eq!(path["edges"].as_array().unwrap().len(), 2);
    assert_eq!(path["coverage"]["notes"][0], "data comes from db.a to db.c in 2 hops");
    assert_eq!((&path["direction"], &path["depth"]), (&json!("downstream"), &json!(10)));
    let none = house.answer("/api/v1/paths?from=db.c&to=db.a&direction=downstream&maxDepth=3").await;
    assert_eq!(names(&none, "nodes"), ["db.c"]);

    let before = house.answer("/api/v1/lineage/db.b?to=2026-09-22").await;
    assert_eq!(names(&before, "nodes"), ["db.b", "db.a"], "what was first seen later is left out");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_resolved_in_one_way() {
    let objects = [
        database("default"),
        database("one"),
        database("two"),
        table("default", "here"),
        table("one", "here"),
        table("one", "only"),
        table("one", "both"),
        table("two", "both"),
    ];
    let house = House::with_metastore(&objects).await;
    for (name, expected) in [
        ("here", "default.here"),
        ("only", "one.only"),
        ("ONE.Only", "one.only"),
        ("one", "one"),
        ("only%20", "one.only"),
    ] {
        let entity = house.answer(&format!("/api/v1/entities/{name}")).await;
        assert_eq!(entity["qualifiedName"], expected, "{name}");
    }
    let (status, refusal) = house.get("/api/v1/entities/both").await;
    assert_eq!(status, 409);
    assert_eq!(names(&refusal, "candidates"), ["one.both", "two.both"]);
    for (path, expected) in [
        ("/api/v1/entities/nowhere", 404),
        ("/api/v1/entities/one.only?cluster=elsewhere", 404),
        ("/api/v1/entities/one.only?cluster=dr", 200),
        ("/api/v1/entities/one.only?type=view", 404),
        ("/api/v1/entities/one.only?type=tabel", 400),
        ("/api/v1/entities/one.only.nothing", 404),
        ("/api/v1/entities/..", 404),
        ("/api/v1/entities/00000000000000000000000000000000", 404),
        ("/api/v1/lineage/one", 400),
        ("/api/v1/lineage", 400),
        ("/api/v1/lineage/only?depth=11", 400),
        ("/api/v1/lineage/only?depth=0", 400),
        ("/api/v1/lineage/only?depht=1", 400),
        ("/api/v1/lineage/only?asOf=yesterday", 400),
        ("/api/v1/lineage/only?deleted=maybe", 400),
        ("/api/v1/lineage/only?from=2026-02-02&to=2026-02-01", 400),
        ("/api/v1/lineage/only?from=2026-02-02&asOf=2026-02-03", 400),
        ("/api/v1/paths?from=one.only", 400),
        ("/api/v1/paths?from=one.only&to=nowhere", 404),
        ("/api/v1/paths?from=one.only&to=one", 400),
        ("/api/v1/search?limit=5000", 400),
        ("/api/v1/search?sort=size", 400),
        ("/api/v1/search?facets=size", 400),
        ("/api/v1/search?cursor=zz", 400),
        ("/api/v1/nothing", 404),
    ] {
        let (status, answer) = house.get(path).await;
        assert_eq!(status, expected, "{path}: {answer}");
        assert_eq!(answer["error"].is_string(), expected != 200, "{path}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_query_shows_the_place() {
    let house = House::with_metastore(&[]).await;
    let (status, refusal) = house.get("/api/v1/search?query=ownr:etl").await;
    assert_eq!(status, 400);
    assert_eq!(refusal["position"], 0);
    assert!(refusal["detail"].as_str().unwrap().contains("\n  ownr:etl\n  ^"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_are_refused() {
    let house = House::with_metastore(&[]).await;
    let ask = |header: &'static str, value: &'static str| {
        let url = house.url("/api/v1/extractors/hive/run");
        async move { reqwest::Client::new().post(url).header(header, value).send().await.unwrap().status().as_u16() }
    };
    assert_eq!(ask("origin", "http://evil.example").await, 403);
    assert_eq!(ask("host", "rebound.example").await, 403);
    assert_eq!(ask("accept", "application/json").await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_in_front_is_let_in_once_it_is_configured() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config(directory.path());
    for (public_urls, expected) in [(vec![], 403), (vec!["https://sextant.example".to_owned()], 200)] {
        config.server.public_urls = public_urls;
        let running = RunningServer::start(&config).await.unwrap();
        for (header, value) in [("origin", "https://sextant.example"), ("host", "sextant.example")] {
            let url = format!("http://{}/healthz", running.address());
            let answer = reqwest::Client::new().get(url).header(header, value).send().await.unwrap();
            assert_eq!(answer.status().as_u16(), expected, "{header}");
            let said = answer.text().await.unwrap();
            assert_eq!(said.contains("public_url under [server]"), expected == 403, "{said}");
        }
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_is_told() {
    let house = House::with_metastore(&[database("db"), table("db", "a")]).await;
    house
        .import("lineage.log", &(copied("db.a", "db.b", 1_790_000_000, "joe") + "{\"version\":\"1.0\",\"edges\":[}\n"))
        .await;
    let status = house.answer("/api/v1/status").await;
    assert_eq!(status["counts"]["living"], json!({"DATABASE": 1, "FIELD": 2, "TABLE": 1}));
    assert_eq!((&status["counts"]["operations"], &status["counts"]["executions"]), (&json!(1), &json!(1)));
    assert_eq!(status["unlinkedNames"], 1);
    assert_eq!(status["mostUsedUnlinkedNames"][0]["name"], "db.b");
    assert_eq!(status["quarantine"], json!({"malformed": 1}));
    assert_eq!((&status["intake"]["waiting"], &status["intake"]["notSearchable"]), (&json!(0), &json!(0)));
    let extractor = &status["extractors"][0];
    assert_eq!(extractor["lastRun"]["outcome"], "complete");
    assert!(extractor["nextRun"].is_string());
    assert!(status["agents"][0]["agent"].as_str().unwrap().starts_with("import@"));

    let metrics = reqwest::get(house.url("/metrics")).await.unwrap().text().await.unwrap();
    for line in ["sextant_records_linked_total 1", "sextant_problems_total{kind=\"malformed\"} 1", "# EOF"] {
        assert!(metrics.lines().any(|found| found == line), "{line}: {metrics}");
    }
    let changes = house.answer("/api/v1/changes?limit=2").await;
    assert_eq!(changes["results"][0]["seq"], 1);
    assert!(changes["newest"].as_u64().unwrap() > 2);
}
