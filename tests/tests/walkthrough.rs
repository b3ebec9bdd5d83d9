//! The walk-through on a real metastore and real Hive: temporary tables that came and went between
//! two snapshots, one of them seen by the first, the other by none.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;
use sextant_tests::{Agent, Cluster, Server, Spool, project_path, wait_for};

fn step(file: &str) -> PathBuf {
    project_path("tests/realcluster/samples").join(file)
}

fn extractor(uri: &str) -> String {
    // Only the pass at the start and those that the test asks for.
    format!("\n[[extractor]]\nname = \"hive\"\nkind = \"hms\"\nuri = \"{uri}\"\nschedule = \"0 0 0 1 1 *\"\n")
}

fn names(lineage: &Value) -> Vec<&str> {
    let nodes = lineage["nodes"].as_array().expect("nodes");
    nodes.iter().filter(|node| node["type"] != "OPERATION").filter_map(|node| node["qualifiedName"].as_str()).collect()
}

fn node<'a>(lineage: &'a Value, name: &str) -> &'a Value {
    let nodes = lineage["nodes"].as_array().expect("nodes");
    nodes.iter().find(|node| node["qualifiedName"] == name).unwrap_or_else(|| panic!("{name} is not in {lineage:#}"))
}

fn edges_between<'a>(lineage: &'a Value, source: &str, target: &str) -> Vec<&'a Value> {
    let (source, target) = (&node(lineage, source)["id"], &node(lineage, target)["id"]);
    let edges = lineage["edges"].as_array().expect("edges");
    edges.iter().filter(|edge| edge["source"] == *source && edge["target"] == *target).collect()
}

fn lineage(server: &Server, arguments: &[&str]) -> Result<Value> {
    let mut all = vec!["lineage", "sample_merge", "-o", "json"];
    all.extend(arguments);
    server.cli(&all)?.json()
}

async fn wait_for_statements(server: &Server, expected: u64) -> Result<()> {
    wait_for("the statements to be searchable", async || {
        let found = server.api().get("/api/v1/search", &[("query", "type:operation_execution")]).await?;
        anyhow::ensure!(found["total"] == expected, "{} of {expected} executions", found["total"]);
        Ok(())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn temporary_tables_between_snapshots() -> Result<()> {
    let cluster = Cluster::start()?;
    let server = Server::start(&extractor(cluster.uri())).await?;
    let log = cluster.lineage_log();
    let _agent = Agent::start(&server.url(), &[Spool { path: log.clone(), format: "hive", cluster: "default" }])?;

    cluster.hive(&[&step("walkthrough-1-merge.sql")])?;
    wait_for_statements(&server, 4).await?;
    server.cli(&["extract", "hive"])?.success()?;
    let recorded = tempfile::tempdir()?;
    let record = |name: &str| -> Result<String> {
        let file = recorded.path().join(name);
        server.cli(&["record", "--uri", cluster.uri(), &file.to_string_lossy()])?.success()?;
        fs::read_to_string(&file).with_context(|| file.display().to_string())
    };
    let first_snapshot = record("first.jsonl")?;
    cluster.hive(&[&step("walkthrough-2-drop.sql")])?;
    server.cli(&["extract", "hive"])?.success()?;
    let second_snapshot = record("second.jsonl")?;

    // 1. The hidden, deleted table is folded through.
    let plain = lineage(&server, &["--direction", "upstream", "--depth", "3"])?;
    assert!(names(&plain).contains(&"default.sample_07"), "{plain:#}");
    assert!(!names(&plain).contains(&"default.temp_sample_07"), "{plain:#}");
    assert_eq!(edges_between(&plain, "default.sample_07", "default.sample_merge").len(), 1);

    // 2. On request it is there, deleted, with the times of both snapshots.
    let deleted = lineage(&server, &["--deleted"])?;
    let temp = node(&deleted, "default.temp_sample_07");
    assert_eq!(temp["deleted"], true);
    let runs = server.api().get("/api/v1/extractors/hive/runs", &[]).await?;
    let starts: Vec<&Value> = runs["results"].as_array().context("runs")?.iter().map(|run| &run["started"]).collect();
    assert_eq!(&temp["deleteTime"], starts[0], "{runs:#}");
    assert_eq!(&temp["lastSeen"], starts[1], "{runs:#}");

    // 3. The statement whose input nobody has seen is there without it; its name on request.
    let operations = lineage(&server, &["--operations", "--deleted"])?;
    let insert = operations["nodes"]
        .as_array()
        .context("nodes")?
        .iter()
        .find(|node| node["queryText"] == "insert into table sample_merge select * from temp_sample_08")
        .context("the insert from temp_sample_08")?;
    let edges = operations["edges"].as_array().context("edges")?;
    assert!(edges.iter().any(|edge| edge["source"] == insert["id"]));
    assert!(!edges.iter().any(|edge| edge["target"] == insert["id"]), "{operations:#}");
    let unlinked = lineage(&server, &["--unlinked"])?;
    let ghost = node(&unlinked, "default.temp_sample_08");
    assert_eq!(ghost["unlinked"], true);
    let tables = server.cli(&["search", "type:table originalName:temp_sample_08", "-o", "json"])?;
    assert_eq!(serde_json::from_str::<Value>(&tables.stdout)?["total"], 0, "{tables:?}");

    // 4. Both statements that name it are found.
    let texts = server.cli(&["search", "queryText:*temp_sample_08*", "-o", "json"])?.json()?;
    assert_eq!(texts["total"], 2, "{texts:#}");

    // 5. In any order of arrival it is the same graph.
    let expected = without_times(&lineage(&server, &["--deleted", "--operations", "--unlinked", "--columns"])?);
    same_in_any_order(&fs::read_to_string(&log)?, &first_snapshot, &second_snapshot, &expected).await?;

    // 6. Created again, it is the same entity in a second life.
    let former_id = temp["id"].clone();
    cluster.hive(&[&step("walkthrough-3-recreate.sql")])?;
    wait_for_statements(&server, 5).await?;
    server.cli(&["extract", "hive"])?.success()?;
    let again = lineage(&server, &[])?;
    let temp = node(&again, "default.temp_sample_07");
    assert_eq!((&temp["id"], &temp["deleted"]), (&former_id, &Value::Bool(false)));
    let into_merge = edges_between(&again, "default.temp_sample_07", "default.sample_merge");
    assert_eq!(into_merge.iter().map(|edge| &edge["formerIncarnation"]).collect::<Vec<_>>(), [true]);
    let into_temp = edges_between(&again, "default.sample_07", "default.temp_sample_07");
    let former: Vec<&Value> = into_temp.iter().map(|edge| &edge["formerIncarnation"]).collect();
    assert!(former.contains(&&Value::Bool(false)), "{into_temp:#?}");
    Ok(())
}

/// The graph by names, without what depends on when it was told.
fn without_times(lineage: &Value) -> Value {
    let label = |id: &Value| {
        let nodes = lineage["nodes"].as_array().expect("nodes");
        let node = nodes.iter().find(|node| node["id"] == *id).expect("an edge leads to a node");
        node.get("queryText").unwrap_or(&node["qualifiedName"]).clone()
    };
    let mut nodes: Vec<Value> = Vec::new();
    for node in lineage["nodes"].as_array().expect("nodes") {
        nodes.push(serde_json::json!([
            label(&node["id"]),
            node["id"],
            node["deleted"],
            node["unlinked"],
            node["unlinkedInputs"],
            node["moreUpstream"],
            node["moreDownstream"],
        ]));
    }
    let mut edges: Vec<Value> = Vec::new();
    for edge in lineage["edges"].as_array().expect("edges") {
        edges.push(serde_json::json!([
            label(&edge["source"]),
            label(&edge["target"]),
            edge["type"],
            edge["mark"],
            edge["columns"],
            edge["firstSeen"],
            edge["lastSeen"],
            edge["formerIncarnation"],
        ]));
    }
    nodes.sort_by_key(Value::to_string);
    edges.sort_by_key(Value::to_string);
    serde_json::json!({ "nodes": nodes, "edges": edges })
}

async fn same_in_any_order(log: &str, first: &str, second: &str, expected: &Value) -> Result<()> {
    let lines: Vec<&str> = log.lines().collect();
    let reversed: Vec<&str> = lines.iter().rev().copied().collect();
    // What is imported before the first snapshot, between the two, and after the second.
    let orders: [(&str, [&[&str]; 3]); 5] = [
        ("before the first snapshot", [&lines, &[], &[]]),
        ("between the snapshots", [&[], &lines, &[]]),
        ("after the second snapshot", [&[], &[], &lines]),
        ("twice", [&lines, &[], &lines]),
        ("reversed, one half before and one after", [&reversed[..2], &[], &reversed[2..]]),
    ];
    for (what, parts) in orders {
        let folder = tempfile::tempdir()?;
        let shown = folder.path().join("metastore.jsonl");
        fs::write(&shown, "")?;
        let server = Server::start(&extractor(&format!("file://{}", shown.display()))).await?;
        let import = |part: usize| -> Result<()> {
            if parts[part].is_empty() {
                return Ok(());
            }
            let file = folder.path().join(format!("part-{part}.log"));
            fs::write(&file, parts[part].join("\n") + "\n")?;
            server.cli(&["import", &file.to_string_lossy(), "--format", "hive"])?.success().map(drop)
        };
        let extract = |snapshot: &str| -> Result<()> {
            fs::write(&shown, snapshot)?;
            server.cli(&["extract", "hive"])?.success().map(drop)
        };
        import(0)?;
        extract(first)?;
        import(1)?;
        extract(second)?;
        import(2)?;
        let graph = without_times(&lineage(&server, &["--deleted", "--operations", "--unlinked", "--columns"])?);
        assert_eq!(&graph, expected, "operations {what}");
    }
    Ok(())
}
