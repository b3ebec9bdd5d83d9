//! Columns: as pairs on the edges between tables, and as vertices of their own.

use sextant_graph::{Direction, Options, Root};
use sextant_model::record::FlowKind;

use crate::drawing::{edges, nodes, pairs};
use crate::lake::{CONTROL, DATA, Lake, Statement, id_of, statement};

/// An insert whose table pairs follow from its columns.
fn insert_columns(label: &str, input: &str, output: &str, time: i64, columns: &[(FlowKind, &str, &str)]) -> Statement {
    let data = columns.iter().any(|(kind, _, _)| *kind == DATA);
    let control = columns.iter().any(|(kind, _, _)| *kind == CONTROL);
    let written = match (data, control) {
        (true, true) => statement(label).data_and_control(input, output),
        (false, true) => statement(label).control(input, output),
        (_, false) => statement(label).data(input, output),
    };
    columns
        .iter()
        .fold(written.run(time), |written, (kind, source, target)| written.columns(*kind, &[source], &[target], None))
}

fn upstream(depth: u8) -> Options {
    Options { direction: Direction::Upstream, depth, ..Options::default() }
}

fn field(table: &str, column: &str) -> Root {
    Root::Field { table: id_of(table), column: column.to_owned() }
}

#[test]
fn edges_carry_pairs_of_columns() {
    let mut lake = Lake::with(&["a", "b", "c"]);
    lake.add(
        statement("i")
            .data_and_control("a", "b")
            .data("c", "b")
            .columns(DATA, &["a.x"], &["b.x"], None)
            .columns(DATA, &["a.x", "c.y"], &["b.y"], Some("concat(a.x, c.y)"))
            .columns(DATA, &["a.x"], &["b.x"], Some("compute_stats(a.x)"))
            .columns(CONTROL, &["a.z"], &["b.x", "b.y"], Some("(a.z > 1)"))
            .run(1),
    );
    let options = Options { columns: true, ..upstream(1) };
    let data = ["a.x -> b.x", "a.x -> b.y = concat(a.x, c.y)", "c.y -> b.y = concat(a.x, c.y)"];
    assert_eq!(pairs(&lake.walk("b", &options).edges), data);
    let with_control = Options { control_flow: true, ..options.clone() };
    let mut all = vec!["a.z --> b.x = (a.z > 1)", "a.z --> b.y = (a.z > 1)"];
    all.extend(data);
    all.sort_unstable();
    assert_eq!(pairs(&lake.walk("b", &with_control).edges), all);
    assert_eq!(pairs(&lake.walk("b", &upstream(1)).edges), [""; 0], "only on request");
    assert_eq!(pairs(&lake.walk("b", &Options { operations: true, ..options }).edges), data);
}

#[test]
fn a_walk_from_an_operation_has_the_pairs_of_its_outputs() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.dropped("d");
    let operation = lake.add(
        statement("i").data("a", "b").data("d", "b").columns(DATA, &["a.x", "d.y"], &["b.x"], Some("a.x + d.y")).run(1),
    );
    for operations in [false, true] {
        let options = Options { columns: true, operations, ..Options::default() };
        let lineage = lake.walk_from(&Root::Operation(operation), &options);
        assert_eq!(pairs(&lineage.edges), ["a.x -> b.x = a.x + d.y", "d.y -> b.x = a.x + d.y"]);
    }
}

#[test]
fn pairs_go_through_folded_tables() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.dropped("d");
    lake.add(insert_columns(
        "ad",
        "a",
        "d",
        1,
        &[(DATA, "a.x", "d.p"), (DATA, "a.unused", "d.q"), (CONTROL, "a.f", "d.p")],
    ));
    lake.add(insert_columns("db", "d", "b", 2, &[(DATA, "d.p", "b.y"), (DATA, "d", "b.count")]));
    let options = Options { columns: true, ..upstream(2) };
    assert_eq!(pairs(&lake.walk("b", &options).edges), ["a -> b.count", "a.x -> b.y"]);
    let with_control = Options { control_flow: true, ..options };
    assert_eq!(pairs(&lake.walk("b", &with_control).edges), ["a -> b.count", "a.f --> b.y", "a.x -> b.y"]);
}

#[test]
fn all_to_all_is_cut_and_says_so() {
    let mut lake = Lake::with(&["a", "b", "c"]);
    let columns = |table: &str| -> Vec<String> { (0..200).map(|number| format!("{table}.c{number}")).collect() };
    let (sources, targets) = (columns("a"), columns("b"));
    let refer = |names: &[String]| -> Vec<&'static str> {
        names.iter().map(|name| &*Box::leak(name.clone().into_boxed_str())).collect()
    };
    lake.add(
        statement("wide")
            .data_and_control("a", "b")
            .data("c", "b")
            .columns(CONTROL, &refer(&sources), &refer(&targets), None)
            .columns(DATA, &["c.x"], &["b.c7"], None)
            .run(1),
    );
    let options = Options { columns: true, control_flow: true, ..upstream(1) };
    let lineage = lake.walk("b", &options);
    assert_eq!(lineage.edges.iter().map(|edge| edge.columns.len()).sum::<usize>(), 10_000);
    assert!(pairs(&lineage.edges).contains(&"c.x -> b.c7".to_owned()), "data flow has room first");
    assert!(lineage.cut);
    assert!(lineage.coverage.notes[0].contains("10000 pairs of columns"));
}

#[test]
fn a_field_is_walked_from_column_to_column() {
    let mut lake = Lake::with(&["a", "b", "c"]);
    lake.fields("a", &["x", "other"]);
    lake.fields("b", &["y", "other"]);
    lake.add(insert_columns(
        "ab",
        "a",
        "b",
        1,
        &[(DATA, "a.x", "b.y"), (DATA, "a.other", "b.other"), (CONTROL, "a.f", "b.y")],
    ));
    lake.add(insert_columns("bc", "b", "c", 2, &[(DATA, "b.y", "c.z"), (DATA, "b", "c.n")]));
    let lineage = lake.walk_from(&field("c", "Z"), &upstream(5));
    assert_eq!(nodes(&lake, &lineage), ["0 ?c.z", "1 b.y", "2 a.x"], "c's columns are not listed");
    assert_eq!(edges(&lake, &lineage), ["a.x -> b.y via ab", "b.y -> ?c.z via bc"]);
    let down = lake.walk_from(&field("a", "x"), &Options { direction: Direction::Downstream, ..upstream(5) });
    assert_eq!(edges(&lake, &down), ["a.x -> b.y via ab", "b.y -> ?c.z via bc"]);
    let control = lake.walk_from(&field("b", "y"), &Options { control_flow: true, ..upstream(1) });
    assert_eq!(edges(&lake, &control), ["?a.f --> b.y via ab", "a.x -> b.y via ab"]);
    let counted = lake.walk_from(&field("c", "n"), &upstream(5));
    assert_eq!(edges(&lake, &counted), ["b -> ?c.n via bc"], "the table counts as a whole");
    let with_operations = lake.walk_from(&field("c", "z"), &Options { operations: true, ..upstream(1) });
    assert_eq!(edges(&lake, &with_operations), ["(bc) -> ?c.z", "b.y -> (bc)"]);
}

#[test]
fn columns_of_deleted_and_unlinked_tables() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.dropped("d");
    lake.add(insert_columns("ad", "a", "d", 1, &[(DATA, "a.x", "d.p"), (DATA, "a.y", "d.q")]));
    lake.add(insert_columns("db", "d", "b", 2, &[(DATA, "d.p", "b.y"), (DATA, "d", "b.n")]));
    lake.add(insert_columns("ub", "u", "b", 3, &[(DATA, "u.k", "b.y")]));
    let lineage = lake.walk_from(&field("b", "y"), &upstream(2));
    assert_eq!(edges(&lake, &lineage), ["?a.x -> ?b.y via ad db hides d.p"]);
    assert_eq!(lineage.nodes[0].unlinked_inputs, 1);
    assert!(lineage.coverage.notes[0].ends_with("known by name only: lake.u.k"));
    let counted = lake.walk_from(&field("b", "n"), &upstream(2));
    assert_eq!(edges(&lake, &counted), ["a -> ?b.n via ad db hides d"]);
    let shown = lake.walk_from(&field("b", "y"), &Options { deleted: true, unlinked: true, ..upstream(2) });
    assert_eq!(edges(&lake, &shown), ["?a.x -> ?d.p via ad", "?d.p -> ?b.y via db", "?u.k -> ?b.y via ub"]);
}

#[test]
fn nested_columns_lead_to_their_column() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.fields("a", &["s", "odd.name"]);
    lake.add(insert_columns("i", "a", "b", 1, &[(DATA, "a.s.item.f1", "b.y"), (DATA, "a.odd.name", "b.y")]));
    let lineage = lake.walk_from(&field("b", "y"), &upstream(1));
    assert_eq!(nodes(&lake, &lineage), ["0 ?b.y", "1 a.odd.name", "1 a.s"]);
    let down = lake.walk_from(&field("a", "s"), &Options { direction: Direction::Downstream, ..upstream(1) });
    assert_eq!(edges(&lake, &down), ["a.s -> ?b.y via i"]);
}

#[test]
fn old_views_are_matched_by_position() {
    let mut lake = Lake::with(&["a", "c"]);
    lake.view("v");
    lake.fields("v", &["first", "second"]);
    // Until Hive 3.1 the targets are named as the select names them.
    lake.add(insert_columns("create", "a", "v", 1, &[(DATA, "a.x", "v.c1"), (DATA, "a.y", "v.second_of_select")]));
    let lineage = lake.walk_from(&field("v", "second"), &upstream(1));
    assert_eq!(edges(&lake, &lineage), ["?a.y -> v.second via create"]);
    let options = Options { columns: true, ..upstream(1) };
    assert_eq!(pairs(&lake.walk("v", &options).edges), ["a.x -> v.first", "a.y -> v.second"]);

    // Names that fit are left alone, also in another order.
    lake.view("w");
    lake.fields("w", &["p", "q"]);
    lake.add(insert_columns("fits", "a", "w", 1, &[(DATA, "a.x", "w.q"), (DATA, "a.y", "w.p")]));
    assert_eq!(pairs(&lake.walk("w", &options).edges), ["a.x -> w.q", "a.y -> w.p"]);

    // A table's columns are never matched by position.
    lake.fields("c", &["p", "q"]);
    lake.add(insert_columns("table", "a", "c", 1, &[(DATA, "a.x", "c.k1"), (DATA, "a.y", "c.k2")]));
    assert_eq!(pairs(&lake.walk("c", &options).edges), ["a.x -> c.k1", "a.y -> c.k2"]);
}
