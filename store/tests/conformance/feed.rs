//! The change feed is written with the facts, in commit order.

use sextant_model::feed::{Change, Subject, What};
use sextant_model::operation::{Evidence, Execution, Operation, Role};
use sextant_model::{EntityId, EntityType};
use sextant_store::{Changes, EntityWrite, Store, UsageReplacement};

use crate::samples::{entity, execution, id, name, operation, span, text, usage, variant};

/// What a commit adds to the feed.
fn told(store: &dyn Store, changes: &Changes) -> Vec<(Subject, EntityId, What)> {
    let before = store.newest_change().unwrap();
    let committed = store.commit(changes).unwrap();
    let told: Vec<Change> = store.changes_after(before, 1_000).unwrap();
    assert_eq!(committed.seq, store.newest_change().unwrap());
    assert!(told.iter().map(|change| change.seq).eq(before + 1..=committed.seq));
    told.into_iter().map(|change| (change.subject, change.id, change.what)).collect()
}

pub(crate) fn every_kind_of_change_is_told_in_order(store: &dyn Store) {
    let run = execution("run", id("op"), id("select 1"), 5);
    let entities = [What::Created, What::Deleted].map(|what| EntityWrite {
        entity: entity("db.t", EntityType::Table),
        what,
        content: None,
    });
    let first = Changes {
        entities: entities.to_vec(),
        operations: vec![operation("op")],
        variants: vec![variant(id("op"), "a", span(1, 1))],
        texts: vec![text(id("op"), "select 1", 5)],
        executions: vec![run.clone()],
        usages: vec![
            usage(id("op"), "db.t", Role::Input, 0, span(1, 1)),
            usage(id("op"), "db.u", Role::Output, 0, span(1, 1)),
        ],
        ..Changes::default()
    };
    let mut expected = vec![
        (Subject::Entity, id("db.t"), What::Created),
        (Subject::Entity, id("db.t"), What::Deleted),
        (Subject::Operation, id("op"), What::Created),
        (Subject::Text, id("select 1"), What::Created),
        (Subject::Execution, id("run"), What::Created),
    ];
    let mut found = told(store, &first);
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);

    let another_life =
        Changes { usages: vec![usage(id("op"), "db.t", Role::Input, 1, span(1, 1))], ..Changes::default() };
    assert_eq!(told(store, &another_life), [(Subject::Operation, id("op"), What::Linked)]);
    let only_wider =
        Changes { usages: vec![usage(id("op"), "db.t", Role::Input, 1, span(0, 9))], ..Changes::default() };
    assert_eq!(told(store, &only_wider), [(Subject::Operation, id("op"), What::Changed)], "it ran again");
    assert_eq!(told(store, &only_wider), []);

    let another_name = Changes { bindings: vec![(name("db.u"), id("db.t"))], ..Changes::default() };
    assert_eq!(told(store, &another_name), [(Subject::Entity, id("db.t"), What::Changed)]);

    let replacement = |qualified: &str, life| UsageReplacement {
        operation: id("op"),
        name: name(qualified),
        usages: vec![usage(id("op"), qualified, Role::Input, life, span(1, 1))],
    };
    let relinked =
        Changes { usage_replacements: vec![replacement("db.t", 7), replacement("db.u", 7)], ..Changes::default() };
    assert_eq!(told(store, &relinked), [(Subject::Operation, id("op"), What::Linked)], "once for both names");
    assert_eq!(told(store, &relinked), [], "the same uses again are no news");

    let more_flows = Changes { variants: vec![variant(id("op"), "b", span(1, 1))], ..Changes::default() };
    assert_eq!(told(store, &more_flows), [(Subject::Operation, id("op"), What::Changed)]);

    let better = Evidence { host: "a".to_owned(), ..run.evidence.clone() };
    let better_evidence = Changes { executions: vec![Execution { evidence: better, ..run }], ..Changes::default() };
    assert_eq!(told(store, &better_evidence), [(Subject::Execution, id("run"), What::Changed)]);

    let earlier_text = Changes { texts: vec![text(id("op"), "select 1", 1)], ..Changes::default() };
    assert_eq!(told(store, &earlier_text), [(Subject::Text, id("select 1"), What::Changed)]);

    assert_eq!(store.changes_after(2, 1).unwrap().iter().map(|change| change.seq).collect::<Vec<_>>(), [3]);
}

pub(crate) fn a_repeated_commit_tells_nothing_of_operations(store: &dyn Store) {
    let changes = Changes {
        operations: vec![operation("op"), Operation { lineage_known: false, ..operation("op 2") }],
        variants: vec![variant(id("op"), "a", span(1, 1))],
        texts: vec![text(id("op"), "select 1", 5)],
        executions: vec![execution("run", id("op"), id("select 1"), 5)],
        usages: vec![usage(id("op"), "db.t", Role::Input, 0, span(1, 1))],
        inbox_position: Some(4),
        ..Changes::default()
    };
    assert_eq!(told(store, &changes).len(), 4);
    assert_eq!(told(store, &changes), []);
    assert_eq!(told(store, &Changes::default()), []);
}

pub(crate) fn everything_can_be_scanned(store: &dyn Store) {
    let labels = ["a", "b", "c", "d", "e"];
    let changes = Changes {
        entities: labels
            .map(|label| EntityWrite {
                entity: entity(label, EntityType::Database),
                what: What::Created,
                content: None,
            })
            .to_vec(),
        operations: labels.map(operation).to_vec(),
        texts: labels.map(|label| text(id("op"), label, 1)).to_vec(),
        // Their operation and text are only referred to: a scan does not show them.
        executions: labels.map(|label| execution(label, id("untold"), id("untold"), 1)).to_vec(),
        ..Changes::default()
    };
    store.commit(&changes).unwrap();
    let mut ids = labels.map(id);
    ids.sort_unstable();
    for subject in [Subject::Entity, Subject::Operation, Subject::Text, Subject::Execution] {
        assert_eq!(store.scan(subject, None, 10).unwrap(), ids, "{subject:?}");
        assert_eq!(store.scan(subject, None, 2).unwrap(), ids[..2], "{subject:?}");
        assert_eq!(store.scan(subject, Some(ids[1]), 2).unwrap(), ids[2..4], "{subject:?}");
        assert_eq!(store.scan(subject, Some(ids[4]), 2).unwrap(), [], "{subject:?}");
    }
}
