//! Tables that were dropped and created again, and answers about earlier times.

use sextant_graph::{Direction, Options};
use sextant_model::{EntityState, EntityType};

use crate::drawing::{edges, node, nodes};
use crate::lake::{Lake, at, insert, statement};

/// `t` lived from 0 to 1000, and lives again since 2000.
fn reborn() -> Lake {
    let mut lake = Lake::with(&["old", "new", "always"]);
    lake.relation("t", EntityType::Table, EntityState::Living, &[(0, Some(1_000)), (2_000, None)]);
    lake.add(statement("o").data("old", "t").run_in(500, &[("t", 1)]));
    lake.add(statement("n").data("new", "t").run(2_500));
    lake.add(statement("a").data("always", "t").run_in(600, &[("t", 1)]).run(2_600));
    lake
}

fn upstream() -> Options {
    Options { direction: Direction::Upstream, ..Options::default() }
}

#[test]
fn edges_of_earlier_lives_are_marked() {
    let lake = reborn();
    let lineage = lake.walk("t", &upstream());
    assert_eq!(edges(&lake, &lineage), ["always -> t via a", "new -> t via n", "old -> t via o former"]);
    let with_operations = lake.walk("t", &Options { operations: true, ..upstream() });
    assert_eq!(
        edges(&lake, &with_operations),
        ["(a) -> t", "(n) -> t", "(o) -> t former", "always -> (a)", "new -> (n)", "old -> (o)"]
    );
}

#[test]
fn the_current_life_leaves_them_out() {
    let lake = reborn();
    let lineage = lake.walk("t", &Options { current_life: true, ..upstream() });
    assert_eq!(edges(&lake, &lineage), ["always -> t via a", "new -> t via n"]);
    assert_eq!(
        lineage.edges.iter().map(|edge| edge.first_seen).min(),
        Some(at(2_500)),
        "not the run of the first life"
    );
    assert!(lineage.coverage.notes.contains(&"flows of former lives are left out".to_owned()));
    let with_operations = lake.walk("t", &Options { current_life: true, operations: true, ..upstream() });
    assert_eq!(nodes(&lake, &with_operations), ["0 t", "1 (a)", "1 (n)", "1 always", "1 new"]);
}

#[test]
fn what_is_only_counted_is_counted_by_the_same_rules() {
    let mut lake = reborn();
    lake.table("near");
    lake.table("root");
    lake.add(statement("former").data("t", "near").run_in(500, &[("t", 1)]));
    lake.add(insert("present", &["always"], "near", 2_500));
    lake.add(insert("last", &["near"], "root", 2_600));
    let beyond = |options: Options| {
        let lineage = lake.walk("root", &Options { depth: 1, ..options });
        node(&lake, &lineage, "near").more_upstream
    };
    assert_eq!(beyond(upstream()), 2);
    assert_eq!(beyond(Options { current_life: true, ..upstream() }), 1);
}

#[test]
fn lives_meet_only_at_the_same_time() {
    let mut lake = Lake::with(&["b"]);
    lake.relation("t", EntityType::Table, EntityState::Living, &[(0, Some(1_000)), (2_000, None)]);
    lake.relation("s", EntityType::Table, EntityState::Living, &[(0, Some(1_000)), (2_000, None)]);
    lake.add(statement("i").data("s", "t").run_in(500, &[("s", 1), ("t", 1)]).run_in(2_500, &[("s", 2), ("t", 2)]));
    let lineage = lake.walk("t", &Options { current_life: true, ..upstream() });
    assert_eq!((lineage.edges[0].first_seen, lineage.edges[0].last_seen), (at(2_500), at(2_500)));
}

#[test]
fn an_earlier_life_that_nobody_saw_is_former() {
    let mut lake = Lake::with(&["a"]);
    lake.relation("t", EntityType::Table, EntityState::Living, &[(1_000, None)]);
    lake.add(statement("before").data("a", "t").run_in(500, &[("t", 0)]));
    assert_eq!(edges(&lake, &lake.walk("t", &upstream())), ["a -> t via before former"]);
    let mut unsure = Lake::with(&["a"]);
    unsure.relation("t", EntityType::Table, EntityState::Living, &[(1_000, None)]);
    unsure.add(statement("later").data("a", "t").run_in(1_500, &[("t", 0)]));
    assert_eq!(edges(&unsure, &unsure.walk("t", &upstream())), ["a -> t via later"]);
}

#[test]
fn a_chain_through_an_earlier_life_is_former() {
    let mut lake = Lake::with(&["a", "b"]);
    lake.relation("d", EntityType::Table, EntityState::Deleted, &[(0, Some(100)), (200, Some(300))]);
    lake.add(statement("ad").data("a", "d").run_in(50, &[("d", 1)]));
    lake.add(statement("db").data("d", "b").run_in(60, &[("d", 1)]));
    assert_eq!(edges(&lake, &lake.walk("b", &upstream())), ["a -> b via ad db hides d former"]);
    lake.add(statement("again").data("a", "d").data("d", "b").run_in(250, &[("d", 2)]));
    assert_eq!(edges(&lake, &lake.walk("b", &upstream())), ["a -> b via ad again db hides d"]);
}

#[test]
fn nothing_flows_from_one_life_of_a_folded_table_out_of_another() {
    let mut lake = Lake::with(&["a", "b", "c", "z"]);
    lake.relation("d", EntityType::Table, EntityState::Deleted, &[(0, Some(100)), (200, Some(300))]);
    lake.add(statement("ad").data("a", "d").run_in(50, &[("d", 1)]));
    lake.add(statement("cd").data("c", "d").run_in(220, &[("d", 2)]));
    lake.add(statement("db").data("d", "b").run_in(250, &[("d", 2)]));
    lake.add(insert("za", &["z"], "a", 40));
    let lineage = lake.walk("b", &Options { depth: 5, ..upstream() });
    assert_eq!(edges(&lake, &lineage), ["c -> b via cd db hides d"]);
    assert_eq!(nodes(&lake, &lineage), ["0 b", "2 c"]);
    assert_eq!(node(&lake, &lake.walk("a", &Options::default()), "a").more_downstream, 0);
    let downstream = Options { direction: Direction::Downstream, depth: 5, ..Options::default() };
    assert_eq!(nodes(&lake, &lake.walk("a", &downstream)), ["0 a"]);
    assert_eq!(edges(&lake, &lake.walk("c", &downstream)), ["c -> b via cd db hides d"]);
    let with_operations = Options { operations: true, depth: 5, ..upstream() };
    assert_eq!(edges(&lake, &lake.walk("b", &with_operations)), ["(cd) -> (db) hides d", "(db) -> b", "c -> (cd)"]);
    let shown = Options { deleted: true, depth: 5, ..upstream() };
    assert_eq!(nodes(&lake, &lake.walk("b", &shown)), ["0 b", "1 d", "2 a", "2 c", "3 z"], "shown, it is one table");
}

#[test]
fn a_use_of_which_no_life_is_known_fits_any() {
    let mut lake = Lake::with(&["a", "b", "c"]);
    lake.relation("d", EntityType::Table, EntityState::Deleted, &[(0, Some(100)), (200, Some(300))]);
    lake.add(statement("ad").data("a", "d").run_in(150, &[("d", 0)]));
    lake.add(statement("cd").data("c", "d").run_in(50, &[("d", 1)]));
    lake.add(statement("db").data("d", "b").run_in(250, &[("d", 2)]));
    let lineage = lake.walk("b", &Options { depth: 5, ..upstream() });
    assert_eq!(edges(&lake, &lineage), ["a -> b via ad db hides d former"]);
}

#[test]
fn an_earlier_time_is_seen_as_it_was() {
    let mut lake = reborn();
    lake.dropped("gone");
    lake.add(insert("g", &["gone"], "new", 700));
    let as_of = |time| Options { as_of: Some(at(time)), ..upstream() };
    assert_eq!(edges(&lake, &lake.walk("t", &as_of(550))), ["old -> t via o"], "not former at that time");
    assert_eq!(edges(&lake, &lake.walk("t", &as_of(2_550))), ["new -> t via n"], "the first life's edges are left out");
    assert_eq!(nodes(&lake, &lake.walk("new", &as_of(800))), ["0 new", "1 gone"], "it was there at that time");
    assert!(!node(&lake, &lake.walk("new", &as_of(800)), "gone").deleted);
    let with_deleted = Options { deleted: true, ..upstream() };
    assert!(node(&lake, &lake.walk("new", &with_deleted), "gone").deleted, "it is not there any more");
    assert_eq!(nodes(&lake, &lake.walk("new", &as_of(1_500))), ["0 new"]);
    assert_eq!(nodes(&lake, &lake.walk("new", &as_of(600))), ["0 new"], "nothing had been seen yet");
}

#[test]
fn what_was_created_later_is_not_there_at_an_earlier_time() {
    let mut lake = Lake::with(&["b"]);
    lake.relation("later", EntityType::Table, EntityState::Living, &[(1_000, None)]);
    lake.add(statement("i").data("later", "b").run_in(500, &[("later", 0)]));
    assert_eq!(nodes(&lake, &lake.walk("b", &Options { as_of: Some(at(600)), ..upstream() })), ["0 b"]);
}
