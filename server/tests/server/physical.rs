//! Tables and the directories in which their data lies, where people meet them.

use serde_json::{Value, json};

use crate::support::{House, copied, database, stdout, table};
use crate::tree::table_at;

const STATE: &str = "as of the image of transaction 10, 2026-11-30T20:00:10Z";

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|thing| thing["qualifiedName"].as_str().unwrap()).collect()
}

/// `db.a` and `db.twin` lie at one directory, `db.lost` where nothing is, `db.far` in a file system
/// that nobody shows, `db.b` nowhere. `db.a` flows into `db.b`.
async fn house() -> House {
    let objects = [
        database("db"),
        table_at("db", "a", "hdfs://prod:8020/w/a/"),
        table_at("db", "twin", "/w/a"),
        table_at("db", "lost", "viewfs://c/w/lost"),
        table_at("db", "far", "hdfs://elsewhere/w/far"),
        table("db", "b"),
    ];
    let house = House::with_file_system(&objects).await;
    house.state(10, &[(2, "/w/"), (3, "/w/a/"), (4, "/w/a/dt=1/"), (5, "/w/a/dt=1/part-0")]).await;
    house.import("lineage.log", &copied("db.a", "db.b", 1_790_000_000, "joe")).await;
    house
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_says_where_its_data_lies() {
    let house = house().await;
    let table = house.answer("/api/v1/entities/db.a").await;
    let location = &table["location"];
    assert_eq!(location["written"], "hdfs://prod:8020/w/a/");
    assert_eq!((&location["path"], &location["rule"]), (&json!("/w/a"), &json!("address")));
    assert_eq!(location["ruleInWords"], "hdfs://prod is an address of the file system that extractor hdfs shows");
    let directory = &location["directory"];
    assert_eq!((&directory["type"], &directory["fileCount"]), (&json!("DIRECTORY"), &json!(3)));
    assert_eq!((&directory["owner"], &directory["permissions"]), (&json!("joe"), &json!("rwxr-x---")));
    assert_eq!(directory["lastChanged"][0], json!({"quarter": "2026Q4", "bytes": 1_000}));
    assert_eq!(location["note"], Value::Null);
    assert_eq!(names(&location["alsoHere"]), ["db.twin"]);
    let state = &table["namespaceState"];
    assert_eq!((&state["source"], &state["transaction"]), (&json!("hdfs"), &json!(10)));
    assert_eq!((&state["identity"], &state["inWords"]), (&json!("inode"), &json!(STATE)));
    assert_eq!(table["columnCount"], 2);

    let lost = house.answer("/api/v1/entities/db.lost").await;
    assert_eq!(lost["location"]["directory"], Value::Null);
    let note = "no such directory in the image of transaction 10, 2026-11-30T20:00:10Z";
    assert_eq!(lost["location"]["note"], note);
    let far = house.answer("/api/v1/entities/db.far").await;
    assert_eq!(far["location"]["note"], "no extractor shows this file system");
    assert_eq!(far["location"]["rule"], "unknown address");
    assert_eq!(far["namespaceState"], Value::Null);
    assert_eq!(house.answer("/api/v1/entities/db.b").await["location"], Value::Null);

    let said = stdout(&house.sextant(&["entity", "db.a"]).await);
    for line in ["  which means /w/a", "  also here table db.twin  /w/a", "  1000 bytes last changed in 2026Q4", STATE]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_says_which_tables_lie_around_it() {
    let house = house().await;
    let directory = house.answer("/api/v1/entities/%2Fw%2Fa").await;
    assert_eq!((&directory["type"], &directory["group"]), (&json!("DIRECTORY"), &json!("staff")));
    assert_eq!(names(&directory["locatedHere"]), ["db.a", "db.twin"]);
    assert_eq!(directory["namespaceState"]["inWords"], STATE);
    let file = house.answer("/api/v1/entities/%2Fw%2Fa%2Fdt=1%2Fpart-0").await;
    assert_eq!((&file["type"], &file["size"]), (&json!("FILE"), &json!(1_000)));
    assert_eq!(names(&file["locatedAbove"]), ["db.a", "db.twin"]);
    assert_eq!(file["locatedAbove"][0]["path"], "/w/a");
    let parent = house.answer("/api/v1/entities/%2Fw").await;
    assert_eq!((&parent["locatedHereTotal"], &parent["locatedAboveTotal"]), (&json!(0), &json!(0)));
    assert_eq!(parent["locatedBelow"]["tables"], 3);
    assert_eq!(names(&parent["locatedBelow"]["first"]), ["db.a", "db.twin", "db.lost"]);
    let children = house.answer("/api/v1/entities/%2Fw/children").await;
    assert_eq!(names(&children["results"]), ["/w/a"]);

    // A place that no file system shows has its tables all the same.
    let far = house.answer("/api/v1/entities/hdfs:%2F%2Felsewhere%2Fw%2Ffar").await;
    assert_eq!((&far["unlinked"], names(&far["locatedHere"])), (&json!(true), vec!["db.far"]));

    let said = stdout(&house.sextant(&["entity", "/w"]).await);
    for line in ["DIRECTORY /w", "below lie 3 tables, 0 databases, 0 partitions", "db.lost  /w/lost", STATE] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_have_many_spellings() {
    let house = house().await;
    house.state(20, &[(2, "/w/"), (3, "/w/moved/"), (4, "/w/moved/dt=1/"), (5, "/w/moved/dt=1/part-0")]).await;
    for spelling in
        ["/w/moved", "/w/moved/", "hdfs://prod/w/moved", "HDFS://Prod:8020//w/moved/", "hdfs:///w/moved", "/w/a"]
    {
        let path = format!("/api/v1/entities?name={}", spelling.replace('/', "%2F"));
        assert_eq!(house.answer(&path).await["qualifiedName"], "/w/moved", "{spelling}");
        let path = format!("{path}&cluster=prod&type=directory");
        assert_eq!(house.answer(&path).await["qualifiedName"], "/w/moved", "{spelling} in prod");
    }
    for (path, status) in [("/w/moved?type=file", 404), ("hdfs://nowhere/w/moved", 404), ("/w/nothing", 404)] {
        let (name, parameters) = path.split_once('?').unwrap_or((path, ""));
        let path = format!("/api/v1/entities/{}?{parameters}", name.replace('/', "%2F"));
        assert_eq!(house.get(&path).await.0, status, "{path}");
    }
    let table = house.answer("/api/v1/entities/db.a").await;
    let note = "there is no such directory any more: what was there is /w/moved now";
    assert_eq!(table["location"]["note"], note);
    let file = house.answer("/api/v1/entities/%2Fw%2Fmoved%2Fdt=1%2Fpart-0").await;
    assert_eq!(names(&file["locatedAbove"]), ["db.a", "db.twin"]);

    // Another directory takes the name over.
    house.state(30, &[(2, "/w/"), (3, "/w/moved/"), (9, "/w/a/")]).await;
    assert_eq!(house.answer("/api/v1/entities/%2Fw%2Fa").await["qualifiedName"], "/w/a");
}

#[tokio::test(flavor = "multi_thread")]
async fn lineage_goes_through_directories() {
    let house = house().await;
    let plain = house.answer("/api/v1/lineage/db.b").await;
    assert_eq!(names(&plain["nodes"]), ["db.b", "db.a"]);
    let physical = house.answer("/api/v1/lineage/db.b?physical=true").await;
    let mut nodes = names(&physical["nodes"]);
    nodes.sort_unstable();
    assert_eq!(nodes, ["/w/a", "db.a", "db.b", "db.twin"]);
    let edges = physical["edges"].as_array().unwrap();
    let placed: Vec<&Value> = edges.iter().filter(|edge| edge["type"] == "LOGICAL_PHYSICAL").collect();
    assert_eq!(placed.len(), 2);
    for edge in placed {
        assert_eq!((&edge["mark"], &edge["below"]), (&json!("observed"), &json!(false)));
        assert_eq!((&edge["location"]["path"], &edge["firstSeen"]), (&json!("/w/a"), &Value::Null));
    }
    assert_eq!(physical["namespaceStates"][0]["transaction"], 10);

    // A file leads through its table to where the data went.
    let of_file = house.answer("/api/v1/lineage/%2Fw%2Fa%2Fdt=1%2Fpart-0?depth=1").await;
    let mut nodes = names(&of_file["nodes"]);
    nodes.sort_unstable();
    assert_eq!(nodes, ["/w/a/dt=1/part-0", "db.a", "db.b", "db.twin"]);
    let of_parent = house.answer("/api/v1/lineage/%2Fw").await;
    let said = of_parent["coverage"]["notes"].to_string();
    assert!(said.contains("no living table lies at or above /w; what lies below"), "{said}");

    let said = stdout(&house.sextant(&["lineage", "hdfs://prod/w/a", "--direction", "downstream"]).await);
    for line in
        ["directory /w/a\ngoes to", "  == table db.a  [location hdfs://prod:8020/w/a/]\n    -> table db.b", STATE]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_and_files_are_searched() {
    let house = house().await;
    for (query, found) in [
        ("parentPath:/w/a/dt=1", 1),
        ("type:file group:staff permissions:rwxr-x---", 1),
        ("type:file size:>=1000 replication:3 blockSize:128MB", 1),
        ("type:directory fileCount:3 totalSize:3000 smallFileCount:2", 4),
        ("type:file lastModified:[2026-09-01 TO 2026-09-30]", 1),
        ("fileSystemPath:/w/a/*", 2),
        ("sourceType:hdfs directoryCount:>0", 4),
        ("columnCount:2", 5),
    ] {
        let parameters = reqwest::Url::parse_with_params("http://x/", [("query", query)]).unwrap();
        let answer = house.answer(&format!("/api/v1/search?{}", parameters.query().unwrap())).await;
        assert_eq!(answer["total"], found, "{query}: {answer}");
    }
    let status = house.answer("/api/v1/status").await;
    assert_eq!((&status["counts"]["living"]["DIRECTORY"], &status["counts"]["living"]["FILE"]), (&json!(4), &json!(1)));
    let said = stdout(&house.sextant(&["status"]).await);
    assert!(said.contains("4 directories") && said.contains("1 file"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_name_stays_a_name() {
    let house = House::with_file_system(&[database("db"), table_at("db", "t", "/w/<script>\n\"'x")]).await;
    house.state(10, &[(2, "/w/"), (3, "/w/<script>\n\"'x/")]).await;
    let table = house.answer("/api/v1/entities/db.t").await;
    assert_eq!(table["location"]["directory"]["qualifiedName"], "/w/<script>\n\"'x");
    let said = stdout(&house.sextant(&["entity", "db.t"]).await);
    assert!(said.contains("\n  /w/<script>\u{fffd}\"'x\n"), "{said}");
}
