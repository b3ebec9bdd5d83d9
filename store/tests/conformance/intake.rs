//! What came in, how passes ended, and totals.

use sextant_model::operation::Role;
use sextant_model::snapshot::PassProblem;
use sextant_model::{Entity, EntityState, EntityType, ObjectName, Viewer};
use sextant_store::{
    Carry, Changes, Counts, ExtractorRun, KEPT_RUN_LOGS, LogLevel, LogLine, PassCounts, RunLog, RunOutcome, Store,
    UsageReplacement,
};

use crate::catalog::write;
use crate::samples::{at, entity, execution, id, name, operation, span, usage};

pub(crate) fn the_inbox_position_only_goes_on(store: &dyn Store) {
    assert_eq!(store.inbox_position().unwrap(), 0);
    for (position, expected) in [(Some(5), 5), (None, 5), (Some(3), 5), (Some(7), 7)] {
        store.commit(&Changes { inbox_position: position, ..Changes::default() }).unwrap();
        assert_eq!(store.inbox_position().unwrap(), expected);
    }
}

pub(crate) fn carries_are_replaced_and_removed(store: &dyn Store) {
    let carry = |generation: &str, offset, bytes: &[u8]| Carry {
        host: "edge-1".to_owned(),
        generation: generation.to_owned(),
        offset,
        bytes: bytes.to_vec(),
    };
    let commit = |carries| store.commit(&Changes { carries, ..Changes::default() }).unwrap();
    let long = vec![b'x'; 100_000];
    commit(vec![carry("g1", 10, b"{"), carry("g2", 20, &long)]);
    assert_eq!(store.carry("edge-1", "g1").unwrap(), Some(carry("g1", 10, b"{")));
    commit(vec![carry("g1", 30, b"[")]);
    assert_eq!(store.carry("edge-1", "g1").unwrap(), Some(carry("g1", 30, b"[")));
    commit(vec![carry("g1", 40, b"")]);
    assert_eq!(store.carry("edge-1", "g1").unwrap(), None);
    assert_eq!(store.carry("edge-1", "g2").unwrap(), Some(carry("g2", 20, &long)));
    assert_eq!(store.carry("edge-2", "g2").unwrap(), None);
}

pub(crate) fn held_names_are_replaced(store: &dyn Store) {
    let names = vec![ObjectName::database("db"), ObjectName::relation("db", "t")];
    let commit = |held| store.commit(&Changes { held: Some(held), ..Changes::default() }).unwrap();
    commit(("hive".to_owned(), names.clone()));
    commit(("other".to_owned(), vec![]));
    assert_eq!(store.held("hive").unwrap(), names);
    commit(("hive".to_owned(), vec![]));
    assert_eq!(store.held("hive").unwrap(), []);
    assert_eq!(store.held("unknown").unwrap(), []);
}

pub(crate) fn runs_come_newest_first(store: &dyn Store) {
    let run = |started, outcome| ExtractorRun {
        source: "hive".to_owned(),
        started: at(started),
        finished: at(started + 5),
        outcome,
        counts: PassCounts { seen: 3, failed: 1, ..PassCounts::default() },
        message: Some("one table could not be read".to_owned()),
        problems: vec![PassProblem { object: Some(ObjectName::relation("a", "b")), reason: "refused".to_owned() }],
        idle_patterns: vec!["tmp_*".to_owned()],
        stamp: None,
    };
    let outcomes = [RunOutcome::Complete, RunOutcome::Held, RunOutcome::Incomplete, RunOutcome::Failed];
    assert_eq!(store.last_complete_run("hive").unwrap(), None);
    for (started, outcome) in (0..).zip(outcomes) {
        store.commit(&Changes { run: Some(run(started, outcome)), ..Changes::default() }).unwrap();
        assert_eq!(store.last_complete_run("hive").unwrap(), Some(at(0)));
    }
    let newest = store.runs(&Viewer::all(), "hive", 2).unwrap();
    assert_eq!(newest, [run(3, RunOutcome::Failed), run(2, RunOutcome::Incomplete)]);
    assert_eq!(store.runs(&Viewer::all(), "other", 2).unwrap(), []);
}

pub(crate) fn totals_follow_what_happens(store: &dyn Store) {
    let counts = || store.counts(&Viewer::all()).unwrap();
    assert_eq!(counts(), Counts::default());
    let commit = |changes: Changes| {
        store.commit(&changes).unwrap();
        store.commit(&changes).unwrap();
    };
    let table = entity("db.t", EntityType::Table);
    commit(Changes {
        entities: vec![write(table.clone(), None), write(entity("db.u", EntityType::Table), None)],
        operations: vec![operation("op")],
        executions: vec![execution("run", id("op"), id("t"), 1), execution("run 2", id("op"), id("t"), 2)],
        usages: vec![
            usage(id("op"), "db.t", Role::Input, 0, span(1, 1)),
            usage(id("op"), "db.u", Role::Output, 0, span(1, 1)),
        ],
        ..Changes::default()
    });
    assert_eq!(counts().living, [("TABLE".to_owned(), 2)]);
    assert_eq!((counts().operations, counts().executions, counts().unlinked_names), (1, 2, 2));

    let as_view = Entity { entity_type: EntityType::View, ..table.clone() };
    commit(Changes {
        entities: vec![write(as_view.clone(), None)],
        bindings: vec![(name("db.t"), id("db.t")), (name("db.unused"), id("db.u"))],
        ..Changes::default()
    });
    assert_eq!(counts().living, [("TABLE".to_owned(), 1), ("VIEW".to_owned(), 1)]);
    assert_eq!(counts().unlinked_names, 1);

    let gone = Entity { state: EntityState::Deleted, delete_time: Some(at(3)), ..as_view };
    let unwatched = Entity { state: EntityState::OutOfScope, ..entity("db.u", EntityType::Table) };
    let unused = UsageReplacement { operation: id("op"), name: name("db.u"), usages: Vec::new() };
    commit(Changes {
        entities: vec![write(gone, None), write(unwatched, None)],
        usage_replacements: vec![unused],
        ..Changes::default()
    });
    assert_eq!((counts().living, counts().deleted), (vec![("TABLE".to_owned(), 1)], vec![("VIEW".to_owned(), 1)]));
    assert_eq!(counts().unlinked_names, 0);
}

pub(crate) fn logs_of_the_newest_runs_are_kept(store: &dyn Store) {
    let log = |source: &str, second: i64, text: &str| RunLog {
        source: source.to_owned(),
        started: at(second),
        lines: vec![
            LogLine { time: at(second), level: LogLevel::Info, text: text.to_owned() },
            LogLine { time: at(second + 1), level: LogLevel::Error, text: "x".repeat(3_000) },
        ],
        dropped: 7,
    };
    let commit = |log: RunLog| {
        store.commit(&Changes { run_log: Some(log), ..Changes::default() }).unwrap();
    };
    let kept = |source: &str, second: Option<i64>| store.run_log(&Viewer::all(), source, second.map(at)).unwrap();
    assert_eq!(kept("hive", None), None);
    commit(log("hdfs", 1, "another source"));
    commit(log("hive", 1, "replaced"));
    commit(log("hive", 1, "first"));
    assert_eq!(kept("hive", Some(1)), Some(log("hive", 1, "first")));
    for second in 2..=1 + KEPT_RUN_LOGS as i64 {
        commit(log("hive", second, "later"));
    }
    assert_eq!(kept("hive", Some(1)), None, "the oldest of one too many");
    assert_eq!(kept("hive", Some(2)), Some(log("hive", 2, "later")));
    let newest = 1 + KEPT_RUN_LOGS as i64;
    assert_eq!(kept("hive", None), Some(log("hive", newest, "later")));
    assert_eq!(kept("hdfs", None), Some(log("hdfs", 1, "another source")));
}
