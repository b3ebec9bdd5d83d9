//! Edges between the shown assets, through those that are hidden because they are deleted.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::FxHashMap as HashMap;
use sextant_model::record::FlowKind;
use sextant_model::{EntityId, Timestamp};

use crate::options::Side;
use crate::reach::Reached;
use crate::terrain::{Link, Terrain};

/// An edge of the answer before its columns and words.
#[derive(Debug, Clone)]
pub(crate) struct FoundEdge {
    pub(crate) source: EntityId,
    pub(crate) target: EntityId,
    pub(crate) kind: FlowKind,
    pub(crate) via: BTreeSet<EntityId>,
    pub(crate) hides: BTreeSet<EntityId>,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    pub(crate) former: bool,
    /// The single flows that it is made of, each once.
    pub(crate) hops: BTreeSet<Hop>,
}

/// One vertex flowing into another by one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Hop {
    pub(crate) source: EntityId,
    pub(crate) target: EntityId,
    pub(crate) operation: EntityId,
}

impl Hop {
    pub(crate) fn of(link: &Link) -> Self {
        Self { source: link.source, target: link.target, operation: link.operation }
    }
}

/// The links that the walk crossed, each once, between vertices that are shown or folded.
pub(crate) fn crossed_links(terrain: &impl Terrain, reached: &Reached) -> Vec<Link> {
    let known = |vertex: EntityId| reached.shows(vertex) || reached.folds(vertex);
    let mut links: Vec<Link> = Vec::new();
    for side in [Side::Upstream, Side::Downstream] {
        for &vertex in &reached.crossed[side.index()] {
            let found = terrain.expansion(vertex, side).into_iter().flat_map(|expansion| &expansion.links);
            links.extend(found.filter(|link| known(link.source) && known(link.target)));
        }
    }
    links.sort_unstable_by_key(Hop::of);
    links.dedup_by_key(|link| Hop::of(link));
    links
}

/// At most this many edges are in an answer. Without what is folded there are no more of them than
/// relations, but a folded table that thousands write and thousands read has millions around it.
pub(crate) const EDGES_LIMIT: usize = 50_000;

/// Edges of an answer.
#[derive(Debug, Default)]
pub(crate) struct FoundEdges {
    /// By source, target and kind.
    pub(crate) edges: Vec<FoundEdge>,
    /// Whether there were more than [`EDGES_LIMIT`].
    pub(crate) cut: bool,
}

/// The edges when operations are not nodes.
pub(crate) fn edges(links: &[Link], reached: &Reached) -> FoundEdges {
    let mut leaving: HashMap<EntityId, Vec<&Link>> = HashMap::default();
    for link in links {
        leaving.entry(link.source).or_default().push(link);
    }
    let mut edges = Vec::new();
    let mut cut = false;
    for node in &reached.nodes {
        if edges.len() >= EDGES_LIMIT {
            cut = true;
            break;
        }
        if leaving.contains_key(&node.id) {
            let mut flood = Flood::from(node.id);
            flood.run(&leaving, reached);
            edges.extend(flood.edges(node.id));
        }
    }
    cut |= edges.len() > EDGES_LIMIT;
    edges.truncate(EDGES_LIMIT);
    edges.sort_unstable_by_key(|edge| (edge.source, edge.target, edge.kind));
    FoundEdges { edges, cut }
}

/// A way that data can be on: at a vertex, having passed control or a former life, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct State {
    vertex: EntityId,
    control: bool,
    former: bool,
    /// Whether it has come to a shown vertex and ends there.
    ended: bool,
}

/// Everything that leaves one shown vertex, up to the next shown vertices.
struct Flood<'a> {
    numbers: HashMap<State, usize>,
    states: Vec<State>,
    /// When data that left the first vertex could be there at the earliest.
    arrivals: Vec<Timestamp>,
    /// Per state the moves that lead to it.
    incoming: Vec<Vec<Move<'a>>>,
    spread: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Move<'a> {
    from: usize,
    link: &'a Link,
}

const START: usize = 0;

impl<'a> Flood<'a> {
    fn from(vertex: EntityId) -> Self {
        let mut flood = Self {
            numbers: HashMap::default(),
            states: Vec::new(),
            arrivals: Vec::new(),
            incoming: Vec::new(),
            spread: Vec::new(),
        };
        let start = State { vertex, control: false, former: false, ended: false };
        flood.number_of(start, Timestamp::from_millis(i64::MIN));
        flood
    }

    fn number_of(&mut self, state: State, arrival: Timestamp) -> (usize, bool) {
        if let Some(&number) = self.numbers.get(&state) {
            let earlier = arrival < self.arrivals[number];
            if earlier {
                self.arrivals[number] = arrival;
            }
            return (number, earlier);
        }
        let number = self.states.len();
        self.numbers.insert(state, number);
        self.states.push(state);
        self.arrivals.push(arrival);
        self.incoming.push(Vec::new());
        self.spread.push(false);
        (number, true)
    }

    /// Spreads until nothing arrives earlier any more. Cycles end, because a second round never
    /// arrives earlier than the first.
    fn run(&mut self, leaving: &HashMap<EntityId, Vec<&'a Link>>, reached: &Reached) {
        let mut queue = VecDeque::from([START]);
        while let Some(from) = queue.pop_front() {
            let state = self.states[from];
            let first_time = !std::mem::replace(&mut self.spread[from], true);
            for &link in leaving.get(&state.vertex).into_iter().flatten() {
                let ways = [(link.data, state.control), (link.control, true)];
                for (_, control) in ways.into_iter().filter(|(open, _)| *open) {
                    let ended = reached.shows(link.target);
                    let next = State { vertex: link.target, control, former: state.former || !link.current, ended };
                    let (to, earlier) = self.number_of(next, self.arrivals[from].max(link.first));
                    if first_time {
                        self.incoming[to].push(Move { from, link });
                    }
                    if earlier && !ended {
                        queue.push_back(to);
                    }
                }
            }
        }
    }

    fn edges(&self, source: EntityId) -> Vec<FoundEdge> {
        let mut ends: BTreeMap<(EntityId, FlowKind), Vec<usize>> = BTreeMap::new();
        for (number, state) in self.states.iter().enumerate().filter(|(_, state)| state.ended) {
            let kind = if state.control { FlowKind::Control } else { FlowKind::Data };
            ends.entry((state.vertex, kind)).or_default().push(number);
        }
        ends.into_iter().map(|((target, kind), numbers)| self.edge(source, target, kind, &numbers)).collect()
    }

    fn edge(&self, source: EntityId, target: EntityId, kind: FlowKind, ends: &[usize]) -> FoundEdge {
        let first = ends.iter().map(|&end| self.arrivals[end]).min().unwrap_or_default();
        let last = ends.iter().flat_map(|&end| &self.incoming[end]).map(|into| into.link.last).max();
        let mut edge = FoundEdge {
            source,
            target,
            kind,
            via: BTreeSet::new(),
            hides: BTreeSet::new(),
            first,
            last: last.unwrap_or(first).max(first),
            former: ends.iter().all(|&end| self.states[end].former),
            hops: BTreeSet::new(),
        };
        let mut visited = vec![false; self.states.len()];
        let mut pending = ends.to_vec();
        while let Some(number) = pending.pop() {
            if std::mem::replace(&mut visited[number], true) {
                continue;
            }
            for into in &self.incoming[number] {
                edge.hops.insert(Hop::of(into.link));
                // An operation that is itself an end of the edge is not on the way.
                if into.link.operation != source && into.link.operation != target {
                    edge.via.insert(into.link.operation);
                }
                if into.from != START {
                    edge.hides.insert(self.states[into.from].vertex);
                    pending.push(into.from);
                }
            }
        }
        edge
    }
}
