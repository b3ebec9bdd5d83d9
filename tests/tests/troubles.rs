//! Bad days: each gives one clear line that says what, where, and what to do.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use sextant_tests::{Agent, Finished, Server, Spool, built_program, wait_for};

/// The line of `text` that holds every one of `parts`.
fn line_with<'a>(text: &'a str, parts: &[&str]) -> &'a str {
    text.lines()
        .find(|line| parts.iter().all(|part| line.contains(part)))
        .unwrap_or_else(|| panic!("no line with {parts:?} in:\n{text}"))
}

fn run(program: &str, arguments: &[&str]) -> Result<Finished> {
    Finished::run(Command::new(built_program(program)?).args(arguments))
}

fn write(folder: &Path, name: &str, text: &str) -> Result<String> {
    let file = folder.join(name);
    fs::write(&file, text)?;
    Ok(file.to_string_lossy().into_owned())
}

#[test]
fn a_wrong_key_is_named_with_its_line() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let server = write(folder.path(), "sextant.toml", "[server]\nlisten = \"127.0.0.1:0\"\ndata_dri = \"/x\"\n")?;
    for arguments in [vec!["config", "check", &server], vec!["server", "--config", &server]] {
        let finished = run("sextant", &arguments)?;
        assert_eq!(finished.code, Some(2), "{finished:?}");
        line_with(&finished.stderr, &["sextant.toml:3", "data_dri", "data_dir"]);
    }
    let agent = write(
        folder.path(),
        "agent.toml",
        "[server]\nurl = \"http://127.0.0.1:1\"\n[agent]\nstate_dir = \"/x\"\n[[spool]]\npath = \"/y\"\nformat = \"hvie\"\n",
    )?;
    let finished = run("sextant-agent", &["--config", &agent])?;
    assert_eq!(finished.code, Some(2), "{finished:?}");
    line_with(&finished.stderr, &["agent.toml:7", "hvie", "hive"]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_taken_is_named() -> Result<()> {
    let first = Server::start("").await?;
    let folder = tempfile::tempdir()?;
    let address = first.url().replace("http://", "");
    let data = folder.path().to_string_lossy().into_owned();
    let second = run("sextant", &["server", "--listen", &address, "--data", &data])?;
    assert_eq!(second.code, Some(1), "{second:?}");
    line_with(&second.stderr, &[&address, "taken"]);
    let same_data = first.data_dir().to_string_lossy().into_owned();
    let third = run("sextant", &["server", "--listen", "127.0.0.1:0", "--data", &same_data])?;
    assert_eq!(third.code, Some(1), "{third:?}");
    line_with(&third.stderr, &[&same_data, "in use by another sextant server"]);
    Ok(())
}

#[test]
fn other_machines_are_refused_without_authentication() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().to_string_lossy().into_owned();
    let finished = run("sextant", &["server", "--listen", "0.0.0.0:0", "--data", &data])?;
    assert_ne!(finished.code, Some(0), "{finished:?}");
    line_with(&finished.stderr, &["0.0.0.0", "--unsafe-listen-without-authentication"]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_metastore_that_is_not_there_is_named_in_log_answer_and_status() -> Result<()> {
    // A port that nobody listens on, and a server that is no metastore.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let not_a_metastore = Server::start("").await?;
    let not_a_metastore = not_a_metastore.url().replace("http://", "");
    for (uri, words) in [
        (format!("thrift://{nobody}"), "refused"),
        ("thrift://metastore.invalid:9083".to_owned(), "metastore.invalid"),
        (format!("thrift://{not_a_metastore}"), "no Thrift binary message"),
    ] {
        let mut server = Server::start(&format!(
            "\n[[extractor]]\nname = \"hive\"\nkind = \"hms\"\nuri = \"{uri}\"\nretries = 0\nconnect_timeout = \"2s\"\ncall_timeout = \"2s\"\n"
        ))
        .await?;
        let address = uri.trim_start_matches("thrift://");
        let asked = server.cli(&["extract", "hive"])?;
        assert_eq!(asked.code, Some(1), "{asked:?}");
        line_with(&asked.stderr, &[address, words]);
        let status = server.cli(&["status"])?;
        line_with(&status.stdout, &[address, words]);
        line_with(&server.program().stderr(), &["extractor=", "hive", address]);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spool_folder_without_permission_is_named() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir()?;
    let closed = folder.path().join("closed");
    fs::create_dir(&closed)?;
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000))?;
    if fs::read_dir(&closed).is_ok() {
        // The superuser may read everything: only a folder that is not there can be shown.
        fs::remove_dir(&closed)?;
    }
    let server = Server::start("").await?;
    let spool = Spool { path: closed.join("*.log"), format: "hive", cluster: "default" };
    let mut agent = Agent::start(&server.url(), &[spool])?;
    wait_for("the agent to say it", async || {
        let stderr = agent.program().stderr();
        anyhow::ensure!(stderr.contains(&*closed.to_string_lossy()), "{stderr}");
        Ok(())
    })
    .await?;
    let check = agent.cli(&["check"])?;
    line_with(&format!("{}{}", check.stdout, check.stderr), &[&closed.to_string_lossy()]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_named_and_nothing_is_lost() -> Result<()> {
    // A folder on a memory file system that this test can fill; elsewhere there is none to fill.
    let Some(small) = SmallDisk::mount()? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("impala_lineage_log_1.0-1");
    let mut lines = String::new();
    for number in 0..20_000 {
        let noise: String = std::iter::repeat_with(fastrand::alphanumeric).take(1500).collect();
        let _ = writeln!(
            lines,
            "{{\"queryText\":\"insert into t select '{noise}' from s\",\"queryId\":\"{number:016x}:1\",\"hash\":\"\",\"user\":\"u\",\"timestamp\":1790000000,\"endTime\":1790000000,\"edges\":[],\"vertices\":[]}}"
        );
    }
    fs::write(&log, lines)?;
    let data = small.path.join("data");
    // Without the limit agents would be asked to wait before anything is full.
    let mut server = Server::start_on(&data, "min_free_disk = \"off\"\n").await?;
    let _agent = Agent::start(&server.url(), &[Spool { path: log, format: "impala", cluster: "default" }])?;
    wait_for("the server to say that the disk is full", async || {
        let stderr = server.program().stderr();
        anyhow::ensure!(stderr.contains("the disk is full"), "{stderr}");
        Ok(())
    })
    .await?;
    small.grow()?;
    wait_for("everything to arrive once there is room", async || {
        let found = server.api().get("/api/v1/search", &[("query", "type:operation_execution")]).await?;
        anyhow::ensure!(found["total"] == 20_000, "{} of 20000", found["total"]);
        Ok(())
    })
    .await
    .context(server.program().stderr())?;
    Ok(())
}

/// A file system of 24 MiB in memory, where this process may mount one.
struct SmallDisk {
    path: std::path::PathBuf,
    _folder: tempfile::TempDir,
}

impl SmallDisk {
    #[expect(clippy::print_stderr, reason = "a test that is left out says so")]
    fn mount() -> Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().to_owned();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"]).arg(&path).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Ok(Some(Self { path, _folder: folder }));
        }
        eprintln!("left out, since only the superuser may mount a small file system: the full disk");
        Ok(None)
    }

    fn grow(&self) -> Result<()> {
        let grown = Command::new("mount").args(["-o", "remount,size=2g"]).arg(&self.path).status()?;
        anyhow::ensure!(grown.success(), "the file system could not grow");
        Ok(())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.path).status();
    }
}
