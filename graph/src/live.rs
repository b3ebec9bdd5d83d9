//! The graph of a running process: loaded once, kept up to date from the change feed.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::thread;
use std::time::Duration;

use sextant_model::EntityId;
use sextant_model::feed::Subject;
use sextant_store::{Facts, GraphPart, StoreError};

use crate::memory::Graph;

/// How many changes are read at once. What they changed is put into the graph in one go, which
/// takes a few milliseconds, in which no walk begins.
const CHANGES_PER_STEP: u64 = 5_000;

/// How many parts are read before they are built in.
const PARTS_AHEAD: usize = 4;

/// A writer that waits keeps new readers out, and a long walk would keep everybody out with it: so
/// it looks for a moment without walks so often before it waits.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// A graph that many walk over and one keeps up to date. Each walk sees one position of the feed.
#[derive(Debug)]
pub struct LiveGraph {
    graph: RwLock<Graph>,
    position: AtomicU64,
}

impl LiveGraph {
    /// Builds the graph of everything that is in the facts: one thread reads, another one builds.
    pub fn load(facts: &dyn Facts) -> Result<Self, StoreError> {
        let (parts, told) = sync_channel::<GraphPart>(PARTS_AHEAD);
        let (position, graph) = thread::scope(|scope| {
            let building = scope.spawn(|| {
                let mut graph = Graph::default();
                for part in told {
                    graph.apply(&part);
                }
                graph
            });
            // Who builds takes everything, or panics and is asked for it below.
            let position = facts.scan_graph(&mut |part| drop(parts.send(part)));
            drop(parts);
            (position, building.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        Ok(Self { graph: RwLock::new(graph), position: AtomicU64::new(position?) })
    }

    /// The graph as it is now; it stays so until the guard is dropped.
    pub fn read(&self) -> RwLockReadGuard<'_, Graph> {
        // Whoever panicked while writing left a part of what the next step writes again.
        self.graph.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The change up to which everything is in the graph.
    pub fn position(&self) -> u64 {
        self.position.load(Ordering::Acquire)
    }

    /// Takes in what comes next in the feed; `false` when there was nothing. One at a time calls
    /// this. After an error the same changes come again.
    pub fn follow(&self, facts: &dyn Facts) -> Result<bool, StoreError> {
        let changes = facts.changes_after(self.position(), CHANGES_PER_STEP)?;
        let Some(last) = changes.last() else {
            return Ok(false);
        };
        let position = last.seq;
        let (mut operations, mut entities) = (BTreeSet::new(), BTreeSet::new());
        for change in changes {
            match change.subject {
                Subject::Operation => operations.insert(change.id),
                Subject::Entity => entities.insert(change.id),
                // Neither texts nor runs are in the graph: a run that changes when something was
                // seen changes its operation.
                Subject::Text | Subject::Execution => false,
            };
        }
        let part = read_part(facts, operations, entities)?;
        if part != GraphPart::default() {
            self.write().apply(&part);
        }
        self.position.store(position, Ordering::Release);
        Ok(true)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Graph> {
        for _ in 0..TRIES {
            match self.graph.try_write() {
                Ok(guard) => return guard,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_TRIES),
            }
        }
        self.graph.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_part(
    facts: &dyn Facts,
    operations: BTreeSet<EntityId>,
    entities: BTreeSet<EntityId>,
) -> Result<GraphPart, StoreError> {
    if operations.is_empty() && entities.is_empty() {
        return Ok(GraphPart::default());
    }
    let operations: Vec<EntityId> = operations.into_iter().collect();
    let entities: Vec<EntityId> = entities.into_iter().collect();
    facts.graph_part(&operations, &entities)
}
