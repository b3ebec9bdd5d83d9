//! The programs under test: where they are, and running them.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// A program of this workspace, built by `cargo build` into the folder that the test was built into.
pub fn built_program(name: &str) -> Result<PathBuf> {
    let test = std::env::current_exe().context("the test does not know its own path")?;
    let profile_folder = test.parent().and_then(|deps| deps.parent()).context("the test is not in a target folder")?;
    let program = profile_folder.join(name);
    ensure!(program.is_file(), "{} is not built; run `cargo build --bins` first", program.display());
    Ok(program)
}

/// A program that runs until it is told otherwise. It is killed when this value goes.
pub struct Program {
    name: String,
    child: Child,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when the last byte of stderr is collected.
    collecting: Receiver<()>,
}

impl Program {
    /// Starts a program and collects what it writes to stderr.
    pub fn start(name: &str, command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{name} could not be started"))?;
        let pipe = child.stderr.take().context("stderr was asked for as a pipe")?;
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&stderr);
        let (end_of_stderr, collecting) = channel::<()>();
        thread::spawn(move || {
            collect(pipe, &collected);
            drop(end_of_stderr);
        });
        Ok(Self { name: name.to_owned(), child, stderr, collecting })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to stderr so far.
    pub fn stderr(&self) -> String {
        let bytes = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        let name = &self.name;
        self.child.try_wait().with_context(|| format!("{name} cannot be waited for"))
    }

    /// Ends it at once, as `kill -9` does: nothing is written, nothing is said.
    pub fn kill(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        // So that `stderr` is complete; but a process that it left behind may hold the pipe open.
        let _ = self.collecting.recv_timeout(Duration::from_secs(1));
    }

    /// Asks it to end, as `kill` does, and waits until it has.
    pub fn terminate(&mut self) -> Result<ExitStatus> {
        let asked = Command::new("kill").arg(self.id().to_string()).status().context("kill cannot be run")?;
        ensure!(asked.success(), "{} does not run any more", self.name);
        self.child.wait().with_context(|| format!("{} cannot be waited for", self.name))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

fn collect(mut pipe: ChildStderr, collected: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(length) = pipe.read(&mut buffer) {
        if length == 0 {
            return;
        }
        collected.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&buffer[..length]);
    }
}

/// What a command left when it had ended.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Its data.
    pub stdout: String,
    /// Everything else it said.
    pub stderr: String,
}

impl Finished {
    /// Runs a command to its end.
    pub fn run(command: &mut Command) -> Result<Self> {
        let output =
            command.stdin(Stdio::null()).output().with_context(|| format!("{command:?} could not be started"))?;
        Ok(Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Its data, where exit code 0 is the only good one.
    pub fn success(self) -> Result<String> {
        ensure!(self.code == Some(0), "exit code {:?}: {}{}", self.code, self.stdout, self.stderr);
        Ok(self.stdout)
    }

    /// Its data as JSON, where exit code 0 is the only good one.
    pub fn json(self) -> Result<serde_json::Value> {
        let text = self.success()?;
        serde_json::from_str(&text).with_context(|| format!("no JSON on stdout: {text}"))
    }
}
