//! The shortest ways from one asset to another.
//!
//! A walk from the first that ends at the hop at which it meets the second; of what it met, the
//! answer holds what lies on a shortest way. Where there is not room for all of them, whole ways
//! are left out.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use sextant_model::{EntityId, Viewer};
use sextant_store::{Facts, StoreError};

use crate::answer::Lineage;
use crate::columns::Columns;
use crate::fold;
use crate::ground::Ground;
use crate::memory::Graph;
use crate::options::{Asset, Options, Root, Side};
use crate::pairs::read_pairs;
use crate::reach::{Placed, Reached, reach};
use crate::tables::Tables;
use crate::terrain::{Link, Terrain, Visibility};
use crate::walk::{answer, edges_of, empty};

/// At most this many assets are looked at for a way.
const SEARCH_LIMIT: usize = 50_000;

/// The shortest ways along which data comes from `from` to `to`, and, where the options go
/// upstream, those from `to` to `from`: an answer as that of a walk from `from`, whose notes say
/// what was found. Two columns have ways from column to column; otherwise a column means its table.
/// Answers without nodes when one of them is not there, or is an operation.
pub fn paths(
    graph: &Graph,
    facts: &dyn Facts,
    viewer: &Viewer,
    from: &Root,
    to: &Root,
    options: &Options,
) -> Result<Lineage, StoreError> {
    let mut ground = Ground::new(graph, facts, viewer, options);
    let Some(goal) = ground.add_end(to)? else {
        return Ok(empty(to.id(), options));
    };
    ground.goal = Some(goal);
    let Some(start) = ground.add_end(from)? else {
        return Ok(empty(from.id(), options));
    };
    let tables = Tables::new(ground);
    if let (Root::Field { column: from, .. }, Root::Field { column: to, .. }) = (from, to) {
        let mut columns = Columns::new(tables);
        let goal = columns.add_root(goal, to)?;
        let start = columns.add_root(start, from)?;
        return between(&mut columns, start, goal, &Options { columns: false, ..options.clone() });
    }
    let mut tables = tables;
    between(&mut tables, start, goal, options)
}

fn between(
    terrain: &mut impl Terrain,
    start: EntityId,
    goal: EntityId,
    options: &Options,
) -> Result<Lineage, StoreError> {
    let mut found = Found::new(start, goal, options);
    for &side in options.direction.sides() {
        found.search(terrain, side)?;
    }
    let reached = found.reached();
    let edges = edges_of(terrain, &reached, &found.links, options)?;
    terrain.tell(&[start, goal])?;
    let pairs = if options.columns { Some(read_pairs(terrain.ground(), &edges.edges)?) } else { None };
    let mut lineage = answer(terrain, &reached, edges, pairs, options)?;
    lineage.cut |= found.left_out.contains(&true);
    let names = [start, goal].map(|end| terrain.qualified_name(end));
    let folded = found.kept.iter().filter(|(_, kept)| kept.folded).map(|(&id, _)| terrain.ground().behind(id));
    let folded = folded.collect::<FxHashSet<_>>().len();
    found.words(&names, folded, options, &mut lineage.coverage.notes);
    Ok(lineage)
}

/// What was found so far.
struct Found<'o> {
    start: EntityId,
    goal: EntityId,
    options: &'o Options,
    /// The vertices on the ways, shown or folded, each with its distance.
    kept: BTreeMap<EntityId, Kept>,
    links: Vec<Link>,
    crossed: [Vec<EntityId>; 2],
    /// By side, how many hops the ways have.
    hops: [Option<u8>; 2],
    /// Whether ways were left out.
    cut: bool,
    /// By side, whether the search left something out.
    left_out: [bool; 2],
}

#[derive(Clone, Copy)]
struct Kept {
    depth: u8,
    folded: bool,
    sides: [bool; 2],
}

/// Vertices that a walk met, with how far they are from both ends.
struct Ways {
    /// Per vertex its distance, and the vertex before it that was seen last.
    from_start: FxHashMap<EntityId, (u32, Option<EntityId>)>,
    to_goal: FxHashMap<EntityId, (u32, Option<EntityId>)>,
}

/// A step between neighbours: along a link, or to what holds the same data.
#[derive(Clone, Copy)]
struct Step {
    near: EntityId,
    far: EntityId,
    hops: u32,
}

impl<'o> Found<'o> {
    fn new(start: EntityId, goal: EntityId, options: &'o Options) -> Self {
        let root = Kept { depth: 0, folded: false, sides: [true, true] };
        Self {
            start,
            goal,
            options,
            kept: BTreeMap::from([(start, root)]),
            links: Vec::new(),
            crossed: [Vec::new(), Vec::new()],
            hops: [None, None],
            cut: false,
            left_out: [false, false],
        }
    }

    fn search(&mut self, terrain: &mut impl Terrain, side: Side) -> Result<(), StoreError> {
        if self.start == self.goal {
            return Ok(());
        }
        let options =
            Options { direction: side.direction(), operations: false, limit: SEARCH_LIMIT, ..self.options.clone() };
        let reached = reach(terrain, self.start, Some(self.goal), &options)?;
        let ground = terrain.ground();
        self.left_out[side.index()] = reached.cut || reached.folded_cut || ground.crowded || ground.is_exhausted();
        if !reached.shows(self.goal) {
            return Ok(());
        }
        let mut links = fold::crossed_links(terrain, &reached);
        // Where several lead to a vertex, the one that was seen last is on the first way.
        links.sort_by_key(|link| std::cmp::Reverse(link.last));
        let ways = self.measure(terrain, &reached, &links, side);
        let Some(&(length, _)) = ways.from_start.get(&self.goal) else {
            return Ok(());
        };
        self.hops[side.index()] = Some(length as u8);
        self.keep(&reached, &ways, length, side);
        for link in links {
            let (near, far) = (link.far_end(side.other()), link.far_end(side));
            let distance = |vertex| ways.from_start.get(&vertex).map(|&(distance, _)| distance);
            let (Some(near_distance), Some(far_distance)) = (distance(near), distance(far)) else {
                continue;
            };
            let is_kept = |end| self.kept.get(&end).is_some_and(|kept| kept.sides[side.index()]);
            if far_distance == near_distance + 1 && is_kept(near) && is_kept(far) {
                self.links.push(link);
            }
        }
        Ok(())
    }

    fn measure(&self, terrain: &impl Terrain, reached: &Reached, links: &[Link], side: Side) -> Ways {
        let mut steps: Vec<Step> = Vec::with_capacity(links.len());
        for link in links {
            steps.push(Step { near: link.far_end(side.other()), far: link.far_end(side), hops: 1 });
        }
        for placement in terrain.physical().placements() {
            let (one, other) = (placement.table, placement.path);
            if reached.shows(one) && reached.shows(other) {
                steps.extend([(one, other), (other, one)].map(|(near, far)| Step { near, far, hops: 0 }));
            }
        }
        let back: Vec<Step> = steps.iter().map(|step| Step { near: step.far, far: step.near, ..*step }).collect();
        Ways { from_start: distances(self.start, &steps), to_goal: distances(self.goal, &back) }
    }

    /// Keeps whole ways as long as there is room, the first of them in any case.
    fn keep(&mut self, reached: &Reached, ways: &Ways, length: u32, side: Side) {
        let mut through: Vec<(u32, EntityId)> = ways
            .from_start
            .iter()
            .filter(|(vertex, (distance, _))| {
                ways.to_goal.get(*vertex).is_some_and(|(rest, _)| distance + rest == length)
            })
            .map(|(vertex, (distance, _))| (*distance, *vertex))
            .collect();
        through.sort_unstable();
        let mut first = true;
        let mut shown = self.kept.values().filter(|kept| !kept.folded).count();
        for (_, vertex) in std::iter::once((length, self.goal)).chain(through) {
            if self.kept.get(&vertex).is_some_and(|kept| kept.sides[side.index()]) && vertex != self.goal {
                continue;
            }
            let mut way = vec![vertex];
            for half in [&ways.from_start, &ways.to_goal] {
                let mut at = vertex;
                while let Some(&(_, Some(next))) = half.get(&at) {
                    way.push(next);
                    at = next;
                }
            }
            let fresh = way.iter().filter(|vertex| reached.shows(**vertex) && !self.kept.contains_key(*vertex)).count();
            if !first && shown + fresh > self.options.node_limit() {
                self.cut = true;
                continue;
            }
            first = false;
            shown += fresh;
            for vertex in way {
                let depth = ways.from_start.get(&vertex).map_or(0, |&(distance, _)| distance as u8);
                let folded = !reached.shows(vertex);
                let kept = self.kept.entry(vertex).or_insert(Kept { depth, folded, sides: [false, false] });
                kept.sides[side.index()] = true;
                self.crossed[side.index()].push(vertex);
            }
        }
        let crossed = &mut self.crossed[side.index()];
        crossed.sort_unstable();
        crossed.dedup();
    }

    /// The answer's nodes; with operations as nodes those of all kept steps, as far as there is
    /// room.
    fn reached(&mut self) -> Reached {
        let mut nodes: Vec<Placed> = Vec::new();
        let mut folded: FxHashSet<EntityId> = FxHashSet::default();
        for (&id, kept) in &self.kept {
            if kept.folded {
                folded.insert(id);
            } else {
                nodes.push(Placed { id, depth: kept.depth, between: false, sides: kept.sides });
            }
        }
        if self.options.operations {
            let mut operations: BTreeMap<EntityId, u8> = BTreeMap::new();
            for link in &self.links {
                let depth_of = |end| self.kept.get(&end).map_or(0, |kept| kept.depth);
                let depth = depth_of(link.source).max(depth_of(link.target));
                operations.entry(link.operation).and_modify(|known| *known = depth.min(*known)).or_insert(depth);
            }
            for (id, depth) in operations {
                if nodes.len() >= self.options.node_limit() {
                    self.cut = true;
                    break;
                }
                nodes.push(Placed { id, depth, between: true, sides: [true, true] });
            }
        }
        let root = self.start;
        nodes.sort_by_key(|node| (node.id != root, node.depth, node.between, node.id));
        let visibility = Visibility::new(root, Some(self.goal), self.options);
        Reached::of(visibility, nodes, folded, self.crossed.clone(), self.cut, self.options.node_limit())
    }

    /// Says what was found.
    fn words(&self, [start, goal]: &[String; 2], folded: usize, options: &Options, notes: &mut Vec<String>) {
        if self.start == self.goal {
            notes.insert(0, format!("{start} is both ends: a path has no hops"));
            return;
        }
        let mut told = Vec::new();
        let mut missed = Vec::new();
        for side in [Side::Downstream, Side::Upstream] {
            if !options.direction.sides().contains(&side) {
                continue;
            }
            let (from, to) = match side {
                Side::Downstream => (start, goal),
                Side::Upstream => (goal, start),
            };
            match self.hops[side.index()] {
                Some(hops) if self.left_out[side.index()] => told.push(format!(
                    "data comes from {from} to {to} in {}; not everything was looked at, and there may be a shorter way",
                    counted(hops)
                )),
                Some(hops) => told.push(format!("data comes from {from} to {to} in {}", counted(hops))),
                None if self.left_out[side.index()] => missed.push(format!(
                    "no way from {from} to {to} was found; not everything was looked at, and there may be one"
                )),
                None => missed.push(format!(
                    "no way from {from} to {to} within {}{}",
                    counted(options.hops()),
                    if options.control_flow { "" } else { " (control flow is not walked)" }
                )),
            }
        }
        told.append(&mut missed);
        if folded > 0 {
            told.push(format!(
                "{folded} deleted {} folded on the way",
                if folded == 1 { "asset is" } else { "assets are" }
            ));
        }
        if self.cut {
            told.push(format!("there are more ways than have room in {} nodes", options.node_limit()));
        }
        told.append(notes);
        *notes = told;
    }
}

fn counted(hops: u8) -> String {
    if hops == 1 { "1 hop".to_owned() } else { format!("{hops} hops") }
}

/// Distances from one vertex on, and each vertex's first neighbour on the way back.
fn distances(from: EntityId, steps: &[Step]) -> FxHashMap<EntityId, (u32, Option<EntityId>)> {
    let mut leaving: FxHashMap<EntityId, Vec<Step>> = FxHashMap::default();
    for step in steps {
        leaving.entry(step.near).or_default().push(*step);
    }
    let mut found = FxHashMap::from_iter([(from, (0, None))]);
    let mut pending = VecDeque::from([(from, 0)]);
    while let Some((near, distance)) = pending.pop_front() {
        if found[&near].0 != distance {
            continue;
        }
        for step in leaving.get(&near).into_iter().flatten() {
            let further = distance + step.hops;
            if found.get(&step.far).is_none_or(|&(known, _)| further < known) {
                found.insert(step.far, (further, Some(near)));
                // What costs nothing comes first, so that distances only grow.
                if step.hops == 0 {
                    pending.push_front((step.far, further));
                } else {
                    pending.push_back((step.far, further));
                }
            }
        }
    }
    found
}

impl Ground<'_> {
    /// Makes an end known and gives its vertex, of a column that of its table.
    fn add_end(&mut self, end: &Root) -> Result<Option<EntityId>, StoreError> {
        match end {
            Root::Asset(Asset::Entity(id)) | Root::Field { table: id, .. } => {
                Ok(self.add_root_entity(*id)?.then_some(*id))
            }
            Root::Asset(Asset::Unlinked(name)) => self.add_root_name(name),
            Root::Operation(_) => Ok(None),
        }
    }
}
