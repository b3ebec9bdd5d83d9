//! One transaction: everything of a [`Changes`], its change feed, and the totals.
//!
//! Each part tells the others what it did through [`Commit`]: which operations are touched, which
//! names are used by more operations than before, what is to be counted. Totals, feed and the
//! rows of touched operations are written once, at the end.

mod catalog;
mod changes;
mod executions;
mod intake;
mod locations;
mod operations;
mod paths;
mod quarantine;
mod run_log;
mod touched;
mod usages;

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use sextant_model::EntityId;
use sextant_model::feed::{Subject, What};

use super::SqliteStore;
use super::connection::unpoisoned;
use super::intern::Interned;
use super::reads::feed::newest_change;
use crate::{Changes, Committed, StoreError};
pub(super) use quarantine::drop_quarantined;
pub(super) use touched::Counted;
use touched::{Tally, TouchedNames, TouchedOperations};

impl SqliteStore {
    pub(super) fn commit_changes(&self, changes: &Changes) -> Result<Committed, StoreError> {
        // Taken out, so that nothing is remembered of a transaction that was undone.
        let mut slot = unpoisoned(&self.interned);
        let mut interned = std::mem::take(&mut *slot);
        let committed = self.facts.write(|transaction| write(transaction, &mut interned, changes))?;
        *slot = interned;
        Ok(committed)
    }
}

/// A commit on its way.
struct Commit<'a> {
    connection: &'a Connection,
    interned: &'a mut Interned,
    tally: Tally,
    names: TouchedNames,
    operations: TouchedOperations,
    /// What is to be told of entities, texts and executions, in order.
    told: Vec<(Subject, EntityId, What)>,
    /// Entities whose lives or names were written. Followers are to hear of them, whoever else is told.
    moved_entities: BTreeSet<EntityId>,
    new_executions: u64,
}

fn write(connection: &Connection, interned: &mut Interned, changes: &Changes) -> rusqlite::Result<Committed> {
    let mut commit = Commit {
        connection,
        interned,
        tally: Tally::default(),
        names: TouchedNames::default(),
        operations: TouchedOperations::default(),
        told: Vec::new(),
        moved_entities: BTreeSet::new(),
        new_executions: 0,
    };
    commit.write_entities(&changes.entities)?;
    commit.write_state_changes(&changes.state_changes)?;
    commit.write_entity_changes(&changes.entity_changes)?;
    commit.write_lives(&changes.lives)?;
    commit.write_bindings(&changes.bindings)?;
    commit.write_operations(&changes.operations)?;
    commit.write_variants(&changes.variants)?;
    commit.write_texts(&changes.texts)?;
    commit.write_executions(&changes.executions)?;
    commit.replace_usages(&changes.usage_replacements)?;
    commit.write_usages(&changes.usages)?;
    commit.release_quarantined(&changes.released)?;
    commit.write_quarantined(&changes.quarantined)?;
    commit.write_carries(&changes.carries)?;
    commit.write_locations(&changes.locations)?;
    commit.write_location_rules(changes.location_rules)?;
    commit.write_other_identities(changes.other_identities.as_ref())?;
    commit.write_held(changes.held.as_ref())?;
    commit.write_held_paths(changes.held_paths.as_ref())?;
    commit.write_run(changes.run.as_ref())?;
    commit.write_run_log(changes.run_log.as_ref())?;
    commit.write_inbox_position(changes.inbox_position)?;
    commit.finish()
}

impl Commit<'_> {
    fn finish(mut self) -> rusqlite::Result<Committed> {
        self.operations.write(self.connection)?;
        self.names.write(self.connection, &mut self.tally)?;
        self.tally.write(self.connection)?;
        self.leave_told_entities_out();
        self.write_feed()?;
        Ok(Committed { seq: newest_change(self.connection)?, new_executions: self.new_executions })
    }

    /// Most entities whose lives or names were written are told of anyway.
    fn leave_told_entities_out(&mut self) {
        for (subject, id, _) in &self.told {
            if self.moved_entities.is_empty() {
                return;
            }
            if *subject == Subject::Entity {
                self.moved_entities.remove(id);
            }
        }
    }

    fn write_feed(&self) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached("INSERT INTO feed (subject, id, what) VALUES (?1, ?2, ?3)")?;
        let mut tell = |subject: Subject, id: EntityId, what: What| {
            insert.execute(params![subject.code(), id.as_bytes(), what.code()])
        };
        for (id, what) in self.operations.told() {
            tell(Subject::Operation, id, what)?;
        }
        for (subject, id, what) in &self.told {
            tell(*subject, *id, *what)?;
        }
        for id in &self.moved_entities {
            tell(Subject::Entity, *id, What::Changed)?;
        }
        Ok(())
    }
}
