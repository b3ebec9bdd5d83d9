//! Operations, their texts, flows, executions and uses of names.

use std::slice::from_ref;

use sextant_model::feed::What;
use sextant_model::operation::{Evidence, Execution, FlowVariant, Operation, Role, SeenSpan, TablePair, Usage};
use sextant_model::record::{FlowEdge, FlowKind, Flows, TableMention, Vertex};
use sextant_model::{Entity, EntityId, EntityState, EntityType, Life, ObjectName, Viewer};
use sextant_store::{
    Changes, ColumnFlows, EntityShape, EntityWrite, FlowColumn, FlowPair, FlowUse, GraphPart, NameRef, OperationFlows,
    OperationSummary, Store, UsageReplacement, UsedName,
};

use crate::samples::{at, entity, execution, id, name, operation, span, text, usage, variant};

fn summary(store: &dyn Store, operation: EntityId) -> OperationSummary {
    store.operations(&Viewer::all(), &[operation]).unwrap().swap_remove(0)
}

fn pair(input: &str, output: &str, data: bool, control: bool) -> TablePair {
    TablePair { input: name(input), output: name(output), data, control }
}

pub(crate) fn an_operation_grows_but_does_not_shrink(store: &dyn Store) {
    let unknown = Operation { lineage_known: false, operation_type: None, ..operation("op") };
    let commit = |operation: Operation| {
        store.commit(&Changes { operations: vec![operation], ..Changes::default() }).unwrap();
    };
    commit(unknown.clone());
    assert_eq!(store.bare_operations(&Viewer::all(), &[id("op"), id("other")]).unwrap(), from_ref(&unknown));

    commit(Operation { lineage_known: true, pairs: vec![pair("db.b", "db.c", false, true)], ..unknown.clone() });
    commit(Operation {
        pairs: vec![pair("db.b", "db.c", true, false), pair("db.a", "db.c", true, false)],
        ..unknown.clone()
    });
    commit(unknown.clone());
    let grown = Operation {
        lineage_known: true,
        pairs: vec![pair("db.a", "db.c", true, false), pair("db.b", "db.c", true, true)],
        ..unknown
    };
    assert_eq!(store.bare_operations(&Viewer::all(), &[id("op")]).unwrap(), from_ref(&grown));

    let summary = summary(store, id("op"));
    assert_eq!(summary.operation, grown);
    assert_eq!((summary.text.as_str(), summary.texts, summary.executions), ("", 0, 0));
    assert_eq!((summary.seen, summary.last_user), (None, None));
}

pub(crate) fn a_second_copy_of_an_execution_counts_once(store: &dyn Store) {
    let first = execution("run", id("op"), id("select 1"), 10);
    let changes = Changes {
        operations: vec![operation("op")],
        texts: vec![text(id("op"), "select 1", 10)],
        executions: vec![first.clone()],
        ..Changes::default()
    };
    assert_eq!(store.commit(&changes).unwrap().new_executions, 1);
    assert_eq!(store.executions(&Viewer::all(), &[id("run"), id("none")]).unwrap(), from_ref(&first));

    let later = Execution {
        received: at(99),
        evidence: Evidence { host: "edge-0".to_owned(), ..first.evidence.clone() },
        ..first.clone()
    };
    let earlier = Execution {
        received: at(9),
        evidence: Evidence { host: "edge-2".to_owned(), ..first.evidence.clone() },
        ..first.clone()
    };
    let copies = Changes { executions: vec![later.clone(), earlier.clone(), later.clone()], ..Changes::default() };
    assert_eq!(store.commit(&copies).unwrap().new_executions, 0);
    let best = Execution { received: earlier.received, evidence: later.evidence, ..first };
    assert_eq!(store.executions(&Viewer::all(), &[id("run")]).unwrap(), [best]);
    assert_eq!(summary(store, id("op")).executions, 1);
    assert_eq!(store.known_executions(&[id("run"), id("none")]).unwrap(), [id("run")].into());
}

pub(crate) fn a_timeless_execution_moves_to_its_earliest_receipt(store: &dyn Store) {
    let timeless = |label: &str, received| Execution {
        started: None,
        ended: None,
        received: at(received),
        ..execution(label, id("op"), id("select 1"), 0)
    };
    let commit = |executions| {
        store.commit(&Changes { operations: vec![operation("op")], executions, ..Changes::default() }).unwrap();
    };
    commit(vec![timeless("a", 50), timeless("b", 30)]);
    assert_eq!(summary(store, id("op")).seen.map(|seen| seen.last_execution), Some(id("a")));
    commit(vec![timeless("a", 20)]);
    let seen = SeenSpan::once(at(20), id("a")).merged(SeenSpan::once(at(30), id("b")));
    let summary = summary(store, id("op"));
    assert_eq!((summary.seen, summary.last_user.as_deref()), (Some(seen), Some("user of b")));
    let order = store.executions_of(&Viewer::all(), id("op"), 0, 10).unwrap();
    assert_eq!(order, [timeless("b", 30), timeless("a", 20)]);
}

pub(crate) fn texts_come_earliest_first(store: &dyn Store) {
    let long = format!("select {}", "a, ".repeat(10_000));
    let texts = [text(id("op"), "select 2", 20), text(id("op"), "select 1", 30), text(id("op"), &long, 25)];
    let other = text(id("other"), "select 3", 0);
    let changes = Changes {
        operations: vec![operation("op")],
        texts: texts.iter().cloned().chain([other.clone()]).collect(),
        ..Changes::default()
    };
    store.commit(&changes).unwrap();
    let [second, mut first, third] = texts;
    first.first_seen = at(10);
    store
        .commit(&Changes { texts: vec![first.clone(), text(id("op"), "select 2", 99)], ..Changes::default() })
        .unwrap();
    assert_eq!(store.texts_of(&Viewer::all(), id("op"), 10).unwrap(), [first.clone(), second, third.clone()]);
    assert_eq!(store.texts_of(&Viewer::all(), id("op"), 1).unwrap(), [first]);
    assert_eq!(store.texts(&Viewer::all(), &[third.id, id("none"), other.id]).unwrap(), [third, other]);
    let summary = summary(store, id("op"));
    assert_eq!((summary.text.as_str(), summary.texts), ("select 1", 3));
}

pub(crate) fn variants_widen(store: &dyn Store) {
    let commit = |variants| store.commit(&Changes { variants, ..Changes::default() }).unwrap();
    commit(vec![variant(id("op"), "a", span(5, 5)), variant(id("op"), "b", span(6, 7))]);
    commit(vec![variant(id("op"), "a", span(3, 4)), variant(id("other"), "a", span(9, 9))]);
    commit(vec![variant(id("op"), "a", span(4, 8))]);
    store.commit(&Changes { operations: vec![operation("op")], ..Changes::default() }).unwrap();
    let mut expected = vec![variant(id("op"), "a", span(3, 8)), variant(id("op"), "b", span(6, 7))];
    expected.sort_by_key(|variant| variant.id);
    assert_eq!(store.variants(&Viewer::all(), id("op")).unwrap(), expected);
}

fn uses_of_operations(store: &dyn Store, operations: &[EntityId]) -> Vec<Usage> {
    sorted(store.usages_of_operations(&Viewer::all(), operations).unwrap())
}

fn sorted(mut usages: Vec<Usage>) -> Vec<Usage> {
    usages.sort_by(|a, b| (a.operation, &a.name, a.role, a.life).cmp(&(b.operation, &b.name, b.role, b.life)));
    usages
}

pub(crate) fn uses_widen_and_are_replaced(store: &dyn Store) {
    let used = |qualified, role, life, seen| usage(id("op"), qualified, role, life, seen);
    let read = |life, seen| used("db.in", Role::Input, life, seen);
    let written = used("db.in", Role::Output, 0, span(1, 1));
    let elsewhere = used("db.out", Role::Output, 0, span(1, 2));
    let of_other = usage(id("other"), "db.in", Role::Input, 0, span(2, 2));
    let usages = vec![read(0, span(5, 6)), written.clone(), elsewhere.clone(), read(0, span(1, 2)), of_other.clone()];
    let operations = vec![operation("op"), operation("other")];
    store.commit(&Changes { operations, usages, ..Changes::default() }).unwrap();
    store.commit(&Changes { usages: vec![read(0, span(3, 9)), read(1, span(3, 3))], ..Changes::default() }).unwrap();

    let expected = vec![read(0, span(1, 9)), read(1, span(3, 3)), written, elsewhere.clone()];
    assert_eq!(uses_of_operations(store, &[id("op"), id("none")]), sorted(expected.clone()));
    let of_name = sorted(store.usages_of_names(&Viewer::all(), &[name("db.in"), name("db.none")]).unwrap());
    assert_eq!(of_name, sorted(expected[..3].iter().cloned().chain([of_other.clone()]).collect()));
    let unlinked = store.unlinked_names(&Viewer::all(), 10).unwrap();
    assert_eq!(unlinked, [(name("db.in"), 2), (name("db.out"), 1)], "two operations, though one uses it twice");

    let replacement = |usages| UsageReplacement { operation: id("op"), name: name("db.in"), usages };
    let replaced = vec![read(2, span(1, 2)), read(3, span(3, 9))];
    let usage_replacements = vec![replacement(replaced.clone())];
    store.commit(&Changes { usage_replacements, ..Changes::default() }).unwrap();
    let expected = replaced.into_iter().chain([elsewhere.clone(), of_other]).collect();
    assert_eq!(uses_of_operations(store, &[id("op"), id("other")]), sorted(expected));

    store.commit(&Changes { usage_replacements: vec![replacement(Vec::new())], ..Changes::default() }).unwrap();
    assert_eq!(uses_of_operations(store, &[id("op")]), [elsewhere]);
    assert_eq!(store.unlinked_names(&Viewer::all(), 10).unwrap(), [(name("db.in"), 1), (name("db.out"), 1)]);
    assert_eq!(store.unlinked_names(&Viewer::all(), 1).unwrap().len(), 1);
}

/// Everything that a graph is built of, in one part, by ids.
fn whole_graph(store: &dyn Store) -> GraphPart {
    let mut whole = GraphPart::default();
    let position = store.scan_graph(&mut |part| {
        whole.names.extend(part.names);
        whole.entities.extend(part.entities);
        whole.operations.extend(part.operations);
    });
    assert_eq!(position.unwrap(), store.newest_change().unwrap());
    sorted_part(whole)
}

fn sorted_part(mut part: GraphPart) -> GraphPart {
    part.names.sort_by_key(|name| name.name);
    part.entities.sort_by_key(|entity| entity.id);
    part.operations.sort_by_key(|operation| operation.id);
    part.operations.iter_mut().for_each(|operation| operation.uses.sort_unstable());
    part
}

/// Columns of two names that the operation uses, of one that it does not use, of the result, and a
/// table as a whole.
fn flows_of_columns() -> FlowVariant {
    let mention = |table: &str| TableMention { name: ObjectName::relation("db", table), created: None };
    let column = |table, column: &str| Vertex::Column { table, column: column.to_owned() };
    FlowVariant {
        operation: id("op"),
        id: id("flows"),
        flows: Flows {
            tables: vec![mention("in"), mention("out"), mention("unused")],
            vertices: vec![
                column(0, "a"),
                column(1, "b"),
                Vertex::Result { label: "c".to_owned() },
                Vertex::Table { table: 0 },
                column(2, "d"),
            ],
            edges: vec![FlowEdge { kind: FlowKind::Data, sources: vec![0, 3], targets: vec![1], expression: None }],
        },
        seen: span(1, 3),
    }
}

fn numbered_columns(told: &FlowVariant, input: NameRef, output: NameRef) -> ColumnFlows {
    let column = |name, column: &str| Some(FlowColumn { name, column: Some(column.to_owned()) });
    ColumnFlows {
        variant: told.id,
        first: told.seen.first,
        last: told.seen.last,
        vertices: vec![
            column(input, "a"),
            column(output, "b"),
            None,
            Some(FlowColumn { name: input, column: None }),
            None,
        ],
        edges: told.flows.edges.clone(),
    }
}

pub(crate) fn a_graph_is_built_of_what_was_told(store: &dyn Store) {
    let viewer = Viewer::all();
    let told = Operation { pairs: vec![pair("db.in", "db.out", true, false)], ..operation("op") };
    let usages = vec![
        usage(id("op"), "db.in", Role::Input, 2, span(1, 3)),
        usage(id("op"), "db.out", Role::Output, 0, span(2, 2)),
        usage(id("untold"), "db.in", Role::Input, 0, span(1, 1)),
        usage(id("other"), "db.out", Role::Input, 0, span(4, 4)),
    ];
    let life = Life {
        entity: id("in"),
        number: 2,
        created: Some(at(1)),
        first_seen: at(1),
        last_seen: Some(at(3)),
        over: Some(at(4)),
    };
    let table = Entity {
        id: id("in"),
        state: EntityState::Deleted,
        delete_time: Some(at(4)),
        ..entity("db.in", EntityType::Table)
    };
    let bindings = vec![(name("db.in"), id("in")), (name("db.former"), id("in"))];
    let variant = flows_of_columns();
    let changes = Changes {
        entities: vec![EntityWrite { entity: table, what: What::Created, content: None }],
        lives: vec![life.clone()],
        operations: vec![told, operation("other")],
        variants: vec![variant.clone()],
        usages: usages.clone(),
        bindings,
        ..Changes::default()
    };
    store.commit(&changes).unwrap();

    let numbered = |qualified: &str| {
        let address = name(qualified).id();
        whole_graph(store).names.into_iter().find(|name| name.address == address).unwrap().name
    };
    let (input, output) = (numbered("db.in"), numbered("db.out"));
    let answered = store.names(&viewer, &[input, output, input]).unwrap();
    assert_eq!(answered, [(name("db.in"), Some(id("in"))), (name("db.out"), None), (name("db.in"), Some(id("in")))]);

    let used = |name, usage: &Usage| FlowUse {
        name,
        role: usage.role,
        life: usage.life,
        first: usage.seen.first,
        last: usage.seen.last,
    };
    let names = [
        UsedName { name: input, address: name("db.in").id(), entity: Some(id("in")) },
        UsedName { name: output, address: name("db.out").id(), entity: None },
    ];
    let shape = EntityShape {
        id: id("in"),
        entity_type: EntityType::Table,
        deleted: true,
        delete_time: Some(at(4)),
        lives: vec![life],
    };
    let flows = OperationFlows {
        id: id("op"),
        lineage_known: true,
        pairs: vec![FlowPair { input, output, data: true, control: false }],
        uses: vec![used(input, &usages[0]), used(output, &usages[1])],
        columns: vec![numbered_columns(&variant, input, output)],
    };
    let other = OperationFlows {
        id: id("other"),
        lineage_known: true,
        pairs: Vec::new(),
        uses: vec![used(output, &usages[3])],
        columns: Vec::new(),
    };
    let whole =
        GraphPart { names: names.to_vec(), entities: vec![shape.clone()], operations: vec![flows.clone(), other] };
    assert_eq!(whole_graph(store), sorted_part(whole), "an operation that is not told is left out");

    let of_operation = GraphPart { operations: vec![flows], names: names.to_vec(), entities: vec![shape.clone()] };
    let part = store.graph_part(&[id("op"), id("untold"), id("none")], &[]).unwrap();
    assert_eq!(sorted_part(part), sorted_part(of_operation));
    let part = store.graph_part(&[], &[id("in"), id("none")]).unwrap();
    assert_eq!(part, GraphPart { names: names[..1].to_vec(), entities: vec![shape], operations: Vec::new() });
}

pub(crate) fn executions_come_newest_first(store: &dyn Store) {
    let running = Execution { ended: None, job_ids: Vec::new(), ..execution("c", id("op"), id("t"), 20) };
    let bare = Execution {
        variant: Some(id("a column")),
        user: None,
        query_id: None,
        engine: None,
        table_created: Vec::new(),
        ..execution("a", id("op"), id("t"), 30)
    };
    let executions = vec![bare.clone(), execution("b", id("op"), id("t"), 10), running.clone()];
    let commit = Changes { operations: vec![operation("op")], executions, ..Changes::default() };
    store.commit(&commit).unwrap();
    let of = |skip, limit| store.executions_of(&Viewer::all(), id("op"), skip, limit).unwrap();
    assert_eq!(of(0, 2), [bare.clone(), running.clone()]);
    assert_eq!(of(1, 5), [running.clone(), execution("b", id("op"), id("t"), 10)]);
    assert_eq!(of(3, 5), []);

    let mut times = store.execution_times(id("op")).unwrap();
    times.sort_by_key(|times| times.received);
    let of_running = &times[1];
    assert_eq!((of_running.id, of_running.started, of_running.ended), (running.id, running.started, None));
    assert_eq!((of_running.received, &of_running.table_created), (running.received, &running.table_created));
}

pub(crate) fn the_latest_operations_come_first(store: &dyn Store) {
    let run = |label: &str, operation: &str, second| execution(label, id(operation), id("t"), second);
    let changes = Changes {
        operations: vec![operation("old"), operation("new"), operation("never run")],
        executions: vec![run("1", "old", 10), run("2", "new", 5), run("3", "new", 40), run("4", "untold", 50)],
        ..Changes::default()
    };
    store.commit(&changes).unwrap();
    let latest = store.latest_operations(&Viewer::all(), 10).unwrap();
    assert_eq!(latest.iter().map(|summary| summary.operation.id).collect::<Vec<_>>(), [id("new"), id("old")]);
    assert_eq!((latest[0].executions, latest[0].last_user.as_deref()), (2, Some("user of 3")));
    let seen = SeenSpan::once(at(5), id("2")).merged(SeenSpan::once(at(40), id("3")));
    assert_eq!(latest[0].seen, Some(seen));
    assert_eq!(store.latest_operations(&Viewer::all(), 1).unwrap().len(), 1);
}
