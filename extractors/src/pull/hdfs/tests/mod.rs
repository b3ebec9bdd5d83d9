//! Passes over images: local ones, of a stand-in for a NameNode, and of a real NameNode.
//!
//! `fsimage_0000000000000000038` was written by a NameNode of Hadoop 2.7.3.

mod local;
mod over_http;
mod real;
mod stand_in;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sextant_model::namespace::{NamespaceStamp, NamespaceStep, NamespaceSummary, ObservedPath};
use tokio::sync::mpsc::channel;

use super::{Applied, ImageConfig, ImageExtractor, ImagePlace, NamespaceError, NamespaceExtractor, WantedFiles};

const IMAGE: &[u8] = include_bytes!("fsimage_0000000000000000038");
const IMAGE_NAME: &str = "fsimage_0000000000000000038";
const IMAGE_DIGEST: &str = "cc3b7045bf419fd85635fc189341c207";
const IMAGE_TRANSACTION: u64 = 38;

/// What a pass showed.
#[derive(Debug, Default)]
struct Shown {
    stamp: Option<NamespaceStamp>,
    paths: Vec<ObservedPath>,
    problems: Vec<String>,
}

impl Shown {
    fn by_path(&self) -> BTreeMap<&str, &ObservedPath> {
        self.paths.iter().map(|path| (path.path.as_str(), path)).collect()
    }
}

fn config(uri: &str, kept_in: &Path) -> ImageConfig {
    ImageConfig {
        place: ImagePlace::read(uri).unwrap(),
        kept_as: kept_in.join("images").join("test.fsimage"),
        bytes_per_second: None,
        allow_active: false,
        ca_file: None,
        connect_timeout: Duration::from_secs(5),
        call_timeout: Duration::from_secs(10),
        retries: 0,
        refused: Arc::default(),
        small_file_bytes: 1 << 20,
    }
}

async fn pass(
    config: ImageConfig,
    applied: Option<NamespaceStamp>,
    wanted: WantedFiles,
) -> (Shown, Result<NamespaceSummary, NamespaceError>) {
    let extractor = ImageExtractor::new(config).unwrap();
    let (steps, mut arriving) = channel(2);
    let applied = applied.map(|stamp| Applied { stamp, show_again: false });
    let reading = extractor.pass(applied, wanted, steps);
    let collecting = async {
        let mut shown = Shown::default();
        while let Some(step) = arriving.recv().await {
            match step {
                NamespaceStep::Opened(stamp) => assert!(shown.stamp.replace(stamp).is_none(), "opened once"),
                NamespaceStep::Paths(paths) => {
                    assert!(shown.stamp.is_some(), "opened first");
                    shown.paths.extend(paths);
                }
                NamespaceStep::Problem(problem) => shown.problems.push(problem.reason),
            }
        }
        shown
    };
    let (ended, shown) = tokio::join!(reading, collecting);
    (shown, ended)
}
