//! What is different of directories and files, for their history.
//!
//! Only those are told that a location or an operation names: a directory that is renamed with a
//! million others below it gives no million entries that nobody asks for.

use sextant_model::history::{Difference, DifferenceKind, Differences, EntityChange};
use sextant_model::{Entity, EntityId, EntityState, NameKey};
use sextant_store::{Changes, Facts, StoreError};

use super::NamespacePass;
use super::end::AT_ONCE;
use crate::differences::compare_properties;

/// What is different of a path that was known; whether it is told is not decided yet.
#[derive(Debug)]
pub(super) struct Found {
    id: EntityId,
    name: NameKey,
    differences: Differences,
}

impl NamespacePass {
    /// Compares an entity with what was stored of it. `again` says how it came back, if it was not
    /// living.
    pub(super) fn find(&mut self, before: &Entity, after: &Entity, name: &NameKey, again: Option<DifferenceKind>) {
        // Read in another way, the same path is shown with other properties.
        if self.rebinds {
            return;
        }
        let mut differences = Differences::default();
        if let Some(again) = again {
            let was_deleted = before.state == EntityState::Deleted;
            differences.add(Difference::plain(if was_deleted { again } else { DifferenceKind::SeenAgain }));
        }
        compare_properties(before, after, &mut differences);
        if !differences.is_empty() {
            self.pending.found.push(Found { id: after.id, name: name.clone(), differences });
        }
    }

    /// Adds what was found of paths that somebody names.
    pub(super) fn tell(&self, facts: &dyn Facts, found: Vec<Found>, changes: &mut Changes) -> Result<(), StoreError> {
        let asked: Vec<_> = found.iter().map(|found| (found.id, Some(found.name.clone()))).collect();
        let referenced = facts.referenced(&asked)?;
        let told = found.into_iter().filter(|found| referenced.contains(&found.id));
        changes.entity_changes.extend(told.map(|found| self.change(found.id, found.differences)));
        Ok(())
    }

    pub(super) fn tell_deleted(
        &self,
        facts: &dyn Facts,
        deleted: &[EntityId],
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        for some in deleted.chunks(AT_ONCE) {
            let asked: Vec<_> = some.iter().map(|id| (*id, None)).collect();
            let referenced = facts.referenced(&asked)?;
            for id in some.iter().filter(|id| referenced.contains(id)) {
                let mut differences = Differences::default();
                differences.add(Difference::plain(DifferenceKind::Deleted));
                changes.entity_changes.push(self.change(*id, differences));
            }
        }
        Ok(())
    }

    fn change(&self, entity: EntityId, differences: Differences) -> EntityChange {
        EntityChange { entity, source: self.source.name.clone(), run: self.started, at: self.now(), differences }
    }
}
