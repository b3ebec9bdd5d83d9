//! A real Hive Metastore and real Hive, by the scripts in `tests/realcluster/`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::script::{run, script};

/// A metastore with a database and a warehouse of its own. It ends with this value, or with the
/// process of the test.
///
/// The first start on a machine downloads Hive; the scripts say so on stderr.
pub struct Cluster {
    work: TempDir,
    uri: String,
}

impl Cluster {
    /// Starts an empty metastore on a free port. Takes about five seconds.
    pub fn start() -> Result<Self> {
        let work = TempDir::new().context("no folder for the cluster")?;
        let uri = start_metastore(work.path(), "0")?;
        Ok(Self { work, uri })
    }

    /// The metastore's address, `thrift://127.0.0.1:PORT`; the same after a stop and a start.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The file that [`Cluster::hive`] appends lineage records to.
    pub fn lineage_log(&self) -> PathBuf {
        self.work.path().join("lineage").join("hive-lineage.log")
    }

    /// Runs files of Hive statements one after another in one session, and gives the file with the
    /// lineage records of everything that was run so far. Takes about ten seconds, and one or two
    /// more for each statement.
    pub fn hive(&self, files: &[&Path]) -> Result<PathBuf> {
        let lineage_log = self.lineage_log();
        run(script("hive.sh").arg(self.work.path()).arg(&lineage_log).args(files))?;
        Ok(lineage_log)
    }

    /// Like [`Cluster::hive`], for statements given as text.
    pub fn hive_statements(&self, statements: &str) -> Result<PathBuf> {
        let file = self.work.path().join("statements.sql");
        std::fs::write(&file, statements).with_context(|| format!("{} cannot be written", file.display()))?;
        self.hive(&[&file])
    }

    /// Stops the metastore; what it holds stays.
    pub fn stop_metastore(&self) -> Result<()> {
        run(script("hms.sh").arg("stop").arg(self.work.path())).map(drop)
    }

    /// Starts the metastore again, at the same address.
    pub fn start_metastore(&self) -> Result<()> {
        let (_, port) = self.uri.rsplit_once(':').context("an address without a port")?;
        start_metastore(self.work.path(), port).map(drop)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Nobody can act on an error here; the metastore ends with the test's process in any case.
        let _ = self.stop_metastore();
    }
}

fn start_metastore(work: &Path, port: &str) -> Result<String> {
    let this_process = std::process::id().to_string();
    let printed = run(script("hms.sh").arg("start").arg(work).arg(port).env("HMS_WATCH", this_process))?;
    Ok(printed.trim().to_owned())
}
