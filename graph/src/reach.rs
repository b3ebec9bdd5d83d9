//! Breadth first from the root: which vertices are in the answer.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::cmp::Reverse;

use sextant_model::{EntityId, Timestamp};
use sextant_store::StoreError;

use crate::options::{Options, Side};
use crate::terrain::{Expansion, Standing, Terrain, Visibility};

/// At most this many deleted assets are folded through in one walk: a job that leaves a dropped
/// table behind every hour makes more of them than anybody wants to wait for.
pub(crate) const FOLDED_LIMIT: usize = 2_000;

/// What a walk reached.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) visibility: Visibility,
    /// In the order of the answer.
    pub(crate) nodes: Vec<Placed>,
    places: HashMap<EntityId, usize>,
    folded: HashSet<EntityId>,
    /// Per side the vertices whose surroundings the walk crossed.
    pub(crate) crossed: [Vec<EntityId>; 2],
    /// Whether something was left out because there was no room for more nodes.
    pub(crate) cut: bool,
    /// Whether ways through deleted assets were left out because there were too many of them.
    pub(crate) folded_cut: bool,
    limit: usize,
}

/// A vertex or operation in the answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) id: EntityId,
    pub(crate) depth: u8,
    /// Whether it is one of the operations between the vertices.
    pub(crate) between: bool,
    /// Whether the walk met it upstream, and downstream.
    pub(crate) sides: [bool; 2],
}

/// Something next to the vertices that were reached: an asset, or an operation with the assets
/// behind it.
struct Candidate {
    operation: Option<EntityId>,
    /// An asset: of most candidates the only one.
    asset: Option<FarEnd>,
    /// The other ones, perhaps several times.
    more_assets: Vec<FarEnd>,
    last: Timestamp,
    id: EntityId,
}

/// An asset next to those that were reached.
#[derive(Clone, Copy)]
struct FarEnd {
    id: EntityId,
    standing: Standing,
    /// When it was last seen there.
    last: Timestamp,
}

/// Walks from the root, at most to the hop at which the goal is met. Nearer vertices come first; of equally near ones those that were seen
/// last, then those with the smaller id, upstream and downstream in turn.
pub(crate) fn reach(
    terrain: &mut impl Terrain,
    root: EntityId,
    goal: Option<EntityId>,
    options: &Options,
) -> Result<Reached, StoreError> {
    let sides = options.direction.sides();
    let mut reached = Reached {
        visibility: Visibility::new(root, goal, options),
        nodes: Vec::new(),
        places: HashMap::default(),
        folded: HashSet::default(),
        crossed: [Vec::new(), Vec::new()],
        cut: false,
        folded_cut: false,
        limit: options.node_limit(),
    };
    let mut visited = [HashSet::from_iter([root]), HashSet::from_iter([root])];
    let mut frontiers = [Vec::new(), Vec::new()];
    for &side in sides {
        reached.place(root, 0, false, side);
        frontiers[side.index()].push(root);
    }
    for &side in sides {
        let frontier = &mut frontiers[side.index()];
        reached.take_in_beside(terrain, frontier, 0, side, &mut visited[side.index()])?;
    }
    for hop in 1..=options.hops() {
        let mut candidates = [Vec::new(), Vec::new()];
        for &side in sides {
            let frontier = std::mem::take(&mut frontiers[side.index()]);
            terrain.expand(&frontier, side)?;
            candidates[side.index()] = candidates_behind(terrain, &frontier, side, options.operations);
            reached.crossed[side.index()].extend(frontier);
        }
        for (side, candidate) in in_turn(candidates) {
            let next = reached.admit(&candidate, hop, side, &mut visited[side.index()]);
            frontiers[side.index()].extend(next);
        }
        for &side in sides {
            let frontier = &mut frontiers[side.index()];
            reached.take_in_beside(terrain, frontier, hop, side, &mut visited[side.index()])?;
        }
        if frontiers.iter().all(Vec::is_empty) || goal.is_some_and(|goal| reached.shows(goal)) {
            break;
        }
    }
    Ok(reached)
}

impl Reached {
    /// A part of what a walk reached: these nodes, and these vertices that it folded.
    pub(crate) fn of(
        visibility: Visibility,
        nodes: Vec<Placed>,
        folded: HashSet<EntityId>,
        crossed: [Vec<EntityId>; 2],
        cut: bool,
        limit: usize,
    ) -> Self {
        let places = nodes.iter().enumerate().map(|(place, node)| (node.id, place)).collect();
        Self { visibility, nodes, places, folded, crossed, cut, folded_cut: false, limit }
    }

    /// Whether a vertex or operation is in the answer.
    pub(crate) fn shows(&self, id: EntityId) -> bool {
        self.places.contains_key(&id)
    }

    /// Whether the walk went through a vertex without showing it.
    pub(crate) fn folds(&self, id: EntityId) -> bool {
        self.folded.contains(&id)
    }

    /// What is in the answer, and what is folded.
    pub(crate) fn known(&self) -> impl Iterator<Item = EntityId> + '_ {
        self.nodes.iter().map(|node| node.id).chain(self.folded.iter().copied())
    }

    /// Puts a vertex into the answer if there is room; `false` if not.
    fn place(&mut self, id: EntityId, depth: u8, between: bool, side: Side) -> bool {
        if let Some(&place) = self.places.get(&id) {
            self.nodes[place].sides[side.index()] = true;
            return true;
        }
        if self.nodes.len() >= self.limit {
            self.cut = true;
            return false;
        }
        let mut sides = [false, false];
        sides[side.index()] = true;
        self.places.insert(id, self.nodes.len());
        self.nodes.push(Placed { id, depth, between, sides });
        true
    }

    /// Takes in a candidate as far as there is room, and gives the vertices to walk on from.
    fn admit(
        &mut self,
        candidate: &Candidate,
        depth: u8,
        side: Side,
        visited: &mut HashSet<EntityId>,
    ) -> Vec<EntityId> {
        let mut next = Vec::new();
        if let Some(operation) = candidate.operation
            && !self.place(operation, depth, true, side)
        {
            return next;
        }
        for &FarEnd { id: asset, standing, .. } in candidate.asset.iter().chain(&candidate.more_assets) {
            if visited.contains(&asset) {
                continue;
            }
            let goes_on = if self.visibility.shows(asset, standing) {
                self.place(asset, depth, false, side)
            } else {
                self.visibility.folds(asset, standing) && self.fold(asset)
            };
            if goes_on {
                visited.insert(asset);
                next.push(asset);
            }
        }
        next
    }

    /// Takes in what holds the same data as the shown vertices of a frontier, as far as there is
    /// room, and lets the walk go on from there: it costs no hop.
    fn take_in_beside(
        &mut self,
        terrain: &mut impl Terrain,
        frontier: &mut Vec<EntityId>,
        depth: u8,
        side: Side,
        visited: &mut HashSet<EntityId>,
    ) -> Result<(), StoreError> {
        let mut fresh: Vec<EntityId> = frontier.iter().copied().filter(|&vertex| self.shows(vertex)).collect();
        while !fresh.is_empty() {
            terrain.load_beside(&fresh)?;
            let mut next = Vec::new();
            for vertex in fresh {
                for other in terrain.beside(vertex) {
                    if !visited.contains(&other) && self.place(other, depth, false, side) {
                        visited.insert(other);
                        next.push(other);
                    }
                }
            }
            frontier.extend(&next);
            fresh = next;
        }
        Ok(())
    }

    fn fold(&mut self, asset: EntityId) -> bool {
        if self.folded.len() >= FOLDED_LIMIT && !self.folded.contains(&asset) {
            self.folded_cut = true;
            return false;
        }
        self.folded.insert(asset);
        true
    }
}

fn candidates_behind(
    terrain: &impl Terrain,
    frontier: &[EntityId],
    side: Side,
    with_operations: bool,
) -> Vec<Candidate> {
    let empty = Expansion::default();
    let mut found: HashMap<EntityId, Candidate> = HashMap::default();
    for &vertex in frontier {
        let expansion = terrain.expansion(vertex, side).unwrap_or(&empty);
        if with_operations {
            for touch in &expansion.touches {
                let candidate = found.entry(touch.operation).or_insert_with(|| Candidate::operation(touch.operation));
                candidate.last = candidate.last.max(touch.last);
            }
        }
        for link in &expansion.links {
            let far = link.far_end(side);
            // The root itself may be the operation; its ends need no node in between.
            let candidate = if with_operations && link.operation != vertex {
                found.entry(link.operation).or_insert_with(|| Candidate::operation(link.operation))
            } else {
                found.entry(far).or_insert_with(|| Candidate::asset(far))
            };
            candidate.last = candidate.last.max(link.last);
            candidate.add_asset(FarEnd { id: far, standing: link.far, last: link.last });
        }
    }
    let mut candidates: Vec<Candidate> = found.into_values().collect();
    candidates.sort_unstable_by_key(|candidate| (Reverse(candidate.last), candidate.id));
    for candidate in candidates.iter_mut().filter(|candidate| !candidate.more_assets.is_empty()) {
        candidate.more_assets.extend(candidate.asset.take());
        candidate.more_assets.sort_unstable_by_key(|asset| (asset.id, Reverse(asset.last)));
        candidate.more_assets.dedup_by_key(|asset| asset.id);
        candidate.more_assets.sort_unstable_by_key(|asset| (Reverse(asset.last), asset.id));
    }
    candidates
}

impl Candidate {
    fn operation(operation: EntityId) -> Self {
        Self { operation: Some(operation), ..Self::asset(operation) }
    }

    fn asset(asset: EntityId) -> Self {
        let last = Timestamp::from_millis(i64::MIN);
        Self { operation: None, asset: None, more_assets: Vec::new(), last, id: asset }
    }

    fn add_asset(&mut self, asset: FarEnd) {
        match &mut self.asset {
            None => self.asset = Some(asset),
            Some(known) if known.id == asset.id => known.last = known.last.max(asset.last),
            Some(_) => self.more_assets.push(asset),
        }
    }
}

/// One of each side in turn, so that a crowd on one side does not push out the other.
fn in_turn(candidates: [Vec<Candidate>; 2]) -> Vec<(Side, Candidate)> {
    let [upstream, downstream] = candidates;
    let mut ordered = Vec::with_capacity(upstream.len() + downstream.len());
    let (mut upstream, mut downstream) = (upstream.into_iter(), downstream.into_iter());
    loop {
        let pair = (upstream.next(), downstream.next());
        if pair.0.is_none() && pair.1.is_none() {
            return ordered;
        }
        ordered.extend(pair.0.map(|candidate| (Side::Upstream, candidate)));
        ordered.extend(pair.1.map(|candidate| (Side::Downstream, candidate)));
    }
}
