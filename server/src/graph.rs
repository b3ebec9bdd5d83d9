//! The follower that keeps the graph of all lineage in memory.
//!
//! A thread loads it when the server starts and follows the change feed from there. A walk waits
//! for what was committed before it was asked for; while the graph is being loaded for the first
//! time there is nothing to walk over, and whoever asks is told to come again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use sextant_graph::LiveGraph;
use sextant_store::{Store, StoreError};

use crate::linking::Work;
use crate::pause::Pause;
use crate::progress::Progress;
use crate::view::status::GraphAnswer;

/// The shortest time between two looks at the feed that nobody waits for: runs of the same
/// statement in the meantime are one change.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long a walk waits for a graph that is being loaded.
const LOADED_WITHIN: Duration = Duration::from_secs(5);
/// How long a walk waits for what was just committed.
const UP_TO_DATE_WITHIN: Duration = Duration::from_secs(2);

/// Why the graph stands still.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    /// The facts cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A fault of sextant's own.
    #[error("following the changes failed inside sextant; please report it with the log")]
    Panicked,
}

enum Message {
    /// Something changed, or somebody waits.
    Wake,
    /// The server is going down.
    Stop,
}

/// The handle of the thread.
pub struct GraphFollower {
    messages: Sender<Message>,
    shared: Arc<Shared>,
}

struct Shared {
    graph: OnceLock<LiveGraph>,
    /// 1 once the graph is loaded, and then 1 more than the change up to which it is up to date.
    followed: Progress,
    /// Somebody waits for this change.
    wanted: AtomicU64,
    trouble: Mutex<Option<String>>,
}

impl GraphFollower {
    /// Answers with the handle and the work for its thread.
    pub fn prepare(store: Arc<dyn Store>) -> (Self, Work) {
        let shared = Arc::new(Shared {
            graph: OnceLock::new(),
            followed: Progress::starting_at(0),
            wanted: AtomicU64::new(0),
            trouble: Mutex::default(),
        });
        let (messages, inbox) = channel();
        let worker = Worker { store, shared: Arc::clone(&shared) };
        (Self { messages, shared }, Box::new(move || worker.work(&inbox)))
    }

    /// Tells that something changed.
    pub fn wake(&self) {
        let _ = self.messages.send(Message::Wake);
    }

    /// Asks the thread to end.
    pub fn stop(&self) {
        let _ = self.messages.send(Message::Stop);
    }

    /// The graph, once it is loaded.
    pub fn graph(&self) -> Option<&LiveGraph> {
        self.shared.graph.get()
    }

    /// Waits until the graph holds everything up to a change, for a while. Afterwards it may still
    /// be behind, or not be there at all.
    pub async fn wait_for(&self, change: u64) {
        self.shared.wanted.fetch_max(change, Ordering::Relaxed);
        self.wake();
        let _ = tokio::time::timeout(LOADED_WITHIN, self.shared.followed.reached(1)).await;
        if self.graph().is_some() {
            let _ = tokio::time::timeout(UP_TO_DATE_WITHIN, self.shared.followed.reached(change + 1)).await;
        }
    }

    /// How the graph stands, as the status shows it; nothing while it is being loaded.
    pub fn shown(&self, newest_change: u64) -> Option<GraphAnswer> {
        let graph = self.graph()?;
        let size = graph.read().size();
        Some(GraphAnswer {
            position: graph.position(),
            changes_behind: newest_change.saturating_sub(graph.position()),
            operations: size.operations,
            relations: size.relations,
            bytes: size.bytes,
        })
    }

    /// Why nothing new is walked over, while that is so.
    pub fn trouble(&self) -> Option<String> {
        self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct Worker {
    store: Arc<dyn Store>,
    shared: Arc<Shared>,
}

impl Worker {
    fn work(self, messages: &Receiver<Message>) {
        let mut pause = Pause::default();
        let mut behind = true;
        let mut last_look = Instant::now();
        loop {
            if behind {
                let step = catch_unwind(AssertUnwindSafe(|| self.step()));
                match step.unwrap_or(Err(FollowError::Panicked)) {
                    Ok(more) => {
                        behind = more;
                        pause = Pause::default();
                        self.set_trouble(None);
                    }
                    Err(error) => {
                        tracing::error!(error = %error, retry_in_ms = pause.length().as_millis() as u64, "the graph stands still");
                        self.set_trouble(Some(error.to_string()));
                        if !wait(messages, pause.length(), || false) {
                            return;
                        }
                        pause.lengthen();
                    }
                }
                last_look = Instant::now();
            }
            let message = if behind { messages.try_recv().ok() } else { messages.recv().ok().or(Some(Message::Stop)) };
            match message {
                None => {}
                Some(Message::Stop) => return,
                Some(Message::Wake) => {
                    behind = true;
                    let rest = LOOK_EVERY.saturating_sub(last_look.elapsed());
                    if !wait(messages, rest, || self.somebody_waits()) {
                        return;
                    }
                }
            }
        }
    }

    /// Loads the graph, or takes in what comes next; whether there may be more.
    fn step(&self) -> Result<bool, FollowError> {
        let Some(graph) = self.shared.graph.get() else {
            self.load()?;
            return Ok(true);
        };
        let more = graph.follow(self.store.as_ref())?;
        self.shared.followed.advance(graph.position() + 1);
        Ok(more)
    }

    fn load(&self) -> Result<(), StoreError> {
        let began = Instant::now();
        let graph = LiveGraph::load(self.store.as_ref())?;
        let size = graph.read().size();
        tracing::info!(
            relations = size.relations,
            operations = size.operations,
            mib = size.bytes >> 20,
            took_ms = began.elapsed().as_millis() as u64,
            "the lineage graph is in memory"
        );
        let position = graph.position();
        let _ = self.shared.graph.set(graph);
        self.shared.followed.advance(position + 1);
        Ok(())
    }

    fn somebody_waits(&self) -> bool {
        self.shared.wanted.load(Ordering::Relaxed) + 1 > self.shared.followed.position()
    }

    fn set_trouble(&self, trouble: Option<String>) {
        *self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// Waits for so long, or until it is not worth waiting any more; `false` when the server is going down.
fn wait(messages: &Receiver<Message>, length: Duration, is_over: impl Fn() -> bool) -> bool {
    let until = Instant::now() + length;
    while !is_over() {
        match messages.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Message::Wake) => {}
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use sextant_model::SourceType;
    use sextant_model::operation::{Operation, Role, SeenSpan, Usage};
    use sextant_model::{EntityId, NameKey, ObjectName, Timestamp};
    use sextant_store::{Changes, Facts, SqliteStore};

    use super::*;

    fn changes(label: &str) -> Changes {
        let id = EntityId::derive("operation", &[label.as_bytes()]);
        let name = NameKey::of("default", &ObjectName::relation("db", label));
        let seen = SeenSpan::once(Timestamp::from_seconds(1), id);
        let told = Operation {
            id,
            source_type: SourceType::Hive,
            cluster: "default".to_owned(),
            operation_type: None,
            lineage_known: true,
            pairs: Vec::new(),
        };
        Changes {
            operations: vec![told],
            usages: vec![Usage { operation: id, name, role: Role::Output, life: 0, seen }],
            ..Changes::default()
        }
    }

    #[tokio::test]
    async fn whoever_waits_finds_what_was_committed_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        store.commit(&changes("before")).unwrap();
        let shared: Arc<dyn Store> = Arc::<SqliteStore>::clone(&store);
        let (follower, work) = GraphFollower::prepare(shared);
        assert!(follower.graph().is_none(), "it is loaded by its thread");
        let thread = std::thread::spawn(work);
        for (label, operations) in [("one", 2), ("two", 3)] {
            let change = store.commit(&changes(label)).unwrap().seq;
            follower.wait_for(change).await;
            let graph = follower.graph().unwrap();
            assert!(graph.position() >= change);
            assert_eq!(graph.read().size().operations, operations);
        }
        assert_eq!(follower.trouble(), None);
        follower.stop();
        thread.join().unwrap();
    }
}
