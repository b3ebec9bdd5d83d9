//! A server of its own for every test.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use sextant::config::{Config, Flags, load};
use sextant::server::RunningServer;
use sextant_extractors::push::{Format, Formats};
use tempfile::TempDir;

/// A running server with one extractor, `hive`, that reads a recorded metastore.
pub(crate) struct House {
    pub(crate) running: RunningServer,
    pub(crate) directory: TempDir,
}

impl House {
    /// Starts a server whose metastore shows `objects`, and waits until they are searchable.
    pub(crate) async fn with_metastore(objects: &[Value]) -> Self {
        Self::with_more(objects, "").await
    }

    /// The same with more in the configuration.
    pub(crate) async fn with_more(objects: &[Value], configured: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        write_metastore(directory.path(), objects);
        let running = RunningServer::start(&config_with(directory.path(), configured)).await.unwrap();
        let house = Self { running, directory };
        house.extract().await;
        house
    }

    /// A server that reads no other formats than these. `configured` are keys of `[server]`.
    pub(crate) async fn reading(formats: &[Format], configured: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        write_metastore(directory.path(), &[]);
        let config = config_of(directory.path(), configured, "");
        let running = RunningServer::start_reading(&config, Formats::only(formats)).await.unwrap();
        Self { running, directory }
    }

    /// Goes down and starts again with the same data.
    pub(crate) async fn restarted(self) -> Self {
        let Self { running, directory } = self;
        running.stop().await;
        let running = RunningServer::start(&config(directory.path())).await.unwrap();
        Self { running, directory }
    }

    /// Delivers a batch as an agent does; the status and the answer.
    pub(crate) async fn deliver(&self, body: Vec<u8>) -> (u16, Value) {
        self.post("/api/v1/agent/batches", body).await
    }

    /// Waits until everything that has arrived is linked and searchable.
    pub(crate) async fn settled(&self) {
        assert_eq!(self.answer("/api/v1/intake?wait=true").await["done"], true);
    }

    pub(crate) async fn delete(&self, path: &str) -> (u16, Value) {
        let response = reqwest::Client::new().delete(self.url(path)).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running.address())
    }

    /// What the metastore shows from now on.
    pub(crate) fn set_metastore(&self, objects: &[Value]) {
        write_metastore(self.directory.path(), objects);
    }

    /// Runs the extractor and waits until what it saw is searchable.
    pub(crate) async fn extract(&self) -> Value {
        self.post("/api/v1/extractors/hive/run", Vec::new()).await.1
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        let response = reqwest::get(self.url(path)).await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// The answer to a request that must succeed.
    pub(crate) async fn answer(&self, path: &str) -> Value {
        let (status, answer) = self.get(path).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    pub(crate) async fn post(&self, path: &str, body: Vec<u8>) -> (u16, Value) {
        let response = reqwest::Client::new().post(self.url(path)).body(body).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    /// Runs the command line against this server.
    pub(crate) async fn sextant(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sextant"));
        command.args(arguments).env("SEXTANT_SERVER", self.url("")).env("NO_COLOR", "1");
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    /// Imports Hive records through the command line.
    pub(crate) async fn import(&self, name: &str, lines: &str) -> Output {
        let file = self.directory.path().join(name);
        std::fs::write(&file, lines).unwrap();
        let file = file.display().to_string();
        self.sextant(&["import", &file, "--format", "hive", "--cluster", "prod"]).await
    }
}

pub(crate) fn config(directory: &Path) -> Config {
    config_with(directory, "")
}

fn config_with(directory: &Path, more: &str) -> Config {
    config_of(directory, "", more)
}

/// `server` are more keys of that table, `more` is what follows on the extractor.
fn config_of(directory: &Path, server: &str, more: &str) -> Config {
    let file = directory.join("sextant.toml");
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\ndata_dir = \"{0}/data\"\n{server}\n\n[[extractor]]\nname = \
         \"hive\"\nkind = \"hms\"\ncluster = [\"prod\", \"dr\"]\nuri = \"file://{0}/metastore.jsonl\"\n{more}",
        directory.display()
    );
    std::fs::write(&file, text).unwrap();
    load(Some(&file), &|_| None, &Flags::default()).unwrap()
}

fn write_metastore(directory: &Path, objects: &[Value]) {
    let lines: Vec<String> = objects.iter().map(Value::to_string).collect();
    std::fs::write(directory.join("metastore.jsonl"), lines.join("\n")).unwrap();
}

pub(crate) fn database(name: &str) -> Value {
    json!({"name": {"database": name, "relation": null}, "entityType": "DATABASE", "sourceType": "HIVE"})
}

/// A table with the columns `id` and `v`.
pub(crate) fn table(database: &str, name: &str) -> Value {
    json!({
        "name": {"database": database, "relation": name},
        "entityType": "TABLE",
        "sourceType": "HIVE",
        "created": "2026-01-01T00:00:00Z",
        "properties": {"owner": "etl", "params": {"transactional": "true"}},
        "fields": [{"name": "id", "dataType": "bigint", "comment": "the key"}, {"name": "v", "dataType": "string"}],
    })
}

/// A Hive record: `target` is made from `source`, column by column. `at` in seconds.
pub(crate) fn copied(source: &str, target: &str, at: i64, user: &str) -> String {
    let record = json!({
        "version": "1.0",
        "user": user,
        "timestamp": at,
        "duration": 1000,
        "jobIds": ["job_1_0001"],
        "engine": "tez",
        "database": "default",
        "hash": format!("hash of {source} to {target}"),
        "queryText": format!("insert into {target} select id, v from {source} where v <> 'folded literal'"),
        "edges": [
            {"sources": [2], "targets": [0], "edgeType": "PROJECTION"},
            {"sources": [3], "targets": [1], "edgeType": "PROJECTION"},
        ],
        "vertices": [
            {"id": 0, "vertexType": "COLUMN", "vertexId": format!("{target}.id")},
            {"id": 1, "vertexType": "COLUMN", "vertexId": format!("{target}.v")},
            {"id": 2, "vertexType": "COLUMN", "vertexId": format!("{source}.id")},
            {"id": 3, "vertexType": "COLUMN", "vertexId": format!("{source}.v")},
        ],
    });
    format!("{record}\n")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A batch of `bytes` that begin at `start`.
pub(crate) fn batch(format: &str, start: usize, bytes: &[u8], more: &Value) -> Vec<u8> {
    let mut header = json!({
        "agent": "agent-1",
        "host": "node-1",
        "generation": "g1",
        "path": "/var/log/lineage.log",
        "format": format,
        "cluster": "dr",
        "start": start,
        "end": start + bytes.len(),
    });
    for (key, value) in more.as_object().unwrap() {
        header[key] = value.clone();
    }
    let mut body = format!("{header}\n").into_bytes();
    body.extend(zstd::encode_all(bytes, 1).unwrap());
    body
}
