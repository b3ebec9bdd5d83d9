//! What an administrator watches: metrics, the files made for Prometheus and Grafana, and log lines that lead from the
//! server to the host.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use sextant_tests::{Agent, Edition, GeneratedImage, Layout, Server, Spool, project_path, wait_for};
use yaml_rust2::{Yaml, YamlLoader};

const RULES: &str = "packaging/prometheus/sextant.rules.yml";
const DASHBOARD: &str = "packaging/grafana/sextant.json";

/// A server with both kinds of extractor, and an agent whose file has a good and a damaged record.
async fn watched(folder: &Path) -> Result<(Server, Agent)> {
    let image = folder.join("fsimage");
    GeneratedImage { inodes: 500, layout: Layout::Hadoop3, edition: Edition::First }.write(&image)?;
    let metastore = project_path("samples/walkthrough/metastore-1.jsonl");
    let server = Server::start(&format!(
        "[[extractor]]\nname = \"hive\"\nkind = \"hms\"\nuri = \"file://{}\"\n\
         [[extractor]]\nname = \"hdfs\"\nkind = \"hdfs\"\nuri = \"file://{}\"\naddresses = \"hdfs://prod\"\n",
        fs::canonicalize(metastore)?.display(),
        image.display()
    ))
    .await?;
    server.cli(&["extract", "hive"])?.success()?;
    server.cli(&["extract", "hdfs"])?.success()?;
    let sample = fs::read_to_string(project_path("samples/walkthrough/lineage/hive-lineage.log.1"))?;
    let spool = folder.join("spool");
    fs::create_dir(&spool)?;
    fs::write(spool.join("hive-lineage.log.1"), format!("{{\"version\":\"1.0\",\"edges\":[}}\n{sample}"))?;
    let agent = Agent::start(&server.url(), &[Spool { path: spool, format: "hive", cluster: "default" }])?;
    wait_for("the damaged record to be in quarantine", async || {
        let quarantine = server.api().get("/api/v1/quarantine", &[]).await?;
        ensure!(quarantine["total"] == 1, "{quarantine}");
        Ok(())
    })
    .await?;
    wait_for("the agent to say how its spool stands", async || {
        let agents = server.api().get("/api/v1/agents", &[]).await?;
        let spool = &agents["results"][0]["spools"][0];
        ensure!(spool["filesKnown"] == 1 && spool["bytesBehind"] == 0, "{agents}");
        Ok(())
    })
    .await?;
    Ok((server, agent))
}

/// Names that begin like a metric of ours, as they stand in an expression.
fn metrics_named_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    words.filter(|word| word.starts_with("sextant_") || word.starts_with("process_")).map(str::to_owned).collect()
}

/// The expressions of all panels of a dashboard.
fn expressions(part: &Value, found: &mut Vec<String>) {
    match part {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "expr" || key == "query" => found.push(text.clone()),
                    other => expressions(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, found)),
        _ => {}
    }
}

/// An alert of the rule file.
#[derive(Debug)]
struct Rule {
    name: String,
    expression: String,
    severity: String,
    annotations: Vec<String>,
}

/// The keys of a mapping; each must be one of `allowed`.
fn keys<'a>(part: &'a Yaml, allowed: &[&str]) -> Result<Vec<&'a str>> {
    let mapping = part.as_hash().with_context(|| format!("no mapping: {part:?}"))?;
    let keys: Vec<&str> = mapping.keys().filter_map(Yaml::as_str).collect();
    ensure!(keys.iter().all(|key| allowed.contains(key)), "{keys:?}, allowed are {allowed:?}");
    Ok(keys)
}

fn text(part: &Yaml, key: &str) -> Result<String> {
    Ok(part[key].as_str().with_context(|| format!("no text for {key} in {part:?}"))?.to_owned())
}

fn rules() -> Result<Vec<Rule>> {
    let documents = YamlLoader::load_from_str(&fs::read_to_string(project_path(RULES))?).context(RULES)?;
    ensure!(documents.len() == 1, "one document");
    keys(&documents[0], &["groups"])?;
    let mut rules = Vec::new();
    for group in documents[0]["groups"].as_vec().context("a list of groups")? {
        keys(group, &["name", "rules"])?;
        for rule in group["rules"].as_vec().context("a list of rules")? {
            keys(rule, &["alert", "expr", "for", "labels", "annotations"])?;
            let pause = rule["for"].as_str().unwrap_or("1m");
            ensure!(pause.ends_with(['m', 'h']) && pause[..pause.len() - 1].parse::<u32>().is_ok(), "{rule:?}");
            keys(&rule["labels"], &["severity"])?;
            let annotations = keys(&rule["annotations"], &["summary", "description"])?;
            rules.push(Rule {
                name: text(rule, "alert")?,
                expression: text(rule, "expr")?,
                severity: text(&rule["labels"], "severity")?,
                annotations: annotations.into_iter().map(str::to_owned).collect(),
            });
        }
    }
    Ok(rules)
}

#[test]
fn every_alert_says_what_it_is_and_what_to_do() -> Result<()> {
    let rules = rules()?;
    let names: BTreeSet<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names.len(), rules.len(), "an alert's name is its own");
    assert!(!rules.is_empty());
    for rule in &rules {
        assert!(matches!(rule.severity.as_str(), "warning" | "critical"), "{rule:?}");
        assert_eq!(rule.annotations.len(), 2, "{rule:?}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_dashboard_rules_and_page_name_is_exposed() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (server, _agent) = watched(folder.path()).await?;
    let report = json!({"agent": "a1", "host": "hs2-9", "version": "0.1.0", "spools": [{"path": "/l", "format": "hive",
        "cluster": "default", "filesKnown": 3, "bytesBehind": 70, "secondsBehind": 9, "trouble": null}]});
    let greeting = json!({"agent": "a1", "host": "hs2-9", "version": "0.1.0"});
    server.api().post("/api/v1/agent/positions", &greeting).await?;
    let (status, text) = server.api().post_text("/api/v1/agent/spools", &report).await?;
    assert_eq!(status, 204, "{text}");

    let (_, exposed) = server.api().get_text("/metrics", &[]).await?;
    let samples: BTreeSet<&str> = exposed
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    assert!(exposed.ends_with("# EOF\n"));
    for part in ["sextant_spool_behind_bytes{agent=\"a1\",host=\"hs2-9\",spool=\"/l\"", "host=\"hs2-9\"} 0.0\n"] {
        assert!(exposed.contains(part), "{part} is not in\n{exposed}");
    }

    let mut in_dashboard = Vec::new();
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(project_path(DASHBOARD))?)?;
    expressions(&dashboard, &mut in_dashboard);
    let in_rules: Vec<String> = rules()?.into_iter().map(|rule| rule.expression).collect();
    for expression in in_dashboard.iter().chain(&in_rules) {
        for name in metrics_named_in(expression) {
            assert!(samples.contains(name.as_str()), "{name} is not exposed, but asked for by: {expression}");
        }
    }

    // And what is exposed is described, and what is described is exposed.
    let page = fs::read_to_string(project_path("docs/monitoring.md"))?;
    let described: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split('`').next())
        .filter(|name| name.starts_with("sextant_") || name.starts_with("process_"))
        .collect();
    let base = |name: &str| {
        let histogram = ["_bucket", "_sum", "_count"].iter().find_map(|ending| name.strip_suffix(ending));
        histogram.unwrap_or(name).to_owned()
    };
    let exposed: BTreeSet<String> = samples.iter().map(|name| base(name)).collect();
    let described: BTreeSet<String> = described.iter().map(|name| (*name).to_owned()).collect();
    // A skipped run is not easily had.
    let rare: BTreeSet<String> = ["sextant_extractor_runs_skipped_total".to_owned()].into();
    assert_eq!(&exposed | &rare, described);
    Ok(())
}

/// The value of a field in a log line.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let from = line.split_once(&format!("{name}=\""))?.1;
    from.split('"').next()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_the_server_leads_to_the_lines_of_the_agent() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (mut server, mut agent) = watched(folder.path()).await?;
    let log = server.program().stderr();
    let line = log.lines().find(|line| line.contains("quarantined: ")).context(log.clone())?;
    assert_eq!(field(line, "extractor"), Some("hive"), "{line}");
    assert!(field(line, "host").is_some_and(|host| !host.is_empty()), "{line}");
    let generation = field(line, "generation").context(line.to_owned())?.to_owned();
    wait_for("the agent to have logged what it delivered under the same generation", async || {
        let log = agent.program().stderr();
        let delivered = log.lines().find(|line| line.contains("delivered") && line.contains(&generation));
        ensure!(delivered.is_some_and(|line| line.contains("hive-lineage.log.1")), "no {generation} in {log}");
        Ok(())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_heard_no_more_is_shown_as_silent() -> Result<()> {
    let server = Server::start("silent_after = \"1s\"\n").await?;
    let greeting = json!({"agent": "a1", "host": "hs2-9", "version": "0.1.0"});
    server.api().post("/api/v1/agent/positions", &greeting).await?;
    wait_for("the silence to be said", async || {
        let status = server.cli(&["status"])?.success()?;
        ensure!(status.contains("  ! agent on hs2-9: silent since "), "{status}");
        Ok(())
    })
    .await?;
    let agents = server.api().get("/api/v1/agents", &[]).await?;
    assert_eq!(agents["results"][0]["silent"], true);
    let (_, metrics) = server.api().get_text("/metrics", &[]).await?;
    assert!(metrics.contains("sextant_agent_silent{agent=\"a1\",host=\"hs2-9\"} 1.0\n"), "{metrics}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_was_told_to_stop_is_shown_as_stopped_and_its_host_can_be_forgotten() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (server, mut agent) = watched(folder.path()).await?;
    assert!(agent.program().terminate()?.success());
    let agents = server.api().get("/api/v1/agents", &[]).await?;
    let stopped = &agents["results"][0];
    assert!(stopped["stopped"].is_string() && stopped["silent"] == false, "{agents}");
    assert_eq!(stopped["spools"][0]["inWords"], "up to date, when it was heard last");
    let status = server.cli(&["status"])?.success()?;
    assert!(status.contains(": stopped since "), "{status}");

    let host = stopped["host"].as_str().context("a host")?.to_owned();
    server.cli(&["status", "--forget-agent", &host])?.success()?;
    assert_eq!(server.api().get("/api/v1/agents", &[]).await?["results"], json!([]));

    agent.restart()?;
    wait_for("the agent to be shown again", async || {
        let agents = server.api().get("/api/v1/agents", &[]).await?;
        ensure!(agents["results"][0]["stopped"].is_null() && agents["results"][0]["host"] == host.as_str(), "{agents}");
        Ok(())
    })
    .await
}
