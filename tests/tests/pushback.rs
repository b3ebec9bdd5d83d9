//! A server that cannot link as fast as records come asks its agents to wait. They do, and nothing is lost.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, ensure};
use sextant_tests::{Agent, Server, Spool, wait_for};

/// So that the file takes several batches of 1 MiB.
const RECORDS: usize = 3_000;

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_asked_to_wait_delivers_everything_once() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("impala_lineage_log_1.0-1");
    let mut lines = String::new();
    for number in 0..RECORDS {
        let noise: String = std::iter::repeat_with(fastrand::alphanumeric).take(1_000).collect();
        writeln!(
            lines,
            "{{\"queryText\":\"insert into t select '{noise}' from s\",\"queryId\":\"{number:016x}:1\",\"hash\":\"\",\"user\":\"u\",\"timestamp\":1790000000,\"endTime\":1790000000,\"edges\":[],\"vertices\":[]}}"
        )?;
    }
    fs::write(&log, lines)?;

    // Whatever is not linked yet is too much: the batch behind the first one has to wait.
    let mut server = Server::start("max_unlinked = \"1B\"\n").await?;
    let mut agent = Agent::start(&server.url(), &[Spool { path: log, format: "impala", cluster: "default" }])?;
    let executions = async |server: &Server| -> Result<u64> {
        let found =
            server.api().get("/api/v1/search", &[("query", "type:operation_execution"), ("limit", "1")]).await?;
        found["total"].as_u64().context("a total")
    };
    wait_for("everything to arrive", async || {
        let found = executions(&server).await?;
        ensure!(found == RECORDS as u64, "{found} of {RECORDS}");
        Ok(())
    })
    .await
    .with_context(|| agent.program().stderr())?;

    let said = server.program().stderr();
    for words in ["agents are asked to wait: ", "agents are asked to wait no longer"] {
        assert!(said.contains(words), "{words:?} is not in {said}");
    }
    let said = agent.program().stderr();
    assert!(said.contains("cannot take records now: 429"), "{said}");
    wait_for("the agent to be up to date", async || {
        let agents = server.api().get("/api/v1/agents", &[]).await?;
        let spool = &agents["results"][0]["spools"][0];
        ensure!(spool["bytesBehind"] == 0 && spool["recordsLastHour"] == RECORDS, "{agents}");
        Ok(())
    })
    .await?;
    assert_eq!(server.api().get("/api/v1/quarantine", &[]).await?["total"], 0);
    Ok(())
}
