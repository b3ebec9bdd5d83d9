//! Hubs, limits, and the order of what has room.

use sextant_graph::{Direction, Options, Root};

use crate::drawing::{edges, node, nodes};
use crate::lake::{Lake, id_of, insert, statement};

#[test]
fn a_hub_is_cut_to_the_neighbours_seen_last() {
    let mut lake = Lake::with(&["hub", "source"]);
    for number in 0..3_000 {
        let report = format!("r{number}");
        lake.table(&report);
        lake.add(insert(&format!("i{number}"), &["hub"], &report, 10_000 + number));
    }
    lake.add(insert("load", &["source"], "hub", 1));
    let lineage = lake.walk("hub", &Options { limit: 5, ..Options::default() });
    assert_eq!(nodes(&lake, &lineage), ["0 hub", "1 r2997", "1 r2998", "1 r2999", "1 source"]);
    assert!(lineage.cut);
    assert_eq!(node(&lake, &lineage, "hub").more_downstream, 2_997);
    assert_eq!(node(&lake, &lineage, "hub").more_upstream, 0);
    assert!(lineage.coverage.notes[0].starts_with("cut at 5 nodes"));

    let with_operations = lake.walk("hub", &Options { limit: 6, operations: true, ..Options::default() });
    assert_eq!(
        nodes(&lake, &with_operations),
        ["0 hub", "1 (i2998)", "1 (i2999)", "1 (load)", "1 r2999", "1 source"].map(String::from).to_vec()
    );
    assert!(with_operations.cut);
    assert_eq!(node(&lake, &with_operations, "hub").more_downstream, 2_999);
}

#[test]
fn of_very_many_operations_the_latest_are_looked_at() {
    let mut lake = Lake::with(&["calendar", "report", "old_report"]);
    lake.add(insert("old", &["calendar"], "old_report", 1));
    for number in 0..5_000 {
        lake.add(insert(&format!("i{number}"), &["calendar"], "report", 2 + number));
    }
    let lineage = lake.walk("calendar", &Options::default());
    assert_eq!(nodes(&lake, &lineage), ["0 calendar", "1 report"]);
    assert!(lineage.cut);
    assert!(lineage.coverage.notes[0].contains("more than 5000 operations"));
}

#[test]
fn plain_queries_take_no_room_of_what_hands_on() {
    let mut lake = Lake::with(&["calendar", "report"]);
    lake.add(insert("load", &["calendar"], "report", 1));
    for number in 0..5_001 {
        lake.add(statement(&format!("q{number}")).reads("calendar").run(2 + number));
    }
    let lineage = lake.walk("calendar", &Options::default());
    assert_eq!(nodes(&lake, &lineage), ["0 calendar", "1 report"]);
    assert!(!lineage.cut);
}

#[test]
fn of_very_many_deleted_tables_on_the_way_not_all_are_looked_behind() {
    let mut lake = Lake::with(&["root"]);
    for number in 0..2_001 {
        let hourly = format!("h{number}");
        lake.dropped(&hourly);
        lake.add(insert(&format!("i{number}"), &[&hourly], "root", number));
    }
    let lineage = lake.walk("root", &Options { direction: Direction::Upstream, ..Options::default() });
    assert_eq!(nodes(&lake, &lineage), ["0 root"]);
    assert!(lineage.cut);
    assert!(lineage.coverage.notes[0].starts_with("more than 2000 deleted assets lie on the way"));
}

#[test]
fn edges_around_a_folded_hub_have_a_limit() {
    let mut lake = Lake::with(&["root"]);
    lake.dropped("stage");
    for number in 0..230 {
        let (source, target) = (format!("s{number}"), format!("t{number}"));
        lake.table(&source);
        lake.table(&target);
        lake.add(insert(&format!("in{number}"), &[&source], "stage", 1));
        lake.add(insert(&format!("out{number}"), &["stage"], &target, 2));
        lake.add(insert(&format!("root{number}"), &[&target], "root", 3));
    }
    for operations in [false, true] {
        let options =
            Options { direction: Direction::Upstream, depth: 3, limit: 2_000, operations, ..Options::default() };
        let lineage = lake.walk("root", &options);
        assert!(lineage.cut && lineage.edges.len() <= 50_000, "{} edges", lineage.edges.len());
        assert!(lineage.coverage.notes[0].starts_with("more than 50000 edges"), "{:?}", lineage.coverage.notes);
    }
}

#[test]
fn nearer_vertices_have_room_first() {
    let mut lake = Lake::with(&["far", "near1", "near2", "root"]);
    lake.add(insert("n1", &["near1"], "root", 1));
    lake.add(insert("n2", &["near2"], "root", 2));
    lake.add(insert("f", &["far"], "near2", 99));
    let lineage = lake.walk("root", &Options { limit: 3, ..Options::default() });
    assert_eq!(nodes(&lake, &lineage), ["0 root", "1 near1", "1 near2"]);
    assert!(lineage.cut);
    assert_eq!(node(&lake, &lineage, "near2").more_upstream, 1);
    let whole = lake.walk("root", &Options { limit: 4, ..Options::default() });
    assert!(!whole.cut, "exactly as many as have room");
}

#[test]
fn nothing_but_the_root_has_room() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.add(insert("ab", &["a"], "b", 1));
    let lineage = lake.walk("b", &Options { limit: 0, ..Options::default() });
    assert_eq!(nodes(&lake, &lineage), ["0 b"]);
    assert!(lineage.cut && lineage.edges.is_empty());
}

#[test]
fn a_walk_from_an_operation_begins_with_its_ends() {
    let mut lake = Lake::with(&["a", "filter", "b", "c", "z"]);
    lake.dropped("d");
    lake.add(insert("za", &["z"], "a", 1));
    lake.add(insert("zd", &["z"], "d", 1));
    let operation = lake.add(statement("i").data("a", "b").data("d", "b").control("filter", "b").run(2));
    lake.add(insert("bc", &["b"], "c", 3));
    let lineage = lake.walk_from(&Root::Operation(operation), &Options::default());
    assert_eq!(nodes(&lake, &lineage), ["0 (i)", "1 a", "1 b", "2 c", "2 z"]);
    assert_eq!(
        edges(&lake, &lineage),
        ["(i) -> b", "a -> (i)", "b -> c via bc", "z -> (i) via zd hides d", "z -> a via za"]
    );
    let all = Options { operations: true, control_flow: true, direction: Direction::Upstream, ..Options::default() };
    let with_operations = lake.walk_from(&Root::Operation(operation), &all);
    assert_eq!(
        edges(&lake, &with_operations),
        ["(za) -> a", "(zd) -> (i) hides d", "a -> (i)", "filter --> (i)", "z -> (za)", "z -> (zd)"]
    );
}

#[test]
fn a_plain_query_has_inputs_only() {
    let mut lake = Lake::with(&["a"]);
    let query = lake.add(statement("select").reads("a").run(1));
    let lineage = lake.walk_from(&Root::Operation(query), &Options::default());
    assert_eq!(edges(&lake, &lineage), ["a -> (select)"]);
    let from_the_table = lake.walk("a", &Options { operations: true, ..Options::default() });
    assert_eq!(nodes(&lake, &from_the_table), ["0 a"], "a query that writes nothing is no lineage of its input");
    assert!(lake.walk_from(&Root::Operation(id_of("a")), &Options::default()).nodes.is_empty());
}
