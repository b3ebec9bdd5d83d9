//! A real NameNode, its images and Hadoop's own viewer of them, by `tests/realcluster/hdfs.sh`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use sextant_extractors::pull::hdfs::listing::{ListingAddress, ListingConfig, PathScope, WebHdfs};
use tempfile::TempDir;

use crate::script::{run, run_if_in_reach, script};

/// A version of Hadoop that the tests have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hadoop {
    /// 2.7.3, whose images have layout -63.
    V2_7,
    /// 3.5.0, whose images have layout -67.
    V3_5,
}

impl Hadoop {
    /// Its version number.
    pub const fn version(self) -> &'static str {
        match self {
            Self::V2_7 => "2.7.3",
            Self::V3_5 => "3.5.0",
        }
    }

    /// Has a NameNode save one of everything in every form into `folder`, with the viewer's printing beside each image.
    /// Takes 10 to 30 seconds. False where this Hadoop cannot be had; the reason is on stderr then.
    pub fn save_images(self, folder: &Path) -> Result<bool> {
        let work = TempDir::new().context("no folder for the NameNode")?;
        run_if_in_reach(self.script("images", work.path()).arg(folder)).map(|done| done.is_some())
    }

    /// Prints an image into a file with `hdfs oiv` and these options, such as `-p Delimited`.
    pub fn view(self, image: &Path, options: &[&str], out: &Path) -> Result<bool> {
        let work = TempDir::new().context("no folder for the viewer")?;
        let mut viewer = self.script("oiv", work.path());
        run_if_in_reach(viewer.args(options).arg("-i").arg(image).arg("-o").arg(out)).map(|done| done.is_some())
    }

    fn script(self, command: &str, work: &Path) -> Command {
        let mut script = script("hdfs.sh");
        script.env("HDFS_VERSION", self.version()).arg(command).arg(work);
        script
    }
}

/// A NameNode with a DataNode. They end with this value, or with the process of the test.
pub struct Hdfs {
    hadoop: Hadoop,
    work: TempDir,
    rpc: String,
    http: String,
}

impl Hdfs {
    /// Starts an empty one on free ports, in about five seconds. Nothing where this Hadoop cannot be had; the reason is
    /// on stderr then.
    pub fn start(hadoop: Hadoop) -> Result<Option<Self>> {
        Self::start_with(hadoop, &[])
    }

    /// Like [`Hdfs::start`], with a NameNode that answers by https alone; [`Hdfs::authority`] vouches for it.
    pub fn start_with_tls(hadoop: Hadoop) -> Result<Option<Self>> {
        Self::start_with(hadoop, &[("HDFS_TLS", "1")])
    }

    /// Like [`Hdfs::start`], for measurements: with the namespace of an image, whose file is called `fsimage_` and its
    /// last transaction in nineteen digits. Nothing holds the content of its files.
    pub fn start_on_image(hadoop: Hadoop, image: &Path) -> Result<Option<Self>> {
        let image = image.to_str().context("an image whose name is no UTF-8")?;
        Self::start_with(hadoop, &[("HDFS_IMAGE", image), ("HDFS_OPTIMISE", "1"), ("HDFS_HEAP", "2g")])
    }

    fn start_with(hadoop: Hadoop, environment: &[(&str, &str)]) -> Result<Option<Self>> {
        let work = TempDir::new().context("no folder for the NameNode")?;
        let audit_log = work.path().join("hdfs-audit.log");
        let mut start = hadoop.script("start", work.path());
        start.env("HDFS_WATCH", std::process::id().to_string()).env("HDFS_AUDIT", audit_log);
        start.envs(environment.iter().copied());
        let Some(printed) = run_if_in_reach(&mut start)? else { return Ok(None) };
        let (rpc, http) = printed.trim().split_once('\n').context("hdfs.sh start printed no two addresses")?;
        let (rpc, http) = (rpc.to_owned(), http.to_owned());
        Ok(Some(Self { hadoop, work, rpc, http }))
    }

    /// The address for its clients, `hdfs://127.0.0.1:PORT`.
    pub fn rpc(&self) -> &str {
        &self.rpc
    }

    /// What a listing of it needs: one that gives up at the first failure, eight directories at a time.
    pub fn listing(&self, webhdfs: WebHdfs) -> Result<ListingConfig> {
        Ok(ListingConfig {
            address: ListingAddress::read(self.rpc())?,
            hadoop_conf: None,
            webhdfs,
            user: None,
            scope: PathScope::default(),
            connections: 8,
            requests_per_second: None,
            program: "sextant-hdfs-jni".into(),
            ca_file: None,
            connect_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_mins(1),
            retries: 0,
            small_file_bytes: 1 << 20,
        })
    }

    /// The address of its pages, of WebHDFS and of its images, `http://127.0.0.1:PORT`; `https` when it has keys.
    pub fn http(&self) -> &str {
        &self.http
    }

    /// The certificate of the authority that vouches for a NameNode with keys, as PEM.
    pub fn authority(&self) -> PathBuf {
        self.work.path().join(format!("hdfs-{}/tls/authority.pem", self.hadoop.version()))
    }

    /// The NameNode's audit log.
    pub fn audit_log(&self) -> PathBuf {
        self.work.path().join("hdfs-audit.log")
    }

    /// `hdfs dfs` with these arguments, to be run by a measurement.
    pub fn fs_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.hadoop.script("fs", self.work.path());
        command.env("HDFS_OPTIMISE", "1").env("HDFS_HEAP", "2g").args(arguments);
        command
    }

    /// Runs `hdfs dfs` with these arguments, and gives what it prints. Takes about two seconds.
    pub fn fs(&self, arguments: &[&str]) -> Result<String> {
        run(self.hadoop.script("fs", self.work.path()).args(arguments))
    }

    /// Has the namespace saved and fetches its image into a file. Takes about five seconds.
    pub fn save_image(&self, out: &Path) -> Result<()> {
        run(self.hadoop.script("image", self.work.path()).arg(out)).map(drop)
    }
}

impl Drop for Hdfs {
    fn drop(&mut self) {
        // Nobody can act on an error here; the NameNode ends with the test's process in any case.
        let _ = run(&mut self.hadoop.script("stop", self.work.path()));
    }
}
