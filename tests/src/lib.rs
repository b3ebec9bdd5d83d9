//! The ground that the end-to-end tests in `tests/tests/` stand on.
//!
//! - [`Cluster`]: a real Hive Metastore, and Hive itself to run statements with.
//! - [`Hdfs`]: a real NameNode, its images and Hadoop's own viewer of them.
//! - [`JavaClient`]: the program that lists by Hadoop's own client.
//! - [`HdfsPair`]: two real NameNodes, of which one is active.
//! - [`GeneratedImage`]: images of any size, for measurements.
//! - [`Server`] and [`Agent`]: the real programs, started as an administrator starts them.
//! - [`Api`]: what any client may ask the server.
//! - [`independent_reading`]: what a second program understands of the same lineage records.
//! - [`wait_for`]: the only way to wait.
//!
//! Guaranteed: every test has folders, ports and processes of its own, and takes them away when it
//! ends, however it ends. Never done: a look into the programs' data files, a private item of another
//! crate, a sleep of a fixed length in the hope that something has happened by then.

mod agent;
mod api;
mod cluster;
mod generated_image;
mod hdfs;
mod hdfs_jni;
mod hdfs_pair;
mod program;
mod reading;
mod script;
mod server;
mod wait;

pub use agent::{Agent, Spool};
pub use api::Api;
pub use cluster::Cluster;
pub use generated_image::{Edition, Generated, GeneratedImage, Layout};
pub use hdfs::{Hadoop, Hdfs};
pub use hdfs_jni::JavaClient;
pub use hdfs_pair::{HdfsPair, NameNode};
pub use program::{Finished, Program, built_program};
pub use reading::{Reading, corpora, independent_reading};
pub use server::Server;
pub use wait::{PATIENCE, wait_for};

use std::path::{Path, PathBuf};

/// A file or folder of the project, by its path from the project's top.
pub fn project_path(path: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path)
}
