//! The peer: the same relations in PostgreSQL, walked over by recursive queries.
//!
//! Two of them. One is the question that Marquez asks: every job with the arrays of what it reads
//! and writes, joined with itself where the arrays overlap. The other asks the same of an indexed
//! table of relations, the best that a recursive query can do.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Percentiles;
use super::history::History;
use crate::report::Report;

const WALKS: usize = 1_000;
/// The question with arrays takes seconds: it is asked of no more relations than these, and this often.
const MOST_RELATIONS_WITH_ARRAYS: u64 = 1_500_000;
const WALKS_WITH_ARRAYS: usize = 3;

const SCHEMA: &str = "CREATE TABLE job_io (job integer NOT NULL, dataset integer NOT NULL, is_output boolean NOT NULL)";
const INDEXES: [&str; 4] = [
    "CREATE INDEX ON job_io (dataset, is_output, job)",
    "CREATE INDEX ON job_io (job, is_output, dataset)",
    "VACUUM ANALYZE job_io",
    "SELECT count(*) FROM job_io",
];

/// Starts a server of its own, fills it and asks. Without PostgreSQL in `PATH` it says so.
pub(super) fn measure(report: &mut Report, history: &History) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let Some(server) = Server::start(folder.path())? else {
        report.row("PostgreSQL", "not measured: initdb, pg_ctl, psql and pgbench are not in PATH");
        return Ok(());
    };
    let data = folder.path().join("relations");
    let relations = write_relations(history, &data)?;
    let size = format!("{} million relations", relations / 1_000_000);
    let version = server.psql(&["SHOW server_version"])?;
    let begin = std::time::Instant::now();
    server.psql(&[SCHEMA, &format!("\\copy job_io FROM '{}'", data.display())])?;
    server.psql(&INDEXES)?;
    let bytes = server.psql(&["SELECT pg_total_relation_size('job_io')"])?;
    let mib = bytes.trim().parse::<u64>().unwrap_or_default() >> 20;
    let seconds = begin.elapsed().as_secs_f64();
    report.row(
        format!("{size}: PostgreSQL {}", version.split_whitespace().next().unwrap_or_default()),
        format!("{mib} MiB with two indexes, loaded in {seconds:.0} s"),
    );
    for depth in [3, 10] {
        let figures = server.time(&indexed_question(history, depth), WALKS, folder.path())?;
        report.row(
            format!("{size}: PostgreSQL, recursive query over indexes, both directions, depth {depth}, limit 100"),
            figures,
        );
    }
    if relations <= MOST_RELATIONS_WITH_ARRAYS {
        let figures = match server.time(&question_with_arrays(history, 3), WALKS_WITH_ARRAYS, folder.path()) {
            Err(error) if error.to_string().contains("statement timeout") => "no answer within 120 s".to_owned(),
            figures => figures?,
        };
        report.row(format!("{size}: PostgreSQL, the question that Marquez asks, depth 3"), figures);
    }
    Ok(())
}

fn write_relations(history: &History, path: &Path) -> Result<u64> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut relations = 0;
    for statement in history.statements() {
        for input in &statement.inputs {
            writeln!(file, "{}\t{input}\tf", statement.number)?;
        }
        writeln!(file, "{}\t{}\tt", statement.number, statement.output)?;
        relations += statement.inputs.len() as u64 + 1;
    }
    file.flush()?;
    Ok(relations)
}

fn indexed_question(history: &History, depth: u32) -> String {
    let side = |name: &str, near: &str, far: &str| {
        format!(
            "{name}(dataset, depth) AS (SELECT CAST(:root AS integer), 0 UNION SELECT far.dataset, {name}.depth + 1 FROM {name} \
             JOIN job_io near ON near.dataset = {name}.dataset AND near.is_output = {near} \
             JOIN job_io far ON far.job = near.job AND far.is_output = {far} WHERE {name}.depth < {depth})"
        )
    };
    format!(
        "\\set root random(0, {})\nWITH RECURSIVE {}, {} SELECT * FROM up UNION ALL SELECT * FROM down LIMIT 100;\n",
        history.tables - 1,
        side("up", "true", "false"),
        side("down", "false", "true"),
    )
}

fn question_with_arrays(history: &History, depth: u32) -> String {
    format!(
        "\\set root random(0, {})\nWITH RECURSIVE jobs AS (SELECT job, array_agg(DISTINCT dataset) FILTER (WHERE NOT \
         is_output) AS inputs, array_agg(DISTINCT dataset) FILTER (WHERE is_output) AS outputs FROM job_io GROUP BY \
         job), lineage(job, inputs, outputs, depth) AS (SELECT job, inputs, outputs, 0 FROM jobs WHERE job = CAST(:root AS integer) \
         UNION SELECT jobs.job, jobs.inputs, jobs.outputs, lineage.depth + 1 FROM jobs, lineage WHERE jobs.job <> \
         lineage.job AND array_cat(jobs.inputs, jobs.outputs) && array_cat(lineage.inputs, lineage.outputs) AND \
         lineage.depth < {depth}) SELECT DISTINCT ON (job) * FROM lineage LIMIT 100;\n",
        history.operations - 1,
    )
}

/// A PostgreSQL server of its own, which ends when this is dropped.
struct Server {
    data: String,
    socket: String,
}

impl Server {
    fn start(folder: &Path) -> Result<Option<Self>> {
        if ["initdb", "pg_ctl", "psql", "pgbench"].iter().any(|program| !is_there(program)) {
            return Ok(None);
        }
        let (data, socket) = (folder.join("data").display().to_string(), folder.display().to_string());
        if is_root() {
            // PostgreSQL refuses to run as root.
            run(Command::new("chown").args(["postgres", &socket]))?;
        }
        run(as_postgres("initdb").args(["-D", &data, "-U", "postgres", "--auth=trust", "--no-sync"]))?;
        let settings = format!(
            "-c listen_addresses= -c unix_socket_directories={socket} -c shared_buffers=2GB -c \
             effective_cache_size=12GB -c work_mem=64MB -c maintenance_work_mem=1GB -c max_wal_size=8GB -c fsync=off \
             -c jit=off -c statement_timeout=120s"
        );
        let log = folder.join("log").display().to_string();
        run(as_postgres("pg_ctl").args(["-D", &data, "-w", "-l", &log, "-o", &settings, "start"]))?;
        Ok(Some(Self { data, socket }))
    }

    /// Runs statements one by one and answers what the last one tells.
    fn psql(&self, statements: &[&str]) -> Result<String> {
        let mut told = String::new();
        for statement in statements {
            told = run(Command::new("psql").args(["-h", &self.socket, "-U", "postgres", "-XAtqc", statement]))?;
        }
        Ok(told)
    }

    /// How long each of so many runs of a script takes, after a tenth as many that are not counted.
    fn time(&self, script: &str, runs: usize, folder: &Path) -> Result<String> {
        let (path, log) = (folder.join("question.sql"), folder.join("times"));
        std::fs::write(&path, script)?;
        for (count, logged) in [(runs / 10, false), (runs, true)] {
            if count == 0 {
                continue;
            }
            let mut command = Command::new("pgbench");
            command.args(["-h", &self.socket, "-U", "postgres", "-n", "-M", "prepared", "-c", "1", "--random-seed=11"]);
            command.arg("-f").arg(&path).arg("-t").arg(count.to_string());
            if logged {
                command.arg("-l").arg(format!("--log-prefix={}", log.display()));
            }
            command.arg("postgres");
            run(&mut command)?;
        }
        let mut milliseconds = Vec::with_capacity(runs);
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().starts_with("times.") {
                continue;
            }
            for line in std::fs::read_to_string(entry.path())?.lines() {
                let microseconds: f64 = line.split(' ').nth(2).context("pgbench logs no time")?.parse()?;
                milliseconds.push(microseconds / 1000.0);
            }
            std::fs::remove_file(entry.path())?;
        }
        if milliseconds.len() < 2 {
            bail!("pgbench measured nothing");
        }
        Ok(format!("{} ({} walks)", Percentiles::of(&mut milliseconds), milliseconds.len()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = run(as_postgres("pg_ctl").args(["-D", &self.data, "-m", "immediate", "stop"])) {
            eprintln!("  {error:#}");
        }
    }
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn is_root() -> bool {
    run(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn as_postgres(program: &str) -> Command {
    if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--", program]);
        return command;
    }
    Command::new(program)
}

fn run(command: &mut Command) -> Result<String> {
    // A file, since what `pg_ctl` starts would keep a pipe open.
    let mut told = tempfile::tempfile()?;
    let status = command
        .current_dir("/")
        .stdin(std::process::Stdio::null())
        .stdout(told.try_clone()?)
        .stderr(told.try_clone()?)
        .status()
        .with_context(|| format!("{command:?}"))?;
    std::io::Seek::rewind(&mut told)?;
    let text = std::io::read_to_string(told)?;
    if !status.success() {
        bail!("{command:?} failed: {text}");
    }
    Ok(text)
}
