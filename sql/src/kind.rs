//! The kind of a statement, from its leading words.

use crate::shape::normalise;
use crate::tokens::{Scanner, Token};

/// The kind of a statement in Hive's words (`QUERY`, `CREATETABLE_AS_SELECT`, ...), or nothing for
/// one that Hive has no single word for, or that does not begin like a statement.
///
/// Everything that reads and writes rows is a `QUERY`, as Hive has it: `SELECT`, `INSERT`,
/// `UPDATE`, `DELETE`, `MERGE`, and Impala's `UPSERT`.
pub fn statement_kind(text: &str) -> Option<&'static str> {
    let words = leading_words(text);
    let word = |position: usize| words.get(position).map_or("", String::as_str);
    let kind = match (word(0), word(1)) {
        (
            "select" | "from" | "with" | "values" | "insert" | "upsert" | "update" | "delete" | "merge" | "map"
            | "reduce",
            _,
        ) => "QUERY",
        ("create", _) => return created_kind(text, &words[1..]),
        ("alter", "view") if creates_from_query(&normalise(text)) => "ALTERVIEW_AS",
        ("drop", "table") => "DROPTABLE",
        ("drop", "view") => "DROPVIEW",
        ("drop", "materialized") => "DROP_MATERIALIZED_VIEW",
        ("drop", "database" | "schema") => "DROPDATABASE",
        ("truncate", _) => "TRUNCATETABLE",
        ("load", "data") => "LOAD",
        ("export", _) => "EXPORT",
        ("import", _) => "IMPORT",
        ("explain", _) => "EXPLAIN",
        ("use", _) => "SWITCHDATABASE",
        ("msck", _) => "MSCK",
        ("analyze", "table") => "ANALYZE_TABLE",
        ("describe" | "desc", "database" | "schema") => "DESCDATABASE",
        ("describe" | "desc", "function") => "DESCFUNCTION",
        ("describe" | "desc", _) => "DESCTABLE",
        _ => return None,
    };
    Some(kind)
}

fn created_kind(text: &str, words: &[String]) -> Option<&'static str> {
    let object = words.iter().map(String::as_str).find(|word| {
        !matches!(*word, "or" | "replace" | "temporary" | "external" | "transactional" | "managed" | "global")
    })?;
    match object {
        "table" if creates_from_query(&normalise(text)) => Some("CREATETABLE_AS_SELECT"),
        "table" => Some("CREATETABLE"),
        "view" => Some("CREATEVIEW"),
        "materialized" => Some("CREATE_MATERIALIZED_VIEW"),
        "database" | "schema" => Some("CREATEDATABASE"),
        "function" | "aggregate" | "macro" => Some("CREATEFUNCTION"),
        _ => None,
    }
}

/// The first words in lower case, without the brackets and comments in front of and between them.
fn leading_words(text: &str) -> Vec<String> {
    let mut scanner = Scanner::new(text);
    let mut words = Vec::new();
    while words.len() < 6 {
        match scanner.next_token() {
            Some(Token::Word(word)) => words.push(word.to_lowercase()),
            Some(Token::Symbol("(" | ";")) if words.is_empty() => {}
            _ => break,
        }
    }
    words
}

/// Whether an `as` outside of brackets is followed by a query (`stored as orc` is none).
fn creates_from_query(shape: &str) -> bool {
    let mut scanner = Scanner::new(shape);
    let mut depth = 0_u32;
    let mut after_as = false;
    while let Some(token) = scanner.next_token() {
        let begins_query =
            matches!(token, Token::Word("select" | "with" | "from" | "values" | "map" | "reduce") | Token::Symbol("("));
        if after_as && begins_query {
            return true;
        }
        after_as = depth == 0 && token == Token::Word("as");
        match token {
            Token::Symbol("(") => depth += 1,
            Token::Symbol(")") => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn kinds_are_named_as_hive_names_them() {
        for (text, kind) in [
            ("SELECT 1", Some("QUERY")),
            ("/* x */ -- y\n (select 1)", Some("QUERY")),
            ("from t insert into a select *", Some("QUERY")),
            ("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", Some("QUERY")),
            ("upsert into t values (1)", Some("QUERY")),
            ("CREATE TABLE t (a int) STORED AS ORC", Some("CREATETABLE")),
            ("create external table if not exists t like u", Some("CREATETABLE")),
            ("create temporary table t stored as orc AS SELECT 1", Some("CREATETABLE_AS_SELECT")),
            ("create table t primary key (a) stored as kudu as (select 1 a)", Some("CREATETABLE_AS_SELECT")),
            ("create table t as with x as (select 1) select * from x", Some("CREATETABLE_AS_SELECT")),
            ("create table t comment 'as select' (a int)", Some("CREATETABLE")),
            ("create or replace view v as select 1", Some("CREATEVIEW")),
            ("create materialized view v as select 1", Some("CREATE_MATERIALIZED_VIEW")),
            ("alter view v as select 1", Some("ALTERVIEW_AS")),
            ("alter view v rename to w", None),
            ("drop table t", Some("DROPTABLE")),
            ("load data inpath '/x' into table t", Some("LOAD")),
            ("", None),
            ("'x", None),
        ] {
            assert_eq!(statement_kind(text), kind, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_looked_at(text in "(create|alter|drop|describe)? ?(table|view)?.{0,40}") {
            let kind = statement_kind(&text);
            prop_assert!(kind.is_none_or(|kind| kind.chars().all(|c| c.is_ascii_uppercase() || c == '_')));
        }
    }
}
