//! Every public Hive and Impala record, taken in through the real server, equals what a second
//! program reads in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use sextant_tests::{Api, Server, corpora, independent_reading};

/// Per statement text: what flowed between tables and columns.
type Flows = BTreeMap<String, BTreeSet<(String, String, String)>>;

#[tokio::test(flavor = "multi_thread")]
async fn hive_records() -> Result<()> {
    compare("hive").await
}

#[tokio::test(flavor = "multi_thread")]
async fn impala_records() -> Result<()> {
    compare("impala").await
}

async fn compare(format: &str) -> Result<()> {
    let Some(corpora) = corpora(&format!("the comparison of {format} records")) else {
        return Ok(());
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(corpora.join(format))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !name.starts_with("posthook-") {
            files.push(path);
        }
    }
    files.sort();
    // Each file on a server of its own: the same statement means other columns in other versions.
    for file in &files {
        let readings = independent_reading(&[file])?;
        ensure!(!readings.is_empty(), "{}: no record", file.display());
        let server = Server::start("").await?;
        server
            .cli(&["import", &file.to_string_lossy(), "--format", format])?
            .success()?;

        let quarantine = server.api().get("/api/v1/quarantine", &[]).await?;
        ensure!(
            quarantine["results"].as_array().is_some_and(Vec::is_empty),
            "{}: {quarantine:#}",
            file.display()
        );

        let mut expected_tables = Flows::new();
        let mut expected_columns = Flows::new();
        let mut unknown = BTreeSet::new();
        for reading in readings {
            if !reading.known {
                unknown.insert(reading.query_text.clone());
            }
            expected_tables
                .entry(reading.query_text.clone())
                .or_default()
                .extend(reading.tables);
            expected_columns
                .entry(reading.query_text)
                .or_default()
                .extend(reading.columns);
        }
        let (tables, columns) = told(&server.api(), &unknown).await?;
        assert_eq!(tables, expected_tables, "tables of {}", file.display());
        assert_eq!(columns, expected_columns, "columns of {}", file.display());
    }
    Ok(())
}

/// What the API tells of every operation.
async fn told(api: &Api, unknown: &BTreeSet<String>) -> Result<(Flows, Flows)> {
    let (mut tables, mut columns) = (Flows::new(), Flows::new());
    let mut cursor = String::new();
    loop {
        let page = api
            .get(
                "/api/v1/search",
                &[
                    ("query", "type:operation"),
                    ("limit", "100"),
                    ("cursor", &cursor),
                ],
            )
            .await?;
        for operation in page["results"].as_array().context("results")? {
            let id = operation["id"].as_str().context("an id")?;
            let flows = api
                .get(&format!("/api/v1/operations/{id}/flows"), &[])
                .await?;
            let texts: Vec<&str> = flows["texts"]
                .as_array()
                .context("texts")?
                .iter()
                .filter_map(Value::as_str)
                .collect();
            for text in texts {
                ensure!(
                    flows["lineageKnown"] == !unknown.contains(text)
                        || flows["lineageKnown"] == true,
                    "{text}: lineage should be known"
                );
                tables
                    .entry(text.to_owned())
                    .or_default()
                    .extend(edges(&flows["tables"])?);
                columns
                    .entry(text.to_owned())
                    .or_default()
                    .extend(edges(&flows["columns"])?);
            }
        }
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return Ok((tables, columns)),
        }
    }
}

fn edges(list: &Value) -> Result<BTreeSet<(String, String, String)>> {
    let mut edges = BTreeSet::new();
    for edge in list.as_array().context("a list of edges")? {
        let part = |key: &str| {
            edge[key]
                .as_str()
                .map(str::to_owned)
                .with_context(|| format!("{key} in {edge}"))
        };
        edges.insert((part("source")?, part("target")?, part("type")?));
    }
    Ok(edges)
}
