//! Much to deliver, many files, directories that come and go.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use sextant_agent::Agent;
use sextant_model::delivery::SpoolState;

use crate::host::{Host, settle};
use crate::store::Fault;

#[tokio::test]
async fn new_records_do_not_wait_for_a_backlog() {
    let host = Host::new("x.log*").await;
    let day = Duration::from_hours(24);
    for age in 1..=3 {
        let name = format!("x.log.{age}");
        for line in 0..2_000 {
            host.append(&name, &format!("line {line} of {age} days ago, one of very many\n"));
        }
        File::options()
            .append(true)
            .open(host.path(&name))
            .unwrap()
            .set_modified(SystemTime::now() - day * age)
            .unwrap();
    }
    for line in 0..200 {
        host.append("x.log", &format!("line {line} of today, and there are more of them\n"));
    }
    host.agent().deliver_once().await.unwrap();
    let content = host.store.content();
    let of_today = |path: &&String| path.ends_with("/x.log");
    let batches = content.order.iter().filter(of_today).count();
    let last = content.order.iter().rposition(|path| of_today(&path)).unwrap();
    assert!(content.order.len() > 10 * batches, "{} batches, {batches} of today", content.order.len());
    assert!(last < content.order.len() / 2, "the last of {batches} batches of today was number {last}");
}

#[tokio::test]
async fn thousands_of_files_that_match_at_once_are_all_delivered() {
    const FILES: usize = 5_000;
    let host = Host::new("*.log").await;
    let mut agent = host.agent();
    settle(&mut agent).await;
    for number in 0..FILES {
        fs::write(host.path(&format!("{number}.log")), format!("the line of file {number}\n")).unwrap();
    }
    agent.deliver_once().await.unwrap();
    let content = host.store.content();
    let mut lines: Vec<&[u8]> = content.generations.values().map(|kept| kept.bytes.as_slice()).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!((content.generations.len(), lines.len()), (FILES, FILES));
}

#[tokio::test]
async fn directories_may_appear_disappear_and_come_back() {
    let host = Host::new("*/x.log").await;
    let mut agent = host.agent();
    settle(&mut agent).await;
    fs::create_dir(host.path("one")).unwrap();
    host.append("one/x.log", "first\n");
    settle(&mut agent).await;
    fs::rename(host.path("one"), host.directory.path().join("elsewhere")).unwrap();
    fs::create_dir(host.path("two")).unwrap();
    host.append("two/x.log", "second\n");
    settle(&mut agent).await;
    fs::rename(host.directory.path().join("elsewhere"), host.path("three")).unwrap();
    host.append("three/x.log", "third\n");
    settle(&mut agent).await;
    let content = host.store.content();
    let mut texts: Vec<&[u8]> = content.generations.values().map(|kept| kept.bytes.as_slice()).collect();
    texts.sort_unstable();
    assert_eq!(texts, [b"first\nthird\n".as_slice(), b"second\n"]);
}

#[tokio::test]
async fn the_server_is_told_how_far_behind_each_spool_is() {
    let host = Host::new("*.log").await;
    host.append("x.log", "one\ntwo\n");
    host.append("y.log", "three\n");
    let mut agent = host.agent();
    host.store.content().batch_faults.extend(std::iter::repeat_n(Fault::Status(503), 10_000));
    let spool = last_report(&host, &mut agent, |spool| spool.files_known == 2).await;
    assert_eq!((spool.bytes_behind, spool.trouble), (14, None));
    assert_eq!((spool.format.as_str(), spool.cluster.as_str()), ("hive", "prod"));

    host.store.content().batch_faults.clear();
    let spool = last_report(&host, &mut agent, |spool| spool.bytes_behind == 0).await;
    assert_eq!((spool.files_known, spool.seconds_behind), (2, 0));
}

/// Looks until the server was told of a spool that is as expected.
async fn last_report(host: &Host, agent: &mut Agent, is_expected: impl Fn(&SpoolState) -> bool) -> SpoolState {
    for _ in 0..1_000 {
        let _delivered = agent.deliver_once().await;
        let reported = host.store.content().reports.last().map(|report| report.spools[0].clone());
        if let Some(spool) = reported.filter(&is_expected) {
            return spool;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the server was told of no such spool: {:?}", host.store.content().reports);
}
