//! The program that lists by Hadoop's own client, by `tests/realcluster/hdfs-jni.sh`.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::script::{run_if_in_reach, script};

/// `sextant-hdfs-jni`, built, with the client of Hadoop 3.5.0.
pub struct JavaClient {
    /// The program.
    pub program: PathBuf,
    /// What a server has to have in its environment that starts it.
    pub environment: Vec<(String, String)>,
}

impl JavaClient {
    /// Builds it, unless that was done. Nothing where it cannot be had; the reason is on stderr then.
    pub fn build() -> Result<Option<Self>> {
        let Some(printed) = run_if_in_reach(&mut script("hdfs-jni.sh"))? else { return Ok(None) };
        let mut lines = printed.lines().map(str::to_owned);
        let mut next = || lines.next().context("hdfs-jni.sh printed fewer than three lines");
        let program = PathBuf::from(next()?);
        let environment = vec![("JAVA_HOME".to_owned(), next()?), ("CLASSPATH".to_owned(), next()?)];
        Ok(Some(Self { program, environment }))
    }
}
