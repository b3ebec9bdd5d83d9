//! The end of a pass: what is gone, what is no longer wanted, what is held.

use std::collections::{HashMap, HashSet};

use sextant_model::feed::What;
use sextant_model::namespace::{IdentityMode, NamespaceStamp, NamespaceSummary};
use sextant_model::snapshot::PassProblem;
use sextant_model::{EntityId, EntityState, EntityType, Timestamp, Viewer};
use sextant_store::{Changes, ExtractorRun, Facts, RunOutcome, StateChange, StoreError};

use super::lives::is_derived;
use super::{NamespacePass, entity, stored_entities};
use crate::deletion::is_suspicious;
use crate::snapshot::MAX_KEPT_PROBLEMS;

/// So many entities are read at once.
pub(super) const AT_ONCE: usize = 1_000;

/// What is known when a pass has ended.
#[derive(Debug, Clone)]
pub struct NamespaceEnd {
    /// The extractor's own summary.
    pub summary: NamespaceSummary,
    /// What it could not read.
    pub problems: Vec<PassProblem>,
    /// Whether somebody asked for this pass with deletions accepted.
    pub accept_deletions: bool,
    /// When it ended.
    pub finished: Timestamp,
}

/// What becomes of paths that the pass did not show.
#[derive(Default)]
struct Missing {
    gone: Vec<EntityId>,
    unwanted: Vec<EntityId>,
}

impl NamespacePass {
    /// Ends the pass: what is still gathered, deletions, what left the scope, what is held, and
    /// the run's own entry. `is_wanted` says of a file's path whether the configuration covers it.
    pub fn finish(
        mut self,
        facts: &dyn Facts,
        is_wanted: &dyn Fn(&str) -> bool,
        end: NamespaceEnd,
    ) -> Result<Changes, StoreError> {
        if end.summary.unchanged {
            return Ok(self.finish_unchanged(end));
        }
        if self.stamp.is_none() {
            let message = "the extractor did not say which state of the namespace it shows; nothing was applied";
            return Ok(self.fail(message.to_owned(), end.finished));
        }
        let unread = &end.summary.unread;
        let missing = if self.rebinds { Missing::default() } else { self.missing(facts, unread, is_wanted)? };
        let (deleted, held) = self.decide(facts, missing.gone, end.accept_deletions)?;
        self.counts.deleted = deleted.len() as u64;
        self.counts.held = held.len() as u64;
        self.counts.out_of_scope = missing.unwanted.len() as u64;
        self.counts.failed = unread.len() as u64;

        let outcome = match (unread.is_empty(), held.is_empty()) {
            (false, _) => RunOutcome::Incomplete,
            (true, false) => RunOutcome::Held,
            (true, true) => RunOutcome::Complete,
        };
        let message = self.message(outcome, unread, held.len());
        self.end_lives(facts, &deleted)?;
        let mut changes = self.give_out(facts)?;
        self.tell_deleted(facts, &deleted, &mut changes)?;
        for (ids, state, what) in
            [(deleted, EntityState::Deleted, What::Deleted), (missing.unwanted, EntityState::OutOfScope, What::Changed)]
        {
            changes.state_changes.extend(ids.into_iter().map(|id| StateChange {
                id,
                state,
                last_seen: self.before(),
                delete_time: (state == EntityState::Deleted).then(|| self.now()),
                what,
            }));
        }
        changes.held_paths = Some((self.source.name.clone(), held));
        let stamp = self.stamp.clone();
        changes.run = Some(self.run(outcome, message, end.problems, stamp, end.finished));
        Ok(changes)
    }

    /// Ends a pass that failed: nothing is deleted, the run is noted. What was gathered is not
    /// written; the next pass shows it again.
    pub fn fail(self, message: String, finished: Timestamp) -> Changes {
        let run = self.run(RunOutcome::Failed, Some(message), Vec::new(), None, finished);
        Changes { run: Some(run), ..Changes::default() }
    }

    fn finish_unchanged(self, end: NamespaceEnd) -> Changes {
        let message = self.applied.as_ref().map(|applied| match applied.transaction {
            Some(transaction) => format!(
                "unchanged: the newest state is still transaction {transaction} of {}, which was applied before",
                applied.taken
            ),
            None => format!("unchanged since {}", applied.taken),
        });
        let stamp = self.applied.clone();
        let run = self.run(RunOutcome::Complete, message, end.problems, stamp, end.finished);
        Changes { run: Some(run), ..Changes::default() }
    }

    fn message(&self, outcome: RunOutcome, unread: &[String], held: usize) -> Option<String> {
        match outcome {
            RunOutcome::Incomplete => Some(format!(
                "{} paths could not be read, nothing below them was deleted: {}",
                unread.len(),
                unread.iter().take(10).cloned().collect::<Vec<_>>().join(", ")
            )),
            RunOutcome::Held => Some(format!(
                "{held} of {} directories and files are gone at once; their deletion is held until the next pass agrees, or until `sextant extract {} --accept-deletions`",
                self.known.len(),
                self.source.name
            )),
            _ if self.rebinds => Some(
                "the namespace is read in another way than before: every path kept its entity, and nothing was deleted by this pass"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// What the pass did not show, apart from what lies where it could not read. Directories
    /// first: a file goes with its directory, wanted or not. Of a directory that is still there,
    /// but perhaps elsewhere, its present place decides whether its files are wanted.
    fn missing(
        &self,
        facts: &dyn Facts,
        unread: &[String],
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Missing, StoreError> {
        let mut protection = Protection { unread, known: HashMap::new() };
        // What is gathered is not stored yet: a directory may be under another path by now.
        for write in &self.pending.changes.entities {
            if protection.is_unread(entity::path_of(&write.entity)) {
                protection.known.insert(write.entity.id, true);
            }
        }
        let mut gone = HashSet::new();
        let mut missing = Missing::default();
        let directories: Vec<EntityId> = self.known.unseen().filter(|path| !path.is_file).map(|path| path.id).collect();
        if unread.is_empty() {
            gone.extend(directories);
        } else {
            for directory in directories {
                if !protection.covers(facts, directory)? {
                    gone.insert(directory);
                }
            }
        }
        let files: Vec<EntityId> = self.known.unseen().filter(|path| path.is_file).map(|path| path.id).collect();
        let mut gone_files = Vec::new();
        for some in files.chunks(AT_ONCE) {
            let files = facts.entities(&Viewer::all(), some)?;
            let parents = self.present_paths(facts, files.iter().filter_map(|file| file.parent))?;
            for file in files {
                if protection.covers(facts, file.id)? {
                    continue;
                }
                let went_with_directory = file.parent.is_some_and(|parent| gone.contains(&parent));
                let parent_path = file.parent.and_then(|parent| parents.get(&parent));
                let path = match parent_path {
                    Some(parent) => entity::path_below(parent, &file.original_name),
                    None => entity::path_of(&file).to_owned(),
                };
                if went_with_directory || is_wanted(&path) {
                    gone_files.push(file.id);
                } else {
                    missing.unwanted.push(file.id);
                }
            }
        }
        missing.gone.extend(gone);
        missing.gone.extend(gone_files);
        missing.gone.sort_unstable();
        Ok(missing)
    }

    /// Where directories are in the state that was shown: what is gathered is not stored yet.
    fn present_paths(
        &self,
        facts: &dyn Facts,
        directories: impl Iterator<Item = EntityId>,
    ) -> Result<HashMap<EntityId, String>, StoreError> {
        let wanted: HashSet<EntityId> = directories.collect();
        let stored = stored_entities(facts, wanted.iter().copied())?;
        let gathered = self.pending.changes.entities.iter().map(|write| &write.entity);
        let gathered = gathered.filter(|entity| wanted.contains(&entity.id));
        // The gathered come last and win.
        Ok(stored.values().chain(gathered).map(|entity| (entity.id, entity::path_of(entity).to_owned())).collect())
    }

    /// Which of those that are gone are deleted, and which are held. An image is believed at once.
    fn decide(
        &self,
        facts: &dyn Facts,
        gone: Vec<EntityId>,
        accept: bool,
    ) -> Result<(Vec<EntityId>, Vec<EntityId>), StoreError> {
        if accept || self.identity() == IdentityMode::Inode {
            return Ok((gone, Vec::new()));
        }
        let held_before: HashSet<EntityId> = facts.held_paths(&self.source.name)?.into_iter().collect();
        let (agreed, fresh): (Vec<EntityId>, Vec<EntityId>) = gone.into_iter().partition(|id| held_before.contains(id));
        if is_suspicious(fresh.len(), self.known.len()) {
            return Ok((agreed, fresh));
        }
        Ok((agreed.into_iter().chain(fresh).collect(), Vec::new()))
    }

    fn end_lives(&mut self, facts: &dyn Facts, deleted: &[EntityId]) -> Result<(), StoreError> {
        let (now, before) = (self.now(), self.before());
        let used: HashSet<EntityId> =
            facts.used_paths(&self.source.cluster)?.into_iter().filter_map(|path| path.entity).collect();
        for some in deleted.chunks(AT_ONCE) {
            for (id, lives) in facts.lives(some)? {
                // The others are over by their entity's own state.
                if !is_derived(&lives) || used.contains(&id) {
                    self.pending.lives.ended(id, lives, now, before);
                }
            }
        }
        Ok(())
    }

    fn run(
        &self,
        outcome: RunOutcome,
        message: Option<String>,
        mut problems: Vec<PassProblem>,
        stamp: Option<NamespaceStamp>,
        finished: Timestamp,
    ) -> ExtractorRun {
        problems.truncate(MAX_KEPT_PROBLEMS);
        ExtractorRun {
            source: self.source.name.clone(),
            started: self.started,
            finished,
            outcome,
            counts: self.counts,
            message,
            problems,
            idle_patterns: Vec::new(),
            stamp,
        }
    }
}

/// Whether something lies where the pass could not read.
struct Protection<'a> {
    unread: &'a [String],
    known: HashMap<EntityId, bool>,
}

impl Protection<'_> {
    fn is_unread(&self, path: &str) -> bool {
        self.unread.iter().any(|unread| is_at_or_below(path, unread))
    }

    /// Asks the entity and every directory above it: what is below a renamed directory is still
    /// stored under its old path, the directory itself under its new one.
    fn covers(&mut self, facts: &dyn Facts, id: EntityId) -> Result<bool, StoreError> {
        if self.unread.is_empty() {
            return Ok(false);
        }
        let mut below = Vec::new();
        let mut next = Some(id);
        let mut covered = false;
        while let Some(id) = next {
            if let Some(known) = self.known.get(&id) {
                covered = *known;
                break;
            }
            // A chain of parents that closes upon itself ends here, too.
            self.known.insert(id, false);
            below.push(id);
            let Some(stored) = facts.entities(&Viewer::all(), &[id])?.pop() else {
                break;
            };
            if self.is_unread(entity::path_of(&stored)) {
                covered = true;
                break;
            }
            next = stored.parent.filter(|_| stored.entity_type != EntityType::Database);
        }
        for id in below {
            self.known.insert(id, covered);
        }
        Ok(covered)
    }
}

fn is_at_or_below(path: &str, directory: &str) -> bool {
    let directory = directory.trim_end_matches('/');
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
