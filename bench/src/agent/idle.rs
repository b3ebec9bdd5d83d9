//! What an agent costs that knows many files, none of which changes.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use super::process::cpu_seconds;
use super::sink::Sink;
use super::{setting, start_agent};
use crate::records::{Shapes, impala_record};
use crate::report::{Report, memory_mib};

const FILES: u64 = 10_000;

pub(super) fn measure(report: &mut Report) -> Result<()> {
    let seconds: u64 = setting("SEXTANT_BENCH_IDLE_SECONDS", 60);
    let folder = tempfile::tempdir()?;
    let spool = folder.path().join("spool");
    fs::create_dir(&spool)?;
    let mut bytes = 0;
    for number in 0..FILES {
        let line = format!("{}\n", impala_record(number, Shapes::Repeated));
        bytes += line.len() as u64;
        fs::write(spool.join(format!("impala_lineage_log_1.0-{}", 1_790_000_000_000 + number)), line)?;
    }
    let sink = Sink::of_batches()?;
    let agent = start_agent(folder.path(), &format!("http://127.0.0.1:{}", sink.port), &spool, "")?;
    sink.wait_for(bytes)?;
    // It tells of files that ended and saves its state, which is still part of the delivery.
    sleep(Duration::from_secs(30));
    let before = cpu_seconds(agent.id())?;
    sleep(Duration::from_secs(seconds));
    let used = cpu_seconds(agent.id())? - before;
    let (resident, _) = memory_mib(agent.id());
    report.row(
        format!("{FILES} known files, nothing happens for {seconds} s, a look every 5 s"),
        format!("{:.2} % of one core, {resident} MiB of memory", used / seconds as f64 * 100.0),
    );
    Ok(())
}
