//! Impala's lineage records, of its planner's and its query tests.
//!
//! A record has no schemas: the columns of a table are those that all records name, and of the
//! views of Impala's test data their queries. What a record says of a nested collection is compared
//! by the column that it is in. A target's name is a label, and equal labels are one vertex, so that
//! columns are compared by their sources.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;
use sextant_sql::{Catalog, Dialect, ProblemKind, Reader, Statement, Table, View, Views};

use crate::score::{Score, half};

/// The views that the records read, as Impala's `functional_schema_template.sql` has them.
const VIEWS: [(&str, &str); 4] = [
    ("alltypes_view", "select * from functional.alltypes"),
    ("alltypes_view_sub", "select int_col, string_col, timestamp_col from functional.alltypes"),
    (
        "complex_view",
        "select complex_view_1.* from (select count(a.bigint_col) abc, b.string_col xyz from functional.alltypesagg a \
         inner join functional.alltypestiny b on a.id = b.id where a.bigint_col < 50 group by b.string_col having \
         count(a.bigint_col) > 1 order by b.string_col limit 100) complex_view_1",
    ),
    ("view_view", "select * from functional.alltypes_view"),
];

struct Seen(HashMap<String, Vec<String>>);

impl Catalog for Seen {
    fn table(&self, database: &str, table: &str) -> Option<Table> {
        if let Some((_, text)) = VIEWS.iter().find(|(name, _)| database == "functional" && *name == table) {
            let view = View { text: (*text).to_owned(), database: database.to_owned() };
            return Some(Table { view: Some(view), ..Table::default() });
        }
        self.0.get(&format!("{database}.{table}")).map(|columns| Table::of_columns(columns.clone()))
    }
}

type Source = (String, String);

/// `db.table.column[.nested…]` as table and column.
fn source(vertex: &str) -> Option<Source> {
    let parts: Vec<&str> = vertex.split('.').collect();
    (parts.len() >= 3).then(|| (format!("{}.{}", parts[0], parts[1]), parts[2].to_lowercase()))
}

fn list<'v>(record: &'v Value, key: &str) -> Vec<std::borrow::Cow<'v, Value>> {
    use std::borrow::Cow;
    let parse = |value: &'v Value| match value.as_str() {
        // Builds of 2015 wrote each as a string.
        Some(text) => Cow::Owned(serde_json::from_str(text).unwrap()),
        None => Cow::Borrowed(value),
    };
    record[key].as_array().into_iter().flatten().map(parse).collect()
}

/// For each target that the record has, what it is made of.
fn projections(record: &Value) -> Vec<BTreeSet<Source>> {
    let vertices: BTreeMap<u64, String> = list(record, "vertices")
        .iter()
        .map(|vertex| (vertex["id"].as_u64().unwrap(), vertex["vertexId"].as_str().unwrap().to_owned()))
        .collect();
    let mut projections = Vec::new();
    for edge in list(record, "edges") {
        if edge["edgeType"] == "PROJECTION" {
            let ids = edge["sources"].as_array().unwrap().iter().filter_map(Value::as_u64);
            let sources = ids.filter_map(|id| source(&vertices[&id])).collect();
            projections.extend(edge["targets"].as_array().unwrap().iter().map(|_| BTreeSet::clone(&sources)));
        }
    }
    projections
}

fn source_tables(record: &Value) -> BTreeSet<String> {
    let edges = list(record, "edges");
    let is_source = |id: &Value| edges.iter().any(|edge| edge["sources"].as_array().unwrap().contains(id));
    let vertices = list(record, "vertices");
    let sources = vertices.iter().filter(|vertex| is_source(&vertex["id"]));
    sources.filter_map(|vertex| Some(source(vertex["vertexId"].as_str()?)?.0)).collect()
}

#[test]
#[expect(clippy::print_stderr, reason = "the figures are what the test is for")]
fn impala_records() {
    let Some(files) = crate::corpus("impala") else { return crate::say_left_out() };
    let lines = files.iter().flat_map(|file| file.lines().skip(1));
    let mut records: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    records.retain(|record| !record["edges"].as_array().is_none_or(Vec::is_empty));
    let mut columns: HashMap<String, Vec<String>> = HashMap::new();
    for record in &records {
        for vertex in list(record, "vertices") {
            if let Some((table, column)) = source(vertex["vertexId"].as_str().unwrap()) {
                let known = columns.entry(table).or_default();
                if !known.contains(&column) {
                    known.push(column);
                }
            }
        }
    }
    let catalog = Seen(columns);
    let explain = std::env::var("EXPLAIN_HALF").is_ok();
    let mut scores = [Score::default(); 2];
    let mut seen = BTreeSet::new();
    for record in &records {
        let text = record["queryText"].as_str().unwrap();
        if !seen.insert(text) {
            continue;
        }
        let mut reader = Reader::new(Dialect::Impala, Views::Through, Some(&catalog));
        reader.use_database(if text.contains("functional.") { "default" } else { "functional" });
        let statement = reader.read(text).remove(0);
        let score = &mut scores[half(text)];
        let right = compare(record, &statement, score);
        if explain && half(text) == 0 && !right {
            eprintln!("--IMPALA\n{text}\n  impala: {:?}\n  ours: {statement:?}", projections(record));
        }
    }
    eprintln!("impala, half looked at:  {}", scores[0]);
    eprintln!("impala, half held out:   {}", scores[1]);
    for score in scores {
        assert!(score.statements > 30, "{score}");
        assert!(score.parse_rate() >= 100.0 && score.table_rate() >= 100.0 && score.column_rate() >= 89.6, "{score}");
    }
}

fn compare(record: &Value, statement: &Statement, score: &mut Score) -> bool {
    score.statements += 1;
    let parsed = !statement.problems.iter().any(|problem| problem.kind == ProblemKind::NotParsed);
    score.parsed += usize::from(parsed);
    score.tables += 1;
    let tables_right = source_tables(record).is_subset(&statement.inputs);
    score.tables_right += usize::from(tables_right);
    let mut left: Vec<BTreeSet<Source>> = statement
        .columns
        .iter()
        .map(|column| {
            column.sources.iter().map(|source| (source.table.to_string(), source.column.to_string())).collect()
        })
        .collect();
    let mut all_right = parsed && tables_right;
    // What is made of nothing is not told apart from what is not written.
    for sources in projections(record).into_iter().filter(|sources| !sources.is_empty()) {
        score.columns += 1;
        match left.iter().position(|found| *found == sources) {
            Some(position) => {
                left.swap_remove(position);
                score.columns_right += 1;
            }
            None => all_right = false,
        }
    }
    all_right
}
