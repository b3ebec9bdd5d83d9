//! The shortest ways between two assets.

use sextant_graph::{Asset, Direction, Lineage, Options, Root};

use crate::drawing::{edges, nodes};
use crate::lake::{CONTROL, DATA, Lake, id_of, insert, key_of, statement};

fn deep() -> Options {
    Options { depth: 10, ..Options::default() }
}

fn path(lake: &Lake, from: &str, to: &str, options: &Options) -> Lineage {
    lake.paths(&Root::Asset(Asset::Entity(id_of(from))), &Root::Asset(Asset::Entity(id_of(to))), options)
}

#[test]
fn the_shortest_ways_are_shown_and_nothing_else() {
    let mut lake = Lake::with(&["a", "b1", "b2", "c", "long1", "long2", "side"]);
    lake.add(insert("ab1", &["a"], "b1", 1));
    lake.add(insert("ab2", &["a", "side"], "b2", 2));
    lake.add(insert("b1c", &["b1"], "c", 3));
    lake.add(insert("b2c", &["b2"], "c", 4));
    lake.add(insert("al", &["a"], "long1", 5));
    lake.add(insert("ll", &["long1"], "long2", 6));
    lake.add(insert("lc", &["long2"], "c", 7));
    let found = path(&lake, "a", "c", &deep());
    assert_eq!(nodes(&lake, &found), ["0 a", "1 b1", "1 b2", "2 c"]);
    assert_eq!(edges(&lake, &found), ["a -> b1 via ab1", "a -> b2 via ab2", "b1 -> c via b1c", "b2 -> c via b2c"]);
    assert_eq!(
        found.coverage.notes[..2],
        [
            "data comes from lake.a to lake.c in 2 hops",
            "no way from lake.c to lake.a within 10 hops (control flow is not walked)"
        ]
    );
    assert_eq!(found.nodes[0].more_downstream, 1, "long1");
    let other_way = path(&lake, "c", "a", &Options { direction: Direction::Upstream, ..deep() });
    assert_eq!(edges(&lake, &other_way), edges(&lake, &found));
    assert_eq!(other_way.coverage.notes[0], "data comes from lake.a to lake.c in 2 hops");
}

#[test]
fn without_a_way_there_is_the_first_end_and_words() {
    let mut lake = Lake::with(&["a", "b", "c", "filter"]);
    lake.add(insert("ab", &["a"], "b", 1));
    lake.add(statement("bc").control("b", "c").run(2));
    let none = path(&lake, "a", "c", &Options { direction: Direction::Downstream, ..deep() });
    assert_eq!(nodes(&lake, &none), ["0 a"]);
    assert_eq!(none.coverage.notes[0], "no way from lake.a to lake.c within 10 hops (control flow is not walked)");
    let control = path(&lake, "a", "c", &Options { control_flow: true, ..deep() });
    assert_eq!(edges(&lake, &control), ["a -> b via ab", "b --> c via bc"]);
    let too_far = path(&lake, "a", "c", &Options { control_flow: true, depth: 1, ..deep() });
    assert_eq!(too_far.coverage.notes[0], "no way from lake.a to lake.c within 1 hop");
    let same = path(&lake, "a", "a", &deep());
    assert_eq!(nodes(&lake, &same), ["0 a"]);
    assert!(same.coverage.notes[0].contains("both ends"));
}

#[test]
fn a_way_goes_through_what_is_deleted_and_ends_at_it() {
    let mut lake = Lake::with(&["a", "c"]);
    lake.dropped("d");
    lake.dropped("end");
    lake.add(insert("ad", &["a"], "d", 1));
    lake.add(insert("dc", &["d"], "c", 2));
    lake.add(insert("cend", &["c"], "end", 3));
    let found = path(&lake, "a", "end", &deep());
    assert_eq!(nodes(&lake, &found), ["0 a", "2 c", "3 end"]);
    assert_eq!(edges(&lake, &found), ["a -> c via ad dc hides d", "c -> end via cend"]);
    assert!(found.coverage.notes.contains(&"1 deleted asset is folded on the way".to_owned()));
    let shown = path(&lake, "a", "end", &Options { deleted: true, operations: true, ..deep() });
    assert_eq!(nodes(&lake, &shown), ["0 a", "1 (ad)", "1 d", "2 (dc)", "2 c", "3 (cend)", "3 end"]);
}

#[test]
fn whole_ways_are_left_out_where_there_is_no_room() {
    let mut lake = Lake::with(&["a", "z"]);
    for number in 0..20 {
        let middle = format!("m{number:02}");
        lake.table(&middle);
        lake.add(insert(&format!("in{number}"), &["a"], &middle, number));
        lake.add(insert(&format!("out{number}"), &[&middle], "z", 100 + number));
    }
    let found = path(&lake, "a", "z", &Options { limit: 5, ..deep() });
    assert_eq!(found.nodes.len(), 5);
    assert_eq!(found.edges.len(), 6);
    assert!(found.cut);
    let one = path(&lake, "a", "z", &Options { limit: 1, ..deep() });
    assert_eq!((one.nodes.len(), one.edges.len()), (3, 2), "one way in any case");
}

#[test]
fn columns_have_ways_of_their_own() {
    let mut lake = Lake::with(&["a", "b", "c"]);
    for (table, fields) in [("a", ["x", "y"]), ("b", ["x", "y"]), ("c", ["x", "y"])] {
        lake.fields(table, &fields);
    }
    let flow =
        |label: &str, from: &str, to: &str, time| {
            insert(label, &[from], to, time)
                .columns(DATA, &[&format!("{from}.x")], &[&format!("{to}.x")], None)
                .columns(CONTROL, &[&format!("{from}.y")], &[&format!("{to}.x")], None)
        };
    lake.add(flow("ab", "a", "b", 1));
    lake.add(flow("bc", "b", "c", 2));
    let field = |table: &str, column: &str| Root::Field { table: id_of(table), column: column.to_owned() };
    let found = lake.paths(&field("a", "x"), &field("c", "x"), &deep());
    assert_eq!(edges(&lake, &found), ["a.x -> b.x via ab", "b.x -> c.x via bc"]);
    let none = lake.paths(&field("a", "y"), &field("c", "y"), &deep());
    assert_eq!(nodes(&lake, &none), ["0 a.y"]);
    assert!(none.coverage.notes[0].starts_with("no way from lake.a.y to lake.c.y"));
}

#[test]
fn a_way_ends_at_a_name_that_no_source_has_shown() {
    let mut lake = Lake::with(&["a"]);
    lake.add(insert("ag", &["a"], "ghost", 1));
    let ghost = Root::Asset(Asset::Unlinked(key_of("ghost")));
    let found = lake.paths(&Root::Asset(Asset::Entity(id_of("a"))), &ghost, &deep());
    assert_eq!(edges(&lake, &found), ["a -> ?ghost via ag"]);
}

#[test]
fn only_what_was_seen_in_a_time_is_walked() {
    let mut lake = Lake::with(&["a", "b", "c"]);
    lake.add(insert("ab", &["a"], "b", 10).run(20));
    lake.add(insert("bc", &["b"], "c", 40));
    let seen = |from: i64, to: i64| {
        let options = Options { seen_from: Some(crate::lake::at(from)), seen_to: Some(crate::lake::at(to)), ..deep() };
        edges(&lake, &lake.walk("b", &options))
    };
    assert_eq!(seen(15, 16), ["a -> b via ab"], "between its first and its last run");
    assert_eq!(seen(21, 39), Vec::<String>::new());
    assert_eq!(seen(20, 40), ["a -> b via ab", "b -> c via bc"]);
}
