//! The command line, as people run it.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::{House, copied, database, stderr, stdout, table};

#[tokio::test(flavor = "multi_thread")]
async fn an_import_is_searchable_when_it_returns_and_harmless_when_repeated() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b")]).await;
    let records =
        copied("db.a", "db.b", 1_790_000_000, "joe") + "a line of another kind\n{\"version\":\"1.0\",\"edges\":[}\n";
    let imported = house.import("lineage.log", &records).await;
    let said = stdout(&imported);
    assert!(
        said.ends_with("lineage.log: 1 record, 1 problem (see `sextant quarantine list`), 1 line without lineage\n"),
        "{said}"
    );
    assert_eq!(imported.status.code(), Some(0));

    let found = house.sextant(&["search", "queryText:*folded*"]).await;
    assert_eq!(found.status.code(), Some(0));
    assert!(stdout(&found).contains("insert into db.b select id, v from db.a"), "{}", stdout(&found));

    let again = house.import("lineage.log", &records).await;
    assert!(stdout(&again).ends_with("lineage.log: imported before, nothing changes\n"), "{}", stdout(&again));
    // A renamed copy is the same content; one more record is another.
    let longer = house.import("longer.log", &(records + &copied("db.a", "db.b", 1_790_000_050, "joe"))).await;
    assert!(stdout(&longer).contains(": 2 records, "), "{}", stdout(&longer));
    let status = house.answer("/api/v1/status").await;
    assert_eq!(status["counts"]["executions"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_tell_what_happened() {
    let objects = [database("one"), database("two"), table("one", "both"), table("two", "both")];
    let house = House::with_metastore(&objects).await;
    for (arguments, code, said) in [
        (vec!["entity", "one.both"], 0, ""),
        (vec!["-o", "json", "entity", "one.both"], 0, ""),
        (vec!["entity", "one.both", "-o", "json"], 0, ""),
        (vec!["search", "type:table"], 0, ""),
        (vec!["status"], 0, ""),
        (vec!["quarantine", "list"], 0, ""),
        (vec!["index", "rebuild"], 0, ""),
        (vec!["entity", "one.nothing"], 3, "error: nothing is called \"one.nothing\""),
        (vec!["lineage", "one.nothing"], 3, "error: nothing is called \"one.nothing\""),
        (vec!["search", "type:view"], 3, ""),
        (vec!["extract", "spark"], 3, "hint: the extractors are hive"),
        (vec!["entity", "both"], 2, "TABLE  cluster prod  two.both"),
        (vec!["lineage", "one.both", "--depth", "11"], 2, "--depth"),
        (vec!["search", "ownr:x"], 2, "  ownr:x\n  ^"),
        (vec!["config", "check", "/nowhere.toml"], 2, "/nowhere.toml: cannot read the configuration"),
        (vec!["server", "--config", "/nowhere.toml"], 2, "/nowhere.toml: cannot read the configuration"),
        (vec!["import", "x", "--format", "csv"], 2, "hive or impala"),
        (vec!["import", "/nowhere/x", "--format", "hive"], 1, "/nowhere/x: cannot read: No such file"),
        (vec!["fsimage", "/nowhere", "--utc"], 2, "error: --utc is for --format delimited"),
        (vec!["fsimage", "/nowhere", "--compat", "2.7", "--format", "jsonl"], 2, "error: --compat is for --format"),
        (vec!["fsimage", "/nowhere", "--threads", "2", "du", "/"], 2, "error: --threads is for --format delimited"),
        (vec!["sql", "/nowhere.sql"], 1, "error: /nowhere.sql: cannot read: No such file"),
        (vec!["sql", "/nowhere.sql", "--schema", "/nowhere.txt"], 2, "error: /nowhere.txt: cannot read: No such file"),
        (vec!["--server", "http://127.0.0.1:1", "status"], 1, "no server answers at http://127.0.0.1:1"),
        (vec!["status", "--server", "nonsense"], 2, "is no server address"),
    ] {
        let output = house.sextant(&arguments).await;
        let complaint = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {complaint}");
        assert!(complaint.contains(said), "{arguments:?}: {complaint}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_for_a_name_that_no_source_has_shown_leads_to_it() {
    let house = House::with_metastore(&[]).await;
    house.import("lineage.log", &copied("lake.raw_orders", "lake.orders", 1_790_000_000, "joe")).await;
    for (name, is_known) in [("lake.raw_orders", true), ("lake.nothing", false), ("type:table", false)] {
        let found = house.sextant(&["search", name]).await;
        assert_eq!(found.status.code(), Some(3), "{found:?}");
        let hint = format!("hint: known by name only: sextant entity {name}\n");
        assert_eq!(stderr(&found).contains(&hint), is_known, "{found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn help_shows_the_flags_that_mean_something() {
    let house = House::with_metastore(&[]).await;
    for (arguments, shown) in [
        (vec!["--help"], true),
        (vec!["help", "search"], true),
        (vec!["quarantine", "list", "--help"], true),
        (vec!["server", "--help"], false),
        (vec!["help", "record"], false),
        (vec!["config", "check", "--help"], false),
        (vec!["help", "fsimage"], false),
        (vec!["help", "sql"], false),
    ] {
        let help = stdout(&house.sextant(&arguments).await);
        assert!(help.contains("Usage: sextant"), "{arguments:?}: {help}");
        assert_eq!(help.contains("--token-file"), shown, "{arguments:?}: {help}");
        let writes_json = shown || arguments.contains(&"fsimage") || arguments.contains(&"sql");
        assert_eq!(help.contains("--output"), writes_json, "{arguments:?}: {help}");
    }
}

/// `both` is in two databases; one goes, then the other.
#[tokio::test(flavor = "multi_thread")]
async fn a_bare_name_means_the_living_one_and_a_deleted_one_when_none_lives() {
    let objects = [database("one"), database("two"), table("one", "both"), table("two", "both"), table("two", "only")];
    let house = House::with_metastore(&objects).await;
    house.set_metastore(&[&objects[..2], &objects[3..4]].concat());
    house.extract().await;
    for (name, shown) in [("both", "TABLE two.both\n"), ("only", "TABLE two.only (deleted)\n")] {
        let output = house.sextant(&["entity", name]).await;
        assert!(stdout(&output).starts_with(shown), "{name}: {}{}", stdout(&output), stderr(&output));
    }
    house.set_metastore(&objects[..2]);
    house.extract().await;
    let output = house.sextant(&["entity", "both"]).await;
    assert_eq!(output.status.code(), Some(2));
    for candidate in ["cluster prod  one.both (deleted)\n", "cluster prod  two.both (deleted)\n"] {
        assert!(stderr(&output).contains(candidate), "{}", stderr(&output));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_the_answer_of_the_api() {
    let house = House::with_metastore(&[database("db"), table("db", "a")]).await;
    let printed = house.sextant(&["lineage", "db.a", "-o", "json"]).await;
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(printed, house.answer("/api/v1/lineage/db.a").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn extract_sees_what_changed_and_tells_its_own_error() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b")]).await;
    house.set_metastore(&[database("db"), table("db", "a")]);
    let run = house.sextant(&["extract", "hive"]).await;
    assert_eq!(stdout(&run), "hive: complete: 2 objects seen, 1 deleted\n");
    let gone = house.answer("/api/v1/search?query=deleted:true%20type:table").await;
    assert_eq!(gone["results"][0]["qualifiedName"], "db.b");
    assert_eq!(gone["results"][0]["deleted"], true);
    assert!(gone["results"][0]["deleteTime"].is_string());
    let shown = house.sextant(&["entity", "db.b"]).await;
    assert!(stdout(&shown).starts_with("TABLE db.b (deleted)\n"), "{}", stdout(&shown));

    std::fs::remove_file(house.directory.path().join("metastore.jsonl")).unwrap();
    let run = house.sextant(&["extract", "hive"]).await;
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(stdout(&run), "");
    let complaint = stderr(&run);
    assert!(complaint.contains("metastore.jsonl") && complaint.contains("nothing was deleted"), "{complaint}");
    let living = house.answer("/api/v1/search?query=deleted:false%20type:table").await;
    assert_eq!(living["total"], 1, "a failed pass deletes nothing");
    let status = house.sextant(&["status"]).await;
    assert!(stdout(&status).contains("! extractor hive: failed, nothing was deleted"), "{}", stdout(&status));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_deletions_at_once_are_held_until_somebody_agrees() {
    let mut objects = vec![database("db")];
    objects.extend((0..80).map(|number| table("db", &format!("t{number}"))));
    let house = House::with_metastore(&objects).await;
    house.set_metastore(&objects[..2]);
    let held = house.sextant(&["extract", "hive"]).await;
    assert!(stdout(&held).contains("hive: held: 79 objects seem gone at once"), "{}", stdout(&held));
    assert_eq!(house.answer("/api/v1/search?query=deleted:true&limit=0").await["total"], 0);
    let accepted = house.sextant(&["extract", "hive", "--accept-deletions"]).await;
    assert!(stdout(&accepted).contains("79 deleted"), "{}", stdout(&accepted));
    assert_eq!(house.answer("/api/v1/search?query=deleted:true%20type:table&limit=0").await["total"], 79);
}

/// The story that the samples tell: both ways into `sample_merge`, one copy gone unseen.
#[tokio::test(flavor = "multi_thread")]
async fn the_walk_through() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../samples/walkthrough/lineage");
    let [database, a, b, merged, copy] = [
        database("default"),
        table("default", "sample_07"),
        table("default", "sample_08"),
        table("default", "sample_merge"),
        table("default", "temp_sample_07"),
    ];
    let house = House::with_metastore(&[database.clone(), a.clone(), b.clone(), merged.clone(), copy]).await;
    let log = samples.join("hive-lineage.log.1").display().to_string();
    house.sextant(&["import", &log, "--format", "hive", "--cluster", "prod"]).await;
    house.set_metastore(&[database, a, b, merged]);
    house.extract().await;

    let lineage = stdout(&house.sextant(&["lineage", "sample_merge", "--direction", "upstream"]).await);
    assert!(lineage.contains("table default.sample_07  [through default.temp_sample_07 (deleted); by "), "{lineage}");
    assert!(lineage.contains("(1 input by name only)"), "{lineage}");
    assert!(
        !lineage.contains("table default.sample_08"),
        "what is known by name only is not folded through: {lineage}"
    );
    let everything = ["lineage", "sample_merge", "--deleted", "--unlinked", "--operations"];
    let lineage = stdout(&house.sextant(&everything).await);
    assert!(lineage.contains("table default.temp_sample_07 (deleted)"), "{lineage}");
    assert!(lineage.contains("name default.temp_sample_08 (known by name only"), "{lineage}");
    assert!(lineage.contains("operation insert into table sample_merge select * from temp_sample_08"), "{lineage}");
}

/// One JSON object a statement; schemas from the text and from a file; no server is asked.
#[test]
fn sql_is_read_without_a_server() {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("load.sql");
    let schema = directory.path().join("tables.txt");
    std::fs::write(&text, "create table t (a int, b int);\ninsert into s.u select b + 1, a from t where b > 0;")
        .unwrap();
    std::fs::write(&schema, "s.u: [x, y]\n").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_sextant"))
        .arg("sql")
        .arg(&text)
        .arg("--schema")
        .arg(&schema)
        .args(["-o", "json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let statements: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(statements.len(), 2);
    assert_eq!(
        statements[1],
        serde_json::json!({
            "line": 2,
            "kind": "QUERY",
            "inputs": ["default.t"],
            "outputs": ["s.u"],
            "columns": [
                {"target": "s.u.x", "sources": ["default.t.b"], "kind": "expression"},
                {"target": "s.u.y", "sources": ["default.t.a"], "kind": "copy"},
            ],
            "control": [{"source": "default.t.b", "use": "filter"}],
            "problems": [],
        })
    );
}
