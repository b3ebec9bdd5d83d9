//! Server and agent are killed again and again while records come in. At the end everything equals
//! what a server holds that took the same files in peace: nothing lost, nothing double.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use sextant_tests::{Agent, Api, Server, Spool, wait_for};

/// How often something is killed, unless `SEXTANT_KILLS` says otherwise.
const KILLS: u64 = 100;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_and_nothing_is_double() -> Result<()> {
    let kills = number_from("SEXTANT_KILLS").unwrap_or(KILLS);
    let seed = number_from("SEXTANT_SEED").unwrap_or_else(|| fastrand::u64(..));
    say(&format!("{kills} kills, SEXTANT_SEED={seed}"));
    let mut random = fastrand::Rng::with_seed(seed);

    let folder = tempfile::tempdir()?;
    let mut log = Log::new(folder.path())?;
    let mut server = Server::start("").await?;
    let spool = Spool { path: folder.path().join("impala_lineage_log_1.0-*"), format: "impala", cluster: "default" };
    let mut agent = Agent::start(&server.url(), &[spool])?;
    for _ in 0..kills {
        log.grow(&mut random)?;
        tokio::time::sleep(std::time::Duration::from_millis(random.u64(0..250))).await;
        if random.bool() {
            server.program().kill();
            log.grow(&mut random)?;
            server.restart().await?;
        } else {
            agent.program().kill();
            log.grow(&mut random)?;
            agent.restart()?;
        }
    }
    log.end_line()?;

    let written = log.records;
    let executions = wait_for("all records to be searchable", async || {
        let found = total(&server.api(), "type:operation_execution").await?;
        anyhow::ensure!(found == written, "{found} of {written} executions");
        Ok(found)
    })
    .await
    .with_context(|| format!("SEXTANT_SEED={seed}"))?;
    let damaged = log.damaged;
    wait_for("all damaged lines to be quarantined", async || {
        let quarantined = quarantine(&server.api()).await?;
        anyhow::ensure!(quarantined.len() as u64 == damaged, "not {damaged} damaged lines: {quarantined:#?}");
        Ok(())
    })
    .await
    .with_context(|| format!("SEXTANT_SEED={seed}"))?;

    let peaceful = Server::start("").await?;
    for file in &log.files {
        peaceful.cli(&["import", &file.to_string_lossy(), "--format", "impala"])?.success()?;
    }
    let (killed, peace) = (everything(&server.api()).await?, everything(&peaceful.api()).await?);
    assert!(executions > 0 && !killed.is_empty());
    let missing: Vec<&String> = peace.difference(&killed).take(5).collect();
    let surplus: Vec<&String> = killed.difference(&peace).take(5).collect();
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "SEXTANT_SEED={seed}: missing {missing:#?}, surplus {surplus:#?}"
    );

    // What was derived is what would be derived anew.
    server.cli(&["index", "rebuild"])?.success()?;
    assert_eq!(total(&server.api(), "type:operation_execution").await?, executions);
    assert_eq!(everything(&server.api()).await?, killed);
    Ok(())
}

/// An Impala coordinator's log: it grows, sometimes by half a line, sometimes into a new file.
struct Log {
    folder: PathBuf,
    files: Vec<PathBuf>,
    current: File,
    half_line: Option<String>,
    records: u64,
    damaged: u64,
}

impl Log {
    fn new(folder: &Path) -> Result<Self> {
        let (path, current) = new_file(folder, 0)?;
        let folder = folder.to_owned();
        Ok(Self { folder, files: vec![path], current, half_line: None, records: 0, damaged: 0 })
    }

    fn grow(&mut self, random: &mut fastrand::Rng) -> Result<()> {
        for _ in 0..random.u64(1..40) {
            self.end_line()?;
            let mut line = if random.u32(0..50) == 0 {
                self.damaged += 1;
                format!("{{\"queryText\":\"damaged {}\",\"edges\":[", self.damaged)
            } else {
                self.records += 1;
                record(self.records, random)
            };
            line.push('\n');
            let rest = line.split_off(random.usize(1..line.len()));
            self.current.write_all(line.as_bytes())?;
            self.half_line = Some(rest);
            if random.bool() {
                self.end_line()?;
            }
        }
        if random.u32(0..8) == 0 {
            self.end_line()?;
            let (path, file) = new_file(&self.folder, self.files.len())?;
            self.files.push(path);
            self.current = file;
        }
        Ok(())
    }

    fn end_line(&mut self) -> Result<()> {
        if let Some(rest) = self.half_line.take() {
            self.current.write_all(rest.as_bytes())?;
        }
        Ok(())
    }
}

fn new_file(folder: &Path, number: usize) -> Result<(PathBuf, File)> {
    let path = folder.join(format!("impala_lineage_log_1.0-{}", 1_790_000_000_000_u64 + number as u64));
    let file = OpenOptions::new().create(true).append(true).open(&path)?;
    Ok((path, file))
}

fn record(number: u64, random: &mut fastrand::Rng) -> String {
    let (input, output, literal) = (random.u32(0..30), random.u32(0..30), random.u32(0..5));
    let started = 1_790_000_000 + number;
    format!(
        "{{\"queryText\":\"insert into d.t{output} select a from d.t{input} where b = {literal}\",\"queryId\":\"{number:016x}:{number:016x}\",\"hash\":\"\",\"user\":\"joe@R\",\"timestamp\":{started},\"endTime\":{started},\"edges\":[{{\"sources\":[1],\"targets\":[0],\"edgeType\":\"PROJECTION\"}},{{\"sources\":[2],\"targets\":[0],\"edgeType\":\"PREDICATE\"}}],\"vertices\":[{{\"id\":0,\"vertexType\":\"COLUMN\",\"vertexId\":\"d.t{output}.a\"}},{{\"id\":1,\"vertexType\":\"COLUMN\",\"vertexId\":\"d.t{input}.a\"}},{{\"id\":2,\"vertexType\":\"COLUMN\",\"vertexId\":\"d.t{input}.b\"}}]}}"
    )
}

async fn total(api: &Api, query: &str) -> Result<u64> {
    let found = api.get("/api/v1/search", &[("query", query), ("limit", "1")]).await?;
    found["total"].as_u64().context("a total")
}

async fn quarantine(api: &Api) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    loop {
        let skip = all.len().to_string();
        let page = api.get("/api/v1/quarantine", &[("limit", "1000"), ("skip", &skip)]).await?;
        let results = page["results"].as_array().context("results")?;
        if results.is_empty() {
            return Ok(all);
        }
        all.extend(results.iter().cloned());
    }
}

/// Every execution with its evidence's offset, every operation with its flows, every damaged line.
async fn everything(api: &Api) -> Result<BTreeSet<String>> {
    let mut everything = BTreeSet::new();
    for query in ["type:operation_execution", "type:operation"] {
        let mut cursor = String::new();
        loop {
            let page = api.search_page(query, &cursor).await?;
            for result in page["results"].as_array().context("results")? {
                let id = result["id"].as_str().context("an id")?;
                let line = if query == "type:operation" {
                    let flows = api.get(&format!("/api/v1/operations/{id}/flows"), &[]).await?;
                    let (first, last, count) = (&result["firstSeen"], &result["lastSeen"], &result["executions"]);
                    format!("operation {id} {count} times from {first} to {last}: {flows}")
                } else {
                    format!("execution {id} at {}: {}", result["started"], result["evidence"]["offset"])
                };
                assert!(everything.insert(line.clone()), "twice: {line}");
            }
            match page["next"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => break,
            }
        }
    }
    for damaged in quarantine(api).await? {
        let line = format!("damaged {} {} {}", damaged["kind"], damaged["offset"], damaged["length"]);
        everything.insert(line);
    }
    Ok(everything)
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[expect(clippy::print_stderr, reason = "a seed that fails must be repeatable")]
fn say(text: &str) {
    eprintln!("{text}");
}
