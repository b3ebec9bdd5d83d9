//! What becomes of the paths that a state shows otherwise than before.

use std::collections::HashMap;

use sextant_model::feed::What;
use sextant_model::history::DifferenceKind;
use sextant_model::namespace::IdentityMode;
use sextant_model::{Entity, EntityId, EntityState, NameKey, Timestamp};
use sextant_store::{ContentHash, EntityWrite, Facts, NameState, StoreError};

use super::{NamespacePass, Shown, entity, stored_entities};

impl NamespacePass {
    /// Paths that are known and differ from what was shown.
    pub(super) fn changed(&mut self, facts: &dyn Facts, changed: Vec<Shown>) -> Result<(), StoreError> {
        if changed.is_empty() {
            return Ok(());
        }
        let stored = stored_entities(facts, changed.iter().map(|shown| shown.id))?;
        let renamed: Vec<NameKey> = changed
            .iter()
            .map(|shown| (shown.id, self.name_key(&shown.path.path)))
            .filter(|(id, name)| stored.get(id).is_some_and(|before| before.qualified_name != name.qualified))
            .map(|(_, name)| name)
            .collect();
        let holders = facts.name_states(&renamed)?;
        for shown in changed {
            self.counts.changed += 1;
            if let Some(holder) =
                holders.get(&self.name_key(&shown.path.path)).filter(|state| is_other(state, shown.id))
            {
                self.take_name(facts, shown.id, holder)?;
            }
            self.write_again(stored.get(&shown.id), &shown, What::Changed, None);
        }
        Ok(())
    }

    /// An entity that is known takes a name that led to another one: what ran on either of its
    /// names before is told of a former life.
    fn take_name(&mut self, facts: &dyn Facts, id: EntityId, holder: &NameState) -> Result<(), StoreError> {
        let lives = facts.lives(&[id])?.remove(&id).unwrap_or_default();
        self.pending.lives.another(id, lives, &holder.lives, self.now(), self.before());
        Ok(())
    }

    /// Paths that do not live so far: most are new, some were out of scope or out of sight.
    pub(super) fn unknown(&mut self, facts: &dyn Facts, unknown: Vec<Shown>) -> Result<(), StoreError> {
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
            let name = self.name_key(&shown.path.path);
            let holder = holders.get(&name);
            let before = stored.get(&shown.id).filter(|before| !self.is_taken_elsewhere(before, &shown.path));
            if let Some(before) = before {
                self.revive(facts, before, &shown, holder)?;
                continue;
            }
            if stored.contains_key(&shown.id) {
                let derived = self.derived_id(shown.path.inode, &shown.path.path);
                shown.id = self.id_of_its_own(derived);
            }
            self.born(name, &shown, holder);
        }
        Ok(())
    }

    fn born(&mut self, name: NameKey, shown: &Shown, holder: Option<&NameState>) {
        self.counts.created += 1;
        let entity = self.entity(shown, &name, self.now());
        if let Some(holder) = holder.filter(|state| is_other(state, shown.id)) {
            self.pending.lives.another(shown.id, Vec::new(), &holder.lives, self.now(), self.before());
        }
        self.pending.changes.bindings.push((name, shown.id));
        self.push(entity, What::Created, shown.content);
    }

    /// An entity that is there and was not living. Under its inode it had only been out of sight;
    /// by its path alone it counts as another life, and so it does where the name led to another.
    fn revive(
        &mut self,
        facts: &dyn Facts,
        before: &Entity,
        shown: &Shown,
        holder: Option<&NameState>,
    ) -> Result<(), StoreError> {
        self.counts.revived += 1;
        let by_inode = self.identity() == IdentityMode::Inode;
        let again = if by_inode { DifferenceKind::SeenAgain } else { DifferenceKind::CreatedAgain };
        if let Some(holder) = holder.filter(|state| is_other(state, before.id)) {
            self.take_name(facts, before.id, holder)?;
        } else if before.state == EntityState::Deleted {
            let lives = facts.lives(&[before.id])?.remove(&before.id).unwrap_or_default();
            match self.identity() {
                IdentityMode::Inode => self.pending.lives.reopened(before.id, lives),
                IdentityMode::Path => self.pending.lives.another(before.id, lives, &[], self.now(), self.before()),
            }
        }
        // Its uses are to be computed anew.
        self.pending.changes.bindings.push((self.name_key(&shown.path.path), before.id));
        self.write_again(Some(before), shown, What::Revived, Some(again));
        Ok(())
    }

    /// Writes an entity that is stored, perhaps under another path.
    pub(super) fn write_again(
        &mut self,
        before: Option<&Entity>,
        shown: &Shown,
        what: What,
        again: Option<DifferenceKind>,
    ) {
        let name = self.name_key(&shown.path.path);
        let first_seen = before.map_or(self.now(), |before| before.first_seen);
        let mut entity = self.entity(shown, &name, first_seen);
        if let Some(before) = before {
            entity::remember_way(&mut entity, before);
            self.find(before, &entity, &name, again);
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

/// Whether a name leads to something else than this entity.
fn is_other(state: &NameState, id: EntityId) -> bool {
    state.entity.is_some_and(|held_by| held_by != id)
}
