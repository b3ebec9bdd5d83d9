//! Puts an answer together.

use std::collections::{BTreeSet, HashSet};

use sextant_model::{EntityId, Viewer};
use sextant_store::{Facts, StoreError};

use crate::answer::{ColumnPair, Coverage, Edge, Hidden, HiddenReason, Lineage, Mark, Node};
use crate::columns::Columns;
use crate::fold::{self, FoundEdge, FoundEdges};
use crate::ground::Ground;
use crate::memory::Graph;
use crate::notes::{Cuts, coverage};
use crate::options::{Asset, Options, Root, Side};
use crate::pairs::{Pairs, read_pairs};
use crate::reach::{Reached, reach};
use crate::steps;
use crate::surroundings::{Surroundings, cross_to_shown, look_around};
use crate::tables::Tables;
use crate::terrain::{Link, Standing, Terrain};

/// The lineage around a root. A root that is not there, or that the viewer may not see, gives an
/// answer without nodes.
///
/// The graph says where to go, and the store what the answer shows of what was met; the graph is
/// built of the same store.
pub fn walk(
    graph: &Graph,
    facts: &dyn Facts,
    viewer: &Viewer,
    root: &Root,
    options: &Options,
) -> Result<Lineage, StoreError> {
    let mut ground = Ground::new(graph, facts, viewer, options);
    match root {
        Root::Asset(Asset::Entity(id)) => {
            let there = ground.add_root_entity(*id)?;
            walk_tables(ground, *id, there, options)
        }
        Root::Asset(Asset::Unlinked(name)) => {
            let vertex = ground.add_root_name(name)?;
            walk_tables(ground, vertex.unwrap_or_else(|| name.id()), vertex.is_some(), options)
        }
        Root::Operation(id) => {
            let there = ground.add_root_operation(*id)?;
            walk_tables(ground, *id, there, options)
        }
        Root::Field { table, column } => {
            if !ground.add_root_entity(*table)? {
                return Ok(empty(EntityId::of_field(*table, column), options));
            }
            let mut columns = Columns::new(Tables::new(ground));
            let id = columns.add_root(*table, column)?;
            let (reached, edges) = find_edges(&mut columns, id, options)?;
            answer(&mut columns, &reached, edges, None, options)
        }
    }
}

fn walk_tables(ground: Ground<'_>, root: EntityId, there: bool, options: &Options) -> Result<Lineage, StoreError> {
    if !there {
        return Ok(empty(root, options));
    }
    let mut tables = Tables::new(ground);
    let (reached, edges) = find_edges(&mut tables, root, options)?;
    let pairs = if options.columns { Some(read_pairs(&tables.ground, &edges.edges)?) } else { None };
    answer(&mut tables, &reached, edges, pairs, options)
}

fn find_edges(
    terrain: &mut impl Terrain,
    root: EntityId,
    options: &Options,
) -> Result<(Reached, FoundEdges), StoreError> {
    let mut reached = reach(terrain, root, None, options)?;
    // With operations as nodes it would need more nodes.
    if !options.operations {
        cross_to_shown(terrain, &mut reached)?;
    }
    let links = fold::crossed_links(terrain, &reached);
    let edges = edges_of(terrain, &reached, &links, options)?;
    Ok((reached, edges))
}

/// The edges that links make between what was reached; everything that they show is told.
pub(crate) fn edges_of(
    terrain: &mut impl Terrain,
    reached: &Reached,
    links: &[Link],
    options: &Options,
) -> Result<FoundEdges, StoreError> {
    let edges = if options.operations { steps::edges(terrain, links, reached) } else { fold::edges(links, reached) };
    let shown = reached.nodes.iter().filter(|node| !node.between).map(|node| node.id);
    let hidden = edges.edges.iter().flat_map(|edge| &edge.hides).copied();
    terrain.tell(&shown.chain(hidden).collect::<Vec<_>>())?;
    Ok(edges)
}

pub(crate) fn empty(root: EntityId, options: &Options) -> Lineage {
    Lineage {
        root,
        direction: options.direction,
        depth: options.hops(),
        limit: options.node_limit(),
        nodes: Vec::new(),
        edges: Vec::new(),
        placements: Vec::new(),
        cut: false,
        coverage: Coverage::default(),
    }
}

pub(crate) fn answer(
    terrain: &mut impl Terrain,
    reached: &Reached,
    found: FoundEdges,
    pairs: Option<Pairs>,
    options: &Options,
) -> Result<Lineage, StoreError> {
    let surroundings = look_around(terrain, reached)?;
    terrain.tell(&surroundings.unlinked(reached))?;

    let mut lineage = empty(reached.visibility.root, options);
    let cuts = Cuts {
        nodes: reached.cut,
        folded: reached.folded_cut,
        edges: found.cut,
        pairs: pairs.as_ref().is_some_and(|pairs| pairs.cut),
        users: terrain.ground().crowded,
        effort: terrain.ground().is_exhausted(),
    };
    lineage.cut = cuts.any();
    lineage.nodes = nodes(terrain, reached, &surroundings);
    let shown: HashSet<EntityId> = lineage.nodes.iter().map(|node| node.id).collect();
    let columns = pairs.map(|pairs| pairs.by_edge).unwrap_or_default();
    lineage.edges = edges(terrain, found.edges, columns)
        .into_iter()
        .filter(|edge| shown.contains(&edge.source) && shown.contains(&edge.target))
        .collect();
    lineage.placements = terrain
        .physical()
        .placements()
        .filter(|placement| shown.contains(&placement.table) && shown.contains(&placement.path))
        .cloned()
        .collect();
    lineage.coverage = coverage(terrain, reached, &surroundings, &cuts);
    Ok(lineage)
}

fn nodes(terrain: &impl Terrain, reached: &Reached, surroundings: &Surroundings) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(reached.nodes.len());
    for placed in &reached.nodes {
        let Some(content) = terrain.content(placed.id) else {
            continue;
        };
        let more = |side| surroundings.of(placed.id, side).map_or((0, false), |found| (found.more, found.is_least));
        let (more_upstream, more_upstream_is_least) = more(Side::Upstream);
        let (more_downstream, more_downstream_is_least) = more(Side::Downstream);
        let unlinked = |side| surroundings.of(placed.id, side).map_or(0, |found| found.unlinked.len() as u64);
        let [unlinked_inputs, unlinked_outputs] = if placed.between {
            terrain.ground().unlinked_ends(placed.id)
        } else {
            [unlinked(Side::Upstream), unlinked(Side::Downstream)]
        };
        nodes.push(Node {
            id: placed.id,
            content,
            deleted: !placed.between && terrain.standing(placed.id) == Standing::Deleted,
            depth: placed.depth,
            more_upstream,
            more_upstream_is_least,
            more_downstream,
            more_downstream_is_least,
            unlinked_inputs,
            unlinked_outputs,
        });
    }
    nodes
}

fn edges(terrain: &impl Terrain, found: Vec<FoundEdge>, columns: Vec<Vec<ColumnPair>>) -> Vec<Edge> {
    let mut columns = columns.into_iter();
    let hidden = |hidden: BTreeSet<EntityId>| -> Vec<Hidden> {
        let entities: BTreeSet<EntityId> = hidden.into_iter().map(|id| terrain.ground().behind(id)).collect();
        let told =
            |entity| Hidden { entity, qualified_name: terrain.qualified_name(entity), reason: HiddenReason::Deleted };
        entities.into_iter().map(told).collect()
    };
    found
        .into_iter()
        .map(|edge| Edge {
            source: edge.source,
            target: edge.target,
            kind: edge.kind,
            mark: Mark::Observed,
            via: edge.via.into_iter().collect(),
            hides: hidden(edge.hides),
            columns: columns.next().unwrap_or_default(),
            first_seen: edge.first,
            last_seen: edge.last,
            former_incarnation: edge.former,
        })
        .collect()
}
