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

/// Neighbours on the side to which the walk did not go are counted where no more operations than this
/// are between.
const GLANCE_LIMIT: usize = 100;

/// The neighbours of one vertex on one side.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighbours {
    /// How many vertices the options would show that are not in the answer.
    pub(crate) more: u64,
    /// Whether not everything was looked at.
    pub(crate) is_least: bool,
    /// Vertices that are known by name only, in the answer or not.
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
    /// The neighbours of a vertex; `None` for operations.
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

/// Lets the walk have crossed the surroundings of shown vertices that lead to others in the answer:
/// what flows between two of them is an edge, however far the walk went.
pub(crate) fn cross_to_shown(terrain: &mut impl Terrain, reached: &mut Reached) -> Result<(), StoreError> {
    let known: HashSet<EntityId> = reached.known().collect();
    for side in [Side::Upstream, Side::Downstream] {
        let crossed: HashSet<EntityId> = reached.crossed[side.index()].iter().copied().collect();
        let vertices: Vec<EntityId> = walked(reached, side).filter(|vertex| !crossed.contains(vertex)).collect();
        terrain.look_around(&vertices, side)?;
        let mut leading = Vec::new();
        for vertex in vertices {
            let ends = terrain.far_ends(vertex, side)?;
            if ends.iter().any(|(far, _)| known.contains(far)) {
                leading.push(vertex);
            }
        }
        terrain.expand_to(&leading, side, &known)?;
        reached.crossed[side.index()].extend(leading);
    }
    Ok(())
}

/// The assets in the answer from which the walk went to a side.
fn walked(reached: &Reached, side: Side) -> impl Iterator<Item = EntityId> + '_ {
    let nodes = reached.nodes.iter().filter(move |node| !node.between && node.sides[side.index()]);
    nodes.map(|node| node.id)
}

/// Looks around the vertices in the answer.
pub(crate) fn look_around(terrain: &mut impl Terrain, reached: &Reached) -> Result<Surroundings, StoreError> {
    let mut surroundings = Surroundings::default();
    for side in [Side::Upstream, Side::Downstream] {
        let mut behind_folded = BehindFolded::default();
        let vertices: Vec<EntityId> = walked(reached, side).collect();
        terrain.look_around(&vertices, side)?;
        for vertex in vertices {
            let found = neighbours(terrain, reached, vertex, side, &mut behind_folded)?;
            surroundings.neighbours.insert((vertex, side), found);
        }
        surroundings.cut |= behind_folded.cut;
        for node in reached.nodes.iter().filter(|node| !node.between && !node.sides[side.index()]) {
            let found = glance(terrain, reached, node.id, side);
            surroundings.neighbours.insert((node.id, side), found);
        }
    }
    Ok(surroundings)
}

/// The nearest neighbours of a vertex on the side to which the walk did not go.
fn glance(terrain: &mut impl Terrain, reached: &Reached, vertex: EntityId, side: Side) -> Neighbours {
    let (ends, mut is_least) = terrain.glance(vertex, side, GLANCE_LIMIT);
    let mut more = 0;
    for (far, standing) in ends {
        is_least |= reached.visibility.folds(far, standing);
        more += u64::from(reached.visibility.shows(far, standing) && !reached.shows(far));
    }
    Neighbours { more, is_least, unlinked: BTreeSet::new() }
}

/// What lies next to folded vertices, which several shown ones may have in common.
#[derive(Default)]
struct BehindFolded {
    far_ends: HashMap<EntityId, Vec<(EntityId, Standing)>>,
    /// Whether there were too many of them.
    cut: bool,
}

fn neighbours(
    terrain: &mut impl Terrain,
    reached: &Reached,
    vertex: EntityId,
    side: Side,
    behind_folded: &mut BehindFolded,
) -> Result<Neighbours, StoreError> {
    let mut found = Neighbours::default();
    let mut met: HashSet<EntityId> = HashSet::default();
    let mut folded: Vec<EntityId> = Vec::new();
    let mut ends = terrain.far_ends(vertex, side)?;
    loop {
        for (far, standing) in ends.drain(..) {
            if !met.insert(far) {
                continue;
            }
            if standing == Standing::Unlinked {
                found.unlinked.insert(far);
            }
            if reached.visibility.shows(far, standing) {
                found.more += u64::from(!reached.shows(far));
            } else if reached.visibility.folds(far, standing) {
                folded.push(far);
            }
        }
        let Some(next) = folded.pop() else {
            return Ok(found);
        };
        if !behind_folded.far_ends.contains_key(&next) {
            if behind_folded.far_ends.len() >= LOOK_LIMIT {
                behind_folded.cut = true;
                continue;
            }
            let behind = terrain.far_ends(next, side)?;
            behind_folded.far_ends.insert(next, behind);
        }
        ends.clone_from(&behind_folded.far_ends[&next]);
    }
}
