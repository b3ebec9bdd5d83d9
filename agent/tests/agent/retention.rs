//! Files that are done are cleared away when the configuration says so, and no others.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use crate::host::{Host, settle};
use crate::store::Fault;

const DAY: Duration = Duration::from_hours(24);

fn age(host: &Host, name: &str, days: u32) {
    File::options().append(true).open(host.path(name)).unwrap().set_modified(SystemTime::now() - DAY * days).unwrap();
}

fn names(host: &Host) -> Vec<String> {
    let entries = fs::read_dir(host.path("")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

async fn host_with(keys: &str) -> Host {
    let mut host = Host::new("x.log*").await;
    keys.clone_into(&mut host.spool_keys);
    for (name, days) in [("x.log", 60), ("x.log.1", 20), ("x.log.2", 40), ("x.log.3", 50)] {
        host.append(name, &format!("line of {name}\n"));
        age(&host, name, days);
    }
    host
}

#[tokio::test]
async fn without_it_everything_stays() {
    let host = host_with("").await;
    let mut agent = host.agent();
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(names(&host), ["x.log", "x.log.1", "x.log.2", "x.log.3"]);
}

#[tokio::test]
async fn old_files_with_a_successor_go_when_the_server_has_them() {
    let host = host_with("retention = \"30d\"").await;
    let mut agent = host.agent();
    for _ in 0..6 {
        host.store.content().batch_faults.extend([Fault::Status(400); 8]);
        agent.deliver_once().await.ok();
    }
    assert_eq!(names(&host).len(), 4, "nothing goes that the server does not have");
    host.store.content().batch_faults.clear();
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(names(&host), ["x.log", "x.log.1"]);
    assert_eq!(host.store.content().generations.len(), 4);
    settle(&mut agent).await;
    assert_eq!(names(&host), ["x.log", "x.log.1"]);
}

#[tokio::test]
async fn they_may_be_moved_instead() {
    let other = host_with("").await.directory;
    let keys = format!(
        "retention = \"30d\"\nretention_action = \"move\"\nretention_directory = \"{}\"",
        other.path().join("archive").display()
    );
    let host = host_with(&keys).await;
    let mut agent = host.agent();
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(names(&host), ["x.log", "x.log.1"]);
    assert_eq!(fs::read_to_string(other.path().join("archive/x.log.3")).unwrap(), "line of x.log.3\n");
}

#[tokio::test]
async fn what_an_agent_did_not_come_to_the_end_of_is_finished_by_the_next() {
    let mut host = host_with("").await;
    let mut agent = host.agent();
    settle(&mut agent).await;
    settle(&mut agent).await;
    drop(agent);
    fs::rename(host.path("x.log.3"), host.path(".x.log.3.1f.sextant-retention")).unwrap();
    host.spool_keys = "retention = \"30d\"".to_owned();
    let mut agent = host.agent();
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(names(&host), ["x.log", "x.log.1"]);
}

#[tokio::test]
async fn check_says_what_would_be_done() {
    let host = host_with("retention = \"30d\"").await;
    let mut output = Vec::new();
    sextant_agent::check::check(&host.config(""), &mut output).await.unwrap();
    let output = String::from_utf8(output).unwrap();
    assert_eq!(output.matches("retention would delete it").count(), 2, "{output}");
    assert_eq!(names(&host).len(), 4);
}

#[tokio::test]
async fn check_says_that_files_cannot_be_moved_to_another_file_system() {
    let keys = "retention = \"30d\"\nretention_action = \"move\"\nretention_directory = \"/proc/archive\"";
    let host = host_with(keys).await;
    let mut output = Vec::new();
    assert!(!sextant_agent::check::check(&host.config(""), &mut output).await.unwrap());
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("retention_directory /proc/archive is on another file system than /"), "{output}");
}
