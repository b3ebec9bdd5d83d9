//! A large file that lies there when the agent starts, beside rsyslog and `cat`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};

use super::process::cpu_seconds;
use super::sink::Sink;
use super::{setting, start_agent};
use crate::intake::{start, write_spool};
use crate::records::Shapes;
use crate::report::{Report, memory_mib};

/// About the length of a line.
const BYTES_OF_A_RECORD: u64 = 2_283;

pub(super) fn measure(report: &mut Report) -> Result<()> {
    let megabytes: u64 = setting("SEXTANT_BENCH_BACKLOG_MB", 2_048);
    let folder = tempfile::tempdir()?;
    let spool = folder.path().join("impala_lineage_log_1.0-1790000000000");
    let bytes = write_spool(&spool, Shapes::Repeated, (megabytes << 20) / BYTES_OF_A_RECORD)?;
    let what = format!("{} MB of lines of {BYTES_OF_A_RECORD} bytes", bytes / 1_000_000);

    // Everybody reads the file from memory.
    cat(&spool)?;
    let begin = Instant::now();
    cat(&spool)?;
    let cat_seconds = begin.elapsed().as_secs_f64();

    let sink = Sink::of_batches()?;
    let begin = Instant::now();
    let agent = start_agent(folder.path(), &format!("http://127.0.0.1:{}", sink.port), &spool, "")?;
    sink.wait_for(bytes)?;
    let figure = figure(bytes, begin.elapsed().as_secs_f64(), agent.id())?;
    drop(agent);
    report.row(format!("{what}: sextant-agent, compressed and acknowledged batch by batch"), figure);

    match rsyslog(folder.path(), &spool, bytes)? {
        Some(figure) => report.row(format!("{what}: rsyslog (imfile to omfwd, TCP, not compressed)"), figure),
        None => report.row(format!("{what}: rsyslog"), "not measured, there is no `rsyslogd` in PATH"),
    }
    report.row(format!("{what}: `cat` to /dev/null"), format!("{:.0} MB/s", megabytes_per_second(bytes, cat_seconds)));
    Ok(())
}

fn figure(bytes: u64, seconds: f64, pid: u32) -> Result<String> {
    let cpu = cpu_seconds(pid)?;
    let (_, peak) = memory_mib(pid);
    Ok(format!(
        "{:.0} MB/s ({seconds:.1} s), {:.0} MB per second of one core ({cpu:.1} s); peak memory {peak} MiB",
        megabytes_per_second(bytes, seconds),
        megabytes_per_second(bytes, cpu)
    ))
}

fn megabytes_per_second(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / 1e6 / seconds
}

fn cat(file: &Path) -> Result<()> {
    let status = Command::new("cat").arg(file).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "cat failed");
    Ok(())
}

fn rsyslog(folder: &Path, spool: &Path, bytes: u64) -> Result<Option<String>> {
    if Command::new("rsyslogd").arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        return Ok(None);
    }
    let sink = Sink::of_lines()?;
    let work = folder.join("rsyslog");
    fs::create_dir(&work)?;
    let configuration = work.join("rsyslog.conf");
    fs::write(
        &configuration,
        format!(
            "global(workDirectory=\"{}\" maxMessageSize=\"64k\")\nmodule(load=\"imfile\")\n\
             template(name=\"raw\" type=\"string\" string=\"%msg%\\n\")\n\
             ruleset(name=\"out\") {{ action(type=\"omfwd\" target=\"127.0.0.1\" port=\"{}\" protocol=\"tcp\" \
             template=\"raw\") }}\n\
             input(type=\"imfile\" File=\"{}\" Tag=\"lineage\" ruleset=\"out\")\n",
            work.display(),
            sink.port,
            spool.display()
        ),
    )?;
    let begin = Instant::now();
    let arguments = ["-n", "-C", "-i", "NONE", "-f"];
    let rsyslog = start(Command::new("rsyslogd").args(arguments).arg(&configuration))?;
    sink.wait_for(bytes)?;
    figure(bytes, begin.elapsed().as_secs_f64(), rsyslog.id()).map(Some)
}
