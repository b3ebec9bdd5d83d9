//! Directories and files, and where data lies.

use std::slice::from_ref;

use sextant_model::feed::{Change, Subject, What};
use sextant_model::namespace::{IdentityMode, NamespaceStamp};
use sextant_model::operation::Role;
use sextant_model::{Entity, EntityId, EntityState, EntityType, Life, NameKey, NameKind, SourceType, Viewer};
use sextant_store::{
    Changes, ContentHash, EntityWrite, ExtractorRun, KnownPath, Location, LocationRules, PassCounts, RunOutcome,
    StateChange, Store, UsedPath, WrittenLocation,
};

use crate::samples::{at, entity, id, life, operation, span, usage};

fn path(qualified: &str) -> NameKey {
    NameKey { cluster: "prod".to_owned(), kind: NameKind::Path, qualified: qualified.to_owned() }
}

fn directory(qualified: &str) -> Entity {
    Entity { source_type: SourceType::Hdfs, source: "hdfs".to_owned(), ..entity(qualified, EntityType::Directory) }
}

fn write(entity: Entity, what: What, content: ContentHash) -> EntityWrite {
    EntityWrite { entity, what, content: Some(content) }
}

fn known(qualified: &str, content: ContentHash, is_file: bool) -> KnownPath {
    KnownPath { id: id(qualified), content, is_file }
}

fn change_state(store: &dyn Store, qualified: &str, state: EntityState, what: What) {
    let deleted = (state == EntityState::Deleted).then(|| at(9));
    let change = StateChange { id: id(qualified), state, last_seen: Some(at(-5)), delete_time: deleted, what };
    store.commit(&Changes { state_changes: vec![change], ..Changes::default() }).unwrap();
}

pub(crate) fn living_paths_are_known_by_their_fingerprint(store: &dyn Store) {
    let file = Entity { entity_type: EntityType::File, ..directory("/a/f") };
    let elsewhere = Entity { source: "other".to_owned(), ..directory("/b") };
    let entities = vec![
        write(directory("/a"), What::Created, [1; 16]),
        write(file.clone(), What::Created, [2; 16]),
        write(elsewhere, What::Created, [3; 16]),
        write(entity("db.t", EntityType::Table), What::Created, [4; 16]),
    ];
    store.commit(&Changes { entities, ..Changes::default() }).unwrap();
    let mut both = vec![known("/a", [1; 16], false), known("/a/f", [2; 16], true)];
    both.sort_unstable_by_key(|path| path.id);
    assert_eq!(store.known_paths("hdfs").unwrap(), both);
    assert_eq!(store.known_paths("unknown").unwrap(), []);

    let again = Changes { entities: vec![write(directory("/a"), What::Changed, [5; 16])], ..Changes::default() };
    store.commit(&again).unwrap();
    change_state(store, "/a/f", EntityState::OutOfScope, What::Changed);
    assert_eq!(store.known_paths("hdfs").unwrap(), [known("/a", [5; 16], false)]);
    let revived = Changes { entities: vec![write(file, What::Revived, [2; 16])], ..Changes::default() };
    store.commit(&revived).unwrap();
    assert_eq!(store.known_paths("hdfs").unwrap().len(), 2);
    assert_eq!(store.counts(&Viewer::all()).unwrap().living[0], ("DIRECTORY".to_owned(), 2));
}

pub(crate) fn a_state_changes_alone(store: &dyn Store) {
    let before = directory("/a");
    let entities = vec![write(before.clone(), What::Created, [1; 16])];
    store.commit(&Changes { entities, ..Changes::default() }).unwrap();
    change_state(store, "unknown", EntityState::Deleted, What::Deleted);
    change_state(store, "/a", EntityState::Deleted, What::Deleted);
    let deleted = Entity {
        state: EntityState::Deleted,
        delete_time: Some(at(9)),
        last_seen: Some(at(0)), // not before it was first seen
        ..before
    };
    assert_eq!(store.entities(&Viewer::all(), &[id("/a")]).unwrap(), [deleted]);
    assert_eq!(store.known_paths("hdfs").unwrap(), []);
    let counts = store.counts(&Viewer::all()).unwrap();
    assert_eq!((counts.living, counts.deleted), (vec![], vec![("DIRECTORY".to_owned(), 1)]));
    let told = store.changes_after(1, 10).unwrap();
    assert_eq!(told, [Change { seq: 2, subject: Subject::Entity, id: id("/a"), what: What::Deleted }]);
}

pub(crate) fn a_path_has_one_life_unless_told_otherwise(store: &dyn Store) {
    let entities = vec![
        write(directory("/a"), What::Created, [1; 16]),
        write(directory("/b"), What::Created, [1; 16]),
        write(entity("db", EntityType::Database), What::Created, [1; 16]),
    ];
    let lives = vec![life(id("/b"), 4)];
    let bindings = vec![(path("/a"), id("/a"))];
    store.commit(&Changes { entities, lives, bindings, ..Changes::default() }).unwrap();
    let only = Life { created: None, first_seen: at(0), ..life(id("/a"), 1) };
    let all = store.lives(&[id("/a"), id("/b"), id("db"), id("unknown")]).unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!((&all[&id("/a")], &all[&id("/b")]), (&vec![only.clone()], &vec![life(id("/b"), 4)]));
    assert_eq!(store.name_states(&[path("/a")]).unwrap()[&path("/a")].lives, from_ref(&only));

    change_state(store, "/a", EntityState::Deleted, What::Deleted);
    let over = Life { last_seen: Some(at(0)), over: Some(at(9)), ..only };
    assert_eq!(store.lives(&[id("/a")]).unwrap()[&id("/a")], [over]);
}

pub(crate) fn an_entity_said_to_be_new_may_be_there(store: &dyn Store) {
    for content in [[1; 16], [2; 16]] {
        let entities = vec![write(directory("/a"), What::Created, content)];
        store.commit(&Changes { entities, ..Changes::default() }).unwrap();
    }
    assert_eq!(store.known_paths("hdfs").unwrap(), [known("/a", [2; 16], false)]);
    assert_eq!(store.counts(&Viewer::all()).unwrap().living, [("DIRECTORY".to_owned(), 1)]);
}

pub(crate) fn locations_are_found_from_both_sides(store: &dyn Store) {
    let viewer = Viewer::all();
    let locate = |owner: &str, place: Option<&str>| {
        let locations = vec![Location { owner: id(owner), place: place.map(path) }];
        store.commit(&Changes { locations, ..Changes::default() }).unwrap();
    };
    for (owner, place) in [("t", "/w/t"), ("u", "/w/t"), ("p", "/w/t/p"), ("other", "/w/t-other"), ("root", "/")] {
        locate(owner, Some(place));
    }
    let owners = |names: &[NameKey]| -> Vec<EntityId> {
        let mut owners: Vec<_> = store.located_at(&viewer, names).unwrap().into_iter().map(|(_, id)| id).collect();
        owners.sort_unstable();
        owners
    };
    let sorted = |labels: &[&str]| -> Vec<EntityId> {
        let mut ids: Vec<_> = labels.iter().map(|label| id(label)).collect();
        ids.sort_unstable();
        ids
    };
    let elsewhere = NameKey { cluster: "dr".to_owned(), ..path("/w/t") };
    assert_eq!(owners(&[path("/w/t"), path("/w"), elsewhere.clone()]), sorted(&["t", "u"]));
    let of = store.locations_of(&viewer, &[id("p"), id("unknown")]).unwrap();
    assert_eq!(of, [(id("p"), path("/w/t/p"))]);

    let below = |directory: &NameKey, limit| -> Vec<String> {
        let below = store.located_below(&viewer, directory, limit).unwrap();
        below.into_iter().map(|(name, _)| name.qualified).collect()
    };
    assert_eq!(below(&path("/"), 10), ["/w/t", "/w/t", "/w/t-other", "/w/t/p"]);
    assert_eq!(below(&path("/w/t"), 10), ["/w/t/p"]);
    assert_eq!(below(&path("/w"), 2), ["/w/t", "/w/t"]);
    assert_eq!(below(&elsewhere, 10), [""; 0]);

    locate("t", None);
    locate("u", Some("/v"));
    assert_eq!(owners(&[path("/w/t")]), []);
    assert_eq!(owners(&[path("/v")]), [id("u")]);
    assert_eq!(store.referenced_paths(&viewer, "prod").unwrap(), ["/", "/v", "/w/t-other", "/w/t/p"]);
}

pub(crate) fn paths_are_referenced_by_operations_too(store: &dyn Store) {
    let mut used = usage(id("op"), "db.t", Role::Output, 1, span(0, 5));
    let of_table = used.clone();
    used.name = path("/out");
    let changes = Changes {
        operations: vec![operation("op")],
        usages: vec![used, of_table],
        locations: vec![Location { owner: id("t"), place: Some(path("/w/t")) }],
        bindings: vec![(path("/out"), id("/out")), (path("/neither"), id("/neither"))],
        ..Changes::default()
    };
    store.commit(&changes).unwrap();
    assert_eq!(store.referenced_paths(&Viewer::all(), "prod").unwrap(), ["/out", "/w/t"]);
    assert_eq!(store.used_paths("prod").unwrap(), [UsedPath { name: path("/out"), entity: Some(id("/out")) }]);
    assert_eq!(store.used_paths("dr").unwrap(), []);
}

pub(crate) fn a_path_is_referenced_by_any_of_its_names(store: &dyn Store) {
    let changes = Changes {
        locations: vec![Location { owner: id("t"), place: Some(path("/w/t")) }],
        bindings: vec![(path("/w/t"), id("moved")), (path("/v/t"), id("moved")), (path("/x"), id("other"))],
        ..Changes::default()
    };
    store.commit(&changes).unwrap();
    let asked = [
        (id("moved"), None),
        (id("other"), Some(path("/x"))),
        (id("arriving"), Some(path("/w/t"))),
        (id("unknown"), Some(path("/never"))),
    ];
    let mut referenced: Vec<EntityId> = store.referenced(&asked).unwrap().into_iter().collect();
    referenced.sort_unstable();
    let mut expected = [id("moved"), id("arriving")];
    expected.sort_unstable();
    assert_eq!(referenced, expected);
}

pub(crate) fn written_locations_come_one_after_the_other(store: &dyn Store) {
    let mut table = entity("db.t", EntityType::Table);
    table.properties.insert("fileSystemPath".to_owned(), "hdfs://x/t".into());
    let entities = vec![
        write(table.clone(), What::Created, [0; 16]),
        write(entity("db", EntityType::Database), What::Created, [0; 16]),
        write(entity("db.t.c", EntityType::Field), What::Created, [0; 16]),
        write(directory("/w"), What::Created, [0; 16]),
    ];
    store
        .commit(&Changes { entities, location_rules: Some(LocationRules::Are([7; 16])), ..Changes::default() })
        .unwrap();
    let written = |owner, location: Option<&str>| WrittenLocation {
        owner,
        cluster: "prod".to_owned(),
        location: location.map(str::to_owned),
    };
    let all = store.written_locations(None, 10).unwrap();
    let mut sorted = all.clone();
    sorted.sort_by_key(|written| written.location.is_none());
    assert_eq!(sorted, [written(table.id, Some("hdfs://x/t")), written(id("db"), None)]);
    assert_eq!(store.written_locations(Some(all[0].owner), 10).unwrap(), all[1..]);
    assert_eq!(store.written_locations(Some(all[1].owner), 10).unwrap(), []);
    assert_eq!(store.written_locations(None, 1).unwrap(), all[..1]);
    assert_eq!(store.location_rules().unwrap(), Some([7; 16]));
    store.commit(&Changes { location_rules: Some(LocationRules::Mixed), ..Changes::default() }).unwrap();
    assert_eq!(store.location_rules().unwrap(), None);
}

pub(crate) fn what_a_source_needs_is_replaced(store: &dyn Store) {
    let run = |second, outcome, transaction| ExtractorRun {
        source: "hdfs".to_owned(),
        started: at(second),
        finished: at(second),
        outcome,
        counts: PassCounts::default(),
        message: None,
        problems: Vec::new(),
        idle_patterns: Vec::new(),
        stamp: Some(NamespaceStamp {
            namespace_id: Some(5),
            transaction: Some(transaction),
            taken: at(second),
            identity: IdentityMode::Inode,
            origin: "/images/fsimage_1".to_owned(),
        }),
    };
    assert_eq!(store.last_stamp("hdfs").unwrap(), None);
    for (second, outcome, transaction) in
        [(1, RunOutcome::Complete, 10), (2, RunOutcome::Complete, 20), (3, RunOutcome::Incomplete, 30)]
    {
        let ended = run(second, outcome, transaction);
        store.commit(&Changes { run: Some(ended), ..Changes::default() }).unwrap();
    }
    assert_eq!(store.last_stamp("hdfs").unwrap().unwrap().transaction, Some(20));
    assert_eq!(store.last_stamp("other").unwrap(), None);

    for held in [vec![id("a"), id("b")], vec![id("b")]] {
        store.commit(&Changes { held_paths: Some(("hdfs".to_owned(), held)), ..Changes::default() }).unwrap();
    }
    assert_eq!((store.held_paths("hdfs").unwrap(), store.held_paths("other").unwrap()), (vec![id("b")], vec![]));

    for entity in ["e", "f"] {
        let other_identities = Some(("hdfs".to_owned(), vec![(id("derived"), id(entity))]));
        store.commit(&Changes { other_identities, ..Changes::default() }).unwrap();
    }
    let others = store.other_identities("hdfs").unwrap();
    assert_eq!(others.into_iter().collect::<Vec<_>>(), [(id("derived"), id("f"))]);
    assert!(store.other_identities("other").unwrap().is_empty());
}
