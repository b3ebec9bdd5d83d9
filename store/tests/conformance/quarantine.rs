//! What could not be read: kept once, with its bytes, until it is read or dropped.

use sextant_model::Viewer;
use sextant_model::problem::{Problem, ProblemKind};
use sextant_store::{Changes, QuarantineFilter, Quarantined, Store, StoredQuarantined};

use crate::samples::{at, execution, id, operation};

fn stretch(label: &str, received: i64, kind: ProblemKind) -> Quarantined {
    Quarantined {
        id: id(label),
        host: "edge-1".to_owned(),
        generation: "g1".to_owned(),
        file: "/var/log/lineage.log".to_owned(),
        format: "hive".to_owned(),
        cluster: "prod".to_owned(),
        problem: Problem { offset: 7, length: 4_000, kind, reason: "expected a brace".to_owned() },
        bytes: [0, 159, 146, 150].repeat(1_000),
        received: at(received),
    }
}

fn commit(store: &dyn Store, quarantined: Vec<Quarantined>) {
    store.commit(&Changes { quarantined, ..Changes::default() }).unwrap();
}

fn newest(store: &dyn Store, filter: &QuarantineFilter) -> Vec<StoredQuarantined> {
    store.quarantined(&Viewer::all(), filter, 0, 100, u64::MAX).unwrap()
}

fn counts(store: &dyn Store) -> Vec<(String, u64)> {
    store.counts(&Viewer::all()).unwrap().quarantined
}

pub(crate) fn stretches_are_kept_once(store: &dyn Store) {
    let (old, new) = (stretch("old", 1, ProblemKind::Malformed), stretch("new", 2, ProblemKind::TooLong));
    commit(store, vec![old.clone(), new.clone()]);
    commit(store, vec![Quarantined { bytes: Vec::new(), received: at(9), ..old.clone() }]);
    let all = newest(store, &QuarantineFilter::default());
    assert_eq!(all.iter().map(|stretch| stretch.id).collect::<Vec<_>>(), [new.id, old.id]);
    assert_eq!((&all[1].problem, &all[1].bytes, all[1].received), (&old.problem, &old.bytes, old.received));
    assert_eq!((all[1].host.as_str(), all[1].file.as_str()), ("edge-1", "/var/log/lineage.log"));
    assert_eq!((all[1].format.as_str(), all[1].cluster.as_str()), ("hive", "prod"));
    assert_eq!((all[1].generation.as_str(), all[1].kept, all[1].is_whole()), ("g1", 4_000, true));
    let cut = &store.quarantined(&Viewer::all(), &QuarantineFilter::default(), 1, 1, 3).unwrap()[0];
    assert_eq!((&cut.bytes[..], cut.kept, cut.is_whole()), (&old.bytes[..3], 4_000, true));
    assert_eq!(counts(store), [("malformed".to_owned(), 1), ("too-long".to_owned(), 1)]);
}

pub(crate) fn a_stretch_is_found_by_its_id(store: &dyn Store) {
    let (one, other) = (stretch("one", 1, ProblemKind::Malformed), stretch("other", 2, ProblemKind::TooLong));
    let beginning = Quarantined { problem: Problem { length: u64::MAX, ..other.problem.clone() }, ..other };
    commit(store, vec![one.clone(), beginning.clone()]);
    let found = |id| store.quarantined_by_id(&Viewer::all(), id, 3).unwrap();
    let stored = found(one.id).unwrap();
    assert_eq!((stored.id, &stored.problem, stored.bytes.as_slice()), (one.id, &one.problem, &one.bytes[..3]));
    assert!(!found(beginning.id).unwrap().is_whole(), "only the beginning is kept");
    assert_eq!(found(id("none")), None);
}

pub(crate) fn filters_restrict_lists_groups_and_drops(store: &dyn Store) {
    let of = |label: &str, kind, host: &str, format: &str, received| Quarantined {
        host: host.to_owned(),
        format: format.to_owned(),
        ..stretch(label, received, kind)
    };
    commit(
        store,
        vec![
            of("a", ProblemKind::CutOff, "h1", "hive", 1),
            of("b", ProblemKind::CutOff, "h1", "hive", 5),
            of("c", ProblemKind::CutOff, "h2", "hive", 3),
            of("d", ProblemKind::Failed, "h1", "impala", 4),
        ],
    );
    let groups = |filter: &QuarantineFilter| -> Vec<(ProblemKind, String, String, u64, u64)> {
        let groups = store.quarantine_groups(&Viewer::all(), filter).unwrap();
        let row = |group: sextant_store::QuarantineGroup| {
            (group.kind, group.host, group.format, group.stretches, group.bytes)
        };
        groups.into_iter().map(row).collect()
    };
    let group =
        |kind, host: &str, format: &str, count| (kind, host.to_owned(), format.to_owned(), count, 4_000 * count);
    let all = QuarantineFilter::default();
    assert_eq!(
        groups(&all),
        [
            group(ProblemKind::CutOff, "h1", "hive", 2),
            group(ProblemKind::CutOff, "h2", "hive", 1),
            group(ProblemKind::Failed, "h1", "impala", 1),
        ]
    );
    let largest = store.quarantine_groups(&Viewer::all(), &all).unwrap().swap_remove(0);
    assert_eq!((largest.oldest, largest.newest), (at(1), at(5)));

    let only = |label: &str| QuarantineFilter { id: Some(id(label)), ..QuarantineFilter::default() };
    let of_host = QuarantineFilter { host: Some("h1".to_owned()), ..QuarantineFilter::default() };
    let of_format = QuarantineFilter { format: Some("impala".to_owned()), ..of_host.clone() };
    let of_kind = QuarantineFilter { kind: Some(ProblemKind::CutOff), ..of_host.clone() };
    for (filter, expected) in
        [(&only("c"), vec!["c"]), (&of_host, vec!["b", "d", "a"]), (&of_format, vec!["d"]), (&of_kind, vec!["b", "a"])]
    {
        let ids: Vec<_> = newest(store, filter).iter().map(|stretch| stretch.id).collect();
        assert_eq!(ids, expected.into_iter().map(id).collect::<Vec<_>>(), "{filter:?}");
    }
    assert_eq!(groups(&of_format), [group(ProblemKind::Failed, "h1", "impala", 1)]);

    assert_eq!(store.drop_quarantined(&of_kind).unwrap(), 2);
    assert_eq!(store.drop_quarantined(&of_kind).unwrap(), 0);
    assert_eq!(counts(store), [("cut-off".to_owned(), 1), ("failed".to_owned(), 1)]);
    assert_eq!(store.drop_quarantined(&all).unwrap(), 2);
    assert_eq!((counts(store), newest(store, &all)), (vec![], vec![]));
}

pub(crate) fn stretches_come_whole_in_the_order_of_their_places(store: &dyn Store) {
    assert_eq!(store.last_quarantined().unwrap(), 0);
    // Received in the opposite order.
    for (number, label) in ["a", "b", "c", "d"].iter().enumerate() {
        commit(store, vec![stretch(label, 9 - number as i64, ProblemKind::Malformed)]);
    }
    let all = QuarantineFilter::default();
    let read =
        |after, through, limit, max_bytes| store.quarantined_after(&all, after, through, limit, max_bytes).unwrap();
    let ids = |stretches: &[StoredQuarantined]| stretches.iter().map(|stretch| stretch.id).collect::<Vec<_>>();
    let last = store.last_quarantined().unwrap();
    let first = read(0, last, 100, 8_000);
    assert_eq!(ids(&first), [id("a"), id("b")]);
    assert_eq!(first[0].bytes.len(), 4_000);
    assert_eq!(ids(&read(0, last, 100, 1)), [id("a")], "at least one");
    assert_eq!(ids(&read(first[1].place, last, 1, u64::MAX)), [id("c")]);
    assert_eq!(ids(&read(first[1].place, last - 1, 100, u64::MAX)), [id("c")]);
    assert_eq!(ids(&read(last, last, 100, u64::MAX)), []);
}

pub(crate) fn what_is_read_leaves_with_the_facts_it_gives(store: &dyn Store) {
    let (read, judged_anew) = (stretch("read", 1, ProblemKind::Malformed), stretch("again", 2, ProblemKind::Malformed));
    commit(store, vec![read.clone(), judged_anew.clone()]);
    let today = Problem { kind: ProblemKind::Inconsistent, reason: "of today".to_owned(), ..judged_anew.problem };
    let changes = Changes {
        operations: vec![operation("op")],
        executions: vec![execution("run", id("op"), id("t"), 1)],
        released: vec![read.id, judged_anew.id],
        quarantined: vec![Quarantined { problem: today.clone(), ..judged_anew.clone() }],
        ..Changes::default()
    };
    for _ in 0..2 {
        store.commit(&changes).unwrap();
        let left = newest(store, &QuarantineFilter::default());
        assert_eq!((left.len(), left[0].id, &left[0].problem), (1, judged_anew.id, &today));
        assert_eq!(left[0].received, judged_anew.received);
        assert_eq!(counts(store), [("inconsistent".to_owned(), 1)]);
        assert_eq!(store.counts(&Viewer::all()).unwrap().executions, 1);
    }
}
