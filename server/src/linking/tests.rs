//! Failures of the linker and of the store that no real record causes, brought about by a linker
//! that fails when a statement says so.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

use sextant_linker::operations::SourcedRecord;
use sextant_model::Timestamp;
use sextant_model::Viewer;
use sextant_model::delivery::{BatchHeader, Generation, MAX_LINE_BYTES};
use sextant_model::problem::ProblemKind;
use sextant_store::{
    Carry, Changes, Facts, InboxEntry, IncomingBatch, QuarantineFilter, SqliteStore, Store, StoreError,
    StoredQuarantined,
};
use tempfile::TempDir;

use super::*;

/// A linker on a thread of its own, over a store of its own.
struct Bench {
    store: Arc<dyn Store>,
    linker: Linker,
    thread: JoinHandle<()>,
    directory: TempDir,
}

impl Bench {
    fn with(link: Link) -> Self {
        Self::over(tempfile::tempdir().unwrap(), link)
    }

    fn over(directory: TempDir, link: Link) -> Self {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(directory.path()).unwrap());
        let reader = EntryReader::new(Clusters::default(), Formats::default());
        let (linker, work) = Linker::prepare_with(link, Arc::clone(&store), reader, Listeners::default()).unwrap();
        Self { store, linker, thread: std::thread::spawn(work), directory }
    }

    /// Another linker over the same data.
    fn succeeded_by(self, link: Link) -> Self {
        self.linker.stop();
        self.thread.join().unwrap();
        drop((self.store, self.linker));
        Self::over(self.directory, link)
    }

    /// Puts lines into the inbox and waits until they are linked.
    async fn deliver(&self, generation: &str, lines: &str) {
        let header = header(generation, 0, lines.len() as u64);
        let payload = zstd::encode_all(lines.as_bytes(), 1).unwrap();
        let batch = IncomingBatch { header: &header, payload: &payload, received: Timestamp::from_seconds(1) };
        let received = self.store.receive(batch).unwrap();
        self.linker.arrived(received.new_bytes);
        self.linker.linked().reached(self.store.newest_entry().unwrap()).await;
    }

    fn executions(&self) -> u64 {
        self.store.counts(&Viewer::all()).unwrap().executions
    }

    fn quarantined(&self) -> Vec<StoredQuarantined> {
        self.store.quarantined(&Viewer::all(), &QuarantineFilter::default(), 0, 100, u64::MAX).unwrap()
    }
}

fn header(generation: &str, start: u64, end: u64) -> BatchHeader {
    BatchHeader {
        agent: "agent-1".to_owned(),
        host: "node-1".to_owned(),
        generation: Generation(generation.to_owned()),
        path: "/var/log/lineage.log".to_owned(),
        format: "impala".to_owned(),
        cluster: "prod".to_owned(),
        start,
        end,
        skipped: None,
        last: false,
    }
}

fn record(text: &str) -> String {
    format!(r#"{{"queryText":"{text}","queryId":"1:{text}","timestamp":1790000000,"edges":[],"vertices":[]}}"#)
}

fn says(records: &[SourcedRecord], word: &str) -> bool {
    records.iter().any(|sourced| sourced.record.query_text.contains(word))
}

/// Panics over "explosive" statements, and has the store refuse "unstorable" ones.
fn fragile(facts: &dyn Facts, records: &[SourcedRecord]) -> Result<Changes, StoreError> {
    assert!(!says(records, "explosive"), "an explosive statement");
    if says(records, "unstorable") {
        return Err(StoreError::Refused { path: "facts.db".into(), message: "string or blob too big".to_owned() });
    }
    sound(facts, records)
}

fn sound(facts: &dyn Facts, records: &[SourcedRecord]) -> Result<Changes, StoreError> {
    sextant_linker::operations::link(facts, records)
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_linking_fails_over_do_not_stop_the_others() {
    let bench = Bench::with(fragile);
    let texts = ["a", "explosive", "b", "unstorable", "c", "explosive too", "d"];
    let lines: Vec<String> = texts.iter().map(|text| record(text)).collect();
    bench.deliver("g1", &format!("{}\n", lines.join("\n"))).await;
    bench.deliver("g2", &format!("{}\n", record("e"))).await;
    assert_eq!(bench.executions(), 5);
    assert_eq!((bench.linker.trouble(), bench.linker.unlinked_bytes()), (None, 0));
    let mut kept = bench.quarantined();
    kept.sort_by_key(|stretch| stretch.problem.offset);
    let bytes: Vec<&[u8]> = kept.iter().map(|stretch| stretch.bytes.as_slice()).collect();
    assert_eq!(bytes, [lines[1].as_bytes(), lines[3].as_bytes(), lines[5].as_bytes()]);
    assert!(kept.iter().all(|stretch| stretch.problem.kind == ProblemKind::Failed && stretch.is_whole()));
    assert_eq!(kept[0].problem.offset, lines[0].len() as u64 + 1);
    assert!(kept[0].problem.reason.contains("an explosive statement"), "{}", kept[0].problem.reason);
    assert!(kept[1].problem.reason.contains("string or blob too big"), "{}", kept[1].problem.reason);
    let tally = bench.linker.tally("node-1", "g1").unwrap();
    assert_eq!((tally.records, tally.problems), (4, 3));

    // As long as nothing is mended they stay, once each.
    let replayed = bench.linker.replay(QuarantineFilter::default()).await.unwrap();
    assert_eq!((replayed.stretches, replayed.read, replayed.remaining), (3, 0, 3));
    assert_eq!((bench.quarantined().len(), bench.executions()), (3, 5));

    let mended = bench.succeeded_by(sound);
    let replayed = mended.linker.replay(QuarantineFilter::default()).await.unwrap();
    assert_eq!((replayed.read, replayed.records, replayed.remaining), (3, 3, 0));
    assert_eq!((mended.quarantined(), mended.executions()), (vec![], 8));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_over_two_entries_is_quarantined_whole() {
    let bench = Bench::with(fragile);
    let (beginning, end) = (r#"{"queryText":"explosive","queryId":"1:2","#, r#" "edges":[],"vertices":[]}"#);
    bench.deliver("g1", &format!("{beginning}\n")).await;
    let whole = format!("{beginning}\n{end}\n");
    // Of which the store takes what it does not have yet.
    bench.deliver("g1", &whole).await;
    let kept = bench.quarantined();
    assert_eq!((kept.len(), kept[0].problem.offset), (1, 0));
    assert_eq!(kept[0].bytes, whole.trim_end().as_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_entries_are_set_aside_and_the_next_ones_linked() {
    let bench = Bench::with(sound);
    bench.linker.stop();
    let (store, linker, thread, directory) = (bench.store, bench.linker, bench.thread, bench.directory);
    thread.join().unwrap();
    for generation in ["g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8"] {
        let line = format!("{}\n", record(generation));
        let payload = zstd::encode_all(line.as_bytes(), 1).unwrap();
        let header = BatchHeader { last: true, ..header(generation, 0, line.len() as u64) };
        store
            .receive(IncomingBatch { header: &header, payload: &payload, received: Timestamp::from_seconds(1) })
            .unwrap();
    }
    drop((store, linker));
    let inbox = rusqlite::Connection::open(directory.path().join("inbox.db")).unwrap();
    for damage in [
        "UPDATE entry SET payload = substr(payload, 1, 20) WHERE seq = 1",
        "UPDATE entry SET received = 'never' WHERE seq = 2",
        "UPDATE entry SET origin = 99 WHERE seq = 3",
        "UPDATE entry SET length = 'long' WHERE seq = 4",
        "UPDATE entry SET length = 0 WHERE seq = 5",
        "UPDATE entry SET end = end + 1 WHERE seq = 6",
        "UPDATE entry SET start = -2, end = -1 WHERE seq = 7",
    ] {
        inbox.execute(damage, []).unwrap();
    }
    drop(inbox);
    let bench = Bench::over(directory, sound);
    bench.linker.arrived(0);
    bench.linker.linked().reached(8).await;
    assert_eq!((bench.executions(), bench.linker.trouble(), bench.linker.unlinked_bytes()), (1, None, 0));
    let mut kept = bench.quarantined();
    kept.sort_by_key(|stretch| stretch.problem.reason.clone());
    assert!(kept.iter().all(|stretch| stretch.problem.kind == ProblemKind::Failed), "{kept:?}");
    let told: Vec<(&str, &str)> =
        kept.iter().map(|stretch| (stretch.host.as_str(), stretch.generation.as_str())).collect();
    assert_eq!(
        told,
        [
            ("node-1", "g1"),
            ("node-1", "g2"),
            ("", "entry 3 of the inbox"),
            ("node-1", "g4"),
            ("node-1", "g5"),
            ("node-1", "g6"),
            ("node-1", "g7")
        ]
    );
    let reasons = [
        "cannot be decompressed",
        "its time is not readable",
        "its agent",
        "its length is not readable",
        "has another length",
        "has another length",
        "is no place in a file",
    ];
    for (stretch, reason) in kept.iter().zip(reasons) {
        assert!(stretch.problem.reason.contains(reason), "{}", stretch.problem.reason);
    }
    assert!(!kept[0].is_whole() && kept[1].is_whole());
}

/// The disk is full the first times that something is linked.
fn full_for_a_while(facts: &dyn Facts, records: &[SourcedRecord]) -> Result<Changes, StoreError> {
    static LEFT: AtomicU32 = AtomicU32::new(4);
    if LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
        return Err(StoreError::DiskFull { path: "facts.db".into() });
    }
    sound(facts, records)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_waited_for_and_no_records_fault() {
    let bench = Bench::with(full_for_a_while);
    bench.deliver("g1", &format!("{}\n", record("a"))).await;
    assert_eq!((bench.executions(), bench.quarantined()), (1, vec![]));
}

#[test]
fn of_what_is_longer_than_any_record_the_beginning_is_kept() {
    let reader = EntryReader::new(Clusters::default(), Formats::default());
    let beginning = [b"{\"queryText\":\"".as_slice(), &vec![b'x'; MAX_LINE_BYTES]].concat();
    let carry = Carry { host: "node-1".to_owned(), generation: "g1".to_owned(), offset: 7, bytes: beginning.clone() };
    let start = 7 + beginning.len() as u64;
    let header = header("g1", start, start + 4);
    let entry = InboxEntry {
        seq: 1,
        header,
        bytes: b"yyy\n".to_vec(),
        length: 4,
        received: Timestamp::from_seconds(1),
        damage: None,
    };
    let read = reader.read(&entry, Some(carry));
    assert_eq!((read.records.len(), read.quarantined.len(), read.carry(&entry).bytes.len()), (0, 1, 0));
    let kept = &read.quarantined[0];
    let whole = [&beginning, b"yyy".as_slice()].concat();
    assert_eq!((kept.problem.kind, kept.problem.length), (ProblemKind::TooLong, whole.len() as u64));
    assert_eq!(kept.bytes, beginning[..64 << 10]);
    let hash = blake3::hash(&whole).to_hex();
    assert!(kept.problem.reason.contains(hash.as_str()), "{}", kept.problem.reason);
}
