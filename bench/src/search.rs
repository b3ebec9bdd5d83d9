//! Substrings and words over a million statement texts, beside SQLite on the same texts.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use sextant_model::{EntityId, Timestamp, Viewer};
use sextant_search::{Document, Index, Options, Value, parse};

use crate::report::{Report, disk_bytes, percentiles};

const TEXTS: u64 = 1_000_000;
const REPEATS: usize = 20;

/// What is searched, by how much of the texts it is in.
const CLASSES: [(&str, &[&str]); 4] = [
    ("selective substring (about 1,000 texts)", &["temp_stage_0117", "temp_stage_0500", "temp_stage_0999"]),
    ("frequent substring (about half of the texts)", &["customer", "supplier"]),
    ("substring across words (about 2,000 texts)", &["join dim_042 d", "join dim_311 d"]),
    ("absent substring", &["nowhere_to_be_seen"]),
];

/// Indexes the texts three ways and asks all three the same.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let index_folder = folder.path().join("index");
    let index = Index::open(&index_folder)?.index;
    let begin = Instant::now();
    for first in (0..TEXTS).step_by(20_000) {
        let documents: Vec<Document> = (first..first + 20_000).map(document).collect();
        index.update(&documents, &[])?;
    }
    index.commit(TEXTS)?;
    report.row(
        format!("index {TEXTS} texts of {} bytes", text(1).len()),
        format!("{:.0} s, {} MiB on disk", begin.elapsed().as_secs_f64(), disk_bytes(&index_folder) >> 20),
    );
    let sqlite = fill_sqlite(folder.path(), report)?;

    for (class, needles) in CLASSES {
        let queries: Vec<String> = needles.iter().map(|needle| format!("queryText:*{}*", escaped(needle))).collect();
        measure_index(&index, class, &queries, report)?;
        measure_sqlite(&sqlite, class, needles, report)?;
    }
    let more = [
        ("leading wildcard, one word", "queryText:*_stage_0117"),
        ("frequent word", "queryText:customer_id"),
        ("everything", "type:operation"),
    ];
    for (class, query) in more {
        measure_index(&index, class, &[query.to_owned()], report)?;
    }
    Ok(())
}

fn measure_index(index: &Index, class: &str, queries: &[String], report: &mut Report) -> Result<()> {
    let options = Options { limit: 20, ..Options::default() };
    let mut milliseconds = Vec::new();
    let mut total = String::new();
    for _ in 0..REPEATS {
        for query in queries {
            let begin = Instant::now();
            let parsed =
                parse(query, Timestamp::from_seconds(1_796_000_000)).map_err(|error| anyhow::anyhow!("{error}"))?;
            let found = index.search(&Viewer::all(), &parsed, &options)?;
            milliseconds.push(begin.elapsed().as_secs_f64() * 1000.0);
            total = format!("{}{}", if found.total_is_exact { "" } else { "about " }, found.total);
        }
    }
    let (median, slow) = percentiles(&mut milliseconds);
    report.row(format!("{class}: sextant"), format!("p50 {median:.2} ms, p95 {slow:.2} ms ({total} found)"));
    Ok(())
}

fn fill_sqlite(folder: &std::path::Path, report: &mut Report) -> Result<Connection> {
    let path = folder.join("peer.db");
    let connection = Connection::open(&path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA mmap_size = 8589934592; PRAGMA cache_size = -1000000;
         CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
         CREATE VIRTUAL TABLE trigrams USING fts5 (text, content = 'texts', content_rowid = 'id', tokenize = 'trigram');",
    )?;
    let begin = Instant::now();
    connection.execute_batch("BEGIN")?;
    {
        let mut insert = connection.prepare("INSERT INTO texts VALUES (?1, ?2)")?;
        for number in 0..TEXTS {
            insert.execute((number as i64, text(number)))?;
        }
    }
    connection.execute_batch("COMMIT; INSERT INTO trigrams (trigrams) VALUES ('rebuild');")?;
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    report.row(
        "SQLite table and FTS5 trigram index of the same texts",
        format!("{:.0} s, {} MiB on disk", begin.elapsed().as_secs_f64(), std::fs::metadata(&path)?.len() >> 20),
    );
    Ok(connection)
}

fn measure_sqlite(connection: &Connection, class: &str, needles: &[&str], report: &mut Report) -> Result<()> {
    let methods = [
        (
            "SQLite LIKE",
            "SELECT count(*) FROM texts WHERE text LIKE ?1 ESCAPE '\\'",
            "SELECT id FROM texts WHERE text LIKE ?1 ESCAPE '\\' LIMIT 20",
            3,
        ),
        (
            "SQLite FTS5",
            "SELECT count(*) FROM trigrams WHERE trigrams MATCH ?1",
            "SELECT rowid FROM trigrams WHERE trigrams MATCH ?1 LIMIT 20",
            REPEATS,
        ),
    ];
    for (method, count, page, repeats) in methods {
        let mut milliseconds = Vec::new();
        let mut total = 0_i64;
        for _ in 0..repeats {
            for needle in needles {
                let pattern = if method.ends_with("LIKE") {
                    format!("%{}%", needle.replace('_', "\\_"))
                } else {
                    format!("\"{needle}\"")
                };
                let begin = Instant::now();
                total = connection.query_row(count, [&pattern], |row| row.get(0)).context("the count")?;
                let rows = connection
                    .prepare_cached(page)?
                    .query_map([&pattern], |row| row.get::<_, i64>(0))?
                    .collect::<Result<Vec<i64>, _>>()?;
                milliseconds.push(begin.elapsed().as_secs_f64() * 1000.0);
                ensure!(rows.len() as i64 == total.min(20), "a page of {} of {total}", rows.len());
            }
        }
        let (median, slow) = percentiles(&mut milliseconds);
        report.row(format!("{class}: {method}"), format!("p50 {median:.1} ms, p95 {slow:.1} ms ({total} found)"));
    }
    Ok(())
}

fn document(number: u64) -> Document {
    let key = EntityId::derive("text", &[&number.to_le_bytes()]);
    let word = |text: &str| Value::Text(text.to_owned());
    Document {
        key,
        entity: key,
        fields: vec![
            ("type", word("OPERATION")),
            ("sourceType", word("IMPALA")),
            ("cluster", word("default")),
            ("queryText", Value::Text(text(number))),
        ],
    }
}

/// A statement of about 340 bytes.
fn text(number: u64) -> String {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let pick = |shift: u32, among: u64| (mixed >> shift) % among;
    let filter = if pick(7, 2) == 0 { "customer_id > 17" } else { "supplier_id > 17" };
    format!(
        "insert overwrite table mart.report_{:05} partition (ds='2026-{:02}-{:02}') select s.col_{:03}, d.col_{:03}, \
         sum(s.amount_{:02}) as total, count(distinct s.key_{:03}) from stage.temp_stage_{:04} s join dim_{:03} d on s.k = d.k \
         left join raw.events_{:04} e on e.k = s.k where {filter} and s.status in ('A', 'B', '{:x}') group by s.col_{:03}, d.col_{:03}",
        pick(9, 50_000),
        1 + pick(11, 12),
        1 + pick(13, 28),
        pick(15, 400),
        pick(17, 400),
        pick(19, 40),
        pick(21, 300),
        pick(23, 1_000),
        pick(25, 500),
        pick(27, 5_000),
        pick(29, 1 << 20),
        pick(15, 400),
        pick(17, 400),
    )
}

fn escaped(needle: &str) -> String {
    needle.replace(' ', "\\ ").replace('.', "\\.")
}
