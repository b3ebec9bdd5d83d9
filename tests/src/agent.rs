//! The agent, started as its own process.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::program::{Finished, Program, built_program};

/// A family of files that an agent follows.
pub struct Spool {
    /// The files, as a pattern.
    pub path: PathBuf,
    /// `hive`, `impala`, `spark` or `openlineage`.
    pub format: &'static str,
    /// Which cluster they belong to.
    pub cluster: &'static str,
}

/// A running `sextant-agent` with a state folder of its own. It is killed when this value goes.
pub struct Agent {
    folder: TempDir,
    program: Program,
}

impl Agent {
    /// Starts an agent that delivers the files of `spools` to the server at `server_url`.
    pub fn start(server_url: &str, spools: &[Spool]) -> Result<Self> {
        let folder = TempDir::new().context("no folder for the agent")?;
        let state_dir = folder.path().join("state");
        let mut settings = format!(
            "[server]\nurl = \"{server_url}\"\n\n[agent]\nstate_dir = \"{}\"\npoll_interval = \"1s\"\n",
            state_dir.display()
        );
        for Spool { path, format, cluster } in spools {
            write!(
                settings,
                "\n[[spool]]\npath = \"{}\"\nformat = \"{format}\"\ncluster = \"{cluster}\"\n",
                path.display()
            )?;
        }
        fs::write(folder.path().join("agent.toml"), settings).context("the agent's configuration cannot be written")?;
        let program = start_program(folder.path())?;
        Ok(Self { folder, program })
    }

    /// Kills the agent, if it still runs, and starts it again with the same state.
    pub fn restart(&mut self) -> Result<()> {
        self.program.kill();
        self.program = start_program(self.folder.path())?;
        Ok(())
    }

    /// The process, to kill it or to read what it said.
    pub fn program(&mut self) -> &mut Program {
        &mut self.program
    }

    /// The folder with its id and its cursors.
    pub fn state_dir(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Runs `sextant-agent` with this agent's configuration and a command, `check` or `status`.
    pub fn cli(&self, arguments: &[&str]) -> Result<Finished> {
        Finished::run(command(self.folder.path())?.args(arguments))
    }
}

fn start_program(folder: &Path) -> Result<Program> {
    Program::start("sextant-agent", &mut command(folder)?)
}

fn command(folder: &Path) -> Result<Command> {
    let mut command = Command::new(built_program("sextant-agent")?);
    command.arg("--config").arg(folder.join("agent.toml"));
    Ok(command)
}
