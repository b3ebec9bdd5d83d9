//! Any text has an answer, of bounded depth and size.

use std::fmt::Write;

use proptest::prelude::*;
use sextant_sql::{Dialect, MemoryCatalog, ProblemKind, Reader, Statement, Table, Views};

fn read(text: &str) -> Vec<Statement> {
    let mut catalog = MemoryCatalog::default();
    catalog.insert("default", "t", Table::of_columns(["a", "b"]));
    Reader::new(Dialect::Hive, Views::Through, Some(&catalog)).read(text)
}

fn is_parsed(statement: &Statement) -> bool {
    !statement.problems.iter().any(|problem| problem.kind == ProblemKind::NotParsed)
}

#[test]
fn deep_brackets_are_refused_in_words() {
    for text in [
        format!("select {}a{} from t", "(".repeat(500), ")".repeat(500)),
        format!("select a from {}t{}", "(".repeat(500), ")".repeat(500)),
        format!("{}select a from t{}", "(".repeat(500), ")".repeat(500)),
        format!("select {}a from t", "(".repeat(100_000)),
        format!("select {}a", "case when ".repeat(50_000)),
        format!("select {} a from t", "not ".repeat(100_000)),
        format!("select {}1", "- ".repeat(100_000)),
        "(".repeat(1_000_000),
        format!("select {}a in (1{}){} from t", "(".repeat(190), ", 1".repeat(200_000), ")".repeat(190)),
        format!("select {}", "interval ".repeat(50_000)),
    ] {
        let statement = read(&text).remove(0);
        assert!(!is_parsed(&statement), "{}", &text[..40]);
    }
}

#[test]
fn brackets_that_are_not_too_deep_are_read() {
    for text in [
        format!("select {}a{} from t", "(".repeat(150), ")".repeat(150)),
        format!("select a from {}t{}", "(".repeat(150), ")".repeat(150)),
        format!("{}select a from t{}", "(".repeat(150), ")".repeat(150)),
        format!("{}select a from t{}", "select a from (".repeat(90), ") q".repeat(90)),
        format!("select {}a{} from t", "f(".repeat(150), ")".repeat(150)),
    ] {
        let statement = read(&text).remove(0);
        assert!(is_parsed(&statement), "{}: {:?}", &text[..40], statement.problems);
        assert_eq!(statement.columns[0].sources.len(), 1);
    }
}

#[test]
fn long_chains_are_read() {
    let terms = vec!["a = 1"; 10_000].join(" or ");
    let statement = read(&format!("select a from t where {terms}")).remove(0);
    assert_eq!(statement.problems.len(), 0);
    let union = vec!["select a from t"; 1_000].join(" union all ");
    let statement = read(&union).remove(0);
    assert_eq!(statement.problems.len(), 0);
    assert_eq!(statement.columns[0].sources.len(), 1);
    let endless = vec!["a = 1"; 100_000].join(" or ");
    assert!(!is_parsed(&read(&format!("select a from t where {endless}"))[0]));
}

#[test]
fn a_large_statement_is_read() {
    let row = "(1, 'a value that is somewhat longer than the others')";
    let text = format!("insert into t values {}", vec![row; 5_000_000 / row.len()].join(","));
    let statement = read(&text).remove(0);
    assert_eq!(statement.problems.len(), 0);
    assert_eq!(statement.columns.len(), 2);
}

#[test]
fn sources_that_multiply_are_bounded() {
    let wide: Vec<String> = (0..2_000).map(|index| format!("c{index}")).collect();
    let mut catalog = MemoryCatalog::default();
    catalog.insert("default", "w", Table::of_columns(wide.clone()));
    let sum = wide.join(" + ");
    let text = format!("with s as (select {sum} x from w) select {} from s", vec!["x"; 5_000].join(", "));
    let statement = Reader::new(Dialect::Hive, Views::Through, Some(&catalog)).read(&text).remove(0);
    assert!(statement.problems.iter().any(|problem| problem.kind == ProblemKind::TooLarge));
}

#[test]
fn queries_that_double_are_worked_out_once() {
    let mut text = "with q0 as (select a from t)".to_owned();
    for index in 1..60 {
        let before = index - 1;
        write!(text, ", q{index} as (select x.a + y.a a from q{before} x join q{before} y)").unwrap();
    }
    let statement = read(&(text + " select a from q59")).remove(0);
    assert_eq!(statement.problems.len(), 0);
    assert_eq!(statement.columns[0].sources.len(), 1);
}

const STATEMENTS: [&str; 10] = [
    "with q as (select a, b from t) insert overwrite table u partition (ds='1', hr) select a, sum(b) over (partition by a) from q where a in (1, 2)",
    "from t lateral view explode(b) x as y insert into u select a where y > 1 insert overwrite directory '/x' select y",
    "select transform (a, b) using 'cat' as (k string, v array<int>) from t cluster by k",
    "merge into t using u s on t.a = s.a when matched and s.b = 1 then update set b = s.c when not matched then insert values (s.a, 1)",
    "create table n stored as orc as select a, cast(b as struct<x:int>) from t union all select 1, interval 3 days",
    "update t set a = b + 1 from t x join u on x.a = u.a where x.b between 1 and 2",
    "create view v (k comment 'x') as select * from noop(on t partition by a order by b)",
    "alter table t exchange partition (ds='1') with table u; load data inpath '/x' into table t",
    "select `a`.b[0].c, ${hiveconf:x}, 'it\\'s', \"s\" from db.t a, a.items i for system_time as of now() order by 1 limit 3",
    "delete x from t x join u on x.a = u.a where exists (select 1 from w where w.a = x.a)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_has_an_answer(text in "\\PC{0,200}") {
        read(&text);
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    /// Words taken out, doubled and put elsewhere.
    #[test]
    fn statements_that_are_broken_have_an_answer(
        statement in 0..STATEMENTS.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5), 1..8),
    ) {
        let spaced = STATEMENTS[statement].replace('(', " ( ").replace(')', " ) ").replace(',', " , ").replace('.', " . ");
        let mut words: Vec<&str> = spaced.split(' ').filter(|word| !word.is_empty()).collect();
        for (from, to, change) in changes {
            if words.is_empty() {
                break;
            }
            let (from, to) = (from.index(words.len()), to.index(words.len()));
            match change {
                0 => { words.remove(from); }
                1 => words.insert(to, words[from]),
                2 => words.swap(from, to),
                3 => words.truncate(to),
                _ => words.insert(to, ["(", ")", ",", "select", "from", "as", "'", "${", "[", "<", ".", "with", "insert into"][from % 13]),
            }
        }
        for statement in read(&words.join(" ")) {
            // What is written is of a table that is an output.
            for column in &statement.columns {
                prop_assert!(column.target.table.is_empty() || statement.outputs.contains(&*column.target.table));
            }
        }
    }
}
