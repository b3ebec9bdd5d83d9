//! The order of commits does not matter, nor how often one is repeated.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use sextant_model::feed::Subject;
use sextant_model::operation::{Evidence, Execution, Operation, Role, TablePair};
use sextant_model::{EntityId, NameKey, Viewer};
use sextant_store::{Changes, FlowUse, NameRef, Store};

use crate::Backend;
use crate::samples::{at, execution, id, name, operation, span, text, usage, variant};

/// A fact as one commit tells it. Equal numbers mean the same thing told again, perhaps in part.
#[derive(Debug, Clone)]
enum Fact {
    Operation { which: u8, lineage_known: bool, pairs: Vec<(u8, u8, bool, bool)> },
    Variant { operation: u8, which: u8, seen: (i64, i64) },
    Text { operation: u8, which: u8, first_seen: i64 },
    Execution { which: u8, received: i64, host: u8, offset: u64 },
    Usage { operation: u8, name: u8, output: bool, life: u32, seen: (i64, i64) },
}

fn fact() -> impl Strategy<Value = Fact> {
    let seconds = (0i64..50, 0i64..50);
    let pair = (0u8..4, 0u8..4, any::<bool>(), any::<bool>());
    prop_oneof![
        (0u8..4, any::<bool>(), proptest::collection::vec(pair, 0..4))
            .prop_map(|(which, lineage_known, pairs)| Fact::Operation { which, lineage_known, pairs }),
        (0u8..4, 0u8..3, seconds.clone()).prop_map(|(operation, which, seen)| Fact::Variant { operation, which, seen }),
        (0u8..4, 0u8..3, 0i64..50).prop_map(|(operation, which, first_seen)| Fact::Text {
            operation,
            which,
            first_seen
        }),
        (0u8..12, 0i64..50, 0u8..3, 0u64..5).prop_map(|(which, received, host, offset)| Fact::Execution {
            which,
            received,
            host,
            offset
        }),
        (0u8..4, 0u8..4, any::<bool>(), 0u32..3, seconds)
            .prop_map(|(operation, name, output, life, seen)| Fact::Usage { operation, name, output, life, seen }),
    ]
}

fn operation_label(which: u8) -> String {
    format!("operation {which}")
}

fn text_label(operation: u8, which: u8) -> String {
    format!("text {which} of {operation}")
}

fn table(which: u8) -> NameKey {
    name(&format!("db.t{which}"))
}

/// What is fixed of an execution depends on its number alone; some have no time of their own.
fn told_execution(which: u8, received: i64, host: u8, offset: u64) -> Execution {
    let operation = which % 4;
    let text = id(&text_label(operation, which % 3));
    let told = execution(&format!("execution {which}"), id(&operation_label(operation)), text, i64::from(which));
    Execution {
        variant: which.is_multiple_of(2).then(|| id(&format!("column_{}", which % 3))),
        started: told.started.filter(|_| !which.is_multiple_of(3)),
        ended: told.ended.filter(|_| !which.is_multiple_of(3)),
        received: at(received),
        evidence: Evidence { host: format!("edge-{host}"), offset, ..told.evidence.clone() },
        ..told
    }
}

fn changes(facts: &[Fact]) -> Changes {
    let mut changes = Changes::default();
    for fact in facts {
        match fact.clone() {
            Fact::Operation { which, lineage_known, pairs } => {
                let pair = |(input, output, data, control)| TablePair {
                    input: table(input),
                    output: table(output),
                    data,
                    control,
                };
                let pairs = pairs.into_iter().map(pair).collect();
                changes.operations.push(Operation { lineage_known, pairs, ..operation(&operation_label(which)) });
            }
            Fact::Variant { operation, which, seen } => changes.variants.push(variant(
                id(&operation_label(operation)),
                &format!("column_{which}"),
                span(seen.0, seen.1),
            )),
            Fact::Text { operation, which, first_seen } => {
                changes.texts.push(text(id(&operation_label(operation)), &text_label(operation, which), first_seen));
            }
            Fact::Execution { which, received, host, offset } => {
                changes.executions.push(told_execution(which, received, host, offset));
            }
            Fact::Usage { operation, name, output, life, seen } => changes.usages.push(usage(
                id(&operation_label(operation)),
                &table(name).qualified,
                if output { Role::Output } else { Role::Input },
                life,
                span(seen.0, seen.1),
            )),
        }
    }
    changes
}

/// Everything that the reads show of what [`fact`] may tell.
fn dump(store: &dyn Store) -> String {
    let viewer = Viewer::all();
    let mut dump = String::new();
    let mut add = |what: &str, shown: &dyn std::fmt::Debug| writeln!(dump, "{what}: {shown:#?}").unwrap();
    for subject in [Subject::Operation, Subject::Text, Subject::Execution] {
        add("ids", &store.scan(subject, None, 1_000).unwrap());
    }
    for which in 0..4 {
        let operation = id(&operation_label(which));
        add("operation", &store.operations(&viewer, &[operation]).unwrap());
        add("texts", &store.texts_of(&viewer, operation, 100).unwrap());
        add("variants", &store.variants(&viewer, operation).unwrap());
        add("executions", &store.executions_of(&viewer, operation, 0, 100).unwrap());
        let mut usages = store.usages_of_operations(&viewer, &[operation]).unwrap();
        usages.sort_by(|a, b| (&a.name, a.role, a.life).cmp(&(&b.name, b.role, b.life)));
        add("uses", &usages);
        let mut usages = store.usages_of_names(&viewer, &[table(which)]).unwrap();
        usages.sort_by_key(|usage| (usage.operation, usage.role, usage.life));
        add("used by", &usages);
    }
    add("graph", &graph(store));
    add("latest", &store.latest_operations(&viewer, 100).unwrap());
    add("unlinked", &store.unlinked_names(&viewer, 100).unwrap());
    add("counts", &store.counts(&viewer).unwrap());
    dump
}

/// What a graph is built of. Numbers of names differ from store to store, so that names are told by their addresses.
fn graph(store: &dyn Store) -> BTreeMap<EntityId, Vec<String>> {
    let mut parts = Vec::new();
    store.scan_graph(&mut |part| parts.push(part)).unwrap();
    let names = parts.iter().flat_map(|part| &part.names);
    let addresses: HashMap<NameRef, EntityId> = names.map(|name| (name.name, name.address)).collect();
    let mut told = BTreeMap::new();
    for operation in parts.iter().flat_map(|part| &part.operations) {
        let mut words = vec![format!("{}", operation.lineage_known)];
        for used in &operation.uses {
            let FlowUse { role, life, first, last, .. } = used;
            words.push(format!("{} {role:?} {life} {first} {last}", addresses[&used.name]));
        }
        for pair in &operation.pairs {
            let ends = [pair.input, pair.output].map(|end| addresses.get(&end));
            words.push(format!("{ends:?} {} {}", pair.data, pair.control));
        }
        words.sort_unstable();
        told.insert(operation.id, words);
    }
    told
}

/// Commits, and the order in which another store gets them: each at least once.
fn commits_and_another_order() -> impl Strategy<Value = (Vec<Vec<Fact>>, Vec<usize>)> {
    proptest::collection::vec(proptest::collection::vec(fact(), 0..12), 1..6).prop_flat_map(|commits| {
        let repeated = proptest::collection::vec(0..commits.len(), 0..4);
        let all = (0..commits.len()).collect::<Vec<_>>();
        (Just(commits), repeated.prop_flat_map(move |repeated| Just([all.clone(), repeated].concat()).prop_shuffle()))
    })
}

pub(crate) fn order_and_repetition_do_not_matter<B: Backend>() {
    let mut runner = TestRunner::new(Config { cases: 60, ..Config::default() });
    let outcome = runner.run(&commits_and_another_order(), |(commits, order)| {
        let (one, other) = (B::empty(), B::empty());
        for commit in &commits {
            one.store().commit(&changes(commit)).unwrap();
        }
        for index in order {
            other.store().commit(&changes(&commits[index])).unwrap();
        }
        prop_assert_eq!(dump(one.store()), dump(other.store()));
        Ok(())
    });
    outcome.unwrap();
}
