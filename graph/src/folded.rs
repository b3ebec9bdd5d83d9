//! Lives of tables that are folded through. Each is a vertex of its own, so that nothing that was
//! written into one life flows out of another.

use rustc_hash::FxHashMap;
use sextant_model::EntityId;
use sextant_model::incarnation::UNSEEN_LIFE;

use crate::lives::LifeUse;
use crate::memory::VertexNumber;

/// One life of a table that is folded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoldedLife {
    pub(crate) vertex: VertexNumber,
    life: u32,
}

impl FoldedLife {
    /// Whether a use may have met this life. One of which no life is known fits any.
    pub(crate) fn fits(self, at: LifeUse) -> bool {
        at.life == self.life || at.life == UNSEEN_LIFE || self.life == UNSEEN_LIFE
    }
}

/// What the life of an entity that a use met is called in a walk.
pub(crate) fn life_id(entity: EntityId, at: LifeUse) -> EntityId {
    EntityId::derive("life", &[entity.as_bytes(), &at.life.to_le_bytes()])
}

/// The lives that a walk met, by the ids that they have in it.
#[derive(Debug, Default)]
pub(crate) struct FoldedLives(FxHashMap<EntityId, FoldedLife>);

impl FoldedLives {
    /// Makes the life known that a use met, by its [`life_id`].
    pub(crate) fn meet(&mut self, id: EntityId, vertex: VertexNumber, at: LifeUse) {
        self.0.insert(id, FoldedLife { vertex, life: at.life });
    }

    /// The life of an id.
    pub(crate) fn get(&self, id: EntityId) -> Option<FoldedLife> {
        self.0.get(&id).copied()
    }
}
