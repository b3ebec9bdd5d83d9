//! Rotation by copying, with and without compression: nothing lost, nothing twice.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::host::{Host, many_lines, settle};
use crate::store::Fault;

const EXTENSIONS: [&str; 2] = ["gz", "zst"];

pub(crate) fn packed(content: &[u8], extension: &str) -> Vec<u8> {
    if extension == "zst" {
        return zstd::encode_all(content, 1).unwrap();
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// As `gzip FILE` does: a new file beside it, then the old one is removed.
fn compress(path: &Path, extension: &str) {
    let content = fs::read(path).unwrap();
    fs::write(path.with_added_extension(extension), packed(&content, extension)).unwrap();
    fs::remove_file(path).unwrap();
}

/// Every content that is kept, sorted.
fn texts(host: &Host) -> Vec<String> {
    let content = host.store.content();
    let kept = content.generations.values().map(|kept| String::from_utf8(kept.bytes.clone()).unwrap());
    let mut texts: Vec<String> = kept.collect();
    texts.sort_unstable();
    texts
}

/// Whether the agent counted bytes as lost.
fn lost(host: &Host) -> bool {
    fs::read_to_string(host.state_file()).unwrap().contains("lostBytes")
}

fn bytes_sent(host: &Host) -> u64 {
    let content = host.store.content();
    let headers = content.generations.values().flat_map(|kept| &kept.headers);
    headers.map(|header| header.end - header.start).sum()
}

#[tokio::test]
async fn the_rest_of_a_file_is_read_from_its_compressed_copy() {
    for extension in EXTENSIONS {
        let host = Host::new("x.log*").await;
        host.append("x.log.1", "one\ntwo\n");
        settle(&mut host.agent()).await;
        let more = many_lines();
        host.append("x.log.1", &more);
        host.append("x.log.1", "torn");
        compress(&host.path("x.log.1"), extension);
        host.append("x.log", "new\n");
        let mut agent = host.agent();
        settle(&mut agent).await;
        assert_eq!(texts(&host), ["new\n".to_owned(), format!("one\ntwo\n{more}torn")], "{extension}");
        assert_eq!(bytes_sent(&host), 4 + 8 + more.len() as u64 + 4, "nothing is sent twice");
        fs::rename(host.path("x.log.1").with_added_extension(extension), host.path("x.log.2.old")).ok();
        settle(&mut agent).await;
        drop(agent);
        settle(&mut host.agent()).await;
        assert_eq!(host.store.content().generations.len(), 2);
        assert!(!lost(&host), "what the copy holds is not lost");
    }
}

#[tokio::test]
async fn a_compressed_copy_of_a_delivered_file_is_nothing_new() {
    for extension in EXTENSIONS {
        let host = Host::new("x.log*").await;
        host.append("x.log.1", &many_lines());
        host.append("x.log", "new\n");
        let mut agent = host.agent();
        settle(&mut agent).await;
        settle(&mut agent).await;
        let sent = bytes_sent(&host);
        compress(&host.path("x.log.1"), extension);
        settle(&mut agent).await;
        let copy = host.path("x.log.1").with_added_extension(extension);
        fs::rename(&copy, host.path("x.log.2").with_added_extension(extension)).unwrap();
        settle(&mut agent).await;
        drop(agent);
        settle(&mut host.agent()).await;
        assert_eq!(host.store.content().generations.len(), 2);
        assert_eq!(bytes_sent(&host), sent);
        assert_eq!(host.closings("line 0"), [many_lines().len() as u64], "it ended once");
    }
}

#[tokio::test]
async fn a_compressed_file_that_was_never_read_is_read_once() {
    for extension in EXTENSIONS {
        let host = Host::new("x.log*").await;
        fs::write(host.path("x.log.1"), many_lines()).unwrap();
        compress(&host.path("x.log.1"), extension);
        settle(&mut host.agent()).await;
        settle(&mut host.agent()).await;
        fs::remove_file(host.state_file()).unwrap();
        settle(&mut host.agent()).await;
        assert_eq!(texts(&host), [many_lines()]);
        assert_eq!(bytes_sent(&host), many_lines().len() as u64);
        assert_eq!(host.closings("line 0").first(), Some(&(many_lines().len() as u64)));
    }
}

#[tokio::test]
async fn the_configuration_says_what_is_done_with_compressed_files() {
    for (keys, expected) in [("compressed = \"known\"", vec!["one\ntwo\n"]), ("compressed = \"none\"", vec!["one\n"])] {
        let mut host = Host::new("x.log*").await;
        host.spool_keys = keys.to_owned();
        host.append("x.log.1", "one\n");
        settle(&mut host.agent()).await;
        host.append("x.log.1", "two\n");
        compress(&host.path("x.log.1"), "gz");
        fs::write(host.path("x.log.7.gz"), packed(b"never read\n", "gz")).unwrap();
        let mut agent = host.agent();
        settle(&mut agent).await;
        settle(&mut agent).await;
        assert_eq!(texts(&host), expected, "{keys}");
        drop(agent);
        settle(&mut host.agent()).await;
        assert_eq!(texts(&host), expected, "{keys}, after a restart");
    }
}

#[tokio::test]
async fn a_name_that_does_not_match_is_found_beside_its_file() {
    let host = Host::new("x.log").await;
    host.append("x.log", "one\n");
    settle(&mut host.agent()).await;
    host.append("x.log", "two\n");
    fs::rename(host.path("x.log"), host.path("x.log.1")).unwrap();
    compress(&host.path("x.log.1"), "gz");
    fs::write(host.path("x.log.2.gz"), packed(b"never read\n", "gz")).unwrap();
    host.append("x.log", "new\n");
    let mut agent = host.agent();
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(texts(&host), ["new\n", "one\ntwo\n"]);
}

#[tokio::test]
async fn a_copy_that_is_still_being_written_waits() {
    for extension in EXTENSIONS {
        let host = Host::new("x.log*").await;
        let lines = many_lines();
        host.append("x.log.1", "head\n");
        let mut agent = host.agent();
        settle(&mut agent).await;
        host.append("x.log.1", &lines);
        let whole = packed(&fs::read(host.path("x.log.1")).unwrap(), extension);
        let copy = host.path("x.log.1").with_added_extension(extension);
        // The server is away, and the original is gone too early, as after a crash.
        host.store.content().faults.push_back(Fault::Status(503));
        let mut file = File::create(&copy).unwrap();
        for length in [0, 3, whole.len() / 2, whole.len() - 1] {
            file.set_len(0).unwrap();
            fs::write(&copy, &whole[..length]).unwrap();
            agent.deliver_once().await.ok();
        }
        drop(agent);
        fs::remove_file(host.path("x.log.1")).unwrap();
        let mut agent = host.agent();
        settle(&mut agent).await;
        file.write_all(b"").unwrap();
        fs::write(&copy, &whole).unwrap();
        settle(&mut agent).await;
        assert_eq!(texts(&host), [format!("head\n{lines}")], "{extension}");
        assert_eq!(bytes_sent(&host), 5 + lines.len() as u64);
    }
}

#[tokio::test]
async fn files_that_all_begin_alike_are_told_apart() {
    let host = Host::new("x.log*").await;
    let name = |number: u32| format!("x.log.16900000000{number:02}");
    for number in 0..12 {
        host.append(&name(number), &format!("a header\nof {number:02}\n"));
    }
    settle(&mut host.agent()).await;
    for number in 0..12 {
        host.append(&name(number), &format!("more of {number:02}\n"));
        if number % 2 == 0 {
            compress(&host.path(&name(number)), if number % 4 == 0 { "gz" } else { "zst" });
        }
    }
    let mut agent = host.agent();
    settle(&mut agent).await;
    settle(&mut agent).await;
    let expected: Vec<String> =
        (0..12).map(|number| format!("a header\nof {number:02}\nmore of {number:02}\n")).collect();
    assert_eq!(texts(&host), expected);
}

#[tokio::test]
async fn two_files_of_the_same_content_are_both_delivered() {
    let host = Host::new("*.log").await;
    host.append("a.log", "one\ntwo\n");
    host.append("b.log", "one\n");
    let mut agent = host.agent();
    settle(&mut agent).await;
    host.append("a.log", "of a\n");
    host.append("b.log", "of b\n");
    settle(&mut agent).await;
    let text = host.store.text();
    assert!(text.contains("of a\n") && text.contains("of b\n"), "{text}");
}

#[tokio::test]
async fn copy_and_truncate_loses_and_doubles_nothing() {
    for is_restarted in [false, true] {
        let host = Host::new("x.log*").await;
        let mut agent = host.agent();
        host.append("x.log", "one\n");
        settle(&mut agent).await;
        for round in 0..4 {
            host.append("x.log", &format!("unseen in round {round}\n"));
            for number in (1..5).rev() {
                let _ = fs::rename(host.path(&format!("x.log.{number}")), host.path(&format!("x.log.{}", number + 1)));
            }
            fs::copy(host.path("x.log"), host.path("x.log.1")).unwrap();
            fs::write(host.path("x.log"), "").unwrap();
            host.append("x.log", &format!("first of round {round}\n"));
            if is_restarted {
                drop(agent);
                agent = host.agent();
            }
            settle(&mut agent).await;
        }
        assert_eq!(
            texts(&host),
            [
                "first of round 0\nunseen in round 1\n",
                "first of round 1\nunseen in round 2\n",
                "first of round 2\nunseen in round 3\n",
                "first of round 3\n",
                "one\nunseen in round 0\n",
            ]
        );
        assert!(!lost(&host), "what the copy holds is not lost");
    }
}

#[tokio::test]
async fn a_damaged_copy_is_said_and_keeps_no_other_back() {
    let host = Host::new("x.log*").await;
    let mut damaged = packed(many_lines().as_bytes(), "gz");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    damaged[middle + 1] ^= 0x55;
    fs::write(host.path("x.log.1.gz"), damaged).unwrap();
    fs::write(host.path("x.log.2.gz"), packed(b"one\n", "gz")).unwrap();
    let mut agent = host.agent();
    let trouble = agent.deliver_once().await.unwrap_err();
    assert!(trouble.contains("cannot read the file"), "{trouble}");
    assert_eq!(texts(&host), ["one\n"]);
    fs::write(host.path("x.log.1.gz"), packed(b"two\n", "gz")).unwrap();
    settle(&mut agent).await;
    assert_eq!(texts(&host), ["one\n", "two\n"]);
}

#[tokio::test]
async fn what_is_lost_is_counted() {
    let host = Host::new("x.log*").await;
    host.append("x.log", "one\n");
    settle(&mut host.agent()).await;
    host.append("x.log", "two\nthree\n");
    // Its inode stays in use: what follows cannot be taken for the same file.
    fs::hard_link(host.path("x.log"), host.directory.path().join("elsewhere")).unwrap();
    fs::remove_file(host.path("x.log")).unwrap();
    let mut agent = host.agent();
    for _ in 0..2 {
        settle(&mut agent).await;
    }
    // The state said that 4 bytes were there; what came later was never seen.
    assert!(!lost(&host));

    host.append("x.log", "four\nfive\n");
    host.store.content().faults.push_back(Fault::Status(503));
    agent.deliver_once().await.unwrap_err();
    drop(agent);
    fs::remove_file(host.path("x.log")).unwrap();
    let mut agent = host.agent();
    for _ in 0..2 {
        settle(&mut agent).await;
    }
    let mut status = Vec::new();
    sextant_agent::status::status(&host.config(""), &mut status).unwrap();
    let status = String::from_utf8(status).unwrap();
    assert!(status.contains("lost    10 bytes"), "{status}");
}

#[tokio::test]
async fn the_copy_of_a_copy_is_a_copy() {
    for extension in EXTENSIONS {
        let host = Host::new("x.log*").await;
        let mut agent = host.agent();
        host.append("x.log", "one\n");
        settle(&mut agent).await;
        fs::copy(host.path("x.log"), host.path("x.log.1")).unwrap();
        fs::write(host.path("x.log"), "").unwrap();
        settle(&mut agent).await;
        fs::rename(host.path("x.log.1"), host.path("x.log.2")).unwrap();
        compress(&host.path("x.log.2"), extension);
        settle(&mut agent).await;
        assert_eq!(texts(&host), ["one\n"], "{extension}");
    }
}

#[tokio::test]
async fn a_copy_that_grew_while_the_agent_was_down_is_read_by_itself() {
    let host = Host::new("x.log*").await;
    host.append("x.log", "one\n");
    let mut agent = host.agent();
    settle(&mut agent).await;
    fs::copy(host.path("x.log"), host.path("x.log.1")).unwrap();
    settle(&mut agent).await;
    assert_eq!(texts(&host), ["one\n"]);
    drop(agent);
    host.append("x.log.1", "two\n");
    host.append("x.log", "three\n");
    let mut agent = host.agent();
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(texts(&host), ["one\nthree\n", "one\ntwo\n"]);
}

#[tokio::test]
async fn what_is_missing_is_lost_also_after_a_restart() {
    let host = Host::new("x.log*").await;
    fs::write(host.path("x.log.1.gz"), packed(b"one\n", "gz")).unwrap();
    host.store.content().faults.extend([Fault::Status(503), Fault::Status(503)]);
    let mut agent = host.agent();
    agent.deliver_once().await.unwrap_err();
    // Its inode stays in use.
    fs::hard_link(host.path("x.log.1.gz"), host.directory.path().join("elsewhere")).unwrap();
    fs::remove_file(host.path("x.log.1.gz")).unwrap();
    agent.deliver_once().await.unwrap_err();
    drop(agent);
    let mut agent = host.agent();
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert!(lost(&host));
}

#[tokio::test]
async fn the_size_of_another_content_is_not_lost() {
    let host = Host::new("x.log*").await;
    host.append("x.log", "one\n");
    let mut agent = host.agent();
    settle(&mut agent).await;
    // Another content in the same inode, seen but not read, and then removed.
    fs::write(host.path("x.log"), "first of the next\n").unwrap();
    host.store.content().faults.extend([Fault::Status(503), Fault::Status(503)]);
    agent.deliver_once().await.unwrap_err();
    fs::remove_file(host.path("x.log")).unwrap();
    for _ in 0..3 {
        let _ = agent.deliver_once().await;
    }
    settle(&mut agent).await;
    settle(&mut agent).await;
    assert_eq!(texts(&host), ["first of the next\n", "one\n"]);
    assert!(!lost(&host));
}
