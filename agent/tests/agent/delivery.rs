//! The agent against a real server of the protocol: one rule per test.

use std::fs;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::host::{Host, many_lines, settle};
use crate::store::Fault;
use sextant_agent::Agent;

#[tokio::test]
async fn growth_is_delivered_and_a_half_line_waits() {
    let host = Host::new("x.log").await;
    let mut agent = host.agent();
    host.append("x.log", "one\ntw");
    agent.deliver_once().await.unwrap();
    assert_eq!(host.store.text(), "one\n");
    host.append("x.log", "o\nthree\n");
    settle(&mut agent).await;
    assert_eq!(host.store.text(), "one\ntwo\nthree\n");

    let content = host.store.content();
    let header = &content.generations.values().next().unwrap().headers[0];
    assert_eq!((header.host.as_str(), header.format.as_str(), header.cluster.as_str()), ("node-1", "hive", "prod"));
    assert_eq!(header.path, host.path("x.log").to_str().unwrap());
    assert_eq!(header.agent, agent.id());
    assert_eq!(content.hellos[0].agent, agent.id());
}

#[tokio::test]
async fn a_renamed_file_keeps_its_generation() {
    let host = Host::new("x.log").await;
    let mut agent = host.agent();
    host.append("x.log", "one\n");
    agent.deliver_once().await.unwrap();
    host.append("x.log", "two\n");
    fs::rename(host.path("x.log"), host.path("x.log.1")).unwrap();
    host.append("x.log", "three\n");
    agent.deliver_once().await.unwrap();
    let content = host.store.content();
    let mut texts: Vec<&[u8]> = content.generations.values().map(|kept| kept.bytes.as_slice()).collect();
    texts.sort_unstable();
    assert_eq!(texts, [b"one\ntwo\n".as_slice(), b"three\n"]);
}

#[tokio::test]
async fn a_file_renamed_while_the_agent_was_down_is_finished() {
    let host = Host::new("x.log").await;
    host.append("x.log", "one\n");
    host.agent().deliver_once().await.unwrap();
    host.append("x.log", "two\n");
    fs::rename(host.path("x.log"), host.path("x.log.1")).unwrap();
    host.append("x.log", "three\n");
    host.agent().deliver_once().await.unwrap();
    assert_eq!(host.store.content().generations.len(), 2);
    assert!(host.store.text().contains("one\ntwo\n"));
}

#[tokio::test]
async fn the_tail_of_a_file_with_a_successor_goes_last() {
    let host = Host::new("x.log.*").await;
    let mut agent = host.agent();
    host.append("x.log.1690000000000", "one\ntorn");
    settle(&mut agent).await;
    assert_eq!(host.store.text(), "one\n", "nothing says that the file is finished");
    host.append("x.log.1690000000001", "two\n");
    settle(&mut agent).await;
    let content = host.store.content();
    let torn = content.generations.values().find(|kept| kept.bytes.starts_with(b"one")).unwrap();
    assert_eq!(torn.bytes, b"one\ntorn");
    let lasts: Vec<bool> = torn.headers.iter().map(|header| header.last).collect();
    assert_eq!(lasts, [false, true]);
}

#[tokio::test]
async fn a_file_that_ends_at_a_line_is_closed_once_for_each_end() {
    let host = Host::new("x.log.*").await;
    let mut agent = host.agent();
    host.append("x.log.1690000000000", "one\n");
    settle(&mut agent).await;
    assert!(host.closings("one").is_empty(), "nothing says that the file is finished");
    host.append("x.log.1690000000001", "two\n");
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(host.closings("one"), [4]);
    assert!(host.closings("two").is_empty(), "the newest file may grow");

    drop(agent);
    let mut agent = host.agent();
    settle(&mut agent).await;
    assert_eq!(host.closings("one"), [4], "a restart knows it");
    host.append("x.log.1690000000000", "more\n");
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(host.closings("one"), [4, 9]);
}

#[tokio::test]
async fn a_tail_that_went_last_needs_no_closing() {
    let host = Host::new("x.log.*").await;
    let mut agent = host.agent();
    host.append("x.log.1690000000000", "one\ntorn");
    host.append("x.log.1690000000001", "two\n");
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert!(host.store.text().contains("torn"));
    assert!(host.closings("one").is_empty());
}

#[tokio::test]
async fn many_files_that_ended_are_all_closed_even_when_they_are_gone() {
    let host = Host::new("x.log.*").await;
    let mut agent = host.agent();
    for number in 0..30 {
        host.append(&format!("x.log.16900000000{number:02}"), &format!("line {number:02}\n"));
    }
    agent.deliver_once().await.unwrap();
    for number in 0..30 {
        fs::remove_file(host.path(&format!("x.log.16900000000{number:02}"))).unwrap();
    }
    settle(&mut agent).await;
    settle(&mut agent).await;
    let content = host.store.content();
    assert_eq!(content.generations.len(), 30);
    assert!(content.generations.values().all(|kept| kept.closings == [8]));
}

#[tokio::test]
async fn a_replaced_content_is_closed_also_after_a_restart() {
    let host = Host::new("x.log").await;
    let mut agent = host.agent();
    fs::write(host.path("x.log"), "one\n").unwrap();
    settle(&mut agent).await;
    fs::write(host.path("x.log"), "two and more\n").unwrap();
    settle(&mut agent).await;
    assert_eq!(host.closings("one"), [4]);

    fs::write(host.path("x.log"), "six\n").unwrap();
    drop(agent);
    let mut agent = host.agent();
    agent.deliver_once().await.unwrap();
    settle(&mut agent).await;
    assert_eq!(host.closings("two"), [13]);
    assert_eq!(host.closings("one"), [4]);
    assert!(host.closings("six").is_empty());
}

#[tokio::test]
async fn a_closing_that_the_server_did_not_take_is_sent_again() {
    let host = Host::new("*.log").await;
    let mut agent = host.agent();
    host.append("x.log", "one\n");
    agent.deliver_once().await.unwrap();
    fs::remove_file(host.path("x.log")).unwrap();
    // The first look that misses it counts as a quiet one; the second makes it finished.
    agent.deliver_once().await.unwrap();
    for fault in [Fault::Status(400), Fault::Status(500), Fault::Broken] {
        host.store.content().batch_faults.push_back(fault);
        agent.deliver_once().await.unwrap_err();
        assert!(host.store.content().batch_faults.is_empty(), "{fault:?} was met by the closing");
        assert!(host.closings("one").is_empty());
    }
    agent.deliver_once().await.unwrap();
    assert_eq!(host.closings("one"), [4]);
}

#[tokio::test]
async fn what_was_seen_of_a_deleted_file_is_delivered() {
    let host = Host::new("*.log").await;
    let mut agent = host.agent();
    host.append("x.log", "one\ntorn");
    host.store.content().faults.push_back(Fault::Status(503));
    agent.deliver_once().await.unwrap_err();
    fs::remove_file(host.path("x.log")).unwrap();
    settle(&mut agent).await;
    assert_eq!(host.store.text(), "one\ntorn");
}

#[tokio::test]
async fn a_shorter_content_that_was_seen_outlives_its_file() {
    let host = Host::new("*.log").await;
    let mut agent = host.agent();
    host.append("x.log", "one\ntwo\nthree\n");
    agent.deliver_once().await.unwrap();
    fs::write(host.path("x.log"), "six\n").unwrap();
    host.store.content().faults.push_back(Fault::Status(503));
    agent.deliver_once().await.unwrap_err();
    fs::remove_file(host.path("x.log")).unwrap();
    settle(&mut agent).await;
    assert!(host.store.text().contains("six\n"));
}

#[tokio::test]
async fn a_truncated_file_is_a_new_generation() {
    let host = Host::new("x.log").await;
    let mut agent = host.agent();
    for text in ["one\ntwo\n", "six\n", "six\nseven\n", "eight\nnine\nten\n"] {
        fs::write(host.path("x.log"), text).unwrap();
        settle(&mut agent).await;
    }
    let content = host.store.content();
    let mut texts: Vec<&[u8]> = content.generations.values().map(|kept| kept.bytes.as_slice()).collect();
    texts.sort_unstable();
    assert_eq!(texts, [b"eight\nnine\nten\n".as_slice(), b"one\ntwo\n", b"six\nseven\n"]);
}

#[tokio::test]
async fn a_rewritten_file_with_the_same_head_is_a_new_life() {
    let host = Host::new("x.log").await;
    let mut agent = host.agent();
    // Shorter, then as long with another second line, then gone and back.
    fs::write(host.path("x.log"), "head\none\ntwo\n").unwrap();
    settle(&mut agent).await;
    fs::write(host.path("x.log"), "head\nthree\n").unwrap();
    settle(&mut agent).await;
    fs::write(host.path("x.log"), "head\nseven\n").unwrap();
    settle(&mut agent).await;
    fs::write(host.path("x.log"), "head\neight\nnine\n").unwrap();
    settle(&mut agent).await;
    let content = host.store.content();
    let mut texts: Vec<&[u8]> = content.generations.values().map(|kept| kept.bytes.as_slice()).collect();
    texts.sort_unstable();
    assert_eq!(texts, [b"head\neight\nnine\n".as_slice(), b"head\none\ntwo\n", b"head\nseven\n", b"head\nthree\n"]);
}

#[tokio::test]
async fn a_reused_inode_is_a_new_generation() {
    let host = Host::new("x.log.*").await;
    let mut agent = host.agent();
    for number in 0..20 {
        // Some file systems give the inode of a removed file to the next one.
        host.append(&format!("x.log.{number}"), &format!("line of {number}\n"));
        agent.deliver_once().await.unwrap();
        fs::remove_file(host.path(&format!("x.log.{number}"))).unwrap();
    }
    let content = host.store.content();
    assert_eq!(content.generations.len(), 20);
    assert!(content.generations.values().all(|kept| kept.headers.len() == 1));
}

#[tokio::test]
async fn a_line_longer_than_a_batch_goes_alone() {
    let host = Host::new("x.log").await;
    let long = "x".repeat(300_000);
    host.append("x.log", &format!("one\n{long}\ntwo\n"));
    settle(&mut host.agent()).await;
    assert_eq!(host.store.text(), format!("one\n{long}\ntwo\n"));
    let content = host.store.content();
    assert_eq!(content.generations.values().next().unwrap().headers.len(), 3);
}

#[tokio::test]
async fn a_server_that_fails_gets_everything_once() {
    let host = Host::new("x.log").await;
    let mut agent = host.agent();
    let lines = many_lines();
    host.append("x.log", &lines);
    let faults = [Fault::Status(500), Fault::Broken, Fault::Busy(0), Fault::BrokenAfterKeeping, Fault::Status(503)];
    for fault in faults {
        // The question for positions goes well, the batch does not.
        host.store.content().faults.clear();
        agent.deliver_once().await.ok();
        host.append("x.log", "more\n");
        host.store.content().faults.push_back(fault);
        assert!(agent.deliver_once().await.is_err(), "{fault:?}");
    }
    agent.deliver_once().await.unwrap();
    assert_eq!(host.store.text(), format!("{lines}{}", "more\n".repeat(5)));
}

#[tokio::test]
async fn a_server_that_was_set_back_gets_it_again() {
    let host = Host::new("x.log").await;
    let mut agent = host.agent();
    let lines = many_lines();
    host.append("x.log", &lines);
    agent.deliver_once().await.unwrap();
    host.store.content().roll_back(1);
    agent.deliver_once().await.unwrap();
    assert_eq!(host.store.text(), lines);
    host.store.content().roll_back(0);
    agent.deliver_once().await.unwrap();
    assert_eq!(host.store.text(), lines);
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_a_refused_batch_is_kept() {
    let host = Host::new("x.log").await;
    let mut agent = host.agent();
    host.append("x.log", "one\n");
    host.store.content().faults.push_back(Fault::Redirect);
    let trouble = agent.deliver_once().await.unwrap_err();
    assert!(trouble.contains("which is not followed"), "{trouble}");
    assert_eq!(host.store.text(), "");
    host.store.content().faults.push_back(Fault::Status(401));
    let trouble = agent.deliver_once().await.unwrap_err();
    assert!(trouble.contains("check [server] token_file"), "{trouble}");
    agent.deliver_once().await.unwrap();
    assert_eq!(host.store.text(), "one\n");
}

#[tokio::test]
async fn the_token_is_sent_and_read_again() {
    let host = Host::new("x.log").await;
    let token = host.directory.path().join("token");
    fs::write(&token, "first\n").unwrap();
    let config = host.config(&format!("token_file = \"{}\"", token.display()));
    let mut agent = Agent::new(config).unwrap();
    agent.deliver_once().await.unwrap();
    fs::write(&token, "second\n").unwrap();
    agent.deliver_once().await.unwrap();
    let authorizations = host.store.content().authorizations.clone();
    assert_eq!(authorizations, [Some("Bearer first".to_owned()), Some("Bearer second".to_owned())]);

    fs::write(&token, "two words\n").unwrap();
    let trouble = agent.deliver_once().await.unwrap_err();
    assert!(trouble.contains("[server] token_file"), "{trouble}");
    assert!(!trouble.contains("two words"), "{trouble}");
}

#[tokio::test]
async fn a_restart_sends_nothing_twice_even_without_its_state() {
    let host = Host::new("x.log").await;
    host.append("x.log", "one\n");
    host.agent().deliver_once().await.unwrap();
    for state in [None, Some(""), Some("{\"version\":1,"), Some("{\"version\":99}")] {
        match state {
            Some(text) => fs::write(host.state_file(), text).unwrap(),
            None => fs::remove_file(host.state_file()).unwrap(),
        }
        host.append("x.log", "more\n");
        host.agent().deliver_once().await.unwrap();
    }
    let content = host.store.content();
    let kept = content.generations.values().next().unwrap();
    assert_eq!(content.generations.len(), 1);
    let starts: Vec<u64> = kept.headers.iter().map(|header| header.start).collect();
    assert_eq!(starts, [0, 4, 9, 14, 19]);
}

#[tokio::test]
async fn the_loop_follows_until_it_is_told_to_stop() {
    let host = Host::new("*.log").await;
    host.store.content().faults.extend([Fault::Status(500), Fault::Broken]);
    let (stop, stopped) = oneshot::channel::<()>();
    let mut agent = host.agent();
    let running = tokio::spawn(async move {
        agent.run(async { stopped.await.unwrap_or(()) }).await;
    });
    let mut expected = String::new();
    for number in 0..20 {
        let line = format!("line {number}\n");
        host.append("x.log", &line);
        expected.push_str(&line);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let deadline = Instant::now() + Duration::from_mins(1);
    while host.store.text() != expected {
        assert!(Instant::now() < deadline, "not delivered: {}", host.store.text());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stop.send(()).unwrap();
    running.await.unwrap();

    let mut status = Vec::new();
    sextant_agent::status::status(&host.config(""), &mut status).unwrap();
    let status = String::from_utf8(status).unwrap();
    assert!(status.contains("files   1, 0 bytes not delivered"), "{status}");
    assert!(status.contains("connected since"), "{status}");
}

#[tokio::test]
async fn check_says_what_would_be_read() {
    let host = Host::new("*").await;
    host.append("x.log", "one\n");
    host.append("x.log.1.bz2", "");
    let mut output = Vec::new();
    assert!(sextant_agent::check::check(&host.config(""), &mut output).await.unwrap());
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("): 1 file, 4 bytes"), "{output}");
    assert!(output.contains("x.log.1.bz2  compressed, left alone"), "{output}");
    assert!(output.contains("answers and is ready"), "{output}");
    assert!(host.store.content().hellos.is_empty(), "a check is no agent");

    host.store.content().faults.push_back(Fault::Status(403));
    let mut output = Vec::new();
    assert!(!sextant_agent::check::check(&host.config(""), &mut output).await.unwrap());
}
