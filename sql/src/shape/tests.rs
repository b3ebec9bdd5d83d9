use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str, shape: &str) {
    assert_eq!(normalise(text), shape);
}

#[test]
fn literals_are_folded() {
    check("SELECT a, 'x', \"y\", 1.5e3, 0xFF FROM t WHERE b = -5", "select a, ?, ?, ?, ? from t where b = - ?");
    check("select r'x' from t where d > date '2026-01-01'", "select r ? from t where d > date ?");
    check("select * from t where ok = TRUE and x is not NULL", "select * from t where ok = true and x is not null");
}

#[test]
fn layout_comments_and_case_do_not_matter() {
    check("Select  Count( * )\n\tFROM Db . T  -- all of it\nwhere a<=b;\n", "select count(*) from db.t where a <= b");
    check("select /*+ MAPJOIN(b) */ a from/* x */t;;", "select a from t");
    check("select f (x), g(y) from t(z)", "select f(x), g(y) from t(z)");
}

#[test]
fn lists_of_literals_have_one_shape() {
    check("select 1 from t where a in (1,2, 3)", "select ? from t where a in (?)");
    check("select 1 from t where a in(-1)", "select ? from t where a in (?)");
    check("where (a,b) IN ((1,'x'),(2,'y'))", "where (a, b) in (?)");
    check("where a in (1, b)", "where a in (?, b)");
    check("where a in (null, date '2026-01-01', true)", "where a in (?)");
    check("where a in ()", "where a in ()");
}

#[test]
fn rows_of_one_shape_are_one_row() {
    check("INSERT INTO t VALUES (1,'a'),(2,'b') , (3, null)", "insert into t values (?)");
    check("insert into t(a) values (1, now()), (2, now()), (3, null)", "insert into t(a) values (?, now()), (?)");
    check("insert into t values ((1, 2), (3, 4))", "insert into t values (?)");
    check("select * from (values (1),(2)) v, (select 1) w", "select * from (values (?)) v, (select ?) w");
    check("select values, (a), (a) from t", "select values, (a), (a) from t");
}

#[test]
fn back_quotes_go_where_they_are_not_needed() {
    check("select `A`, `b c`, `d.E`, `1x`, `null` from `db`.`T`", "select a, `b c`, `d.e`, `1x`, `null` from db.t");
}

#[test]
fn a_comment_without_an_end_does_not_swallow_the_statement() {
    let one = normalise("insert into a -- don't stop: 7   select * from t1 where x = 'y'");
    assert_eq!(one, "insert into a -- don't stop : ? select * from t1 where x = ?");
    assert_ne!(one, normalise("insert into a -- don't stop: 7   select * from t2 where x = 'y'"));
}

#[test]
fn a_text_that_was_cut_keeps_its_end() {
    check("select * from t where a = 'It;s\n N", "select * from t where a = 'it;s n");
    check("select /* from t", "select / * from t");
    check("select `a", "select `a");
}

#[test]
fn nothing_is_nothing() {
    check("", "");
    check(" ; -- x\n", "");
    check("\0\u{feff}", "\u{feff}");
}

#[test]
fn words_before_brackets_are_sorted() {
    assert!(WORDS_BEFORE_BRACKETS.is_sorted());
}

/// Texts made of what matters to the scanner, in any order.
fn odd_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "select", "values", "VALUES", "null", "date", "in", "a", "T1", "1x", "5", ".5", "1.", "1e-3", "0x1F", ".",
        "..", "(", ")", "(", ")", ",", ",", ";", "'", "''", "\"", "`", "``", "\\", "--", "-", "/*", "*/", "/", "*",
        "\n", " ", "\t", "?", "[", "]", "<", "=", ">", "é", "İ", "\u{a0}", "\0", "don't", "`a`", "`null`", "'x'", "|",
        ":", "&",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<u32>().prop_map(|number| number.to_string()),
        (0u32..1000, 0u32..1000).prop_map(|(whole, part)| format!("{whole}.{part}")),
        "[a-zA-Z0-9 ;,()`?*/é-]{0,12}".prop_map(|text| format!("'{text}'")),
        "[a-zA-Z0-9 ;,()`?*/é-]{0,12}".prop_map(|text| format!("\"{text}\"")),
        "[a-z']{0,6}".prop_map(|text| format!("'{}'", text.replace('\'', "\\'"))),
        (0u32..255).prop_map(|number| format!("0x{number:X}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_shape_is_its_own_shape(text in odd_text()) {
        let shape = normalise(&text);
        prop_assert_eq!(normalise(&shape), shape);
    }

    #[test]
    fn any_text_has_a_shape(text in any::<String>()) {
        let shape = normalise(&text);
        prop_assert_eq!(normalise(&shape), shape.clone());
        prop_assert!(!shape.chars().any(|character| character.is_ascii_control()));
    }

    #[test]
    fn literals_do_not_change_the_shape(
        first in literal(), second in literal(),
        list in prop::collection::vec(literal(), 1..6),
        rows in prop::collection::vec((literal(), literal()), 1..5),
    ) {
        let rows: Vec<String> = rows.iter().map(|(a, b)| format!("({a},\n {b})")).collect();
        let text = format!(
            "INSERT INTO t VALUES {}; SELECT f(x, {first}) FROM `T` WHERE y < {second} AND z IN ({}) -- it's {first}\n",
            rows.join(", "),
            list.join(",")
        );
        prop_assert_eq!(
            normalise(&text),
            "insert into t values (?); select f(x, ?) from t where y < ? and z in (?)"
        );
    }
}
