//! Bytes are kept before they are acknowledged, once, without a gap.

use sextant_model::delivery::{BatchHeader, Generation, Hello, Position, SkippedLine};
use sextant_model::{Timestamp, Viewer};
use sextant_store::{IncomingBatch, Received, Store, StoreError, WaitingEntries};

use crate::samples::at;

fn header(start: u64, end: u64) -> BatchHeader {
    BatchHeader {
        agent: "agent-1".to_owned(),
        host: "edge-1".to_owned(),
        generation: Generation("g1".to_owned()),
        path: "/var/log/lineage.log".to_owned(),
        format: "hive".to_owned(),
        cluster: "prod".to_owned(),
        start,
        end,
        skipped: None,
        last: false,
    }
}

fn send(store: &dyn Store, header: &BatchHeader, bytes: &[u8]) -> Result<u64, StoreError> {
    let payload = zstd::bulk::compress(bytes, 3).unwrap();
    store.receive(IncomingBatch { header, payload: &payload, received: at(1) }).map(|receipt| receipt.offset)
}

fn everything(store: &dyn Store) -> Vec<(u64, u64, Vec<u8>)> {
    let entries = store.entries_after(0, usize::MAX).unwrap();
    entries.into_iter().map(|entry| (entry.header.start, entry.header.end, entry.bytes)).collect()
}

pub(crate) fn bytes_are_kept_once_and_in_order(store: &dyn Store) {
    assert_eq!(store.newest_entry().unwrap(), 0);
    assert_eq!(send(store, &header(0, 4), b"abc\n").unwrap(), 4);
    assert_eq!(send(store, &header(4, 6), b"d\n").unwrap(), 6);
    assert_eq!(send(store, &header(0, 4), b"abc\n").unwrap(), 6, "a repeated batch is answered with what is kept");
    assert_eq!(everything(store), [(0, 4, b"abc\n".to_vec()), (4, 6, b"d\n".to_vec())]);

    let first = store.entries_after(0, usize::MAX).unwrap().swap_remove(0);
    assert_eq!((first.seq, first.header, first.received), (1, header(0, 4), at(1)));
    assert_eq!(store.newest_entry().unwrap(), 2);

    let other = BatchHeader { generation: Generation("g2".to_owned()), path: "/other".to_owned(), ..header(0, 2) };
    assert_eq!(send(store, &other, b"e\n").unwrap(), 2, "every generation has a position of its own");
    assert_eq!(store.entries_after(2, usize::MAX).unwrap()[0].header, other);
}

pub(crate) fn a_gap_is_refused_and_nothing_is_kept(store: &dyn Store) {
    send(store, &header(0, 4), b"abc\n").unwrap();
    let refused = send(store, &header(5, 7), b"d\n").unwrap_err();
    assert!(matches!(refused, StoreError::Ahead { kept: 4, start: 5 }), "{refused}");
    let unknown = BatchHeader { generation: Generation("g2".to_owned()), ..header(1, 3) };
    assert!(matches!(send(store, &unknown, b"d\n").unwrap_err(), StoreError::Ahead { kept: 0, start: 1 }));
    assert_eq!(everything(store).len(), 1);
    assert_eq!(store.positions("agent-1").unwrap(), [Position { generation: Generation("g1".to_owned()), offset: 4 }]);
}

pub(crate) fn a_batch_that_overlaps_is_trimmed(store: &dyn Store) {
    send(store, &header(0, 4), b"abc\n").unwrap();
    assert_eq!(send(store, &header(0, 6), b"abc\nd\n").unwrap(), 6);
    assert_eq!(send(store, &header(4, 8), b"d\ne\n").unwrap(), 8);
    assert_eq!(everything(store)[1..], [(4, 6, b"d\n".to_vec()), (6, 8, b"e\n".to_vec())]);
}

pub(crate) fn a_skipped_line_moves_the_position_over_all_of_it(store: &dyn Store) {
    let skipped = Some(SkippedLine { length: 1_000_000_000_000, hash: "ab".to_owned() });
    let long = BatchHeader { skipped, ..header(0, 1_000_000_000_000) };
    assert_eq!(send(store, &long, b"the beginning").unwrap(), 1_000_000_000_000);
    assert_eq!(send(store, &long, b"the beginning").unwrap(), 1_000_000_000_000);
    assert_eq!(send(store, &header(1_000_000_000_000, 1_000_000_000_002), b"x\n").unwrap(), 1_000_000_000_002);
    let entries = store.entries_after(0, usize::MAX).unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!((&entries[0].header, &entries[0].bytes[..]), (&long, &b"the beginning"[..]));
}

pub(crate) fn that_nothing_follows_is_kept_once(store: &dyn Store) {
    let last = |start, end| BatchHeader { last: true, ..header(start, end) };
    send(store, &header(0, 4), b"abc\n").unwrap();
    let empty = last(4, 4);
    assert_eq!(store.receive(IncomingBatch { header: &empty, payload: &[], received: at(1) }).unwrap().offset, 4);
    assert_eq!(send(store, &empty, b"").unwrap(), 4);
    assert_eq!(send(store, &last(0, 4), b"abc\n").unwrap(), 4);
    assert_eq!(everything(store), [(0, 4, b"abc\n".to_vec()), (4, 4, Vec::new())]);
    assert!(store.entries_after(1, usize::MAX).unwrap()[0].header.last);

    let of_new_generation = BatchHeader { generation: Generation("g2".to_owned()), ..last(0, 2) };
    assert_eq!(send(store, &of_new_generation, b"x\n").unwrap(), 2);
    assert_eq!(send(store, &of_new_generation, b"x\n").unwrap(), 2);
    assert_eq!(everything(store).len(), 3);
}

pub(crate) fn damaged_batches_are_refused(store: &dyn Store) {
    let frame = zstd::bulk::compress(b"abc\n", 3).unwrap();
    let huge = zstd::bulk::compress(&vec![b'x'; 80 << 20], 3).unwrap();
    let half = SkippedLine { length: 3, hash: "ab".to_owned() };
    let damaged: [(&str, BatchHeader, &[u8]); 8] = [
        ("no zstd", header(0, 4), b"abc\n"),
        ("cut off", header(0, 4), &frame[..frame.len() - 1]),
        ("too short", header(0, 5), &frame),
        ("too long", header(0, 3), &frame),
        ("empty", header(0, 3), b""),
        ("backwards", header(4, 0), &frame),
        ("larger than any batch", header(0, 80 << 20), &huge),
        ("another length than the skipped line", BatchHeader { skipped: Some(half), ..header(0, 4) }, &frame),
    ];
    for (what, header, payload) in damaged {
        let answer = store.receive(IncomingBatch { header: &header, payload, received: at(1) });
        assert!(matches!(answer, Err(StoreError::DamagedBatch(_))), "{what}: {answer:?}");
    }
    let beyond = BatchHeader { start: 0, end: u64::MAX, ..header(0, 0) };
    assert!(send(store, &beyond, b"abc\n").is_err());
    assert_eq!(everything(store), []);
}

pub(crate) fn entries_come_in_bites_and_their_positions_outlive_them(store: &dyn Store) {
    for number in 0..4 {
        send(store, &header(number * 10, number * 10 + 10), b"123456789\n").unwrap();
    }
    let seqs = |after, max_bytes| -> Vec<u64> {
        store.entries_after(after, max_bytes).unwrap().iter().map(|entry| entry.seq).collect()
    };
    assert_eq!(seqs(0, 25), [1, 2]);
    assert_eq!(seqs(2, 20), [3, 4]);
    assert_eq!(seqs(2, 1), [3], "at least one");
    assert_eq!(seqs(4, 100), [0; 0]);

    store.drop_entries_through(3).unwrap();
    assert_eq!(seqs(0, 100), [4]);
    store.drop_entries_through(4).unwrap();
    assert_eq!((store.newest_entry().unwrap(), seqs(0, 100)), (4, vec![]));
    assert_eq!(send(store, &header(0, 10), b"123456789\n").unwrap(), 40, "what was linked is not kept again");
    send(store, &header(40, 42), b"x\n").unwrap();
    assert_eq!(seqs(0, 100), [5], "a number is given once");
}

pub(crate) fn new_bytes_are_counted_once(store: &dyn Store) {
    let receive = |header: &BatchHeader, bytes: &[u8]| {
        let payload = zstd::bulk::compress(bytes, 3).unwrap();
        store.receive(IncomingBatch { header, payload: &payload, received: at(1) }).unwrap()
    };
    assert_eq!(receive(&header(0, 4), b"abc\n"), Received { offset: 4, new_bytes: 4 });
    assert_eq!(receive(&header(0, 4), b"abc\n"), Received { offset: 4, new_bytes: 0 });
    assert_eq!(receive(&header(0, 6), b"abc\nd\n"), Received { offset: 6, new_bytes: 2 });
    assert_eq!([0, 1, 2].map(|seq| store.bytes_after(seq).unwrap()), [6, 2, 0]);
}

pub(crate) fn what_waits_is_not_dropped_and_comes_back_at_the_end(store: &dyn Store) {
    let of = |generation: &str, format: &str, start, end| BatchHeader {
        generation: Generation(generation.to_owned()),
        format: format.to_owned(),
        ..header(start, end)
    };
    send(store, &of("g1", "Spark", 0, 2), b"a\n").unwrap();
    send(store, &of("g2", "hive", 0, 2), b"b\n").unwrap();
    send(store, &of("g1", "Spark", 2, 4), b"c\n").unwrap();
    send(store, &of("g3", "parchment", 0, 2), b"d\n").unwrap();
    assert_eq!(store.waiting(&Viewer::all()).unwrap(), []);
    assert_eq!([1, 3, 4, 3].map(|seq| store.let_wait(seq).unwrap()), [2, 2, 2, 0]);
    store.drop_entries_through(4).unwrap();
    let seqs_and_bytes = || -> Vec<(u64, Vec<u8>)> {
        store.entries_after(0, usize::MAX).unwrap().into_iter().map(|entry| (entry.seq, entry.bytes)).collect()
    };
    assert_eq!(seqs_and_bytes(), [(1, b"a\n".to_vec()), (3, b"c\n".to_vec()), (4, b"d\n".to_vec())]);
    let waiting = |format: &str, entries| WaitingEntries {
        format: format.to_owned(),
        entries,
        bytes: 2 * entries,
        oldest: at(1),
    };
    assert_eq!(store.waiting(&Viewer::all()).unwrap(), [waiting("Spark", 2), waiting("parchment", 1)]);

    let known = ["hive".to_owned(), "spark".to_owned()];
    assert_eq!(store.release(&known).unwrap(), 2);
    assert_eq!(store.release(&known).unwrap(), 0);
    assert_eq!(seqs_and_bytes(), [(4, b"d\n".to_vec()), (5, b"a\n".to_vec()), (6, b"c\n".to_vec())]);
    assert_eq!(store.entries_after(4, usize::MAX).unwrap()[1].header, of("g1", "Spark", 2, 4));
    assert_eq!((store.newest_entry().unwrap(), store.bytes_after(4).unwrap()), (6, 4));
    send(store, &of("g2", "hive", 2, 4), b"e\n").unwrap();
    assert_eq!(seqs_and_bytes().last().unwrap(), &(7, b"e\n".to_vec()));
    store.drop_entries_through(7).unwrap();
    assert_eq!(store.waiting(&Viewer::all()).unwrap(), [waiting("parchment", 1)]);
}

pub(crate) fn dropped_entries_are_missed_and_asked_for_again(store: &dyn Store) {
    assert!(!store.next_is_missing(0).unwrap());
    for number in 0..3 {
        send(store, &header(number * 2, number * 2 + 2), b"x\n").unwrap();
    }
    assert_eq!([0, 1, 3].map(|seq| store.next_is_missing(seq).unwrap()), [false; 3]);
    store.drop_entries_through(2).unwrap();
    assert_eq!([0, 1, 2, 3].map(|seq| store.next_is_missing(seq).unwrap()), [true, true, false, false]);
    store.forget_positions().unwrap();
    assert_eq!(store.positions("agent-1").unwrap(), []);
    assert_eq!(send(store, &header(0, 2), b"x\n").unwrap(), 2);
    assert_eq!(store.newest_entry().unwrap(), 4);
}

pub(crate) fn what_waits_hides_nothing_that_is_missing(store: &dyn Store) {
    for number in 0..4 {
        send(store, &header(number * 2, number * 2 + 2), b"x\n").unwrap();
    }
    store.let_wait(1).unwrap();
    store.let_wait(3).unwrap();
    assert_eq!([0, 2].map(|seq| store.next_is_missing(seq).unwrap()), [false; 2]);
    store.drop_entries_through(2).unwrap();
    assert_eq!([0, 1, 2].map(|seq| store.next_is_missing(seq).unwrap()), [true, true, false]);
    store.drop_entries_through(4).unwrap();
    assert_eq!([0, 1, 2, 3, 4].map(|seq| store.next_is_missing(seq).unwrap()), [true, true, true, true, false]);
}

pub(crate) fn agents_are_remembered(store: &dyn Store) {
    let hello = Hello { agent: "agent-1".to_owned(), host: "edge-1".to_owned(), version: "0.1.0".to_owned() };
    send(store, &header(0, 4), b"abc\n").unwrap();
    let agent = store.agents(&Viewer::all()).unwrap().swap_remove(0);
    assert_eq!((agent.host.as_str(), agent.version, agent.last_contact), ("edge-1", None, at(1)));
    store.hello(&hello, at(60)).unwrap();
    send(store, &BatchHeader { generation: Generation("g2".to_owned()), ..header(0, 2) }, b"x\n").unwrap();
    let agent = store.agents(&Viewer::all()).unwrap().swap_remove(0);
    assert_eq!((agent.version.as_deref(), agent.last_contact), (Some("0.1.0"), at(60)));
    assert_eq!((agent.generations, agent.bytes), (2, 6));
    assert_eq!(store.positions("agent-2").unwrap(), []);
}

pub(crate) fn agents_stop_and_are_forgotten(store: &dyn Store) {
    let hello = |agent: &str, host: &str, seconds| {
        let hello = Hello { agent: agent.to_owned(), host: host.to_owned(), version: "0.1.0".to_owned() };
        store.hello(&hello, at(seconds)).unwrap();
    };
    let stopped = || -> Vec<(String, Option<Timestamp>)> {
        store.agents(&Viewer::all()).unwrap().into_iter().map(|agent| (agent.agent, agent.stopped)).collect()
    };
    send(store, &header(0, 4), b"abc\n").unwrap();
    hello("agent-2", "edge-2", 2);
    store.goodbye("agent-1", "edge-1", at(3)).unwrap();
    assert_eq!(stopped(), [("agent-1".to_owned(), Some(at(3))), ("agent-2".to_owned(), None)]);
    hello("agent-1", "edge-1", 4);
    assert_eq!(stopped()[0].1, None);

    assert_eq!([store.forget_agents("edge-1").unwrap(), store.forget_agents("edge-1").unwrap()], [1, 0]);
    assert_eq!(stopped(), [("agent-2".to_owned(), None)]);
    let kept = Position { generation: Generation("g1".to_owned()), offset: 4 };
    assert_eq!(store.positions("agent-1").unwrap(), [kept], "what is kept of its files is not forgotten");
}
