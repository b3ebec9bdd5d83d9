//! The server, started as its own process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::program::{Finished, Program, built_program};
use crate::{Api, wait_for};

/// A running `sextant server` with a data folder of its own. It is killed when this value goes.
pub struct Server {
    folder: TempDir,
    data_dir: PathBuf,
    program: Program,
    /// `127.0.0.1:PORT`; port 0 until the first start has taken a free one.
    address: String,
    /// What it has in its environment besides what the test has.
    environment: Vec<(String, String)>,
}

impl Server {
    /// Starts a server on a free port and waits until it is ready.
    ///
    /// `configuration` is TOML that follows on the `[server]` table with its address and data
    /// folder: more keys of that table first, then tables such as `[[extractor]]`.
    pub async fn start(configuration: &str) -> Result<Self> {
        let folder = TempDir::new().context("no folder for the server")?;
        let data_dir = folder.path().join("data");
        Self::start_in(folder, data_dir, configuration, Vec::new()).await
    }

    /// Like [`Server::start`], with more variables in its environment.
    pub async fn start_with_environment(configuration: &str, environment: Vec<(String, String)>) -> Result<Self> {
        let folder = TempDir::new().context("no folder for the server")?;
        let data_dir = folder.path().join("data");
        Self::start_in(folder, data_dir, configuration, environment).await
    }

    /// Like [`Server::start`], with the data in a folder that the test chooses.
    pub async fn start_on(data_dir: &Path, configuration: &str) -> Result<Self> {
        let folder = TempDir::new().context("no folder for the server")?;
        Self::start_in(folder, data_dir.to_owned(), configuration, Vec::new()).await
    }

    async fn start_in(
        folder: TempDir,
        data_dir: PathBuf,
        configuration: &str,
        environment: Vec<(String, String)>,
    ) -> Result<Self> {
        let settings =
            format!("[server]\nlisten = \"127.0.0.1:0\"\ndata_dir = \"{}\"\n{configuration}", data_dir.display());
        let configuration_file = folder.path().join("sextant.toml");
        fs::write(&configuration_file, settings).context("the server's configuration cannot be written")?;
        let (program, address) = start_program(folder.path(), &data_dir, "127.0.0.1:0", &environment).await?;
        Ok(Self { folder, data_dir, program, address, environment })
    }

    /// Kills the server, if it still runs, and starts it again on the same data and address.
    pub async fn restart(&mut self) -> Result<()> {
        self.program.kill();
        let (program, address) =
            start_program(self.folder.path(), &self.data_dir, &self.address, &self.environment).await?;
        ensure!(address == self.address, "the server was told to listen on {}, and does on {address}", self.address);
        self.program = program;
        Ok(())
    }

    /// The process, to kill it or to read what it said.
    pub fn program(&mut self) -> &mut Program {
        &mut self.program
    }

    /// Where it listens, `http://127.0.0.1:PORT`; the same after a restart.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A client of its API.
    pub fn api(&self) -> Api {
        Api::new(&self.url())
    }

    /// The folder that holds everything it keeps.
    pub fn data_dir(&self) -> PathBuf {
        self.data_dir.clone()
    }

    /// Runs a command of `sextant` against this server.
    pub fn cli(&self, arguments: &[&str]) -> Result<Finished> {
        Finished::run(Command::new(built_program("sextant")?).arg("--server").arg(self.url()).args(arguments))
    }
}

/// Starts the program and waits until it answers; gives the address that it took.
async fn start_program(
    folder: &Path,
    data_dir: &Path,
    listen: &str,
    environment: &[(String, String)],
) -> Result<(Program, String)> {
    let address_file = data_dir.join("address");
    // That of a killed server would be taken for the new one's.
    let _ = fs::remove_file(&address_file);
    let mut command = Command::new(built_program("sextant")?);
    command.arg("server").arg("--config").arg(folder.join("sextant.toml")).args(["--listen", listen]);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let mut program = Program::start("sextant server", &mut command)?;

    let ready = wait_for("the server to be ready", async || {
        if program.ended()?.is_some() {
            return Ok(None);
        }
        let written = fs::read_to_string(&address_file).context("no address yet")?;
        let written = written.trim();
        let address = written.strip_prefix("http://").unwrap_or(written).to_owned();
        let (status, text) = Api::new(&format!("http://{address}")).get_text("/readyz", &[]).await?;
        ensure!(status == 200, "/readyz answers {status}: {text}");
        Ok(Some(address))
    })
    .await;
    match ready {
        Ok(Some(address)) => Ok((program, address)),
        Ok(None) => {
            let status = program.ended()?;
            program.kill();
            bail!("the server ended at its start ({status:?}): {}", program.stderr())
        }
        Err(error) => Err(error.context(program.stderr())),
    }
}
