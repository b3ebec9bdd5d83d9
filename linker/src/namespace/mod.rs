//! One state of a file system's namespace becomes directories and files that are new, changed,
//! renamed, deleted, or no longer wanted.
//!
//! What is guaranteed:
//!
//! - A path that is known by its inode keeps its entity through every rename; the names that it
//!   had go on leading to it until another inode takes them.
//! - Only a state that was shown to its end deletes, and never below a path that could not be
//!   read. An image is whole by construction: what it does not hold is gone. A listing may have
//!   been filtered by rights: too much that is gone at once is held until the next one agrees.
//! - A file that is no longer wanted is out of scope, not deleted, also where its directory moved.
//! - What takes a name that led to another entity lives after all earlier holders of that name,
//!   whether it is new (a path that comes back under another inode), was renamed, or the names were
//!   another source's: what ran before it is told of a former life.
//! - When paths are identified in another way than before (an image after listings, or the other
//!   way round), every path keeps the entity that it had, and the pass deletes nothing.
//!
//! What is unchanged costs two hashes and one look into a sorted list. Nothing is written here.

mod end;
mod entity;
mod history;
mod identity;
mod known;
mod lives;
mod writes;

use std::collections::HashMap;

use sextant_model::location::FileSystems;
use sextant_model::namespace::{IdentityMode, NamespaceStamp, ObservedPath};
use sextant_model::{Entity, EntityId, NameKey, NameKind, Timestamp, Viewer};
use sextant_store::{Changes, ContentHash, Facts, PassCounts, StoreError};

pub use end::NamespaceEnd;

use crate::SourceInstance;
use history::Found;
use known::Known;
use lives::PendingLives;

/// So many changed paths are gathered before they are given out: each commit writes a part of
/// every index, so that a few large ones write far less than many small ones.
const GATHERED: usize = 50_000;
/// Of so many runs the newest that applied a state is looked for.
const RUNS_LOOKED_AT: u64 = 50;

/// A pass over a namespace in progress.
#[derive(Debug)]
pub struct NamespacePass {
    source: SourceInstance,
    /// Stands before the paths in their names.
    prefix: String,
    /// How names are made: part of every fingerprint, so that other names are written.
    naming: String,
    started: Timestamp,
    /// The state that the last complete run applied.
    applied: Option<NamespaceStamp>,
    /// The state that the last run showed that came to its end, complete or not: a run that failed
    /// writes none.
    previous: Option<NamespaceStamp>,
    /// The state that this pass shows, once it is known.
    stamp: Option<NamespaceStamp>,
    /// The configured file systems give its paths other names since.
    has_other_names: bool,
    /// Paths were identified in another way before.
    rebinds: bool,
    /// Nothing of the source was ever stored, and nobody else's names are in its place.
    is_first: bool,
    known: Known,
    other_identities: HashMap<EntityId, EntityId>,
    counts: PassCounts,
    pending: Pending,
}

/// What was decided and not yet given out.
#[derive(Debug, Default)]
struct Pending {
    changes: Changes,
    other_identities: Vec<(EntityId, EntityId)>,
    lives: PendingLives,
    /// What is different of entities that were known.
    found: Vec<Found>,
}

/// A path with everything that was found out about it.
struct Shown {
    path: ObservedPath,
    id: EntityId,
    content: ContentHash,
}

impl NamespacePass {
    /// Begins a pass. `started` is when it began, not when the state was.
    pub fn begin(
        facts: &dyn Facts,
        source: SourceInstance,
        file_systems: &FileSystems,
        started: Timestamp,
    ) -> Result<Self, StoreError> {
        let prefix = file_systems.prefix_of(&source.name);
        let applied = facts.last_stamp(&source.name)?;
        let runs = facts.runs(&Viewer::all(), &source.name, RUNS_LOOKED_AT)?;
        let previous = runs.into_iter().find_map(|run| run.stamp).or_else(|| applied.clone());
        let mut pass = Self {
            naming: format!("{}\n{prefix}", source.cluster),
            prefix,
            source,
            started,
            applied,
            previous,
            stamp: None,
            has_other_names: false,
            rebinds: false,
            is_first: false,
            known: Known::default(),
            other_identities: HashMap::new(),
            counts: PassCounts::default(),
            pending: Pending::default(),
        };
        let root = pass.root(facts)?;
        // The root is the first path to be stored: where its name leads nowhere, no name does.
        pass.is_first = root.is_none() && pass.previous.is_none();
        // Where its name leads to the source's own root, the source has the names that it has now.
        pass.has_other_names = root.is_none_or(|root| root.source != pass.source.name);
        Ok(pass)
    }

    /// What the name of the root leads to.
    fn root(&self, facts: &dyn Facts) -> Result<Option<Entity>, StoreError> {
        let root = self.name_key("/");
        let led_to = facts.name_states(std::slice::from_ref(&root))?.remove(&root).and_then(|state| state.entity);
        Ok(stored_entities(facts, led_to.into_iter())?.into_values().next())
    }

    /// The state that the last complete run applied, for an extractor to refuse what is older or of another namespace.
    pub fn applied(&self) -> Option<&NamespaceStamp> {
        self.applied.as_ref()
    }

    /// Whether an extractor must show that state again: the configured file systems give its paths other names since.
    pub fn shows_again(&self) -> bool {
        self.has_other_names
    }

    /// Which state is read from now on: what is known of the source is read for the comparison.
    pub fn opened(&mut self, facts: &dyn Facts, stamp: NamespaceStamp) -> Result<(), StoreError> {
        self.known = Known::new(facts.known_paths(&self.source.name)?);
        self.other_identities = facts.other_identities(&self.source.name)?;
        self.is_first &= self.known.is_empty();
        self.rebinds = match &self.previous {
            Some(before) => (before.identity, before.namespace_id) != (stamp.identity, stamp.namespace_id),
            None => false,
        };
        self.stamp = Some(stamp);
        Ok(())
    }

    /// What the pass has seen so far, for progress messages.
    pub fn counts(&self) -> PassCounts {
        self.counts
    }

    /// Compares paths with what is known. The changes, which are often empty since they are
    /// gathered, are to be committed before the next call.
    pub fn paths(&mut self, facts: &dyn Facts, paths: Vec<ObservedPath>) -> Result<Changes, StoreError> {
        self.counts.seen += paths.len() as u64;
        let mut changed = Vec::new();
        let mut unknown = Vec::new();
        for path in paths {
            let content = path.fingerprint(&self.naming);
            let id = self.actual_id(self.derived_id(path.inode, &path.path));
            if self.rebinds {
                unknown.push(Shown { path, id, content });
                continue;
            }
            match self.known.see(id) {
                Some(before) if before == content => {}
                Some(_) => changed.push(Shown { path, id, content }),
                None => unknown.push(Shown { path, id, content }),
            }
        }
        self.changed(facts, changed)?;
        // A path that the pass with another identity did not show may still wait for its entity.
        if self.rebinds || (self.identity() == IdentityMode::Path && !self.is_first) {
            self.rebind(facts, unknown)?;
        } else {
            self.unknown(facts, unknown)?;
        }
        if self.pending.changes.entities.len() < GATHERED {
            return Ok(Changes::default());
        }
        self.give_out(facts)
    }

    /// Everything gathered, with the uses of the names that lead elsewhere now. What operations
    /// did is read now and not before: they may come between two calls.
    fn give_out(&mut self, facts: &dyn Facts) -> Result<Changes, StoreError> {
        let Pending { mut changes, other_identities, lives, found } = std::mem::take(&mut self.pending);
        self.tell(facts, found, &mut changes)?;
        changes.usage_replacements = lives.relink(facts, &self.source.cluster, &changes.bindings, self.now())?;
        changes.lives = lives.to_store();
        if !other_identities.is_empty() {
            changes.other_identities = Some((self.source.name.clone(), other_identities));
        }
        Ok(changes)
    }

    /// The time of the state that is read.
    fn now(&self) -> Timestamp {
        self.stamp.as_ref().map_or(self.started, |stamp| stamp.taken)
    }

    /// The time of the state before.
    fn before(&self) -> Option<Timestamp> {
        self.previous.as_ref().map(|stamp| stamp.taken)
    }

    fn name_key(&self, path: &str) -> NameKey {
        NameKey {
            cluster: self.source.cluster.clone(),
            kind: NameKind::Path,
            qualified: format!("{}{path}", self.prefix),
        }
    }
}

fn stored_entities(
    facts: &dyn Facts,
    ids: impl Iterator<Item = EntityId>,
) -> Result<HashMap<EntityId, Entity>, StoreError> {
    let ids: Vec<EntityId> = ids.collect();
    let stored = facts.entities(&Viewer::all(), &ids)?;
    Ok(stored.into_iter().map(|entity| (entity.id, entity)).collect())
}
