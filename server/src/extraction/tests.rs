//! Whose turn it is.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use sextant_extractors::push::Formats;
use sextant_store::{Namespaces, RunOutcome, SqliteStore};

use super::*;
use crate::clusters::Clusters;
use crate::config::{Config, Flags, load};
use crate::linking::Listeners;

/// A configuration whose metastore accepts connections and never answers.
fn silent_metastore(directory: &std::path::Path, listener: &TcpListener) -> Config {
    let file = directory.join("sextant.toml");
    let text = format!(
        "[[extractor]]\nname = \"hive\"\nkind = \"hms\"\nuri = \"thrift://{}\"\ncall_timeout = \"300ms\"\nretries = 0\n",
        listener.local_addr().unwrap()
    );
    std::fs::write(&file, text).unwrap();
    load(Some(&file), &|_| None, &Flags::default()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_in_progress_makes_scheduled_ones_skip_and_asked_ones_wait() {
    let directory = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = silent_metastore(directory.path(), &listener);
    let store = Arc::new(SqliteStore::open(&directory.path().join("data")).unwrap());
    let metrics = Arc::new(Metrics::new());
    let (linker, work) =
        Linker::prepare(store.clone(), Clusters::default(), Formats::default(), Listeners::default()).unwrap();
    let linker = Arc::new(linker);
    let thread = std::thread::spawn(work);
    let extraction = Extraction::prepare(&config, &Clusters::default(), &linker, &metrics).await.unwrap();
    let extractor = Arc::clone(extraction.extractor("hive").unwrap());

    let asked = |extractor: &Arc<Extractor>| {
        let extractor = Arc::clone(extractor);
        tokio::spawn(async move { extractor.run_on_demand(false).await })
    };
    let first = asked(&extractor);
    while extractor.running().is_none() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    extractor.run_scheduled().await;
    assert_eq!(extractor.skipped(), 1);
    let since = extractor.running().unwrap().since;
    assert_eq!(extractor.log_of_this_process(None).unwrap().started, since, "it can be read while it runs");
    assert!(extractor.log_of_this_process(Some(since.plus_millis(-1))).is_none(), "of another run");
    assert!(!first.is_finished(), "the scheduled run did not wait");
    let second = asked(&extractor);
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    assert_eq!((first.outcome, second.outcome), (RunOutcome::Failed, RunOutcome::Failed));
    assert!(second.started >= first.finished, "one after the other");
    assert!(first.message.unwrap().contains("did not answer"));
    assert_eq!(extractor.running(), None);
    linker.stop();
    thread.join().unwrap();
}

/// An image that a NameNode wrote: nine directories, four files.
const IMAGE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../extractors/src/pull/hdfs/tests/fsimage_0000000000000000038");

#[tokio::test(flavor = "multi_thread")]
async fn an_image_is_applied_once_and_leaves_its_state_behind() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sextant.toml");
    let data_dir = directory.path().join("data");
    let text = format!(
        "[server]\ndata_dir = \"{}\"\n[[extractor]]\nname = \"hdfs\"\nkind = \"hdfs\"\nuri = \"file://{IMAGE}\"\n\
         addresses = \"hdfs://prod\"\nfiles = \"all\"\n",
        data_dir.display()
    );
    std::fs::write(&file, text).unwrap();
    let config = load(Some(&file), &|_| None, &Flags::default()).unwrap();
    let left_behind = images_directory(&data_dir).join("hdfs.fsimage");
    std::fs::create_dir_all(left_behind.parent().unwrap()).unwrap();
    std::fs::write(&left_behind, "of a process that was killed").unwrap();
    let store = Arc::new(SqliteStore::open(&data_dir).unwrap());
    let metrics = Arc::new(Metrics::new());
    let (linker, work) =
        Linker::prepare(store.clone(), Clusters::default(), Formats::default(), Listeners::default()).unwrap();
    let linker = Arc::new(linker);
    let thread = std::thread::spawn(work);
    let extraction = Extraction::prepare(&config, &Clusters::of(&config.extractors), &linker, &metrics).await.unwrap();
    assert!(!left_behind.exists());
    let extractor = extraction.extractor("hdfs").unwrap();

    let first = extractor.run_on_demand(false).await;
    assert_eq!((first.outcome, first.counts.seen, first.counts.created), (RunOutcome::Complete, 13, 13));
    let stamp = first.stamp.unwrap();
    assert_eq!(stamp.transaction, Some(38));
    assert_eq!(store.last_stamp("hdfs").unwrap(), Some(stamp.clone()));
    let second = extractor.run_on_demand(false).await;
    assert_eq!((second.outcome, second.counts.seen), (RunOutcome::Complete, 0));
    assert!(second.message.unwrap().starts_with("unchanged"));
    assert_eq!(second.stamp, Some(stamp));
    linker.stop();
    thread.join().unwrap();
}
