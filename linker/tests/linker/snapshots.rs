//! What passes do to entities: new, changed, deleted, another life, held, out of scope.

use crate::story::{Story, minute};
use sextant_model::EntityState;
use sextant_model::snapshot::{Existence, PassSummary};
use sextant_store::{Facts, RunOutcome};

#[test]
fn a_table_that_is_gone_is_deleted_with_the_times_of_both_passes() {
    let story = Story::new();
    story.pass(10, &[("a", 1), ("b", 2)]);
    assert_eq!(story.pass(20, &[("a", 1)]), RunOutcome::Complete);
    let gone = story.table("b").unwrap();
    assert_eq!(
        (gone.state, gone.last_seen, gone.delete_time),
        (EntityState::Deleted, Some(minute(10)), Some(minute(20)))
    );
    assert_eq!(story.table("a").unwrap().state, EntityState::Living);
}

#[test]
fn its_columns_go_and_come_with_it() {
    let story = Story::new();
    story.pass(10, &[("a", 1)]);
    story.pass(20, &[]);
    let column = || {
        let table = story.table("a").unwrap();
        story.store.children(&sextant_model::Viewer::all(), table.id, 0, 10).unwrap().pop().unwrap()
    };
    assert_eq!(column().state, EntityState::Deleted);
    story.pass(30, &[("a", 25)]);
    assert_eq!(column().state, EntityState::Living);
}

#[test]
fn what_the_source_does_not_call_gone_stays() {
    for answer in [Existence::There, Existence::Unknown] {
        let story = Story::new();
        story.pass(10, &[("a", 1), ("b", 2)]);
        story.pass_with(20, &[("a", 1)], PassSummary::default(), &|_| answer, &|_| true, false);
        assert_eq!(story.table("b").unwrap().state, EntityState::Living);
    }
}

#[test]
fn a_database_that_could_not_be_listed_loses_nothing() {
    let story = Story::new();
    story.pass(10, &[("a", 1), ("b", 2)]);
    let summary = PassSummary { incomplete_databases: vec!["default".to_owned()], idle_patterns: Vec::new() };
    let outcome = story.pass_with(20, &[], summary, &|_| Existence::Gone, &|_| true, false);
    assert_eq!(outcome, RunOutcome::Incomplete);
    assert_eq!(story.table("b").unwrap().state, EntityState::Living);
}

#[test]
fn leaving_the_scope_is_not_deletion() {
    let story = Story::new();
    story.pass(10, &[("a", 1), ("tmp_b", 2)]);
    let in_scope = |name: &sextant_model::ObjectName| !name.last_part().starts_with("tmp_");
    story.pass_with(20, &[("a", 1)], PassSummary::default(), &|_| Existence::Gone, &in_scope, false);
    assert_eq!(story.table("tmp_b").unwrap().state, EntityState::OutOfScope);
    story.pass(30, &[("a", 1), ("tmp_b", 2)]);
    assert_eq!(story.table("tmp_b").unwrap().state, EntityState::Living);
    assert_eq!(story.lives("tmp_b").len(), 1);
}

#[test]
fn too_many_at_once_are_held_until_the_next_pass_agrees() {
    let names: Vec<&'static str> = (0..60).map(|index| &*Box::leak(format!("t{index}").into_boxed_str())).collect();
    let all: Vec<(&'static str, i64)> = names.iter().map(|name| (*name, 1)).collect();
    let story = Story::new();
    story.pass(10, &all);
    assert_eq!(story.pass(20, &[]), RunOutcome::Held);
    assert_eq!(story.table("t7").unwrap().state, EntityState::Living);
    assert_eq!(story.pass(30, &all[..1]), RunOutcome::Complete);
    assert_eq!(story.table("t7").unwrap().state, EntityState::Deleted);
    assert_eq!(story.table("t7").unwrap().last_seen, Some(minute(10)), "the held pass did not see it");
    assert_eq!(story.table("t0").unwrap().state, EntityState::Living);
}

#[test]
fn held_deletions_can_be_accepted() {
    let names: Vec<&'static str> = (0..60).map(|index| &*Box::leak(format!("t{index}").into_boxed_str())).collect();
    let all: Vec<(&'static str, i64)> = names.iter().map(|name| (*name, 1)).collect();
    let story = Story::new();
    story.pass(10, &all);
    story.pass(20, &[]);
    let accepted = story.pass_with(25, &[], PassSummary::default(), &|_| Existence::Gone, &|_| true, true);
    assert_eq!(accepted, RunOutcome::Complete);
    assert_eq!(story.table("t7").unwrap().state, EntityState::Deleted);
}

#[test]
fn created_again_is_the_same_entity_with_another_life() {
    let story = Story::new();
    story.pass(10, &[("a", 1)]);
    let first = story.table("a").unwrap().id;
    story.pass(20, &[]);
    story.pass(30, &[("a", 25)]);
    let again = story.table("a").unwrap();
    assert_eq!((again.id, again.state, again.delete_time), (first, EntityState::Living, None));
    let lives = story.lives("a");
    assert_eq!(
        lives.iter().map(|life| (life.number, life.over)).collect::<Vec<_>>(),
        [(1, Some(minute(20))), (2, None)]
    );
}

#[test]
fn created_again_between_two_passes_is_another_life_too() {
    let story = Story::new();
    story.pass(10, &[("a", 1)]);
    story.pass(20, &[("a", 15)]);
    let lives = story.lives("a");
    assert_eq!(
        lives.iter().map(|life| (life.number, life.over)).collect::<Vec<_>>(),
        [(1, Some(minute(15))), (2, None)]
    );
    assert_eq!(lives[0].last_seen, Some(minute(10)));
}

#[test]
fn there_again_with_the_same_create_time_is_the_same_life() {
    let story = Story::new();
    story.pass(10, &[("a", 1)]);
    story.pass(20, &[]);
    story.pass(30, &[("a", 1)]);
    assert_eq!(story.lives("a").iter().map(|life| (life.number, life.over)).collect::<Vec<_>>(), [(1, None)]);
}

#[test]
fn an_unchanged_pass_writes_no_entity() {
    let story = Story::new();
    story.pass(10, &[("a", 1)]);
    let before = story.store.newest_change().unwrap();
    story.pass(20, &[("a", 1)]);
    assert_eq!(story.store.newest_change().unwrap(), before);
}
