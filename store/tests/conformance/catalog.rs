//! Entities, lives and names.

use std::slice::from_ref;

use sextant_model::feed::What;
use sextant_model::history::{Difference, DifferenceKind, Differences, EntityChange};
use sextant_model::{Entity, EntityState, EntityType, NameKey, NameKind, ObjectName, Viewer};
use sextant_store::{Changes, ContentHash, EntityWrite, KEPT_ENTITY_CHANGES, KeptChanges, NameState, Store};

use crate::samples::{at, entity, id, life, name};

pub(crate) fn write(entity: Entity, content: Option<ContentHash>) -> EntityWrite {
    EntityWrite { entity, what: What::Created, content }
}

fn store_entities(store: &dyn Store, entities: impl IntoIterator<Item = Entity>) {
    let entities = entities.into_iter().map(|entity| write(entity, None)).collect();
    store.commit(&Changes { entities, ..Changes::default() }).unwrap();
}

pub(crate) fn entities_are_replaced_and_keep_their_fingerprint(store: &dyn Store) {
    let table = entity("sales.orders", EntityType::Table);
    let database = entity("sales", EntityType::Database);
    let odd = Entity { original_name: "a.b".to_owned(), ..entity("sales.`a.b`", EntityType::View) };
    let writes = vec![
        write(table.clone(), Some([1; 16])),
        write(database.clone(), None),
        write(odd.clone(), Some([3; 16])),
        write(entity("sales.orders.id", EntityType::Field), Some([4; 16])),
        write(Entity { source: "other".to_owned(), ..entity("x", EntityType::Database) }, None),
    ];
    store.commit(&Changes { entities: writes, ..Changes::default() }).unwrap();
    let read = store.entities(&Viewer::all(), &[table.id, id("unknown"), database.id]).unwrap();
    assert_eq!(read, [table.clone(), database]);

    let gone = Entity {
        entity_type: EntityType::View,
        state: EntityState::Deleted,
        delete_time: Some(at(9)),
        last_seen: Some(at(8)),
        properties: [("nested".to_owned(), serde_json::json!({"a": [1, 2.5, null]}))].into_iter().collect(),
        ..table
    };
    store_entities(store, [gone.clone()]);
    assert_eq!(store.entities(&Viewer::all(), &[gone.id]).unwrap(), from_ref(&gone));

    let mut catalog = store.catalog("hive").unwrap();
    catalog.sort_by(|a, b| a.name.cmp(&b.name));
    let catalog: Vec<_> = catalog.into_iter().map(|entry| (entry.id, entry.name, entry.state, entry.content)).collect();
    assert_eq!(
        catalog,
        [
            (id("sales"), ObjectName::database("sales"), EntityState::Living, [0; 16]),
            (odd.id, ObjectName::relation("sales", "a.b"), EntityState::Living, [3; 16]),
            (gone.id, ObjectName::relation("sales", "orders"), EntityState::Deleted, [1; 16]),
        ]
    );
}

pub(crate) fn children_come_by_position_and_name(store: &dyn Store) {
    let field = |column: &str, position| Entity { position, ..entity(&format!("db.t.{column}"), EntityType::Field) };
    store_entities(store, [field("z", 0), field("b", 1), field("a", 1), entity("db.other.c", EntityType::Field)]);
    let children = |skip, limit| -> Vec<String> {
        let children = store.children(&Viewer::all(), id("db.t"), skip, limit).unwrap();
        children.into_iter().map(|child| child.original_name).collect()
    };
    assert_eq!(children(0, 10), ["z", "a", "b"]);
    assert_eq!(children(1, 1), ["a"]);
    assert_eq!(children(3, 10), [""; 0]);
}

pub(crate) fn relations_are_found_by_their_bare_name(store: &dyn Store) {
    let elsewhere = Entity { id: id("elsewhere"), cluster: "dr".to_owned(), ..entity("a.t", EntityType::Table) };
    let dropped = Entity { state: EntityState::Deleted, ..entity("0.t", EntityType::Table) };
    let others = [entity("t", EntityType::Database), entity("c.t.t", EntityType::Field), dropped];
    store_entities(store, others);
    store_entities(store, [entity("b.t", EntityType::View), elsewhere, entity("a.t", EntityType::Table)]);
    let found = |cluster, limit| -> Vec<String> {
        let found = store.find_relation(&Viewer::all(), cluster, "t", limit).unwrap();
        found.into_iter().map(|entity| format!("{} {}", entity.cluster, entity.qualified_name)).collect()
    };
    assert_eq!(found(None, 10), ["dr a.t", "prod a.t", "prod b.t", "prod 0.t"]);
    assert_eq!(found(Some("prod"), 10), ["prod a.t", "prod b.t", "prod 0.t"]);
    assert_eq!(found(None, 1), ["dr a.t"]);
    assert_eq!(found(Some("nowhere"), 10), [""; 0]);
}

pub(crate) fn lives_are_replaced_by_number(store: &dyn Store) {
    let first = life(id("e"), 1);
    store.commit(&Changes { lives: vec![first.clone(), life(id("f"), 1)], ..Changes::default() }).unwrap();
    let over = sextant_model::Life { last_seen: Some(at(5)), over: Some(at(6)), ..first };
    let second = sextant_model::Life { created: None, ..life(id("e"), 2) };
    store.commit(&Changes { lives: vec![second.clone(), over.clone()], ..Changes::default() }).unwrap();
    let lives = store.lives(&[id("e"), id("unknown")]).unwrap();
    assert_eq!(lives.into_iter().collect::<Vec<_>>(), [(id("e"), vec![over, second])]);
}

pub(crate) fn names_lead_to_entities_once_bound(store: &dyn Store) {
    let viewer = Viewer::all();
    let (known, linked) = (name("db.known"), name("db.linked"));
    let database = NameKey { kind: NameKind::Database, qualified: "db".to_owned(), ..known.clone() };
    let elsewhere = NameKey { cluster: "dr".to_owned(), ..linked.clone() };
    let bindings = vec![(linked.clone(), id("e")), (database.clone(), id("d")), (elsewhere.clone(), id("dr"))];
    let pair = sextant_model::operation::TablePair {
        input: known.clone(),
        output: linked.clone(),
        data: true,
        control: false,
    };
    let operations = vec![sextant_model::operation::Operation { pairs: vec![pair], ..crate::samples::operation("op") }];
    let changes = Changes { bindings, operations, lives: vec![life(id("e"), 1)], ..Changes::default() };
    store.commit(&changes).unwrap();

    let states = store.name_states(&[known.clone(), linked.clone(), name("db.never")]).unwrap();
    assert_eq!(states.len(), 2);
    assert_eq!(states[&known], NameState::default());
    assert_eq!(states[&linked], NameState { entity: Some(id("e")), lives: vec![life(id("e"), 1)] });

    let found = store.find_name(&viewer, None, "db.linked").unwrap();
    assert_eq!(found, [(elsewhere, Some(id("dr"))), (linked.clone(), Some(id("e")))]);
    assert_eq!(store.find_name(&viewer, Some("prod"), "db.linked").unwrap(), [(linked.clone(), Some(id("e")))]);
    assert_eq!(store.find_name(&viewer, None, "db").unwrap(), [(database, Some(id("d")))]);
    assert_eq!(store.find_name(&viewer, None, "db.never").unwrap(), []);

    assert_eq!(store.name_by_id(&viewer, known.id()).unwrap(), Some((known, None)));
    assert_eq!(store.name_by_id(&viewer, id("unknown")).unwrap(), None);
    assert_eq!(store.names_of(&viewer, &[id("e"), id("unknown")]).unwrap(), [(id("e"), linked.clone())]);

    store.commit(&Changes { bindings: vec![(linked.clone(), id("e2"))], ..Changes::default() }).unwrap();
    assert_eq!(store.names_of(&viewer, &[id("e"), id("e2")]).unwrap(), [(id("e2"), linked)]);
}

pub(crate) fn changes_are_kept_once_and_the_newest_of_them(store: &dyn Store) {
    let change = |entity: &str, minute: i64| {
        let mut differences = Differences { untold: 3, ..Differences::default() };
        let owner = Difference::plain(DifferenceKind::Property).of_property("owner");
        differences.add(owner.with_values(Some("\u{e9}tienne"), None));
        differences.add(Difference::plain(DifferenceKind::ColumnAdded).of_column("a b"));
        EntityChange { entity: id(entity), source: "hive".to_owned(), run: at(minute), at: at(minute - 1), differences }
    };
    let kept = |entity: &str| store.entity_changes(&Viewer::all(), id(entity)).unwrap();
    let commit = |entity_changes: Vec<EntityChange>| {
        store.commit(&Changes { entity_changes, ..Changes::default() }).unwrap();
    };
    commit(vec![change("db.t", 1)]);
    store_entities(store, [entity("db.t", EntityType::Table), entity("db.u", EntityType::Table)]);
    assert_eq!(kept("db.t"), KeptChanges::default(), "nothing is kept of what is not there");

    let twice = vec![change("db.t", 2), change("db.u", 2), change("db.t", 2)];
    commit(twice.clone());
    commit(twice);
    commit(vec![change("db.t", 3)]);
    let both = vec![change("db.t", 3), change("db.t", 2)];
    assert_eq!(kept("db.t"), KeptChanges { changes: both, forgotten: 0 });
    assert_eq!(kept("db.u"), KeptChanges { changes: vec![change("db.u", 2)], forgotten: 0 });

    commit((4..4 + KEPT_ENTITY_CHANGES as i64).map(|minute| change("db.t", minute)).collect());
    let KeptChanges { changes, forgotten } = kept("db.t");
    assert_eq!((changes.len() as u64, forgotten), (KEPT_ENTITY_CHANGES, 2));
    assert_eq!(changes.last(), Some(&change("db.t", 4)));
}
