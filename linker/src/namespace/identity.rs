//! Which entity a path is: by its inode, by its path, or by what it was known by before.

use sextant_model::feed::What;
use sextant_model::namespace::{IdentityMode, ObservedPath};
use sextant_model::{Entity, EntityId, EntityState, NameKey, NameKind};
use sextant_store::{Facts, StoreError};

use super::{NamespacePass, Shown, entity, stored_entities};

impl NamespacePass {
    pub(super) fn identity(&self) -> IdentityMode {
        self.stamp.as_ref().map_or(IdentityMode::Path, |stamp| stamp.identity)
    }

    /// What inode or path make of an id.
    pub(super) fn derived_id(&self, inode: Option<u64>, path: &str) -> EntityId {
        match (self.identity(), inode) {
            (IdentityMode::Inode, Some(inode)) => {
                let namespace = self.stamp.as_ref().and_then(|stamp| stamp.namespace_id);
                EntityId::of_inode(&self.source.name, namespace, inode)
            }
            _ => EntityId::of_object(&self.source.name, NameKind::Path, path),
        }
    }

    /// The id behind what inode or path make of an id.
    pub(super) fn actual_id(&self, derived: EntityId) -> EntityId {
        if self.other_identities.is_empty() {
            return derived;
        }
        self.other_identities.get(&derived).copied().unwrap_or(derived)
    }

    /// Whether an id made of a path belongs to an entity that is somewhere else: it was known by
    /// its inode for a while and has moved.
    pub(super) fn is_taken_elsewhere(&self, stored: &Entity, path: &ObservedPath) -> bool {
        self.identity() == IdentityMode::Path && entity::path_of(stored) != path.path
    }

    /// An id for a path whose derived one is taken.
    pub(super) fn id_of_its_own(&mut self, derived: EntityId) -> EntityId {
        let time = self.now().as_millis().to_le_bytes();
        let id = EntityId::derive("path again", &[derived.as_bytes(), &time]);
        self.identify(derived, id);
        id
    }

    pub(super) fn identify(&mut self, derived: EntityId, entity: EntityId) {
        self.other_identities.insert(derived, entity);
        self.pending.other_identities.push((derived, entity));
    }

    /// Paths whose identity was made in another way before: each keeps the entity that lives
    /// under its name.
    pub(super) fn rebind(&mut self, facts: &dyn Facts, shown: Vec<Shown>) -> Result<(), StoreError> {
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
            // An old name may still lead to an entity that lives under another one, or to one that
            // another source has shown.
            let living = holder.filter(|holder| {
                holder.state == EntityState::Living
                    && holder.qualified_name == name.qualified
                    && holder.source == self.source.name
            });
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
                self.write_again(Some(living), &shown, What::Changed, None);
            }
        }
        self.unknown(facts, unknown)
    }
}
