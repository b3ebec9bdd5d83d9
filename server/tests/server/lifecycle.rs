//! Starting, restarting, and being refused.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;
use sextant::server::RunningServer;

use crate::support::{House, batch, config, copied, database, table};

#[tokio::test(flavor = "multi_thread")]
async fn what_was_known_is_known_after_a_restart() {
    let house = House::with_metastore(&[database("db"), table("db", "a"), table("db", "b")]).await;
    house.import("lineage.log", &copied("db.a", "db.b", 1_790_000_000, "joe")).await;
    let before = house.answer("/api/v1/lineage/db.b").await;
    let house = house.restarted().await;
    assert_eq!(house.answer("/api/v1/lineage/db.b").await, before);
    assert_eq!(house.answer("/api/v1/search?query=queryText:*folded*").await["total"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_index_is_filled_again() {
    let house = House::with_metastore(&[database("db"), table("db", "a")]).await;
    house.import("lineage.log", &copied("db.a", "db.b", 1_790_000_000, "joe")).await;
    let House { running, directory } = house;
    running.stop().await;
    std::fs::remove_dir_all(directory.path().join("data/index")).unwrap();
    let running = RunningServer::start(&config(directory.path())).await.unwrap();
    let house = House { running, directory };
    assert_eq!(house.answer("/api/v1/intake?wait=true").await["done"], true);
    assert_eq!(house.answer("/api/v1/search?query=type:table").await["total"], 1);
    assert_eq!(house.answer("/api/v1/search?query=type:operation").await["total"], 1);
    let rebuilt = house.post("/api/v1/index/rebuild", Vec::new()).await.1;
    assert_eq!(rebuilt["documents"], 6, "a database, a table, two columns, a text and a run");
    assert_eq!(house.answer("/api/v1/search?query=type:table").await["total"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_server_takes_again_what_came_after_the_backup() {
    let lines: Vec<String> = (0..3).map(|number| copied("db.a", "db.b", 1_790_000_000 + number, "joe")).collect();
    let whole = lines.concat();
    let (first, second) = (lines[0].len(), lines[0].len() + lines[1].len());
    let house = House::with_metastore(&[]).await;
    house.deliver(batch("hive", 0, lines[0].as_bytes(), &json!({}))).await;
    house.settled().await;
    let House { running, directory } = house;
    running.stop().await;
    for database in ["facts.db", "inbox.db"] {
        let data = directory.path().join("data");
        std::fs::copy(data.join(database), directory.path().join(database)).unwrap();
    }
    let running = RunningServer::start(&config(directory.path())).await.unwrap();
    let house = House { running, directory };
    house.deliver(batch("hive", first, lines[1].as_bytes(), &json!({}))).await;
    house.deliver(batch("hive", second, lines[2].as_bytes(), &json!({}))).await;
    house.settled().await;

    let House { running, directory } = house;
    running.stop().await;
    for database in ["facts.db", "inbox.db"] {
        let data = directory.path().join("data");
        std::fs::copy(directory.path().join(database), data.join(database)).unwrap();
    }
    let running = RunningServer::start(&config(directory.path())).await.unwrap();
    let house = House { running, directory };
    // What an agent does: it goes on, is told where to go back to, and goes there.
    let ahead = house.deliver(batch("hive", second, lines[2].as_bytes(), &json!({}))).await;
    assert_eq!(ahead, (409, json!({"offset": first})));
    let again = house.deliver(batch("hive", first, &whole.as_bytes()[first..], &json!({}))).await;
    assert_eq!(again, (200, json!({"offset": whole.len()})));
    house.settled().await;
    assert_eq!(house.answer("/api/v1/status").await["counts"]["executions"], 3);
    assert_eq!(house.answer("/api/v1/search?query=type:operation_execution").await["total"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_directory_and_an_address_belong_to_one_server() {
    let house = House::with_metastore(&[]).await;
    let mut second = config(house.directory.path());
    let refused = RunningServer::start(&second).await.err().expect("the directory is in use").to_string();
    assert!(refused.contains("in use by another sextant server"), "{refused}");
    second.server.data_dir = house.directory.path().join("other");
    second.server.listen = house.running.address();
    let refused = RunningServer::start(&second).await.err().expect("the address is taken").to_string();
    assert!(refused.contains("the address is taken"), "{refused}");
}

#[test]
fn a_signal_ends_the_program_and_the_address_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_sextant"))
        .args(["server", "--listen", "127.0.0.1:0", "--data"])
        .arg(directory.path())
        .env("NO_COLOR", "1")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let listening = lines.by_ref().map_while(Result::ok).find(|line| line.contains("listening on http://127.0.0.1:"));
    let listening = listening.expect("the address is logged");
    let told = std::fs::read_to_string(directory.path().join("address")).unwrap();
    assert!(listening.contains(told.trim()), "{listening}: {told}");
    assert!(Command::new("kill").arg(server.id().to_string()).status().unwrap().success());
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(rest.iter().any(|line| line.ends_with("down")), "{rest:?}");
    assert!(server.wait().unwrap().success());
    assert!(!directory.path().join("address").exists());
}
