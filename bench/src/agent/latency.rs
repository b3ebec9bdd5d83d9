//! From the write of a record to its being found, with the real server.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use sextant_tests::Api;

use super::{configuration, setting};
use crate::intake::{program, start, wait_for_address};
use crate::records::{Shapes, impala_record};
use crate::report::Report;

/// The longest pause between two records; the shortest is none.
const LONGEST_PAUSE_MS: u64 = 600;

pub(super) fn measure(report: &mut Report) -> Result<()> {
    let samples: usize = setting("SEXTANT_BENCH_SAMPLES", 200);
    for (what, with_events) in [("with file events", true), ("by polling alone, every 5 s", false)] {
        match latencies(samples, with_events)? {
            Some(mut times) => {
                times.sort_by(f64::total_cmp);
                let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
                report.row(
                    format!("from the write of a record to its being found, {what}, {samples} records"),
                    format!("p50 {:.2} s, p99 {:.2} s", at(0.5), at(0.99)),
                );
            }
            None => report
                .row(format!("latency {what}"), "not measured: no user namespace without file events is to be had"),
        }
    }
    Ok(())
}

/// Seconds that each record took.
fn latencies(samples: usize, with_events: bool) -> Result<Option<Vec<f64>>> {
    let folder = tempfile::tempdir()?;
    let data_dir = folder.path().join("data");
    let _server =
        start(Command::new(program("sextant")?).args(["server", "--listen", "127.0.0.1:0", "--data"]).arg(&data_dir))?;
    let url = wait_for_address(&data_dir)?;
    let spool = folder.path().join("impala_lineage_log_1.0-1790000000000");
    append(&spool, 0)?;
    let configured = configuration(folder.path(), &url, &spool, "")?;
    let agent = program("sextant-agent")?;
    let mut command = Command::new(&agent);
    if !with_events {
        // A user namespace has limits of its own; with no instance allowed, the agent polls alone.
        let script = "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$0\" \"$@\"";
        command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "sh", "-c", script]).arg(&agent);
        if !Command::new("unshare")
            .args(["--user", "--map-root-user", "true"])
            .status()
            .is_ok_and(|status| status.success())
        {
            return Ok(None);
        }
    }
    let _agent = start(command.arg("--config").arg(configured))?;

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let api = Api::new(&url);
    runtime.block_on(wait_until_found(&api, 1, &mut Vec::new()))?;
    let writer = thread::spawn(move || -> Result<Vec<Instant>> {
        let mut written = Vec::new();
        for number in 1..=samples as u64 {
            thread::sleep(Duration::from_millis(fastrand::u64(..LONGEST_PAUSE_MS)));
            append(&spool, number)?;
            written.push(Instant::now());
        }
        Ok(written)
    });
    let mut found = Vec::new();
    runtime.block_on(wait_until_found(&api, samples as u64 + 1, &mut found))?;
    let written = match writer.join() {
        Ok(written) => written?,
        Err(_) => bail!("the writer failed"),
    };
    // The first of all was found before the clock started.
    let times = written.iter().zip(found.iter().skip(1));
    Ok(Some(times.map(|(written, found)| found.saturating_duration_since(*written).as_secs_f64()).collect()))
}

fn append(file: &Path, number: u64) -> Result<()> {
    let line = format!("{}\n", impala_record(number, Shapes::Repeated));
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())?;
    Ok(())
}

/// Waits until so many executions are found, and notes when each was: they come in the order of the file.
async fn wait_until_found(api: &Api, all: u64, found: &mut Vec<Instant>) -> Result<()> {
    let deadline = Instant::now() + Duration::from_mins(10);
    while (found.len() as u64) < all {
        if Instant::now() > deadline {
            bail!("only {} of {all} records were found in time", found.len());
        }
        let answer = api.get("/api/v1/search", &[("query", "type:operation_execution"), ("limit", "1")]).await?;
        let total = answer["total"].as_u64().unwrap_or(0).min(all);
        while (found.len() as u64) < total {
            found.push(Instant::now());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}
