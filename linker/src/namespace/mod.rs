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
//! - A file that is no longer wanted is out of scope, not deleted.
//! - A path that comes back under another inode is another entity, and lives after all earlier
//!   holders of its name: what ran before it is told of a former life.
//! - When paths are identified in another way than before (an image after listings, or the other
//!   way round), every path keeps the entity that it had, and the pass deletes nothing.
//!
//! What is unchanged costs two hashes and one look into a sorted list. Nothing is written here.

mod end;
mod entity;
mod known;
mod lives;

use std::collections::HashMap;

use sextant_model::feed::What;
use sextant_model::location::FileSystems;
use sextant_model::namespace::{IdentityMode, NamespaceStamp, ObservedPath};
use sextant_model::{Entity, EntityId, EntityState, NameKey, NameKind, Timestamp, Viewer};
use sextant_store::{Changes, ContentHash, EntityWrite, Facts, NameState, PassCounts, StoreError};

pub use end::NamespaceEnd;

use crate::SourceInstance;
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
    /// The state that the last run showed, to its end or in part.
    previous: Option<NamespaceStamp>,
    /// The state that this pass shows, once it is known.
    stamp: Option<NamespaceStamp>,
    /// Paths were identified in another way before.
    rebinds: bool,
    /// Nothing of the source was ever stored.
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
        Ok(Self {
            naming: format!("{}\n{prefix}", source.cluster),
            prefix,
            source,
            started,
            applied,
            previous,
            stamp: None,
            rebinds: false,
            is_first: false,
            known: Known::default(),
            other_identities: HashMap::new(),
            counts: PassCounts::default(),
            pending: Pending::default(),
        })
    }

    /// The state that the last complete run applied, if an extractor need not show it again: it
    /// must when the configured file systems give its paths other names since.
    pub fn applied(&self, facts: &dyn Facts) -> Result<Option<&NamespaceStamp>, StoreError> {
        let root = self.name_key("/");
        let led_to = facts.name_states(std::slice::from_ref(&root))?.remove(&root).and_then(|state| state.entity);
        let stored = stored_entities(facts, led_to.into_iter())?;
        let is_own = stored.values().any(|root| root.source == self.source.name);
        Ok(self.applied.as_ref().filter(|_| is_own))
    }

    /// Which state is read from now on: what is known of the source is read for the comparison.
    pub fn opened(&mut self, facts: &dyn Facts, stamp: NamespaceStamp) -> Result<(), StoreError> {
        self.known = Known::new(facts.known_paths(&self.source.name)?);
        self.other_identities = facts.other_identities(&self.source.name)?;
        self.is_first = self.known.is_empty() && self.previous.is_none();
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
        let Pending { mut changes, other_identities, lives } = std::mem::take(&mut self.pending);
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

    fn identity(&self) -> IdentityMode {
        self.stamp.as_ref().map_or(IdentityMode::Path, |stamp| stamp.identity)
    }

    /// What inode or path make of an id.
    fn derived_id(&self, inode: Option<u64>, path: &str) -> EntityId {
        match (self.identity(), inode) {
            (IdentityMode::Inode, Some(inode)) => {
                let namespace = self.stamp.as_ref().and_then(|stamp| stamp.namespace_id);
                EntityId::of_inode(&self.source.name, namespace, inode)
            }
            _ => EntityId::of_object(&self.source.name, NameKind::Path, path),
        }
    }

    /// The id behind what inode or path make of an id.
    fn actual_id(&self, derived: EntityId) -> EntityId {
        if self.other_identities.is_empty() {
            return derived;
        }
        self.other_identities.get(&derived).copied().unwrap_or(derived)
    }

    fn name_key(&self, path: &str) -> NameKey {
        NameKey {
            cluster: self.source.cluster.clone(),
            kind: NameKind::Path,
            qualified: format!("{}{path}", self.prefix),
        }
    }

    /// Paths that are known and differ from what was shown.
    fn changed(&mut self, facts: &dyn Facts, changed: Vec<Shown>) -> Result<(), StoreError> {
        if changed.is_empty() {
            return Ok(());
        }
        let stored = stored_entities(facts, changed.iter().map(|shown| shown.id))?;
        for shown in changed {
            self.counts.changed += 1;
            self.write_again(stored.get(&shown.id), shown, What::Changed);
        }
        Ok(())
    }

    /// Paths that do not live so far: most are new, some were out of scope or out of sight.
    fn unknown(&mut self, facts: &dyn Facts, unknown: Vec<Shown>) -> Result<(), StoreError> {
        if unknown.is_empty() {
            return Ok(());
        }
        let (stored, holders) = if self.is_first {
            (HashMap::new(), HashMap::new())
        } else {
            let names: Vec<NameKey> = unknown.iter().map(|shown| self.name_key(&shown.path.path)).collect();
            (stored_entities(facts, unknown.iter().map(|shown| shown.id))?, facts.name_states(&names)?)
        };
        for mut shown in unknown {
            let before = stored.get(&shown.id).filter(|before| !self.is_taken_elsewhere(before, &shown.path));
            if let Some(before) = before {
                self.revive(facts, before, shown)?;
                continue;
            }
            if stored.contains_key(&shown.id) {
                let derived = self.derived_id(shown.path.inode, &shown.path.path);
                shown.id = self.id_of_its_own(derived);
            }
            let name = self.name_key(&shown.path.path);
            self.born(name.clone(), shown, holders.get(&name));
        }
        Ok(())
    }

    /// Whether an id made of a path belongs to an entity that is somewhere else: it was known by
    /// its inode for a while and has moved.
    fn is_taken_elsewhere(&self, stored: &Entity, path: &ObservedPath) -> bool {
        self.identity() == IdentityMode::Path && entity::path_of(stored) != path.path
    }

    /// An id for a path whose derived one is taken.
    fn id_of_its_own(&mut self, derived: EntityId) -> EntityId {
        let time = self.now().as_millis().to_le_bytes();
        let id = EntityId::derive("path again", &[derived.as_bytes(), &time]);
        self.identify(derived, id);
        id
    }

    fn identify(&mut self, derived: EntityId, entity: EntityId) {
        self.other_identities.insert(derived, entity);
        self.pending.other_identities.push((derived, entity));
    }

    /// Paths whose identity was made in another way before: each keeps the entity that lives
    /// under its name.
    fn rebind(&mut self, facts: &dyn Facts, shown: Vec<Shown>) -> Result<(), StoreError> {
        if shown.is_empty() {
            return Ok(());
        }
        let names: Vec<NameKey> = shown.iter().map(|shown| self.name_key(&shown.path.path)).collect();
        let states = facts.name_states(&names)?;
        let holders = states.values().filter_map(|state| state.entity);
        let stored = stored_entities(facts, holders)?;
        let mut unknown = Vec::new();
        for (mut shown, name) in shown.into_iter().zip(names) {
            let holder = states.get(&name).and_then(|state| stored.get(&state.entity?));
            // An old name may still lead to an entity that lives under another one.
            let living =
                holder.filter(|holder| holder.state == EntityState::Living && holder.qualified_name == name.qualified);
            let Some(living) = living else {
                unknown.push(shown);
                continue;
            };
            if shown.id != living.id {
                self.identify(self.derived_id(shown.path.inode, &shown.path.path), living.id);
                shown.id = living.id;
            }
            if self.known.see(living.id) != Some(shown.content) {
                self.counts.changed += 1;
                self.write_again(Some(living), shown, What::Changed);
            }
        }
        self.unknown(facts, unknown)
    }

    fn born(&mut self, name: NameKey, shown: Shown, holder: Option<&NameState>) {
        self.counts.created += 1;
        let entity = self.entity(&shown, &name, self.now());
        if let Some(holder) = holder.filter(|state| state.entity.is_some_and(|held_by| held_by != shown.id)) {
            self.pending.lives.after_earlier_holder(shown.id, &holder.lives, self.now(), self.before());
        }
        self.pending.changes.bindings.push((name, shown.id));
        self.push(entity, What::Created, shown.content);
    }

    /// An entity that is there and was not living. Under its inode it had only been out of sight;
    /// by its path alone it counts as another life.
    fn revive(&mut self, facts: &dyn Facts, before: &Entity, shown: Shown) -> Result<(), StoreError> {
        self.counts.revived += 1;
        if before.state == EntityState::Deleted {
            let lives = facts.lives(&[before.id])?.remove(&before.id).unwrap_or_default();
            match self.identity() {
                IdentityMode::Inode => self.pending.lives.reopened(before.id, lives),
                IdentityMode::Path => self.pending.lives.another(before.id, lives, self.now(), self.before()),
            }
        }
        // Its uses are to be computed anew.
        self.pending.changes.bindings.push((self.name_key(&shown.path.path), before.id));
        self.write_again(Some(before), shown, What::Revived);
        Ok(())
    }

    /// Writes an entity that is stored, perhaps under another path.
    fn write_again(&mut self, before: Option<&Entity>, shown: Shown, what: What) {
        let name = self.name_key(&shown.path.path);
        let first_seen = before.map_or(self.now(), |before| before.first_seen);
        let mut entity = self.entity(&shown, &name, first_seen);
        if let Some(before) = before {
            entity::remember_way(&mut entity, before);
        }
        if before.is_none_or(|before| before.qualified_name != entity.qualified_name) {
            self.pending.changes.bindings.push((name, shown.id));
        }
        self.push(entity, what, shown.content);
    }

    fn push(&mut self, entity: Entity, what: What, content: ContentHash) {
        self.pending.changes.entities.push(EntityWrite { entity, what, content: Some(content) });
    }

    fn entity(&self, shown: &Shown, name: &NameKey, first_seen: Timestamp) -> Entity {
        let parent_path = entity::parent_of(&shown.path.path);
        let parent = parent_path.map(|parent| self.actual_id(self.derived_id(shown.path.parent_inode, parent)));
        entity::entity(&self.source, &shown.path, name.qualified.clone(), shown.id, parent, first_seen)
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
