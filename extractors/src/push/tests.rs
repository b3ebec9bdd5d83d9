use std::path::PathBuf;

use proptest::prelude::*;
use sextant_model::problem::ProblemKind;
use sextant_model::record::RecordLineage;

use super::*;

/// A Hive record that can be told by its text.
fn hive(text: &str) -> String {
    format!(
        r#"{{"version":"1.0","user":"joe","timestamp":1510308124,"duration":1,"hash":"h","queryText":"{text}","edges":[{{"sources":[1],"targets":[0],"edgeType":"PROJECTION"}}],"vertices":[{{"id":0,"vertexType":"COLUMN","vertexId":"d.t.a"}},{{"id":1,"vertexType":"COLUMN","vertexId":"d.s.a"}}]}}"#
    )
}

fn impala(text: &str) -> String {
    format!(r#"{{"queryText":"{text}","queryId":"1:{text}","timestamp":1510308124,"edges":[],"vertices":[]}}"#)
}

/// The same over many lines, as Hive wrote it for two weeks of 2015.
fn indented(text: &str) -> String {
    let mut json = String::new();
    let mut indent = 0;
    for character in hive(text).chars() {
        match character {
            '{' | '[' => {
                indent += 2;
                json.extend([&character.to_string(), "\n", &" ".repeat(indent)]);
            }
            '}' | ']' => {
                indent -= 2;
                json.extend(["\n", &" ".repeat(indent), &character.to_string()]);
            }
            ',' => json.extend([",\n", &" ".repeat(indent)]),
            ':' => json.push_str(": "),
            _ => json.push(character),
        }
    }
    format!("POSTHOOK: LINEAGE: {json}")
}

fn texts(parsed: &Parsed) -> Vec<&str> {
    parsed.records.iter().map(|record| record.query_text.as_str()).collect()
}

/// What was found wrong, with the bytes it was found in.
fn problems<'a>(parsed: &Parsed, input: &'a str) -> Vec<(ProblemKind, &'a str)> {
    let stretch = |offset: u64, length: u64| &input[offset as usize..(offset + length) as usize];
    parsed.problems.iter().map(|problem| (problem.kind, stretch(problem.offset, problem.length))).collect()
}

/// Reads Hive lines to the end of the file, and checks what came out.
#[track_caller]
fn check(input: &str, expected_texts: &[&str], expected_problems: &[(ProblemKind, &str)], ignored_lines: u64) {
    let parsed = parse(Format::Hive, input.as_bytes(), true);
    assert_eq!(texts(&parsed), expected_texts);
    assert_eq!(problems(&parsed, input), expected_problems, "{:?}", parsed.problems);
    assert_eq!(parsed.ignored_lines, ignored_lines);
    assert_eq!(parsed.consumed, input.len());
    for record in &parsed.records {
        let stretch = &input[record.offset as usize..(record.offset + record.length) as usize];
        assert!(stretch.starts_with('{') && stretch.ends_with('}'), "{stretch}");
    }
}

#[test]
fn one_record_a_line() {
    check(&format!("{}\n\n{}\r\n  {}", hive("a"), hive("b"), hive("c")), &["a", "b", "c"], &[], 0);
}

#[test]
fn records_stand_behind_a_loggers_prefix_among_other_lines() {
    let input = format!(
        "2017-11-10 10:02:49,001 INFO  [Thread-211] hooks.LineageLogger: {}\n\
         2017-11-10 10:02:50,001 ERROR exec.Task\n\tat java.lang.Thread.run(Thread.java:745)\n\
         POSTHOOK: LINEAGE: {}\n",
        hive("a"),
        hive("b")
    );
    check(&input, &["a", "b"], &[], 2);
}

#[test]
fn records_span_indented_lines() {
    let input = format!("PREHOOK: query: x\n{}\n{}\nPREHOOK: query: y\n", indented("a"), indented("b"));
    check(&input, &["a", "b"], &[], 2);
    check(&input.replace('\n', "\r\n"), &["a", "b"], &[], 2);
}

#[test]
fn a_byte_order_mark_is_no_content() {
    check(&format!("\u{feff}{}\n", hive("a")), &["a"], &[], 0);
}

#[test]
fn keys_may_come_in_any_order() {
    let record = r#"{"edges":[],"vertices":[],"queryText":"a","version":"1.0"}"#;
    check(&format!("{record}\nINFO x: {record}\n{record}{record}\n"), &["a", "a", "a", "a"], &[], 0);
}

#[test]
fn an_unfinished_record_is_left_until_the_rest_comes() {
    let input = format!("{}\nINFO x\n{}", hive("a"), indented("b"));
    let cut = input.rfind("\"vertices\"").unwrap();
    let line_end = cut + input[cut..].find('\n').unwrap() + 1;
    let first = parse(Format::Hive, &input.as_bytes()[..line_end], false);
    assert_eq!(texts(&first), ["a"]);
    assert_eq!(first.problems, []);
    assert_eq!(&input[first.consumed..first.consumed + 3], "{\n ");
    let rest = parse(Format::Hive, &input.as_bytes()[first.consumed..], true);
    assert_eq!(texts(&rest), ["b"]);
    assert_eq!(rest.problems, []);
}

#[test]
fn a_last_line_without_an_end_is_left() {
    let input = format!("{}\n{}", hive("a"), hive("b"));
    let parsed = parse(Format::Hive, input.as_bytes(), false);
    assert_eq!(texts(&parsed), ["a"]);
    assert_eq!(&input[parsed.consumed..], hive("b"));
}

#[test]
fn a_prefix_that_promises_a_record_is_left() {
    let parsed = parse(Format::Hive, b"INFO x\nPOSTHOOK: LINEAGE: {\n", false);
    assert_eq!((parsed.consumed, parsed.problems.len(), parsed.ignored_lines), (7, 0, 1));
    check("POSTHOOK: LINEAGE: {\n", &[], &[(ProblemKind::Malformed, "POSTHOOK: LINEAGE: {")], 0);
}

#[test]
fn a_record_is_cut_off_by_the_end_of_its_line() {
    let record = hive("abc");
    for cut in [20, 35, record.find("abc").unwrap() + 1, record.find("\"edges\":[").unwrap() + 9, record.len() - 1] {
        let input = format!("{}\n{}\n", &record[..cut], hive("next"));
        check(&input, &["next"], &[(ProblemKind::CutOff, &record[..cut])], 0);
        let before_other_lines = format!("{}\r\n2017 INFO x\n{}", &record[..cut], hive("next"));
        check(&before_other_lines, &["next"], &[(ProblemKind::CutOff, &record[..cut])], 1);
        let at_the_end = format!("{}\n{}", hive("before"), &record[..cut]);
        check(&at_the_end, &["before"], &[(ProblemKind::CutOff, &record[..cut])], 0);
        let glued = format!("{}{}\n", &record[..cut], hive("next"));
        check(&glued, &["next"], &[(ProblemKind::CutOff, &record[..cut])], 0);
    }
}

#[test]
fn a_cut_inside_a_string_is_told_without_waiting() {
    let record = hive("abc");
    let input = format!("{}\n", &record[..=record.find("abc").unwrap()]);
    let parsed = parse(Format::Hive, input.as_bytes(), false);
    assert_eq!(problems(&parsed, &input), [(ProblemKind::CutOff, input.trim_end())]);
    assert_eq!(parsed.consumed, input.len());
}

#[test]
fn an_indented_record_is_cut_off_by_the_next_one() {
    let record = indented("a");
    let cut = record.find("\"vertices\"").unwrap();
    let input = format!("{}\n{}\n{}\n", &record[..cut], indented("b"), hive("c"));
    check(&input, &["b", "c"], &[(ProblemKind::CutOff, record["POSTHOOK: LINEAGE: ".len()..cut].trim_end())], 0);
}

#[test]
fn a_record_with_other_first_keys_cuts_off_as_well() {
    let record = r#"{"edges":[],"vertices":[],"queryText":"a","version":"1.0"}"#;
    let input = format!("{{\"edges\":[\n{record}\n{record}\n");
    check(&input, &["a", "a"], &[(ProblemKind::CutOff, "{\"edges\":[")], 0);
}

#[test]
fn damage_inside_an_indented_record_ends_with_it() {
    let record = indented("a").replacen("\"vertices\": [", "\"vertices\" [", 1);
    let input = format!("{record}\nINFO x\n{}\n", hive("b"));
    check(&input, &["b"], &[(ProblemKind::Malformed, &record["POSTHOOK: LINEAGE: ".len()..])], 1);
}

#[test]
fn two_whole_records_on_one_line_are_two() {
    check(&format!("{}{}\n", hive("a"), hive("b")), &["a", "b"], &[], 0);
    check(&format!("{}2017 INFO LineageLogger: {}\n", hive("a"), hive("b")), &["a", "b"], &[], 0);
}

#[test]
fn what_follows_a_record_on_its_line_is_a_problem() {
    check(&format!("{}}}\n", hive("a")), &["a"], &[(ProblemKind::Malformed, "}")], 0);
    check(&format!("{} {{}} {{}}\n", hive("a")), &["a"], &[(ProblemKind::NotARecord, "{} {}")], 0);
}

#[test]
fn holes_of_nul_bytes_are_told() {
    let input = format!("\0\0\0{}\n\0\0\n{}\0\n", hive("a"), hive("b"));
    let hole = |bytes| (ProblemKind::Malformed, bytes);
    check(&input, &["a", "b"], &[hole("\0\0\0"), hole("\0\0"), hole("\0")], 0);
    let record = hive("abc");
    let (start, end) = record.split_at(record.find("bc").unwrap());
    check(&format!("{start}\0\0{end}\n"), &[], &[hole(&format!("{start}\0\0{end}"))], 0);
}

#[test]
fn lines_with_braces_that_are_no_records_are_problems() {
    check("INFO conf {a=b}\n", &[], &[(ProblemKind::Malformed, "INFO conf {a=b}")], 0);
    check("{}\n", &[], &[(ProblemKind::NotARecord, "{}")], 0);
    check("{\"version\":\"1.0\"}\n", &[], &[(ProblemKind::NotARecord, "{\"version\":\"1.0\"}")], 0);
    check("{nonsense}\n", &[], &[(ProblemKind::Malformed, "{nonsense}")], 0);
}

#[test]
fn records_of_other_formats_are_named() {
    for (format, line, name) in [
        (Format::Hive, r#"{"applicationID":"a","inputs":[]}"#.to_owned(), "a Spark lineage record"),
        (
            Format::Impala,
            r#"{"eventTime":"2026","run":{"version":"1.0"},"producer":"p"}"#.to_owned(),
            "an OpenLineage event",
        ),
        (Format::Hive, impala("a"), "an Impala lineage record"),
        (Format::Impala, hive("a"), "a Hive lineage record"),
        (Format::Hive, r#"{"version":{"version":"1.0"},"message":{}}"#.to_owned(), "an Atlas notification"),
    ] {
        let parsed = parse(format, line.as_bytes(), true);
        assert_eq!(parsed.problems.len(), 1);
        assert_eq!(parsed.problems[0].kind, ProblemKind::NotARecord);
        assert!(parsed.problems[0].reason.contains(name), "{}", parsed.problems[0].reason);
    }
}

#[test]
fn reasons_tell_the_place_and_stay_short() {
    let line = format!("{{\"version\":\"1.0\",\"queryText\":\"a\",\"edges\":\"{}\"}}", "x".repeat(5000));
    let parsed = parse(Format::Hive, line.as_bytes(), true);
    assert_eq!(parsed.problems[0].kind, ProblemKind::NotARecord);
    assert!(parsed.problems[0].reason.chars().count() <= 301);
    let parsed = parse(Format::Hive, b"{\"version\":\"1.0\" \"a\"}", true);
    assert!(parsed.problems[0].reason.contains("line 1 column 18"), "{}", parsed.problems[0].reason);
}

#[test]
fn inconsistent_records_are_problems() {
    let record = hive("a").replace("\"sources\":[1]", "\"sources\":[17]");
    let input = format!("{record}\n{}\n", hive("b"));
    check(&input, &["b"], &[(ProblemKind::Inconsistent, &record)], 0);
}

#[test]
fn invalid_utf8_is_read_with_replacement_characters() {
    let mut input = hive("gr").into_bytes();
    let place = hive("gr").find("gr").unwrap() + 2;
    input.splice(place..place, [0xFC, b'n']);
    let copy = input.clone();
    input.push(b'\n');
    input.extend(hive("b").into_bytes());
    input.extend(copy);
    let parsed = parse(Format::Hive, &input, true);
    assert_eq!(texts(&parsed), ["gr\u{fffd}n", "b", "gr\u{fffd}n"]);
    assert_eq!(parsed.problems, []);
}

#[test]
fn a_line_beyond_the_limit_is_a_problem() {
    let long =
        format!("{{\"version\":\"1.0\",\"queryText\":\"{}\"", "x".repeat(sextant_model::delivery::MAX_LINE_BYTES));
    let input = format!("{long}\n{}\n", hive("b"));
    check(&input, &["b"], &[(ProblemKind::TooLong, &long)], 0);
    let without_end = parse(Format::Hive, long.as_bytes(), false);
    assert_eq!(without_end.problems[0].kind, ProblemKind::TooLong);
    assert_eq!(without_end.consumed, long.len());
}

#[test]
fn edges_that_make_too_many_pairs_of_tables_are_a_problem() {
    let record = |tables: usize, edges: usize| {
        let vertices: Vec<String> = (0..2 * tables)
            .map(|id| format!(r#"{{"id":{id},"vertexType":"COLUMN","vertexId":"d.t{id}.c"}}"#))
            .collect();
        let ids = |from: usize| (from..from + tables).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
        // Each with another expression would be one edge.
        let edge = |number: usize| {
            let left_out = format!("[{}]", ids(0)).replacen(&format!("{number},"), "", 1);
            format!(r#"{{"sources":{left_out},"targets":[{}],"edgeType":"PROJECTION"}}"#, ids(tables))
        };
        let edges: Vec<String> = (0..edges).map(edge).collect();
        format!(
            r#"{{"version":"1.0","queryText":"a","edges":[{}],"vertices":[{}]}}"#,
            edges.join(","),
            vertices.join(",")
        )
    };
    let allowed = record(400, 2);
    check(&allowed, &["a"], &[], 0);
    let wide = record(600, 1);
    check(&format!("{wide}\n{}\n", hive("b")), &["b"], &[(ProblemKind::TooLong, &wide)], 0);
    let repeated = record(400, 200);
    check(&format!("{repeated}\n{}\n", hive("b")), &["b"], &[(ProblemKind::TooLong, &repeated)], 0);
}

#[test]
fn a_panic_in_a_reader_costs_one_record() {
    let outcome = unless_it_panics(|| panic!("a fault of ours"));
    assert!(matches!(outcome, Err(Refusal::Failed)));
}

#[test]
fn deep_nesting_is_no_danger() {
    let deep = format!("{{\"version\":\"1.0\",\"a\":{}", "[".repeat(1 << 20));
    check(&format!("{deep}\n{}\n", hive("b")), &["b"], &[(ProblemKind::CutOff, &deep)], 0);
}

#[test]
fn formats_have_names() {
    assert_eq!("Hive".parse::<Format>().unwrap(), Format::Hive);
    assert_eq!("impala".parse::<Format>().unwrap(), Format::Impala);
    assert_eq!("orc".parse::<Format>().unwrap_err().to_string(), "unknown format (hive or impala expected): orc");
}

/// The public records, when they are at hand.
fn corpus(folder: &str, names: impl Fn(&str) -> bool) -> Option<Vec<(String, Vec<u8>)>> {
    let root = std::env::var_os("SEXTANT_CORPORA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpora")), PathBuf::from);
    let entries = std::fs::read_dir(root.join(folder)).ok()?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if names(&name) {
            files.push((name, std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    Some(files)
}

#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn say_left_out() {
    eprintln!("left out: the public corpora are not there (set SEXTANT_CORPORA)");
}

fn count_records(format: Format, files: &[(String, Vec<u8>)]) -> usize {
    let mut count = 0;
    for (name, bytes) in files {
        let parsed = parse(format, bytes, true);
        assert_eq!(parsed.problems, [], "{name}");
        assert_eq!(parsed.ignored_lines, 0, "{name}");
        count += parsed.records.len();
    }
    count
}

#[test]
fn every_public_hive_record_is_read() {
    let Some(files) = corpus("hive", |name| {
        name.contains(".lineage2.jsonl") || name.contains(".lineage3.jsonl") || name.contains("cbo_rp_lineage2")
    }) else {
        return say_left_out();
    };
    assert_eq!(count_records(Format::Hive, &files), 329);
}

#[test]
fn every_public_indented_record_is_read() {
    let Some(files) = corpus("hive", |name| name.starts_with("hive-11139")) else { return say_left_out() };
    let bytes = &files[0].1;
    let parsed = parse(Format::Hive, bytes, true);
    assert_eq!(parsed.problems, []);
    assert_eq!(parsed.records.len(), String::from_utf8_lossy(bytes).matches("POSTHOOK: LINEAGE: {").count());
    assert!(parsed.ignored_lines > 0);
}

#[test]
fn every_public_impala_record_is_read() {
    let Some(files) = corpus("impala", |name| name.starts_with("branch-")) else { return say_left_out() };
    assert_eq!(count_records(Format::Impala, &files), 213);
}

#[test]
fn string_elements_tell_what_objects_tell() {
    let Some(files) = corpus("impala", |name| name.starts_with("cdh-") || name.starts_with("branch-2.7")) else {
        return say_left_out();
    };
    let [objects, strings] = files.as_slice() else { panic!("two files are expected") };
    let objects = parse(Format::Impala, &objects.1, true);
    let strings = parse(Format::Impala, &strings.1, true);
    assert_eq!(strings.problems, []);
    assert_eq!(strings.records.len(), 38);
    let lineages =
        |parsed: Parsed| parsed.records.into_iter().map(|record| record.lineage).collect::<Vec<RecordLineage>>();
    assert_eq!(lineages(objects), lineages(strings));
}

/// Lines of every kind that a Hive log holds.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        4 => "[a-z]{1,6}".prop_map(|text| hive(&text)),
        2 => "[a-z]{1,6}".prop_map(|text| indented(&text)),
        1 => "[a-z]{1,6}".prop_map(|text| format!("12:00 INFO LineageLogger: {}", hive(&text))),
        1 => "[a-z]{1,6}".prop_map(|text| format!("{}{}", hive(&text), hive("glued"))),
        1 => Just("12:00 INFO exec.Task: done".to_owned()),
        1 => Just("12:00 INFO exec.Task: {".to_owned()),
        1 => Just("\tat java.lang.Thread.run(Thread.java:745)".to_owned()),
        1 => Just(String::new()),
        1 => (0usize..300).prop_map(|length| hive("cut")[..length.min(hive("cut").len())].to_owned()),
        1 => (0usize..500).prop_map(|length| indented("cut")[..length.min(indented("cut").len())].to_owned()),
    ];
    prop::collection::vec(line, 0..12)
}

/// Hands a stream in by pieces, each beginning with what the one before left.
fn parse_by_pieces(input: &[u8], cuts: &[usize]) -> Parsed {
    let line_ends: Vec<usize> = memchr::memchr_iter(b'\n', input).map(|line_feed| line_feed + 1).collect();
    let mut ends: Vec<usize> = cuts.iter().filter_map(|cut| line_ends.get(*cut).copied()).collect();
    ends.push(input.len());
    ends.sort_unstable();
    let mut whole = Parsed::default();
    for (position, end) in ends.iter().enumerate() {
        let piece = parse(Format::Hive, &input[whole.consumed..*end], position + 1 == ends.len());
        for mut record in piece.records {
            record.offset += whole.consumed as u64;
            whole.records.push(record);
        }
        for mut problem in piece.problems {
            problem.offset += whole.consumed as u64;
            whole.problems.push(problem);
        }
        whole.ignored_lines += piece.ignored_lines;
        whole.consumed += piece.consumed;
    }
    whole
}

#[track_caller]
fn check_places(parsed: &Parsed, input: &[u8]) {
    assert!(parsed.consumed <= input.len());
    let mut behind = 0;
    for problem in &parsed.problems {
        assert!(problem.offset >= behind && problem.length > 0, "{problem:?}");
        behind = problem.offset + problem.length;
        assert!(behind <= parsed.consumed as u64);
        assert!(!problem.reason.is_empty());
    }
    for record in &parsed.records {
        assert_eq!(input[record.offset as usize], b'{');
        let inside_problem = |problem: &sextant_model::problem::Problem| {
            (problem.offset..problem.offset + problem.length).contains(&record.offset)
        };
        assert!(!parsed.problems.iter().any(inside_problem));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), at_end: bool) {
        for format in Format::ALL {
            let parsed = parse(*format, &bytes, at_end);
            check_places(&parsed, &bytes);
            prop_assert!(!at_end || parsed.consumed == bytes.len());
        }
    }

    #[test]
    fn all_ways_to_cut_a_stream_give_the_same(
        lines in lines(), line_end in prop::sample::select(vec!["\n", "\r\n"]),
        cuts in prop::collection::vec(0usize..100, 0..8),
    ) {
        let input = lines.join(line_end).replace('\n', line_end).replace("\r\r", "\r");
        let whole = parse(Format::Hive, input.as_bytes(), true);
        check_places(&whole, input.as_bytes());
        prop_assert_eq!(parse_by_pieces(input.as_bytes(), &cuts), whole);
    }

    #[test]
    fn mutated_records_are_read(
        lines in lines(),
        mutations in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(b"{}[]\",:\n\r\0 \\x\xff".to_vec()), any::<bool>()), 0..6,
        ),
        at_end: bool,
    ) {
        let mut bytes = lines.join("\n").into_bytes();
        for (place, byte, insert) in mutations {
            let place = place.index(bytes.len() + 1);
            if insert || place == bytes.len() { bytes.insert(place, byte) } else { bytes[place] = byte }
        }
        let parsed = parse(Format::Hive, &bytes, at_end);
        check_places(&parsed, &bytes);
        prop_assert!(!at_end || parsed.consumed == bytes.len());
    }

    #[test]
    fn whole_records_survive_damage_around_them(before in "[^\n]{0,40}", after in "[^\n]{0,40}", text in "[a-z]{3}") {
        let input = format!("{before}\n{}\n{after}", hive(&text));
        let parsed = parse(Format::Hive, input.as_bytes(), true);
        prop_assert_eq!(texts(&parsed), [text.as_str()]);
    }
}
