//! A host with one spool and a server, for tests of one rule each.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::store::Store;
use sextant_agent::{Agent, Config, Error};

/// A spool directory, a state directory and a server.
pub(crate) struct Host {
    pub(crate) directory: TempDir,
    pub(crate) store: Store,
    pattern: &'static str,
    /// More keys of the spool.
    pub(crate) spool_keys: String,
}

impl Host {
    pub(crate) async fn new(pattern: &'static str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("spool")).unwrap();
        Self { directory, store: Store::start().await, pattern, spool_keys: String::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("spool").join(name)
    }

    pub(crate) fn state_file(&self) -> PathBuf {
        self.directory.path().join("state/agent.json")
    }

    pub(crate) fn append(&self, name: &str, text: &str) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.path(name)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn config(&self, more: &str) -> Config {
        let text = format!(
            "[server]\nurl = \"{}\"\n{more}\n[agent]\nstate_dir = \"{}\"\nhost = \"node-1\"\npoll_interval = \"20ms\"\nbatch_bytes = 1024\n\
             [[spool]]\npath = \"{}\"\nformat = \"hive\"\ncluster = \"prod\"\n{}\n",
            self.store.url,
            self.directory.path().join("state").display(),
            self.path(self.pattern).display(),
            self.spool_keys
        );
        Config::parse(Path::new("agent.toml"), &text, []).unwrap()
    }

    /// Where the server was told that nothing follows in the generation that begins so.
    pub(crate) fn closings(&self, beginning: &str) -> Vec<u64> {
        let content = self.store.content();
        let kept = content.generations.values().find(|kept| kept.bytes.starts_with(beginning.as_bytes()));
        kept.unwrap().closings.clone()
    }

    pub(crate) fn agent(&self) -> Agent {
        start(&self.config(""))
    }
}

/// An agent. The lock of the one before may be held for a moment by a process that another test
/// is just starting: it has a copy of all open files until it runs its program.
pub(crate) fn start(config: &Config) -> Agent {
    for _ in 0..500 {
        match Agent::new(config.clone()) {
            Err(Error::StateInUse { .. }) => std::thread::sleep(Duration::from_millis(10)),
            result => return result.unwrap(),
        }
    }
    panic!("the state directory stays in use");
}

/// More than one batch.
pub(crate) fn many_lines() -> String {
    let mut lines = String::new();
    for number in 0..500 {
        lines.push_str("line ");
        lines.push_str(&number.to_string());
        lines.push('\n');
    }
    lines
}

/// Looks three times: enough for the tail of a finished file.
pub(crate) async fn settle(agent: &mut Agent) {
    for _ in 0..3 {
        agent.deliver_once().await.unwrap();
    }
}
