//! Hops, direction, kinds of flow, and deleted tables.

use sextant_graph::{Direction, Options};

use crate::drawing::{edges, node, nodes};
use crate::lake::{Lake, insert, statement};

fn upstream(depth: u8) -> Options {
    Options { direction: Direction::Upstream, depth, ..Options::default() }
}

fn downstream(depth: u8) -> Options {
    Options { direction: Direction::Downstream, ..upstream(depth) }
}

#[test]
fn depth_counts_hops_between_assets() {
    let mut lake = Lake::with(&["a", "b", "c", "d"]);
    lake.add(insert("ab", &["a"], "b", 1));
    lake.add(insert("bc", &["b"], "c", 2));
    lake.add(insert("cd", &["c"], "d", 3));
    let lineage = lake.walk("d", &upstream(2));
    assert_eq!(nodes(&lake, &lineage), ["0 d", "1 c", "2 b"]);
    assert_eq!(edges(&lake, &lineage), ["b -> c via bc", "c -> d via cd"]);
    assert!(!lineage.cut, "nothing within the depth was left out");
    assert_eq!(node(&lake, &lineage, "b").more_upstream, 1);
    assert_eq!(node(&lake, &lineage, "c").more_upstream, 0);

    let with_operations = lake.walk("d", &Options { operations: true, ..upstream(2) });
    assert_eq!(nodes(&lake, &with_operations), ["0 d", "1 (cd)", "1 c", "2 (bc)", "2 b"]);
    assert_eq!(edges(&lake, &with_operations), ["(bc) -> c", "(cd) -> d", "b -> (bc)", "c -> (cd)"]);
}

#[test]
fn both_directions_do_not_zigzag() {
    let mut lake = Lake::with(&["a", "b", "c", "sibling", "co_input"]);
    lake.add(insert("ab", &["a"], "b", 1));
    lake.add(insert("bc", &["b", "co_input"], "c", 2));
    lake.add(insert("as", &["a"], "sibling", 3));
    let lineage = lake.walk("b", &Options { depth: 3, ..Options::default() });
    assert_eq!(nodes(&lake, &lineage), ["0 b", "1 a", "1 c"]);
    assert_eq!(node(&lake, &lineage, "a").more_downstream, 1, "the sibling is counted");
    assert_eq!(node(&lake, &lineage, "c").more_upstream, 1, "the other input is counted");
}

#[test]
fn neighbours_on_the_side_that_was_not_walked_are_counted_where_few_statements_are() {
    let mut lake = Lake::with(&["calendar", "report"]);
    lake.add(insert("load", &["calendar"], "report", 1));
    for number in 0..150 {
        let other = format!("r{number}");
        lake.table(&other);
        lake.add(insert(&format!("i{number}"), &["calendar"], &other, 2 + number));
    }
    let lineage = lake.walk("report", &upstream(1));
    let calendar = node(&lake, &lineage, "calendar");
    assert_eq!((calendar.more_downstream, calendar.more_downstream_is_least), (0, true), "there are 151");
    assert_eq!((calendar.more_upstream, calendar.more_upstream_is_least), (0, false));
    let report = node(&lake, &lineage, "report");
    assert_eq!((report.more_downstream, report.more_downstream_is_least), (0, false));
}

#[test]
fn flows_between_shown_assets_are_edges_however_far_the_walk_went() {
    let mut lake = Lake::with(&["a", "b", "root"]);
    lake.add(insert("ar", &["a"], "root", 1));
    lake.add(insert("br", &["b"], "root", 2));
    lake.add(insert("ab", &["a"], "b", 3));
    let lineage = lake.walk("root", &upstream(1));
    assert_eq!(edges(&lake, &lineage), ["a -> b via ab", "a -> root via ar", "b -> root via br"]);
}

#[test]
fn several_operations_are_one_edge() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.add(insert("daily", &["a"], "b", 10));
    lake.add(insert("repair", &["a"], "b", 5));
    let lineage = lake.walk("b", &upstream(1));
    assert_eq!(edges(&lake, &lineage), ["a -> b via daily repair"]);
    let edge = &lineage.edges[0];
    assert_eq!((edge.first_seen, edge.last_seen), (crate::lake::at(5), crate::lake::at(10)));
}

#[test]
fn control_flow_is_walked_on_request() {
    let mut lake = Lake::with(&["a", "filter", "both", "b"]);
    lake.add(statement("i").data("a", "b").control("filter", "b").data_and_control("both", "b").run(1));
    assert_eq!(edges(&lake, &lake.walk("b", &upstream(1))), ["a -> b via i", "both -> b via i"]);
    assert_eq!(edges(&lake, &lake.walk("filter", &downstream(1))), [""; 0]);
    let all = Options { control_flow: true, ..upstream(1) };
    assert_eq!(
        edges(&lake, &lake.walk("b", &all)),
        ["a -> b via i", "both --> b via i", "both -> b via i", "filter --> b via i"]
    );
    let with_operations = Options { operations: true, ..all };
    assert_eq!(
        edges(&lake, &lake.walk("b", &with_operations)),
        ["(i) -> b", "a -> (i)", "both --> (i)", "both -> (i)", "filter --> (i)"]
    );
}

#[test]
fn a_multi_insert_keeps_its_branches_apart() {
    let mut lake = Lake::with(&["x", "y", "t1", "t2"]);
    lake.add(statement("multi").data("x", "t1").data("x", "t2").data("y", "t2").run(1));
    assert_eq!(edges(&lake, &lake.walk("t1", &upstream(3))), ["x -> t1 via multi"]);
    assert_eq!(edges(&lake, &lake.walk("x", &downstream(3))), ["x -> t1 via multi", "x -> t2 via multi"]);
    assert_eq!(edges(&lake, &lake.walk("y", &downstream(3))), ["y -> t2 via multi"]);
}

#[test]
fn self_inserts_and_cycles_end() {
    let mut lake = Lake::with(&["a", "b", "c"]);
    lake.add(insert("compact", &["a"], "a", 1));
    lake.add(insert("ab", &["a"], "b", 2));
    lake.add(insert("bc", &["b"], "c", 3));
    lake.add(insert("ca", &["c"], "a", 4));
    let all = ["a -> a via compact", "a -> b via ab", "b -> c via bc", "c -> a via ca"];
    assert_eq!(edges(&lake, &lake.walk("a", &Options { depth: 10, ..Options::default() })), all);
    assert_eq!(edges(&lake, &lake.walk("a", &upstream(10))), all);
    let with_operations = lake.walk("a", &Options { operations: true, ..upstream(1) });
    assert_eq!(edges(&lake, &with_operations), ["(ca) -> a", "(compact) -> a", "a -> (compact)", "c -> (ca)"]);
}

#[test]
fn deleted_tables_are_folded_through() {
    let mut lake = Lake::with(&["a", "b", "side"]);
    lake.dropped("d1");
    lake.dropped("d2");
    lake.add(insert("ad", &["a"], "d1", 10));
    lake.add(insert("dd", &["d1"], "d2", 20));
    lake.add(insert("db", &["d2", "side"], "b", 30));
    let lineage = lake.walk("b", &upstream(3));
    assert_eq!(nodes(&lake, &lineage), ["0 b", "1 side", "3 a"]);
    assert_eq!(edges(&lake, &lineage), ["a -> b via ad db dd hides d1 d2", "side -> b via db"]);
    assert_eq!(lineage.edges.iter().find(|edge| !edge.hides.is_empty()).unwrap().first_seen, crate::lake::at(30));

    let shallow = lake.walk("b", &upstream(2));
    assert_eq!(nodes(&lake, &shallow), ["0 b", "1 side"], "what is folded counts as if it were shown");
    assert_eq!(node(&lake, &shallow, "b").more_upstream, 1);

    let shown = lake.walk("b", &Options { deleted: true, ..upstream(3) });
    assert_eq!(edges(&lake, &shown), ["a -> d1 via ad", "d1 -> d2 via dd", "d2 -> b via db", "side -> b via db"]);
    let downwards = lake.walk("a", &downstream(3));
    assert_eq!(edges(&lake, &downwards), ["a -> b via ad db dd hides d1 d2"]);
}

#[test]
fn operations_meet_around_a_folded_table() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.dropped("d");
    lake.add(insert("ad", &["a"], "d", 10));
    lake.add(insert("db", &["d"], "b", 20));
    let lineage = lake.walk("b", &Options { operations: true, ..upstream(2) });
    assert_eq!(edges(&lake, &lineage), ["(ad) -> (db) hides d", "(db) -> b", "a -> (ad)"]);
}

#[test]
fn cycles_of_deleted_tables_end() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.dropped("d1");
    lake.dropped("d2");
    lake.add(insert("i1", &["d2", "a"], "d1", 1));
    lake.add(insert("i2", &["d1"], "d2", 2));
    lake.add(insert("i3", &["d1"], "d1", 3));
    lake.add(insert("i4", &["d2"], "b", 4));
    let lineage = lake.walk("b", &upstream(10));
    assert_eq!(edges(&lake, &lineage), ["a -> b via i1 i2 i3 i4 hides d1 d2"]);
}

#[test]
fn control_anywhere_makes_a_chain_control() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.dropped("d");
    lake.add(statement("ad").control("a", "d").run(1));
    lake.add(insert("db", &["d"], "b", 2));
    assert_eq!(edges(&lake, &lake.walk("b", &upstream(2))), [""; 0]);
    let control = Options { control_flow: true, ..upstream(2) };
    assert_eq!(edges(&lake, &lake.walk("b", &control)), ["a --> b via ad db hides d"]);
}

#[test]
fn a_deleted_root_is_shown_and_an_out_of_scope_table_lives() {
    let mut lake = Lake::with(&["a"]);
    lake.dropped("d");
    lake.out_of_scope("o");
    lake.add(insert("ad", &["a", "o"], "d", 1));
    let lineage = lake.walk("d", &upstream(1));
    assert_eq!(nodes(&lake, &lineage), ["0 d", "1 a", "1 o"]);
}

#[test]
fn what_is_not_there_has_no_nodes() {
    let lake = Lake::with(&["a"]);
    assert!(lake.walk("nowhere", &Options::default()).nodes.is_empty());
    assert_eq!(lake.walk("a", &Options::default()).nodes.len(), 1);
}
