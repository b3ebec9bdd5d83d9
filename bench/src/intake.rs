//! From a spool file to searchable: the real agent and the real server, each its own process.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::records::{Shapes, impala_record};
use crate::report::{Report, disk_bytes, memory_mib};

/// Records of each run.
const RECORDS: u64 = 200_000;

/// Measures both kinds of log.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    for (what, shapes) in [("repeated shapes", Shapes::Repeated), ("all shapes distinct", Shapes::Distinct)] {
        measure(report, what, shapes, RECORDS)?;
    }
    Ok(())
}

/// What a million executions cost in memory and on disk.
pub(crate) fn million(report: &mut Report) -> Result<()> {
    measure(report, "1,000,000 executions of repeated shapes", Shapes::Repeated, 1_000_000)
}

fn measure(report: &mut Report, what: &str, shapes: Shapes, records: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let spool = folder.path().join("impala_lineage_log_1.0-1790000000000");
    let bytes = write_spool(&spool, shapes, records)?;
    let data_dir = folder.path().join("data");
    let server =
        start(Command::new(program("sextant")?).args(["server", "--listen", "127.0.0.1:0", "--data"]).arg(&data_dir))?;
    let address = wait_for_address(&data_dir)?;
    let configuration = folder.path().join("agent.toml");
    fs::write(
        &configuration,
        format!(
            "[server]\nurl = \"{address}\"\n[agent]\nstate_dir = \"{}\"\n[[spool]]\npath = \"{}\"\nformat = \"impala\"\n",
            folder.path().join("state").display(),
            spool.display()
        ),
    )?;
    let begin = Instant::now();
    let agent = start(Command::new(program("sextant-agent")?).arg("--config").arg(&configuration))?;
    wait_until_searchable(&address, records)?;
    let seconds = begin.elapsed().as_secs_f64();
    let (_, server_peak) = memory_mib(server.id());
    let (_, agent_peak) = memory_mib(agent.id());
    report.row(
        format!("{what}: {records} records of {} bytes, spool file to searchable", bytes / records),
        format!("{:.0} records/s ({seconds:.1} s)", records as f64 / seconds),
    );
    report.row(
        format!("{what}: peak memory, data on disk"),
        format!("server {server_peak} MiB, agent {agent_peak} MiB, {} MiB on disk", disk_bytes(&data_dir) >> 20),
    );
    Ok(())
}

pub(crate) fn write_spool(path: &Path, shapes: Shapes, records: u64) -> Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut bytes = 0;
    for number in 0..records {
        let record = impala_record(number, shapes);
        bytes += record.len() as u64 + 1;
        writeln!(out, "{record}")?;
    }
    out.flush()?;
    Ok(bytes)
}

/// A process that ends with the measurement.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn start(command: &mut Command) -> Result<Running> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{command:?}"))?;
    Ok(Running(child))
}

/// A program of this workspace, beside this one.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let folder = std::env::current_exe()?.parent().context("a program is in a folder")?.to_owned();
    let program = folder.join(name);
    if !program.is_file() {
        bail!("{} is not built; run `make bench`", program.display());
    }
    Ok(program)
}

pub(crate) fn wait_for_address(data_dir: &Path) -> Result<String> {
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        if let Ok(address) = fs::read_to_string(data_dir.join("address")) {
            let address = address.trim();
            if !address.is_empty() {
                let scheme = if address.starts_with("http://") { "" } else { "http://" };
                return Ok(format!("{scheme}{address}"));
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("the server did not start")
}

/// Asks for the number of executions that can be found, as a user would.
fn wait_until_searchable(address: &str, records: u64) -> Result<()> {
    let deadline = Instant::now() + Duration::from_mins(20);
    let mut found = 0;
    while Instant::now() < deadline {
        let output = Command::new(program("sextant")?)
            .args(["--server", address, "search", "type:operation_execution", "--limit", "1", "-o", "json"])
            .output()?;
        if let Ok(answer) = serde_json::from_slice::<serde_json::Value>(&output.stdout) {
            found = answer["total"].as_u64().unwrap_or(0);
            if found == records {
                return Ok(());
            }
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    bail!("only {found} of {records} executions were searchable in time")
}
