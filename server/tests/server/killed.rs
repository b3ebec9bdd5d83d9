//! The real program is killed while it reads the quarantine again.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use sextant_model::problem::{Problem, ProblemKind};
use sextant_model::{EntityId, Timestamp};
use sextant_store::{Changes, Quarantined, SqliteStore};

use crate::support::copied;

/// Stretches, of which 500 are read in one transaction.
const STRETCHES: u64 = 4_000;
/// Far longer than anything takes, so that only a fault reaches it.
const PATIENCE: Duration = Duration::from_secs(90);

/// A server as a process of its own, killed at the latest when this value goes.
struct Process {
    child: Child,
    url: String,
}

impl Process {
    async fn start(data: &Path) -> Self {
        let address = data.join("address");
        let _ = fs::remove_file(&address);
        let child = Command::new(env!("CARGO_BIN_EXE_sextant"))
            .args(["server", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut process = Self { child, url: String::new() };
        let began = Instant::now();
        loop {
            fs::read_to_string(&address).unwrap_or_default().trim().clone_into(&mut process.url);
            if !process.url.is_empty() && process.answer("/api/v1/status").await.is_some() {
                return process;
            }
            assert!(began.elapsed() < PATIENCE, "the server does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn answer(&self, path: &str) -> Option<Value> {
        let response = reqwest::get(format!("{}{path}", self.url)).await.ok()?;
        if response.status().is_success() { response.json().await.ok() } else { None }
    }

    async fn left(&self) -> u64 {
        self.answer("/api/v1/quarantine?limit=1").await.unwrap()["total"].as_u64().unwrap()
    }
}

impl Drop for Process {
    /// As `kill -9` does.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stretch(number: u64) -> Quarantined {
    let bytes = copied("db.a", "db.b", 1_790_000_000 + number as i64, "joe").into_bytes();
    Quarantined {
        id: EntityId::derive("quarantined", &[&number.to_be_bytes()]),
        host: "node-1".to_owned(),
        generation: "g1".to_owned(),
        file: "/var/log/lineage.log".to_owned(),
        format: "hive".to_owned(),
        cluster: "prod".to_owned(),
        problem: Problem {
            offset: number * 10_000,
            length: bytes.len() as u64,
            kind: ProblemKind::Failed,
            reason: "of former days".to_owned(),
        },
        bytes,
        received: Timestamp::from_seconds(1_790_000_000),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_again_while_the_server_is_killed_counts_once() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    fs::create_dir(&data).unwrap();
    let store = SqliteStore::open(&data).unwrap();
    let quarantined = (0..STRETCHES).map(stretch).collect();
    sextant_store::Facts::commit(&store, &Changes { quarantined, ..Changes::default() }).unwrap();
    drop(store);

    let mut server = Process::start(&data).await;
    let mut left = STRETCHES;
    let mut cut_off = 0;
    while left > 0 {
        let replay = reqwest::Client::new().post(format!("{}/api/v1/quarantine/replay", server.url)).send();
        let replay = tokio::spawn(replay);
        // As soon as a part of it is done: the next part is under way.
        let mut now_left = left;
        while now_left == left {
            now_left = server.left().await;
        }
        drop(server);
        replay.abort();
        server = Process::start(&data).await;
        left = server.left().await;
        cut_off += u64::from(left > 0);
    }
    assert!(cut_off > 0, "no replay was cut off");

    let status = server.answer("/api/v1/status").await.unwrap();
    assert_eq!(status["counts"]["executions"], STRETCHES);
    assert_eq!(server.answer("/api/v1/intake?wait=true").await.unwrap()["done"], true);
    let found = server.answer("/api/v1/search?query=type:operation_execution&limit=1").await.unwrap();
    assert_eq!(found["total"], STRETCHES);
}
