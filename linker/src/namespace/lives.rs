//! Lives of directories and files.
//!
//! Nearly all of them have exactly one life, without a create time, as long as the entity is
//! there. That one is not stored: the store derives it from the entity.

use std::collections::HashMap;

use sextant_model::{EntityId, Life, NameKey, Timestamp};
use sextant_store::{Facts, StoreError, UsageReplacement};

use crate::relink::relink;

/// Lives that are other than before, of each entity all of them.
#[derive(Debug, Default)]
pub(super) struct PendingLives(HashMap<EntityId, Vec<Life>>);

impl PendingLives {
    /// One life more, after the entity's own `lives` and those of the earlier `holder` of its name.
    /// It was not there yet in the state `before`, so that what ran earlier is told of a former
    /// life. Where no state was shown before, it begins with this one: without a create time it
    /// would fit whatever ran.
    pub(super) fn another(
        &mut self,
        entity: EntityId,
        lives: Vec<Life>,
        holder: &[Life],
        now: Timestamp,
        before: Option<Timestamp>,
    ) {
        let highest = lives.iter().chain(holder).map(|life| life.number).max().unwrap_or(0);
        self.ended(entity, lives, now, before);
        self.0.entry(entity).or_default().push(Life {
            entity,
            number: highest.saturating_add(1),
            created: before.or(Some(now)),
            first_seen: now,
            last_seen: None,
            over: None,
        });
    }

    /// The last life goes on.
    pub(super) fn reopened(&mut self, entity: EntityId, mut lives: Vec<Life>) {
        if let Some(last) = lives.iter_mut().max_by_key(|life| life.number) {
            last.over = None;
            last.last_seen = None;
        }
        self.0.insert(entity, lives);
    }

    /// The last life is over.
    pub(super) fn ended(&mut self, entity: EntityId, mut lives: Vec<Life>, now: Timestamp, before: Option<Timestamp>) {
        if let Some(last) = lives.iter_mut().max_by_key(|life| life.number)
            && last.over.is_none()
        {
            last.over = Some(now);
            last.last_seen = before.max(Some(last.first_seen));
        }
        self.0.insert(entity, lives);
    }

    /// Those that the store cannot derive.
    pub(super) fn to_store(&self) -> Vec<Life> {
        let mut stored: Vec<Life> =
            self.0.values().filter(|lives| !is_derived(lives)).flat_map(|lives| lives.iter().cloned()).collect();
        stored.sort_unstable_by_key(|life| (life.entity, life.number));
        stored
    }

    /// The uses of every name that leads elsewhere (`bindings`) or to an entity with other lives.
    pub(super) fn relink(
        &self,
        facts: &dyn Facts,
        cluster: &str,
        bindings: &[(NameKey, EntityId)],
        now: Timestamp,
    ) -> Result<Vec<UsageReplacement>, StoreError> {
        if bindings.is_empty() && self.0.is_empty() {
            return Ok(Vec::new());
        }
        let used = facts.used_paths(cluster)?;
        if used.is_empty() {
            return Ok(Vec::new());
        }
        let bound: HashMap<&NameKey, EntityId> = bindings.iter().map(|(name, entity)| (name, *entity)).collect();
        let mut other_lives = std::collections::BTreeMap::new();
        for path in used {
            let newly_bound = bound.get(&path.name).copied();
            let Some(entity) = newly_bound.or(path.entity) else {
                continue;
            };
            let lives = match self.0.get(&entity) {
                Some(lives) => lives.clone(),
                None if newly_bound.is_none() => continue,
                None => facts.lives(&[entity])?.remove(&entity).unwrap_or_else(|| vec![first_life(entity, now)]),
            };
            other_lives.insert(path.name, lives);
        }
        relink(facts, &other_lives)
    }
}

/// Whether the store derives these lives from the entity.
pub(super) fn is_derived(lives: &[Life]) -> bool {
    matches!(lives, [] | [Life { number: 1, created: None, .. }])
}

/// The life of an entity that is about to be stored.
fn first_life(entity: EntityId, now: Timestamp) -> Life {
    Life { entity, number: 1, created: None, first_seen: now, last_seen: None, over: None }
}
