//! One pass of a pull extractor becomes new, changed, deleted and re-created entities.
//!
//! A pass that did not finish deletes nothing. What a finished pass did not list is asked for
//! once more ([`Pass::vanished`]); only "no such object" deletes, and not at once when too much
//! vanished together ([`crate::deletion`]).

use std::collections::{BTreeMap, HashMap, HashSet};

use sextant_model::feed::What;
use sextant_model::history::{Difference, DifferenceKind, Differences, EntityChange};
use sextant_model::location::FileSystems;
use sextant_model::snapshot::{Existence, ObservedObject, PassProblem, PassSummary};
use sextant_model::{
    Entity, EntityId, EntityState, EntityType, Life, NameKey, NameKind, ObjectName, Timestamp, Viewer,
};
use sextant_store::{
    CatalogEntry, Changes, ContentHash, EntityWrite, ExtractorRun, Facts, PassCounts, RunOutcome, StoreError,
};

use crate::SourceInstance;
use crate::deletion::{Verdict, decide};
use crate::differences::{compare_columns, compare_properties};
use crate::location::locations;
use crate::parts::{Parent, compare_parts};
use crate::relink::relink;

/// At most this many vanished names are asked for once more in one pass; the rest stay alive
/// until the next.
pub const MAX_ASKED_AGAIN: usize = 10_000;
/// At most this many problems are kept with a run; their number is always whole.
pub const MAX_KEPT_PROBLEMS: usize = 1_000;

/// A pass in progress.
#[derive(Debug)]
pub struct Pass {
    source: SourceInstance,
    started: Timestamp,
    previous: Option<Timestamp>,
    known: HashMap<ObjectName, CatalogEntry>,
    held_before: HashSet<ObjectName>,
    listed: HashSet<ObjectName>,
    counts: PassCounts,
    file_systems: FileSystems,
}

/// What is known when a pass has ended.
#[derive(Debug, Clone)]
pub struct PassEnd {
    /// The extractor's own summary.
    pub summary: PassSummary,
    /// What it could not read.
    pub problems: Vec<PassProblem>,
    /// The answers to asking once more for each name of [`Pass::vanished`].
    pub confirmed: Vec<(ObjectName, Existence)>,
    /// Whether somebody asked for this pass with deletions accepted.
    pub accept_deletions: bool,
    /// When it ended.
    pub finished: Timestamp,
}

impl Pass {
    /// Begins a pass: reads what is known of the source. `started` is the time of the snapshot.
    pub fn begin(facts: &dyn Facts, source: SourceInstance, started: Timestamp) -> Result<Self, StoreError> {
        let known = facts.catalog(&source.name)?.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        let held_before = facts.held(&source.name)?.into_iter().collect();
        let previous = facts.last_complete_run(&source.name)?;
        Ok(Self {
            source,
            started,
            previous,
            known,
            held_before,
            listed: HashSet::new(),
            counts: PassCounts::default(),
            file_systems: FileSystems::default(),
        })
    }

    /// The file systems by which locations are made into names; without this there are none.
    #[must_use]
    pub fn with_file_systems(mut self, file_systems: FileSystems) -> Self {
        self.file_systems = file_systems;
        self
    }

    /// What the pass has seen so far, for progress messages.
    pub fn counts(&self) -> PassCounts {
        PassCounts { seen: self.listed.len() as u64, ..self.counts }
    }

    /// Notes names that the source lists.
    pub fn listed(&mut self, names: Vec<ObjectName>) {
        self.listed.extend(names);
    }

    /// Compares objects with what is known; the changes are to be committed before the next call.
    pub fn objects(&mut self, facts: &dyn Facts, objects: Vec<ObservedObject>) -> Result<Changes, StoreError> {
        let mut changes = Changes::default();
        let mut other_lives: BTreeMap<NameKey, Vec<Life>> = BTreeMap::new();
        for object in objects {
            let content = fingerprint(&object);
            let name = object.name.clone();
            let entry = self.known.get(&name).cloned();
            self.listed.insert(name.clone());
            let id = match entry {
                None => {
                    let lives = self.born(&object, content, &mut changes);
                    let id = lives[0].entity;
                    other_lives.insert(self.name_key(&name), lives);
                    id
                }
                Some(entry) if entry.state == EntityState::Living && entry.content == content => {
                    continue;
                }
                Some(entry) => {
                    if let Some(lives) = self.seen_again(facts, &entry, &object, content, &mut changes)? {
                        other_lives.insert(self.name_key(&name), lives);
                    }
                    entry.id
                }
            };
            self.known.insert(name.clone(), CatalogEntry { id, name, state: EntityState::Living, content });
        }
        changes.locations = locations(&self.file_systems, &changes.entities);
        changes.usage_replacements = relink(facts, &other_lives)?;
        Ok(changes)
    }

    fn name_key(&self, name: &ObjectName) -> NameKey {
        NameKey::of(&self.source.cluster, name)
    }

    fn born(&mut self, object: &ObservedObject, content: ContentHash, changes: &mut Changes) -> Vec<Life> {
        self.counts.created += 1;
        let id = EntityId::of_object(&self.source.name, object.name.kind(), &object.name.qualified());
        let life = Life {
            entity: id,
            number: 1,
            created: object.created,
            first_seen: self.started,
            last_seen: None,
            over: None,
        };
        let entity = self.entity(id, object, self.started);
        changes.bindings.push((self.name_key(&object.name), id));
        changes.lives.push(life.clone());
        let parent = Parent { entity: &entity, name: &object.name, now: self.started, previous: self.previous };
        changes.entities.extend(compare_parts(&parent, object, Vec::new()));
        changes.entities.push(EntityWrite { entity, what: What::Created, content: Some(content) });
        vec![life]
    }

    /// An object whose name is known and that differs from what was shown, or was not there the
    /// last time. Answers its lives when they are no longer what they were.
    fn seen_again(
        &mut self,
        facts: &dyn Facts,
        entry: &CatalogEntry,
        object: &ObservedObject,
        content: ContentHash,
        changes: &mut Changes,
    ) -> Result<Option<Vec<Life>>, StoreError> {
        let mut lives = facts.lives(&[entry.id])?.remove(&entry.id).unwrap_or_default();
        lives.sort_by_key(|life| life.number);
        let was_deleted = entry.state == EntityState::Deleted;
        let same_life = lives.last().is_some_and(|last| match (last.created, object.created) {
            (Some(before), Some(now)) => before == now,
            _ => !was_deleted,
        });
        let lives_changed = was_deleted || !same_life;
        if same_life && was_deleted {
            // It had only been out of sight: the same create time is the same life.
            let last = lives.last_mut().expect("a life that is the same exists");
            last.over = None;
            last.last_seen = None;
            changes.lives.push(last.clone());
        }
        if !same_life {
            if let Some(last) = lives.last_mut().filter(|last| last.over.is_none()) {
                last.over = Some(object.created.unwrap_or(self.started));
                last.last_seen = self.previous;
                changes.lives.push(last.clone());
            }
            let life = Life {
                entity: entry.id,
                number: lives.last().map_or(1, |last| last.number + 1),
                created: object.created,
                first_seen: self.started,
                last_seen: None,
                over: None,
            };
            changes.lives.push(life.clone());
            lives.push(life);
        }
        let what = if lives_changed || entry.state != EntityState::Living {
            self.counts.revived += 1;
            What::Revived
        } else {
            self.counts.changed += 1;
            What::Changed
        };
        let viewer = Viewer::all();
        let before = facts.entities(&viewer, &[entry.id])?.pop();
        let first_seen = before.as_ref().map_or(self.started, |before| before.first_seen);
        let entity = self.entity(entry.id, object, first_seen);
        let stored_parts = facts.children(&viewer, entry.id, 0, u64::MAX)?;
        if let Some(before) = &before {
            let mut differences = Differences::default();
            if !same_life {
                differences.add(Difference::plain(DifferenceKind::CreatedAgain));
            } else if entry.state != EntityState::Living {
                differences.add(Difference::plain(DifferenceKind::SeenAgain));
            }
            compare_properties(before, &entity, &mut differences);
            compare_columns(before, &stored_parts, &object.fields, &mut differences);
            self.tell(entry.id, differences, changes);
        }
        let parent = Parent { entity: &entity, name: &object.name, now: self.started, previous: self.previous };
        changes.entities.extend(compare_parts(&parent, object, stored_parts));
        changes.entities.push(EntityWrite { entity, what, content: Some(content) });
        Ok(lives_changed.then_some(lives))
    }

    /// Notes for its history what is different of an entity that was known.
    fn tell(&self, entity: EntityId, differences: Differences, changes: &mut Changes) {
        if !differences.is_empty() {
            let (source, run) = (self.source.name.clone(), self.started);
            changes.entity_changes.push(EntityChange { entity, source, run, at: run, differences });
        }
    }

    fn entity(&self, id: EntityId, object: &ObservedObject, first_seen: Timestamp) -> Entity {
        let database = object.name.relation.is_some().then(|| ObjectName::database(&object.name.database));
        let parent = database.as_ref().map(|name| {
            let birth_id = || EntityId::of_object(&self.source.name, NameKind::Database, &name.qualified());
            self.known.get(name).map_or_else(birth_id, |entry| entry.id)
        });
        let parent_path = database.map(|name| format!("/{}", name.database));
        let mut properties = object.properties.clone();
        if let Some(created) = object.created {
            properties.insert("created".to_owned(), serde_json::Value::String(created.to_string()));
        }
        if !object.fields.is_empty() {
            properties.insert("columnCount".to_owned(), object.fields.len().into());
        }
        Entity {
            id,
            entity_type: object.entity_type,
            source_type: object.source_type,
            source: self.source.name.clone(),
            cluster: self.source.cluster.clone(),
            original_name: object.name.last_part().to_owned(),
            qualified_name: object.name.qualified(),
            parent,
            parent_path,
            state: EntityState::Living,
            delete_time: None,
            last_seen: None,
            first_seen,
            position: 0,
            properties,
        }
    }

    /// Living names that the pass did not list although their database was listed whole and they
    /// are `in_scope`: each is to be asked for once more. Of more than [`MAX_ASKED_AGAIN`] only
    /// the first are given; the others stay alive.
    pub fn vanished(&self, summary: &PassSummary, in_scope: &dyn Fn(&ObjectName) -> bool) -> Vec<ObjectName> {
        let mut vanished: Vec<ObjectName> = self
            .known
            .values()
            .filter(|entry| entry.state == EntityState::Living && !self.listed.contains(&entry.name))
            .filter(|entry| !summary.incomplete_databases.contains(&entry.name.database) && in_scope(&entry.name))
            .map(|entry| entry.name.clone())
            .collect();
        vanished.sort_unstable();
        vanished.truncate(MAX_ASKED_AGAIN);
        vanished
    }

    /// Ends the pass: deletions, what left the scope, what is held, and the run's own entry.
    pub fn finish(
        mut self,
        facts: &dyn Facts,
        in_scope: &dyn Fn(&ObjectName) -> bool,
        end: PassEnd,
    ) -> Result<Changes, StoreError> {
        let mut problems = end.problems;
        let mut gone = Vec::new();
        for (name, existence) in end.confirmed {
            match existence {
                Existence::Gone => gone.push(name),
                Existence::There => problems.push(PassProblem {
                    object: Some(name),
                    reason: "it is there, but the source does not list it; lists may be filtered by the rights of the user who asks"
                        .to_owned(),
                }),
                Existence::Unknown => problems.push(PassProblem {
                    object: Some(name),
                    reason: "it is no longer listed, and the source could not say whether it is gone; it counts as living until it can"
                        .to_owned(),
                }),
            }
        }
        let living = self.known.values().filter(|entry| entry.state == EntityState::Living).map(|entry| &entry.name);
        let Verdict { deleted, held, message } = decide(living, gone, &self.held_before, end.accept_deletions);

        let mut changes = Changes::default();
        self.delete(facts, &deleted, &mut changes)?;
        self.leave_scope(facts, in_scope, &mut changes)?;
        self.counts.deleted = deleted.len() as u64;
        self.counts.held = held.len() as u64;
        let outcome = if !end.summary.incomplete_databases.is_empty() {
            RunOutcome::Incomplete
        } else if held.is_empty() {
            RunOutcome::Complete
        } else {
            RunOutcome::Held
        };
        let message = message.or_else(|| {
            (outcome == RunOutcome::Incomplete).then(|| {
                format!(
                    "the tables of these databases could not be listed, nothing in them was deleted: {}",
                    end.summary.incomplete_databases.join(", ")
                )
            })
        });
        changes.held = Some((self.source.name.clone(), held));
        changes.run = Some(self.run(outcome, message, problems, end.summary.idle_patterns, end.finished));
        Ok(changes)
    }

    /// Ends a pass that failed: nothing is deleted, the run is noted.
    pub fn fail(self, message: String, finished: Timestamp) -> Changes {
        let run = self.run(RunOutcome::Failed, Some(message), Vec::new(), Vec::new(), finished);
        Changes { run: Some(run), ..Changes::default() }
    }

    fn run(
        &self,
        outcome: RunOutcome,
        message: Option<String>,
        mut problems: Vec<PassProblem>,
        idle_patterns: Vec<String>,
        finished: Timestamp,
    ) -> ExtractorRun {
        let failed = problems.iter().filter(|problem| problem.object.is_some()).count() as u64;
        problems.truncate(MAX_KEPT_PROBLEMS);
        ExtractorRun {
            source: self.source.name.clone(),
            started: self.started,
            finished,
            outcome,
            counts: PassCounts { failed, ..self.counts() },
            message,
            problems,
            idle_patterns,
            stamp: None,
        }
    }

    fn delete(&self, facts: &dyn Facts, names: &[ObjectName], changes: &mut Changes) -> Result<(), StoreError> {
        let ids: Vec<EntityId> = names.iter().filter_map(|name| self.known.get(name)).map(|entry| entry.id).collect();
        let mut all_lives = facts.lives(&ids)?;
        let mut other_lives = BTreeMap::new();
        for name in names {
            let Some(entry) = self.known.get(name) else {
                continue;
            };
            let mut lives = all_lives.remove(&entry.id).unwrap_or_default();
            lives.sort_by_key(|life| life.number);
            if let Some(last) = lives.last_mut().filter(|last| last.over.is_none()) {
                last.over = Some(self.started);
                last.last_seen = self.previous.max(Some(last.first_seen));
                changes.lives.push(last.clone());
            }
            other_lives.insert(self.name_key(name), lives);
        }
        self.change_state(facts, &ids, EntityState::Deleted, What::Deleted, changes)?;
        changes.usage_replacements.extend(relink(facts, &other_lives)?);
        Ok(())
    }

    /// What the patterns no longer cover is neither deleted nor living: nobody knows.
    fn leave_scope(
        &mut self,
        facts: &dyn Facts,
        in_scope: &dyn Fn(&ObjectName) -> bool,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        let left: Vec<EntityId> = self
            .known
            .values()
            .filter(|entry| entry.state == EntityState::Living && !self.listed.contains(&entry.name))
            .filter(|entry| !in_scope(&entry.name))
            .map(|entry| entry.id)
            .collect();
        self.counts.out_of_scope = left.len() as u64;
        self.change_state(facts, &left, EntityState::OutOfScope, What::Changed, changes)
    }

    /// Moves entities and all of their living columns and partitions into another state.
    fn change_state(
        &self,
        facts: &dyn Facts,
        ids: &[EntityId],
        state: EntityState,
        what: What,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        let viewer = Viewer::all();
        for mut entity in facts.entities(&viewer, ids)? {
            if entity.entity_type != EntityType::Database {
                for mut part in facts.children(&viewer, entity.id, 0, u64::MAX)? {
                    if part.state == EntityState::Living {
                        self.move_to(&mut part, state);
                        changes.entities.push(EntityWrite { entity: part, what, content: None });
                    }
                }
            }
            self.move_to(&mut entity, state);
            let mut differences = Differences::default();
            differences.add(Difference::plain(match state {
                EntityState::Deleted => DifferenceKind::Deleted,
                EntityState::OutOfScope => DifferenceKind::OutOfScope,
                EntityState::Living => DifferenceKind::SeenAgain,
            }));
            self.tell(entity.id, differences, changes);
            changes.entities.push(EntityWrite { entity, what, content: None });
        }
        Ok(())
    }

    fn move_to(&self, entity: &mut Entity, state: EntityState) {
        entity.state = state;
        entity.last_seen = self.previous.max(Some(entity.first_seen));
        entity.delete_time = (state == EntityState::Deleted).then_some(self.started);
    }
}

fn fingerprint(object: &ObservedObject) -> ContentHash {
    let canonical = serde_json::to_vec(object).expect("an observed object is plain JSON");
    *EntityId::derive("content", &[&canonical]).as_bytes()
}
