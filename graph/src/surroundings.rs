//! What lies next to the shown vertices and is not in the answer.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use sextant_model::EntityId;
use sextant_store::StoreError;

use crate::options::Side;
use crate::reach::Reached;
use crate::terrain::{Standing, Terrain};

/// At most this many folded assets are looked behind only to count what is there.
const LOOK_LIMIT: usize = 2_000;

/// The neighbours of one vertex on one side, through what is folded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighbours {
    /// Vertices that the options would show, in the answer or not.
    pub(crate) shown: BTreeSet<EntityId>,
    /// Vertices that are known by name only.
    pub(crate) unlinked: BTreeSet<EntityId>,
}

/// The neighbours of the vertices in the answer.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    neighbours: HashMap<(EntityId, Side), Neighbours>,
    /// Whether there was too much to look at, so that counts are too small.
    pub(crate) cut: bool,
}

impl Surroundings {
    /// The neighbours of a vertex; `None` on a side to which the walk did not go from it.
    pub(crate) fn of(&self, vertex: EntityId, side: Side) -> Option<&Neighbours> {
        self.neighbours.get(&(vertex, side))
    }

    /// What is known by name only and is not in the answer.
    pub(crate) fn unlinked(&self, reached: &Reached) -> Vec<EntityId> {
        let unlinked: BTreeSet<EntityId> = self
            .neighbours
            .values()
            .flat_map(|found| &found.unlinked)
            .copied()
            .filter(|&id| !reached.shows(id))
            .collect();
        unlinked.into_iter().collect()
    }
}

/// Looks around the vertices in the answer, on the sides to which the walk went from them.
pub(crate) fn look_around(terrain: &mut impl Terrain, reached: &Reached) -> Result<Surroundings, StoreError> {
    let mut surroundings = Surroundings::default();
    for side in [Side::Upstream, Side::Downstream] {
        let vertices: Vec<EntityId> =
            reached.nodes.iter().filter(|node| !node.between && node.sides[side.index()]).map(|node| node.id).collect();
        surroundings.cut |= expand_through_folded(terrain, reached, &vertices, side)?;
        for vertex in vertices {
            surroundings.neighbours.insert((vertex, side), neighbours(terrain, reached, vertex, side));
        }
    }
    Ok(surroundings)
}

/// Loads the surroundings of these vertices and of everything folded behind them. Gives whether
/// there was too much.
fn expand_through_folded(
    terrain: &mut impl Terrain,
    reached: &Reached,
    vertices: &[EntityId],
    side: Side,
) -> Result<bool, StoreError> {
    let mut pending = vertices.to_vec();
    let mut looked_behind: HashSet<EntityId> = HashSet::default();
    while !pending.is_empty() {
        terrain.expand(&pending, side)?;
        let mut next = Vec::new();
        for vertex in pending {
            for link in terrain.expansion(vertex, side).into_iter().flat_map(|expansion| &expansion.links) {
                let far = link.far_end(side);
                if !reached.visibility.folds(terrain, far) || looked_behind.contains(&far) {
                    continue;
                }
                if looked_behind.len() >= LOOK_LIMIT {
                    return Ok(true);
                }
                looked_behind.insert(far);
                next.push(far);
            }
        }
        pending = next;
    }
    Ok(false)
}

fn neighbours(terrain: &impl Terrain, reached: &Reached, vertex: EntityId, side: Side) -> Neighbours {
    let mut found = Neighbours::default();
    let mut passed = HashSet::default();
    let mut pending = vec![vertex];
    while let Some(near) = pending.pop() {
        for link in terrain.expansion(near, side).into_iter().flat_map(|expansion| &expansion.links) {
            let far = link.far_end(side);
            if terrain.standing(far) == Standing::Unlinked {
                found.unlinked.insert(far);
            }
            if reached.visibility.shows(terrain, far) {
                found.shown.insert(far);
            } else if reached.visibility.folds(terrain, far) && passed.insert(far) {
                pending.push(far);
            }
        }
    }
    found
}
