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
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
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
        server.cli(&["import", &file.to_string_lossy(), "--format", format])?.success()?;

        let quarantine = server.api().get("/api/v1/quarantine", &[]).await?;
        ensure!(quarantine["results"].as_array().is_some_and(Vec::is_empty), "{}: {quarantine:#}", file.display());

        let mut expected_tables = Flows::new();
        let mut expected_columns = Flows::new();
        let mut unknown = BTreeSet::new();
        for reading in readings {
            if !reading.known {
                unknown.insert(reading.query_text.clone());
            }
            expected_tables.entry(reading.query_text.clone()).or_default().extend(reading.tables);
            expected_columns.entry(reading.query_text).or_default().extend(reading.columns);
        }
        let (tables, columns) = told(&server.api(), &unknown).await?;
        assert_eq!(tables, expected_tables, "tables of {}", file.display());
        assert_eq!(columns, expected_columns, "columns of {}", file.display());
    }
    Ok(())
}

/// What the API tells of every operation, for each of its texts: the runs of one operation share
/// their flows.
async fn told(api: &Api, unknown: &BTreeSet<String>) -> Result<(Flows, Flows)> {
    let (mut tables, mut columns) = (Flows::new(), Flows::new());
    let mut cursor = String::new();
    loop {
        let page = api.search_page("type:operation", &cursor).await?;
        for operation in page["results"].as_array().context("results")? {
            let id = operation["id"].as_str().context("an id")?;
            let whole = api.get(&format!("/api/v1/entities/{id}"), &[]).await?;
            let flows = api.get(&format!("/api/v1/operations/{id}/flows"), &[]).await?;
            for text in whole["queryTexts"].as_array().context("queryTexts")? {
                let text = text["text"].as_str().context("a text")?;
                ensure!(flows["lineageKnown"] == true || unknown.contains(text), "{text}: its lineage should be known");
                for variant in flows["variants"].as_array().context("variants")? {
                    for edge in variant["edges"].as_array().context("edges")? {
                        add_pairs(
                            edge,
                            tables.entry(text.to_owned()).or_default(),
                            columns.entry(text.to_owned()).or_default(),
                        )?;
                    }
                }
                tables.entry(text.to_owned()).or_default();
                columns.entry(text.to_owned()).or_default();
            }
        }
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return Ok((tables, columns)),
        }
    }
}

type Pairs = BTreeSet<(String, String, String)>;

/// Every source of an edge flows into every target; what no table keeps is left out.
fn add_pairs(edge: &Value, tables: &mut Pairs, columns: &mut Pairs) -> Result<()> {
    let kind = edge["type"].as_str().context("a type")?;
    let ends = |key: &str| -> Result<Vec<(String, Option<String>)>> {
        let mut ends = Vec::new();
        for end in edge[key].as_array().with_context(|| key.to_owned())? {
            if let Some(table) = end["table"].as_str() {
                ends.push((table.to_owned(), end["column"].as_str().map(|column| format!("{table}.{column}"))));
            }
        }
        Ok(ends)
    };
    for (source_table, source_column) in ends("sources")? {
        for (target_table, target_column) in ends("targets")? {
            tables.insert((source_table.clone(), target_table, kind.to_owned()));
            if let (Some(source), Some(target)) = (&source_column, target_column) {
                columns.insert((source.clone(), target, kind.to_owned()));
            }
        }
    }
    Ok(())
}
