//! Two real NameNodes of one file system, by `tests/realcluster/hdfs-pair.sh`.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;
use tempfile::TempDir;

use crate::script::{run, run_if_in_reach, script};
use crate::wait_for;

/// One NameNode of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameNode {
    /// The active one after the start.
    Nn1,
    /// The standby after the start.
    Nn2,
}

impl NameNode {
    const fn name(self) -> &'static str {
        match self {
            Self::Nn1 => "nn1",
            Self::Nn2 => "nn2",
        }
    }
}

/// Two NameNodes of Hadoop 3.5.0, without a DataNode: their file system, `hdfs://pair`, holds directories and empty
/// files. They end with this value, or with the process of the test.
pub struct HdfsPair {
    work: TempDir,
    http: [String; 2],
}

impl HdfsPair {
    /// Starts a pair with an empty file system, in about fifteen seconds. Nothing where this Hadoop cannot be had; the
    /// reason is on stderr then.
    pub fn start() -> Result<Option<Self>> {
        let work = TempDir::new().context("no folder for the NameNodes")?;
        // Either has to know the other's ports before it starts, so free ones are looked for here.
        let listeners: Vec<TcpListener> = (0..4).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
        let mut ports = Vec::new();
        for listener in &listeners {
            ports.push(listener.local_addr()?.port());
        }
        drop(listeners);
        let http = [ports[1], ports[3]].map(|port| format!("http://127.0.0.1:{port}"));
        let pair = Self { work, http };
        let mut start = pair.script("start");
        Ok(run_if_in_reach(start.args(ports.iter().map(u16::to_string)))?.map(|_| pair))
    }

    /// The directory of `core-site.xml` and `hdfs-site.xml`.
    pub fn hadoop_conf(&self) -> PathBuf {
        self.work.path().join("pair/conf")
    }

    /// The web address of a NameNode, `http://127.0.0.1:PORT`.
    pub fn http(&self, namenode: NameNode) -> &str {
        match namenode {
            NameNode::Nn1 => &self.http[0],
            NameNode::Nn2 => &self.http[1],
        }
    }

    /// The audit log of a NameNode so far.
    pub fn audit_log(&self, namenode: NameNode) -> Result<String> {
        let path = self.work.path().join("pair").join(format!("{}.audit", namenode.name()));
        std::fs::read_to_string(&path).with_context(|| path.display().to_string())
    }

    /// Runs `hdfs dfs` on the file system of the pair.
    pub fn fs(&self, arguments: &[&str]) -> Result<String> {
        run(self.script("fs").args(arguments))
    }

    /// Waits until both NameNodes know the same paths.
    pub async fn wait_until_even(&self) -> Result<()> {
        wait_for("the standby to know what the active NameNode knows", async || {
            let [first, second] = [self.paths(NameNode::Nn1).await?, self.paths(NameNode::Nn2).await?];
            anyhow::ensure!(first == second, "the NameNodes know {first} and {second} paths");
            Ok(())
        })
        .await
    }

    /// Has a NameNode write an image; the other one does not get it.
    pub fn checkpoint(&self, namenode: NameNode) -> Result<()> {
        run(self.script("checkpoint").arg(namenode.name())).map(drop)
    }

    /// Kills a NameNode without a chance to say so.
    pub fn kill(&self, namenode: NameNode) -> Result<()> {
        run(self.script("kill").arg(namenode.name())).map(drop)
    }

    /// Starts a NameNode that was killed, as a standby, with options such as `-Ddfs.namenode.checkpoint.period=1`.
    pub fn start_again(&self, namenode: NameNode, options: &[&str]) -> Result<()> {
        run(self.script("run").arg(namenode.name()).args(options)).map(drop)
    }

    /// Makes a NameNode the active one.
    pub fn activate(&self, namenode: NameNode) -> Result<()> {
        run(self.script("activate").arg(namenode.name())).map(drop)
    }

    async fn paths(&self, namenode: NameNode) -> Result<Value> {
        let bean = "jmx?get=Hadoop:service=NameNode,name=FSNamesystem::FilesTotal";
        let answer = reqwest::get(format!("{}/{bean}", self.http(namenode))).await?.text().await?;
        let mut answer: Value = serde_json::from_str(&answer)?;
        Ok(answer["beans"][0]["FilesTotal"].take())
    }

    fn script(&self, command: &str) -> Command {
        let mut script = script("hdfs-pair.sh");
        script.env("HDFS_WATCH", std::process::id().to_string()).arg(command).arg(self.work.path());
        script
    }
}

impl Drop for HdfsPair {
    fn drop(&mut self) {
        // Nobody can act on an error here; the NameNodes end with the test's process in any case.
        let _ = run(&mut self.script("stop"));
    }
}
