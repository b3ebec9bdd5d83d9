//! The index on disk: positions, reopening, damage, and what answers look like.

use std::fs;
use std::path::{Path, PathBuf};

use sextant_model::{EntityId, Timestamp, Viewer};
use sextant_search::{Document, Error, Found, Index, Options, Sort, SortField, Value, parse};

fn id(name: &str) -> EntityId {
    EntityId::derive("test", &[name.as_bytes()])
}

fn table(name: &str) -> Document {
    Document {
        key: id(name),
        entity: id(name),
        fields: vec![
            ("type", Value::Text("TABLE".to_owned())),
            ("originalName", Value::Text(name.to_owned())),
            ("qualifiedName", Value::Text(format!("sales.{name}"))),
            ("owner", Value::Text("Hive".to_owned())),
            ("deleted", Value::Bool(false)),
        ],
    }
}

fn text_of(operation: &str, text: &str) -> Document {
    Document {
        key: id(text),
        entity: id(operation),
        fields: vec![
            ("type", Value::Text("OPERATION".to_owned())),
            ("originalName", Value::Text(operation.to_owned())),
            ("queryText", Value::Text(text.to_owned())),
        ],
    }
}

fn found(index: &Index, query: &str) -> Found {
    let query = parse(query, Timestamp::from_seconds(1_790_000_000)).unwrap_or_else(|error| panic!("{error}"));
    let options = Options { limit: 100, facets: true, ..Options::default() };
    index.search(&Viewer::all(), &query, &options).expect("an answer")
}

fn entities(index: &Index, query: &str) -> Vec<EntityId> {
    found(index, query).hits.iter().map(|hit| hit.entity).collect()
}

fn open(directory: &Path) -> (Index, u64) {
    let opened = Index::open(directory).expect("an index");
    (opened.index, opened.position)
}

#[test]
fn a_reopened_index_knows_its_position_and_goes_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, position) = open(directory.path());
    assert_eq!(position, 0);
    index.update(&[table("orders"), table("visits")], &[]).expect("an update");
    index.commit(7).expect("a commit");
    index.update(&[table("lost")], &[]).expect("an update that is never committed");
    drop(index);

    let (index, position) = open(directory.path());
    assert_eq!(position, 7);
    assert_eq!(entities(&index, "type:table"), [id("orders"), id("visits")]);
    index.update(&[table("clicks")], &[id("visits")]).expect("an update");
    assert_eq!(index.documents(), 2, "nothing is seen before the commit");
    index.commit(8).expect("a commit");
    assert_eq!(entities(&index, "*"), [id("clicks"), id("orders")]);
}

#[test]
fn an_id_is_found_whole_and_by_wildcards() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    index
        .add(&[table("orders"), table("visits"), text_of("load", "insert"), text_of("load", "select")])
        .expect("added");
    index.commit(1).expect("a commit");
    for name in ["orders", "load"] {
        let written = id(name).to_string();
        let (begin, end) = written.split_at(7);
        for value in [written.clone(), written.to_uppercase(), format!("{begin}*"), format!("*{end}")] {
            assert_eq!(entities(&index, &format!("identity:{value}")), [id(name)], "{value}");
        }
    }
    assert_eq!(entities(&index, "identity:*").len(), 3);
    for value in ["no-id", "no*", "0", &id("insert").to_string()] {
        assert_eq!(entities(&index, &format!("identity:{value}")), [], "{value}");
    }
}

#[test]
fn a_document_replaces_the_one_with_its_key() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    index.update(&[table("orders")], &[]).expect("an update");
    index.commit(1).expect("a commit");
    let mut renamed = table("orders_2026");
    renamed.key = id("orders");
    renamed.entity = id("orders");
    index.update(&[table("orders"), renamed], &[]).expect("an update");
    index.commit(2).expect("a commit");
    assert_eq!(entities(&index, "originalName:*2026"), [id("orders")]);
    assert_eq!(index.documents(), 1);
}

#[test]
fn a_cleared_index_is_filled_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    index.update(&[table("orders")], &[]).expect("an update");
    index.commit(9).expect("a commit");
    index.clear().expect("a cleared index");
    assert_eq!(found(&index, "*").total, 0);
    drop(index);
    let (index, position) = open(directory.path());
    assert_eq!(position, 0);
    index.update(&[table("orders")], &[]).expect("an update");
    index.commit(1).expect("a commit");
    assert_eq!(entities(&index, "orders"), [id("orders")]);
}

#[test]
fn a_second_process_is_kept_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    assert!(matches!(Index::open(directory.path()), Err(Error::InUse { .. })));
    drop(index);
    open(directory.path());
}

/// Files of the index with one of these endings.
fn files(directory: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory.join("index")).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| endings.iter().any(|ending| path.to_string_lossy().ends_with(ending))).collect()
}

#[test]
fn a_damaged_index_begins_anew() {
    type Damage = fn(&Path);
    let damages: &[(&str, Damage)] = &[
        ("values", |file| {
            let bytes = fs::read(file).expect("a file");
            fs::write(file, &bytes[..bytes.len() / 2]).expect("half of a file");
        }),
        ("values", |file| fs::remove_file(file).expect("a removed file")),
        ("meta.json", |file| fs::write(file, "{").expect("a broken file")),
        ("fast", |file| fs::write(file, "").expect("an empty file")),
    ];
    for (ending, damage) in damages {
        let directory = tempfile::tempdir().expect("a directory");
        let (index, _) = open(directory.path());
        index.update(&[table("orders")], &[]).expect("an update");
        index.commit(5).expect("a commit");
        drop(index);
        for file in files(directory.path(), &[ending]) {
            damage(&file);
        }
        let (index, position) = open(directory.path());
        assert_eq!((position, index.documents()), (0, 0), "{ending}");
        index.update(&[table("orders")], &[]).expect("an update");
        index.commit(5).expect("a commit");
        assert_eq!(entities(&index, "*rder*"), [id("orders")], "{ending}");
    }
}

#[test]
fn what_a_crash_left_behind_the_last_commit_does_no_harm() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    index.update(&[table("orders")], &[]).expect("an update");
    index.commit(5).expect("a commit");
    drop(index);
    let stray = directory.path().join("index").join("00000000000000000000000000000000.values");
    fs::write(stray, "half a segment").expect("a stray file");
    let (index, position) = open(directory.path());
    assert_eq!(position, 5);
    assert_eq!(entities(&index, "*rder*"), [id("orders")]);
}

#[test]
fn an_index_of_another_format_begins_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    index.update(&[table("orders")], &[]).expect("an update");
    index.commit(5).expect("a commit");
    drop(index);
    fs::write(directory.path().join("format"), "sextant-search 0\n").expect("an older format");
    let (index, position) = open(directory.path());
    assert_eq!((position, index.documents()), (0, 0));
}

#[test]
fn values_survive_merges_and_deletions() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    let name = |number: u32| format!("table_{number:03}_x");
    // More commits than the merge policy leaves apart.
    for number in 0..40 {
        let deletions = if number % 4 == 3 { vec![id(&name(number - 1))] } else { Vec::new() };
        index.update(&[table(&name(number))], &deletions).expect("an update");
        index.commit(u64::from(number) + 1).expect("a commit");
    }
    drop(index);
    let (index, _) = open(directory.path());
    let segments = files(directory.path(), &["values"]).len();
    assert!(segments < 40, "{segments} segments: nothing was merged");
    let expected: Vec<EntityId> = (0..40).filter(|number| number % 4 != 2).map(|number| id(&name(number))).collect();
    assert_eq!(entities(&index, "originalName:*le_0??_*"), expected);
    assert_eq!(entities(&index, "originalName:*_017_*"), [id(&name(17))]);
}

#[test]
fn an_exact_name_comes_first_then_types_in_their_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    let mut view = table("orders_by_day");
    view.fields[0].1 = Value::Text("VIEW".to_owned());
    let mut field = table("orders");
    (field.key, field.entity) = (id("field"), id("field"));
    field.fields[0].1 = Value::Text("FIELD".to_owned());
    let documents =
        [view, field, table("orders_archive"), table("orders"), table("visits"), text_of("orders", "select 1")];
    index.update(&documents, &[]).expect("an update");
    index.commit(1).expect("a commit");
    let in_order = ["orders", "field", "orders_archive", "orders_by_day"].map(id);
    assert_eq!(entities(&index, "orders type:(table OR view OR field)"), in_order);
    assert_eq!(entities(&index, "sales.visits"), [id("visits")]);
    assert_eq!(entities(&index, "name:\"orders\" -type:field")[..], [id("orders")]);
}

#[test]
fn texts_of_one_operation_are_one_hit() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    let documents = [
        text_of("load", "insert into t select * from temp_sample_08 where a = 1"),
        text_of("load", "insert into t select * from temp_sample_08 where a = 2"),
        text_of("other", "insert into t values (3)"),
    ];
    index.update(&documents, &[]).expect("an update");
    index.commit(1).expect("a commit");
    let all = found(&index, "queryText:*temp_sample_08*");
    assert_eq!((all.total, all.hits.len()), (1, 1));
    assert_eq!(all.facets["type"], [("OPERATION".to_owned(), 1)]);
    let second = found(&index, "queryText:\"a = 2\"");
    assert_eq!(second.hits[0].entity, id("load"));
    assert_eq!(second.hits[0].matched_key, id("insert into t select * from temp_sample_08 where a = 2"));
    assert_eq!(found(&index, "queryText:insert").total, 2);
}

#[test]
fn facets_keep_the_case_of_their_values() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    index.update(&[table("a"), table("b"), text_of("c", "select 1")], &[]).expect("an update");
    index.commit(1).expect("a commit");
    let facets = found(&index, "*").facets;
    assert_eq!(facets["type"], [("TABLE".to_owned(), 2), ("OPERATION".to_owned(), 1)]);
    assert_eq!(facets["owner"], [("Hive".to_owned(), 2)]);
    assert_eq!(facets["deleted"], [("false".to_owned(), 2)]);
    assert_eq!(found(&index, "owner:HIVE").total, 2);
}

#[test]
fn wrong_documents_and_cursors_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    let document = |name, value| Document { key: id("x"), entity: id("x"), fields: vec![(name, value)] };
    let refused = |name, value| index.update(&[document(name, value)], &[]).expect_err(name);
    assert!(matches!(refused("colour", Value::Bool(true)), Error::UnknownField(_)));
    assert!(matches!(refused("size", Value::Text("1".to_owned())), Error::WrongKind { .. }));
    assert!(matches!(refused("created", Value::Number(1)), Error::WrongKind { .. }));
    assert!(matches!(refused("deleted", Value::Text("true".to_owned())), Error::WrongKind { .. }));
    let options =
        Options { limit: 1, cursor: Some("00".to_owned()), sort: Sort::Ascending(SortField::Name), facets: false };
    let query = parse("*", Timestamp::from_seconds(0)).expect("a query");
    assert!(matches!(index.search(&Viewer::all(), &query, &options), Err(Error::Cursor)));
}

#[test]
fn many_candidates_are_estimated_and_the_page_is_true() {
    let directory = tempfile::tempdir().expect("a directory");
    let (index, _) = open(directory.path());
    // Every text has the trigrams of the pattern; three in four truly match.
    let documents: Vec<Document> = (0..40_000)
        .map(|number| match number % 4 {
            0 => text_of(&format!("{number:05}"), &format!("xabc bcd cde {number}")),
            _ => text_of(&format!("{number:05}"), &format!("abcde {number}")),
        })
        .collect();
    index.update(&documents, &[]).expect("an update");
    index.commit(1).expect("a commit");
    let estimated = found(&index, "queryText:*abcde*");
    assert!(!estimated.total_is_exact);
    assert!((28_000..32_000).contains(&estimated.total), "{}", estimated.total);
    let names = (0_u32..).filter(|number| number % 4 != 0).map(|number| id(&format!("{number:05}")));
    assert_eq!(estimated.hits.iter().map(|hit| hit.entity).collect::<Vec<_>>(), names.take(100).collect::<Vec<_>>());
    // Other conditions leave few candidates: counted.
    let counted = found(&index, "queryText:*abcde* originalName:000*");
    assert_eq!((counted.total, counted.total_is_exact), (75, true));
    // Hardly any candidate is true: all are checked.
    let checked = found(&index, "queryText:*xabc*0 queryText:*d?cde*39996");
    assert_eq!((checked.total, checked.total_is_exact), (0, true));
}
