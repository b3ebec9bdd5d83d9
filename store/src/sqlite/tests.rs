//! What only this store does: files, locks, versions of the schema, and disks that are full.

use std::collections::BTreeSet;
use std::fmt::Write;

use rusqlite::{Connection, StatementStatus, ToSql, params_from_iter};
use tempfile::TempDir;

use sextant_model::delivery::{BatchHeader, Generation};
use sextant_model::operation::{Evidence, Execution, FlowVariant, Operation, Role, SeenSpan, StatementText, Usage};
use sextant_model::problem::ProblemKind;
use sextant_model::record::Flows;
use sextant_model::{EntityId, NameKey, NameKind, SourceType, Timestamp, Viewer};

use super::SqliteStore;
use super::connection::MAX_READERS;
use super::reads::quarantine::{Condition, groups_of};
use super::schema::{FACTS, INBOX, Schema};
use crate::{Changes, Facts, Inbox, IncomingBatch, QuarantineFilter, StoreError};

fn opened() -> (TempDir, SqliteStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path()).unwrap();
    (directory, store)
}

fn id(number: u64) -> EntityId {
    EntityId::derive("test", &[&number.to_le_bytes()])
}

fn name(number: u64) -> NameKey {
    NameKey { cluster: "prod".to_owned(), kind: NameKind::Relation, qualified: format!("db.t{number}") }
}

fn time(number: u64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000 + number as i64)
}

/// One operation with everything that belongs to it, and a long text that cannot be compressed.
fn changes(number: u64, noise_bytes: usize) -> Changes {
    let (operation, text, variant, execution) =
        (id(number), id(number + 1_000), id(number + 2_000), id(number + 3_000));
    let seen = SeenSpan::once(time(number), execution);
    let mut noise = String::new();
    let mut state = number;
    while noise.len() < noise_bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        write!(noise, "{state:x}").unwrap();
    }
    Changes {
        operations: vec![Operation {
            id: operation,
            source_type: SourceType::Hive,
            cluster: "prod".to_owned(),
            operation_type: None,
            lineage_known: true,
            pairs: Vec::new(),
        }],
        texts: vec![StatementText { id: text, operation, text: noise, first_seen: time(number) }],
        variants: vec![FlowVariant { operation, id: variant, flows: Flows::default(), seen }],
        executions: vec![Execution {
            id: execution,
            operation,
            text,
            variant: Some(variant),
            user: Some(format!("user{number}")),
            started: None,
            ended: Some(time(number)),
            received: time(number),
            query_id: None,
            engine: None,
            job_ids: Vec::new(),
            table_created: Vec::new(),
            evidence: Evidence { host: "edge".to_owned(), file: "/log".to_owned(), offset: number },
        }],
        usages: vec![Usage { operation, name: name(number), role: Role::Input, life: 0, seen }],
        inbox_position: Some(number),
        ..Changes::default()
    }
}

/// Whether a commit of [`changes`] is there as a whole, or not at all.
fn is_there(store: &SqliteStore, number: u64) -> bool {
    let viewer = Viewer::all();
    let shown = [
        store.operations(&viewer, &[id(number)]).unwrap().len(),
        store.texts(&viewer, &[id(number + 1_000)]).unwrap().len(),
        store.variants(&viewer, id(number)).unwrap().len(),
        store.executions(&viewer, &[id(number + 3_000)]).unwrap().len(),
        store.usages_of_names(&viewer, &[name(number)]).unwrap().len(),
        store.name_states(&[name(number)]).unwrap().len(),
        usize::from(store.inbox_position().unwrap() >= number),
        store.changes_after(0, 1_000).unwrap().iter().filter(|change| change.id == id(number)).count(),
    ];
    assert!(shown == [0; 8] || shown == [1; 8], "half a commit is there: {shown:?}");
    shown == [1; 8]
}

fn batch(start: u64, end: u64) -> BatchHeader {
    BatchHeader {
        agent: "agent".to_owned(),
        host: "edge".to_owned(),
        generation: Generation("g".to_owned()),
        path: "/log".to_owned(),
        format: "hive".to_owned(),
        cluster: "prod".to_owned(),
        start,
        end,
        skipped: None,
        last: false,
    }
}

fn send(store: &SqliteStore, start: u64, bytes: &[u8]) -> Result<u64, StoreError> {
    let payload = zstd::bulk::compress(bytes, 1).unwrap();
    let header = batch(start, start + bytes.len() as u64);
    store.receive(IncomingBatch { header: &header, payload: &payload, received: time(0) }).map(|receipt| receipt.offset)
}

#[test]
fn reopening_shows_everything() {
    let (directory, store) = opened();
    store.commit(&changes(1, 10)).unwrap();
    send(&store, 0, b"abc\n").unwrap();
    assert!(is_there(&store, 1));
    drop(store);
    for log in ["facts.db-wal", "inbox.db-wal"] {
        assert!(!directory.path().join(log).exists(), "{log} was not written back");
    }
    let store = SqliteStore::open(directory.path()).unwrap();
    assert!(is_there(&store, 1));
    assert_eq!(store.entries_after(0, 100).unwrap().len(), 1);
    assert_eq!(send(&store, 4, b"d\n").unwrap(), 6);
    store.commit(&changes(1, 10)).unwrap();
    store.commit(&changes(2, 10)).unwrap();
    assert!(is_there(&store, 1) && is_there(&store, 2));
    assert_eq!(store.counts(&Viewer::all()).unwrap().executions, 2);
}

#[test]
fn a_directory_belongs_to_one_store() {
    let (directory, store) = opened();
    let refused = SqliteStore::open(directory.path()).unwrap_err();
    assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
    drop(store);
    SqliteStore::open(directory.path()).unwrap();

    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let refused = SqliteStore::open(&file).unwrap_err();
    assert!(matches!(refused, StoreError::Io { .. }), "{refused}");
}

#[test]
fn data_of_a_newer_version_is_refused() {
    for (file, schema) in [("facts.db", FACTS), ("inbox.db", INBOX)] {
        let (directory, store) = opened();
        drop(store);
        let newer = schema.migrations.len() as u32 + 1;
        let connection = Connection::open(directory.path().join(file)).unwrap();
        connection.pragma_update(None, "user_version", newer).unwrap();
        drop(connection);
        match SqliteStore::open(directory.path()).unwrap_err() {
            StoreError::NewerSchema { path, found, known } => {
                assert_eq!((path, found, known), (directory.path().join(file), newer, newer - 1));
            }
            other => panic!("{other}"),
        }
    }
}

/// The tables of a database that has taken the first `steps` steps.
fn tables_after(schema: &Schema, steps: usize) -> BTreeSet<String> {
    let mut connection = Connection::open_in_memory().unwrap();
    Schema { migrations: &schema.migrations[..steps] }.migrate(&mut connection, "memory".as_ref()).unwrap();
    let version: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version as usize, steps);
    // Once more: there is nothing to do.
    Schema { migrations: &schema.migrations[..steps] }.migrate(&mut connection, "memory".as_ref()).unwrap();
    connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

#[test]
fn inbox_step_1_makes_the_first_tables() {
    assert_eq!(tables_after(&INBOX, 0), BTreeSet::new());
    assert_eq!(tables_after(&INBOX, 1), ["agent", "entry", "origin", "position"].map(str::to_owned).into());
}

#[test]
fn facts_step_1_makes_the_first_tables() {
    assert_eq!(tables_after(&FACTS, 0), BTreeSet::new());
    let tables = [
        "carry",
        "counter",
        "entity",
        "execution",
        "feed",
        "held",
        "held_path",
        "life",
        "living_path",
        "location",
        "location_rules",
        "name",
        "operation",
        "other_identity",
        "progress",
        "quarantined",
        "run",
        "spool_file",
        "text",
        "usage",
        "variant",
        "word",
    ];
    assert_eq!(tables_after(&FACTS, 1), tables.map(str::to_owned).into());
}

#[test]
fn facts_step_4_adds_the_changes_of_entities() {
    let (before, after) = (tables_after(&FACTS, 3), tables_after(&FACTS, 4));
    assert_eq!(&after - &before, ["entity_change".to_owned()].into());
}

#[test]
fn facts_step_5_adds_the_logs_of_runs() {
    let (before, after) = (tables_after(&FACTS, 4), tables_after(&FACTS, 5));
    assert_eq!(&after - &before, ["run_log".to_owned()].into());
}

/// Lets a database grow by no more than so many pages.
fn leave_room(database: &super::Database, pages: i64) {
    let limit = |connection: &rusqlite::Transaction<'_>| {
        let used: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        connection.query_row(&format!("PRAGMA max_page_count = {}", used + pages), [], |row| row.get::<_, i64>(0))
    };
    database.write(limit).unwrap();
}

#[test]
fn a_commit_on_a_full_disk_leaves_nothing_and_works_later() {
    let (_directory, store) = opened();
    store.commit(&changes(1, 10)).unwrap();
    leave_room(&store.facts, 8);
    for _ in 0..2 {
        let refused = store.commit(&changes(2, 1 << 20)).unwrap_err();
        assert!(matches!(refused, StoreError::DiskFull { .. }), "{refused}");
        assert!(is_there(&store, 1));
        assert!(!is_there(&store, 2));
    }
    leave_room(&store.facts, 1_000_000);
    store.commit(&changes(2, 1 << 20)).unwrap();
    assert!(is_there(&store, 2));
    assert_eq!(store.counts(&Viewer::all()).unwrap().unlinked_names, 2);
}

#[test]
fn a_batch_on_a_full_disk_is_not_acknowledged() {
    let (_directory, store) = opened();
    send(&store, 0, b"abc\n").unwrap();
    leave_room(&store.inbox, 2);
    let noise: Vec<u8> = (0..200_000u64).flat_map(|number| id(number).as_bytes()[..1].to_vec()).collect();
    let refused = send(&store, 4, &noise).unwrap_err();
    assert!(matches!(refused, StoreError::DiskFull { .. }), "{refused}");
    assert_eq!(store.positions("agent").unwrap()[0].offset, 4);
    leave_room(&store.inbox, 1_000_000);
    assert_eq!(send(&store, 4, &noise).unwrap(), 4 + noise.len() as u64);
}

#[test]
fn an_inbox_that_was_lost_goes_on_counting() {
    let (directory, store) = opened();
    store.commit(&Changes { inbox_position: Some(41), ..Changes::default() }).unwrap();
    drop(store);
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(directory.path().join(format!("inbox.db{suffix}")));
    }
    let store = SqliteStore::open(directory.path()).unwrap();
    send(&store, 0, b"abc\n").unwrap();
    assert_eq!(store.entries_after(41, 100).unwrap()[0].seq, 42);
}

#[test]
fn the_room_of_dropped_entries_is_given_back() {
    let (_directory, store) = opened();
    let noise: Vec<u8> = (0..500_000u64).flat_map(|number| *id(number).as_bytes()).collect();
    let mut start = 0;
    for _ in 0..8 {
        start = send(&store, start, &noise).unwrap();
    }
    let pages =
        || store.inbox.read(|connection| connection.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0)));
    let before = pages().unwrap();
    store.drop_entries_through(8).unwrap();
    assert!(pages().unwrap() < before * 3 / 4, "{before} pages, then {}", pages().unwrap());
    assert_eq!(send(&store, start, b"x\n").unwrap(), start + 2);
}

#[test]
fn reads_do_not_wait_for_the_writer() {
    let (_directory, store) = opened();
    store.commit(&changes(1, 10)).unwrap();
    let seen_meanwhile = store.facts.write(|transaction| {
        transaction.execute("DELETE FROM execution", [])?;
        Ok(is_there(&store, 1))
    });
    assert!(seen_meanwhile.unwrap());
}

#[test]
fn more_readers_than_connections_take_turns() {
    let (_directory, store) = opened();
    store.commit(&changes(1, 10)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 * MAX_READERS {
            scope.spawn(|| (0..20).for_each(|_| assert!(is_there(&store, 1))));
        }
    });
    let readers = store.facts.idle_readers();
    assert!((1..=MAX_READERS).contains(&readers), "{readers}");
}

/// How SQLite finds what a statement asks for.
fn plan_of(store: &SqliteStore, sql: &str, values: impl IntoIterator<Item = impl ToSql>) -> Vec<String> {
    let explained = store.facts.read(|connection| {
        let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        explain.query_map(params_from_iter(values), |row| row.get("detail"))?.collect()
    });
    explained.unwrap()
}

/// The quarantine may be large, and its rows hold bytes.
#[test]
fn the_quarantine_is_asked_by_its_indexes() {
    let (_directory, store) = opened();
    for filter in [
        QuarantineFilter::default(),
        QuarantineFilter { kind: Some(ProblemKind::Malformed), format: Some("hive".to_owned()), ..Default::default() },
    ] {
        let Condition { sql, values } = Condition::of(&filter);
        let plan = plan_of(&store, &groups_of(&sql), values);
        assert!(plan[0].contains("COVERING INDEX quarantined_group"), "{plan:?}");
    }
    let Condition { sql, values } = Condition::of(&QuarantineFilter { id: Some(id(1)), ..Default::default() });
    let plan = plan_of(&store, &format!("DELETE FROM quarantined WHERE {sql} RETURNING kind"), values);
    assert!(plan.len() == 1 && plan[0].contains("(id=?)"), "{plan:?}");
}

#[test]
fn a_statement_is_prepared_once_for_all_values() {
    let (_directory, store) = opened();
    let prepared_again = store.facts.read(|connection| {
        let mut statement = connection.prepare("SELECT key FROM name WHERE qualified LIKE ?1")?;
        for pattern in ["a%", "b%", "c%"] {
            statement.exists([pattern])?;
        }
        Ok(statement.get_status(StatementStatus::RePrepare))
    });
    assert_eq!(prepared_again.unwrap(), 0);
}

#[test]
fn a_stored_value_that_cannot_be_read_is_an_error() {
    let (_directory, store) = opened();
    store.commit(&changes(1, 10)).unwrap();
    let damage =
        "UPDATE variant SET flows = x'00FF'; UPDATE text SET body = x''; UPDATE operation SET source_type = 99;
                  UPDATE execution SET job_ids = x'FFFFFFFFFF';";
    store.facts.write(|transaction| transaction.execute_batch(damage)).unwrap();
    let viewer = Viewer::all();
    let answers = [
        store.variants(&viewer, id(1)).map(drop),
        store.texts(&viewer, &[id(1_001)]).map(drop),
        store.bare_operations(&viewer, &[id(1)]).map(drop),
        store.executions(&viewer, &[id(3_001)]).map(drop),
    ];
    for answer in answers {
        assert!(matches!(answer, Err(StoreError::Refused { .. })), "{answer:?}");
    }
}
