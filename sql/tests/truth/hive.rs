//! Hive's own column lineage (`POSTHOOK: Lineage` of its tests' expected results).
//!
//! The records have no schemas: the columns of a table are those that the records of one test file
//! name. Their order is not in the records, so that the columns of an insert are compared without
//! their names: as many target columns must have the same sources. Views and tables made of queries
//! are compared by name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;
use sextant_sql::{Catalog, Dialect, ProblemKind, Reader, Table, Views};

use crate::score::{Score, half};

/// The tables of Hive's tests that many files use, from its `q_test_init.sql`.
const STANDARD: [(&str, &[&str], &[&str]); 5] = [
    ("src", &["key", "value"], &[]),
    ("src1", &["key", "value"], &[]),
    ("srcpart", &["key", "value"], &["ds", "hr"]),
    ("srcbucket", &["key", "value"], &[]),
    ("src_json", &["json"], &[]),
];

/// Columns by bare table name, as the records of one file name them.
#[derive(Default, Clone)]
struct Seen {
    tables: HashMap<String, Vec<String>>,
    own: HashMap<String, Vec<String>>,
}

impl Catalog for Seen {
    fn table(&self, _: &str, table: &str) -> Option<Table> {
        if let Some(columns) = self.own.get(table) {
            return Some(Table::of_columns(columns.clone()));
        }
        if let Some((_, columns, partitions)) = STANDARD.iter().find(|(name, ..)| *name == table) {
            let mut known = Table::of_columns(columns.iter().copied());
            known.partition_columns = partitions.iter().map(|name| (*name).to_owned()).collect();
            return Some(known);
        }
        self.tables.get(table).map(|columns| Table::of_columns(columns.clone()))
    }
}

type Sources = BTreeSet<(String, String)>;

/// Target (table, column) and sources, partitions put together.
fn truth(record: &Value) -> BTreeMap<(String, String), Sources> {
    let mut targets: BTreeMap<(String, String), Sources> = BTreeMap::new();
    for line in record["lineage"].as_array().into_iter().flatten() {
        let Some(target) = line["target"].as_str() else { continue };
        let Some((table, column)) = target.rsplit_once('.') else { continue };
        let table = table.split(" PARTITION").next().unwrap_or_default().to_lowercase();
        let sources = targets.entry((table, column.to_lowercase())).or_default();
        for source in line["sources"].as_array().into_iter().flatten() {
            let part = |index: usize| source[index].as_str().unwrap_or_default().to_lowercase();
            // Hive writes the rows of `VALUES` as a table, and what `count(*)` counts as a column
            // without a name: neither is a column.
            if !part(2).is_empty() && !part(0).starts_with("values__tmp__table") {
                sources.insert((part(0), part(2)));
            }
        }
    }
    targets
}

fn tables(record: &Value, key: &str) -> BTreeSet<String> {
    let names = record[key].as_array().into_iter().flatten().filter_map(Value::as_str);
    names
        .filter(|name| {
            !name.starts_with("_dummy") && !name.contains("://") && !name.contains("###") && name.contains('@')
        })
        .filter(|name| !name.contains("values__tmp__table"))
        .map(|name| name.split('@').take(2).collect::<Vec<_>>().join(".").to_lowercase())
        .collect()
}

/// The `USE` that was in force is not in the records: it is read off the first output, unless the
/// statement names that database itself.
fn current_database(record: &Value) -> String {
    let outputs = tables(record, "outputs");
    let database = outputs.iter().next().and_then(|table| table.split('.').next()).unwrap_or("default");
    let is_named = record["query"].as_str().unwrap_or_default().to_lowercase().contains(&format!("{database}."));
    if is_named { "default".into() } else { database.to_owned() }
}

fn bare(table: &str) -> String {
    table.rsplit('.').next().unwrap_or_default().to_owned()
}

#[test]
#[expect(clippy::print_stderr, reason = "the figures are what the test is for")]
fn hive_records() {
    let Some(files) = crate::corpus("hive") else { return crate::say_left_out() };
    let explain = std::env::var("EXPLAIN_HALF").is_ok();
    let mut scores = [Score::default(); 2];
    let mut seen_queries = BTreeSet::new();
    for file in files.iter().filter(|file| file.starts_with("posthook")) {
        let records: Vec<Value> = file.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
        for of_file in records.chunk_by(|a, b| a["file"] == b["file"]) {
            check_file(of_file, &mut scores, &mut seen_queries, explain);
        }
    }
    eprintln!("hive, half looked at:  {}", scores[0]);
    eprintln!("hive, half held out:   {}", scores[1]);
    for score in scores {
        assert!(score.statements > 1_000, "{score}");
        assert!(score.parse_rate() >= 99.7 && score.table_rate() >= 99.0 && score.column_rate() >= 96.6, "{score}");
    }
}

fn check_file(records: &[Value], scores: &mut [Score; 2], seen_queries: &mut BTreeSet<String>, explain: bool) {
    let mut seen = Seen::default();
    for record in records {
        for ((table, column), sources) in truth(record) {
            for (table, column) in sources.into_iter().chain([(table, column)]) {
                let columns = seen.tables.entry(table).or_default();
                if !columns.contains(&column) && !column.contains("__") {
                    columns.push(column);
                }
            }
        }
    }
    let mut earlier = String::new();
    for record in records {
        let query = record["query"].as_str().unwrap();
        if !matches!(record["type"].as_str(), Some("QUERY" | "CREATETABLE_AS_SELECT" | "CREATEVIEW")) {
            continue;
        }
        let truth = truth(record);
        seen.own.clear();
        for (table, column) in truth.keys() {
            seen.own.entry(table.clone()).or_default().push(column.clone());
        }
        // A table that is read, too, has more columns than are written.
        for (table, _) in truth.values().flatten() {
            seen.own.remove(table);
        }
        let catalog = seen.clone();
        let mut reader = Reader::new(Dialect::Hive, Views::Through, Some(&catalog));
        reader.use_database(&current_database(record));
        reader.read(&earlier);
        let mut statements = reader.read(query);
        if record["type"] == "CREATEVIEW" {
            earlier.push_str(query);
            earlier.push_str("\n;\n");
        }
        if !seen_queries.insert(format!("{}{query}", record["file"])) || statements.is_empty() {
            continue;
        }
        let statement = statements.remove(0);
        let score = &mut scores[half(query)];
        let looked_at = explain && half(query) == 0;
        score.statements += 1;
        let parsed = !statement.problems.iter().any(|problem| problem.kind == ProblemKind::NotParsed);
        score.parsed += usize::from(parsed);
        score.tables += 1;
        let ours = |names: &BTreeSet<String>| -> BTreeSet<String> {
            names.iter().filter(|name| !name.contains('/')).cloned().collect()
        };
        let (inputs, outputs) = (tables(record, "inputs"), tables(record, "outputs"));
        let tables_right = ours(&statement.inputs) == inputs && ours(&statement.outputs) == outputs;
        score.tables_right += usize::from(tables_right);
        if looked_at && (!parsed || !tables_right) {
            explained(
                "TABLES",
                record,
                &format!("inputs {inputs:?} outputs {outputs:?}"),
                &format!("{:?} {:?} {:?}", statement.inputs, statement.outputs, statement.problems),
            );
        }
        let mut found: BTreeMap<(String, String), Sources> = BTreeMap::new();
        for column in &statement.columns {
            let sources = column.sources.iter().map(|source| (bare(&source.table), source.column.to_string()));
            found.entry((bare(&column.target.table), column.target.column.to_string())).or_default().extend(sources);
        }
        let right = if record["type"] == "QUERY" {
            without_names(&truth, &found)
        } else {
            truth.iter().filter(|(target, sources)| found.get(target) == Some(sources)).count()
        };
        score.columns += truth.len();
        score.columns_right += right;
        if looked_at && right < truth.len() {
            explained("COLUMNS", record, &format!("{truth:?}"), &format!("{found:?} {:?}", statement.problems));
        }
    }
}

/// How many target columns have the same sources, whatever their names.
fn without_names(truth: &BTreeMap<(String, String), Sources>, found: &BTreeMap<(String, String), Sources>) -> usize {
    let mut left: Vec<(&str, &Sources)> = found.iter().map(|((table, _), sources)| (table.as_str(), sources)).collect();
    let mut right = 0;
    for ((table, _), sources) in truth {
        if let Some(position) = left.iter().position(|found| *found == (table.as_str(), sources)) {
            left.swap_remove(position);
            right += 1;
        }
    }
    right
}

#[expect(clippy::print_stderr, reason = "for who looks for faults")]
fn explained(what: &str, record: &Value, truth: &str, found: &str) {
    eprintln!("--{what} {}\n{}\n  hive: {truth}\n  ours: {found}", record["file"], record["query"].as_str().unwrap());
}
