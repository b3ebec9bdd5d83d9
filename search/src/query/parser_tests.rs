//! The language by examples: the canonical text shows how a query was understood.

use proptest::prelude::*;

use super::*;

fn now() -> Timestamp {
    Timestamp::parse("2026-11-30T17:22:40Z").expect("a time")
}

#[track_caller]
fn check(examples: &[(&str, &str)]) {
    for (text, understood) in examples {
        match parse(text, now()) {
            Ok(query) => assert_eq!(query.to_string(), *understood, "{text}"),
            Err(error) => panic!("{text}\n{error}"),
        }
    }
}

#[test]
fn the_examples_that_navigators_users_know() {
    check(&[
        ("queryText:*temp_sample_08*", "queryText:*temp_sample_08*"),
        (r"fileSystemPath:\/user\/admin", r"fileSystemPath:\/user\/admin"),
        (r"fileSystemPath:/tmp/hbase\-staging", r"fileSystemPath:\/tmp\/hbase\-staging"),
        ("fileSystemPath:/tmp/hbase-staging", r"fileSystemPath:\/tmp\/hbase\-staging"),
        ("description:Banking*", "originalDescription:banking*"),
        ("sourceType:mapreduce OR sourceType:hive", "sourceType:mapreduce OR sourceType:hive"),
        ("type:file", "type:file"),
        ("-deleted:true +sourceType:hive +type:table", "NOT deleted:true AND sourceType:hive AND type:table"),
        (r"+parentPath:\/db\/table", r"parentPath:\/db\/table"),
        (
            r#"(parentPath:"/db" AND originalName:"t" AND type:table)"#,
            r#"parentPath:"/db" AND originalName:"t" AND type:table"#,
        ),
        (r#"clusterName:"c1""#, r#"cluster:"c1""#),
        (
            "started:[2015-01-01T00:00:00Z TO 2017-01-01T00:00:00Z]",
            "started:[2015-01-01T00:00:00.000Z TO 2017-01-01T00:00:01.000Z}",
        ),
        ("sourceType:HDFS AND type:FILE AND -deleted:true", "sourceType:hdfs AND type:file AND NOT deleted:true"),
        ("created:[NOW-1YEAR/DAY TO NOW/DAY+1DAY]", "created:[2025-11-30T00:00:00.000Z TO 2026-12-01T00:00:00.001Z}"),
        ("lastAccessed:[* TO NOW]", "lastAccessed:[* TO 2026-11-30T17:22:40.001Z}"),
        (
            "(sourceType:hdfs AND size:[1073741824 TO *]) OR sourceType:impala",
            "sourceType:hdfs AND size:[1073741824 TO *} OR sourceType:impala",
        ),
        (
            r#"owner:hdfs AND type:directory AND fileSystemPath:("/user/hdfs/input")"#,
            r#"owner:hdfs AND type:directory AND fileSystemPath:"/user/hdfs/input""#,
        ),
        ("tp_key1:value1", "tp_key1:value1"),
    ]);
}

#[test]
fn operators_bind_not_then_and_then_or() {
    check(&[
        ("a b", "a AND b"),
        ("a AND NOT b", "a AND NOT b"),
        ("a && !b", "a AND NOT b"),
        ("a || b && c", "a OR b AND c"),
        ("a OR b c", "a OR b AND c"),
        ("(a OR b) c", "(a OR b) AND c"),
        ("NOT (a OR b)", "NOT (a OR b)"),
        ("NOT a b", "NOT a AND b"),
        ("-a", "NOT a"),
        ("a -b", "a AND NOT b"),
        ("+a b", "+a b"),
        ("+a -b c", "+a +NOT b c"),
        ("+a b AND c", "a AND b AND c"),
        ("(+a b) OR c", "(+a b) OR c"),
        ("(+a b) c", "(+a b) AND c"),
        ("(a b) c", "a AND b AND c"),
        ("--a", "NOT NOT a"),
        ("", "*"),
        ("  ", "*"),
        ("*", "*"),
        ("*:*", "*"),
        ("* -type:table", "* AND NOT type:table"),
    ]);
}

#[test]
fn lower_case_operators_stand_only_between_clauses() {
    check(&[
        ("type:table and owner:hive", "type:table AND owner:hive"),
        ("a or b", "a OR b"),
        ("a not b", "a AND NOT b"),
        ("not a", "NOT a"),
        ("and a", r"\and AND a"),
        ("a or", r"a AND \or"),
        ("(a or)", r"a AND \or"),
        ("owner:and", r"owner:\and"),
        ("android", "android"),
        (r#""and""#, r#""and""#),
        ("not", r"\not"),
    ]);
}

#[test]
fn values_are_read_as_their_field_takes_them() {
    check(&[
        ("name:T*", "originalName:t*"),
        ("owner:(hive OR impala)", "owner:hive OR owner:impala"),
        ("owner:(hive -x type:table)", "owner:hive AND NOT owner:x AND type:table"),
        ("queryText:\"insert  into\"", "queryText:\"insert  into\""),
        (r#"queryText:"a \"b\" \\ c""#, r#"queryText:"a \"b\" \\ c""#),
        (r"name:a\*b\ c", r"originalName:a\*b\ c"),
        ("fileSystemPath:hdfs://ns1/x", r"fileSystemPath:hdfs\:\/\/ns1\/x"),
        ("fileSystemPath:(hdfs://ns1/x)", r"fileSystemPath:hdfs\:\/\/ns1\/x"),
        ("queryId:5a4f:0", r"queryId:5a4f\:0"),
        ("size:>5", "size:[6 TO *}"),
        ("size:>=5", "size:[5 TO *}"),
        ("size:<5", "size:[* TO 5}"),
        ("size:<=1KB", "size:[* TO 1025}"),
        ("size:-5", "size:[-5 TO -4}"),
        ("(size:<5)", "size:[* TO 5}"),
        ("size:{1 TO 3}", "size:[2 TO 3}"),
        ("size:[* TO *]", "size:*"),
        ("size:*", "size:*"),
        ("created:2026-11-30", "created:[2026-11-30T00:00:00.000Z TO 2026-12-01T00:00:00.000Z}"),
        ("created:>2026-11-30", "created:[2026-12-01T00:00:00.000Z TO *}"),
        (
            r#"created:["2026-11-30" TO 2026-11-30T10\:00\:00Z}"#,
            "created:[2026-11-30T00:00:00.000Z TO 2026-11-30T10:00:00.000Z}",
        ),
        ("DELETED:True", "deleted:true"),
        ("owner: hive", "owner:hive"),
        ("tp_Orc.Compress:ZLIB", "tp_orc.compress:zlib"),
        ("TP_x:a*", "tp_x:a*"),
        ("**a**?", "*a*?"),
        ("größe", "größe"),
    ]);
}

#[test]
fn errors_point_at_the_place() {
    for (text, position, message) in [
        ("ownr:hive", 0, "unknown field `ownr`"),
        ("type:table AND", 14, "nothing follows `AND`"),
        ("OR a", 0, "nothing stands before `OR`"),
        ("a AND OR b", 6, "nothing stands before `OR`"),
        ("(a", 0, "the `(` is never closed"),
        ("a)", 1, "`)` without a `(` before it"),
        ("()", 1, "a clause is missing before the `)`"),
        ("x:\"a", 0, "unknown field `x`"),
        ("owner:\"a", 6, "the quote is never closed"),
        ("owner:", 0, "no value behind `owner:`"),
        ("owner:\"\"", 6, "an empty value"),
        ("created:yesterday", 8, "not a date: `yesterday`"),
        ("created:[2026-01-01 2026-02-01]", 20, "`TO` is missing between the two ends of the range"),
        ("created:[2026-01-01 TO 2026-02-01", 8, "the range is never closed"),
        ("owner:[a TO b]", 6, "`owner` has no order: ranges work on numbers and dates"),
        ("[a TO b]", 0, "a range needs a field of numbers or dates"),
        ("size:big", 5, "not a whole number: `big`"),
        ("size:1*", 5, "`size` has no wildcards except `size:*`"),
        ("deleted:maybe", 8, "`deleted` is `true` or `false`"),
        ("a - b", 2, "nothing follows the `-`"),
        ("queryText:count(*)", 15, "`(` in the middle of a value"),
        ("roam~2", 4, "`~` behind a value (fuzzy search, boost) is not supported"),
        ("\"a\"^2", 3, "`~` and `^` behind a value are not supported"),
        ("{!terms f=identity}a,b", 0, "Solr's local parameters are not supported"),
        ("+a OR b", 0, "`+` in a list joined by OR has no clear meaning"),
        ("a\\", 1, "nothing follows the `\\`"),
    ] {
        let error = parse(text, now()).expect_err(text);
        assert_eq!((error.position, error.message.as_str()), (position, message), "{text}");
    }
}

#[test]
fn an_error_shows_the_query_and_a_hint() {
    let error = parse("type:table\nAND ownr:hive", now()).expect_err("a wrong field");
    assert_eq!(
        error.to_string(),
        "unknown field `ownr`\n  type:table AND ownr:hive\n                 ^\nhint: did you mean `owner`?"
    );
}

#[test]
fn length_depth_and_number_are_limited() {
    let deep = |levels: usize| format!("{}a{}", "(".repeat(levels), ")".repeat(levels));
    assert!(parse(&deep(MAX_DEPTH), now()).is_ok());
    for text in [
        deep(MAX_DEPTH + 1),
        format!("{}a", "-".repeat(MAX_DEPTH + 1)),
        format!("{}a{}", "-(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH)),
        "a ".repeat(MAX_CLAUSES + 1),
        "a".repeat(MAX_QUERY_BYTES + 1),
        format!("*{}", "a".repeat(MAX_PATTERN_CHARACTERS)),
    ] {
        assert!(parse(&text, now()).is_err());
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        let _ = parse(&text, now());
    }

    #[test]
    fn the_text_form_means_the_same(text in r#"(AND |OR |NOT |and |or |not |[-+!(]|\) ?|owner:|size:|created:|name:|tp_k:|queryText:|[a-zé_]{1,3} |[*?]|\[1 TO 5\] |>3 |NOW |\\. |"[a \\"]" ?|[0-9]{1,4} |/|~|\^){0,14}"#) {
        if let Ok(query) = parse(&text, now()) {
            let written = query.to_string();
            let again = parse(&written, now()).map_err(|error| TestCaseError::fail(format!("{written}: {error}")))?;
            prop_assert_eq!(again, query, "{}", written);
        }
    }
}
