//! Edges when operations are nodes: from assets into operations and from operations into assets.
//! Around a folded asset the operation that wrote it leads to the one that reads it.

use std::collections::{BTreeMap, BTreeSet};

use sextant_model::record::FlowKind;
use sextant_model::{EntityId, Timestamp};

use crate::fold::{EDGES_LIMIT, FoundEdge, FoundEdges, Hop};
use crate::options::Side;
use crate::reach::Reached;
use crate::terrain::{Link, Terrain, Touch};

/// The edges, by source, target and kind. `links` are those that the walk crossed.
pub(crate) fn edges(terrain: &impl Terrain, links: &[Link], reached: &Reached) -> FoundEdges {
    let mut steps = Steps::default();
    for side in [Side::Upstream, Side::Downstream] {
        for &vertex in &reached.crossed[side.index()] {
            let Some(expansion) = terrain.expansion(vertex, side) else {
                continue;
            };
            for touch in expansion.touches.iter().filter(|touch| reached.shows(touch.operation)) {
                match side {
                    Side::Upstream => steps.written(reached, vertex, *touch),
                    Side::Downstream => steps.read(reached, vertex, *touch),
                }
            }
            for link in expansion.links.iter().filter(|link| reached.shows(link.operation)) {
                match side {
                    Side::Upstream => steps.read(reached, link.source, source_touch(link)),
                    Side::Downstream => steps.written(reached, link.target, target_touch(link)),
                }
            }
        }
    }
    for link in links.iter().filter(|link| reached.shows(link.source) && reached.shows(link.target)) {
        if let Some(edge) = steps.edges.get_mut(&(link.operation, link.target, FlowKind::Data)) {
            edge.hops.insert(Hop::of(link));
        }
    }
    steps.join_around_folded();
    FoundEdges { edges: steps.edges.into_values().collect(), cut: steps.cut }
}

#[derive(Default)]
struct Steps {
    edges: BTreeMap<(EntityId, EntityId, FlowKind), FoundEdge>,
    /// Per folded asset the operations that write it, and those that read it.
    folded: BTreeMap<EntityId, [BTreeMap<EntityId, Touch>; 2]>,
    /// Whether there were too many.
    cut: bool,
}

const WRITERS: usize = 0;
const READERS: usize = 1;

fn source_touch(link: &Link) -> Touch {
    Touch {
        operation: link.operation,
        data: link.data,
        control: link.control,
        first: link.first,
        last: link.last,
        current: link.source_current,
    }
}

fn target_touch(link: &Link) -> Touch {
    Touch { data: true, control: false, current: link.target_current, ..source_touch(link) }
}

fn kinds(touch: &Touch) -> impl Iterator<Item = FlowKind> {
    let data = touch.data.then_some(FlowKind::Data);
    let control = touch.control.then_some(FlowKind::Control);
    data.into_iter().chain(control)
}

impl Steps {
    fn written(&mut self, reached: &Reached, vertex: EntityId, touch: Touch) {
        if reached.shows(vertex) {
            self.add(touch.operation, vertex, FlowKind::Data, &touch, None);
        } else if reached.folds(vertex) {
            self.note_folded(vertex, WRITERS, touch);
        }
    }

    fn read(&mut self, reached: &Reached, vertex: EntityId, touch: Touch) {
        if reached.shows(vertex) {
            for kind in kinds(&touch) {
                self.add(vertex, touch.operation, kind, &touch, None);
            }
        } else if reached.folds(vertex) {
            self.note_folded(vertex, READERS, touch);
        }
    }

    fn note_folded(&mut self, vertex: EntityId, role: usize, touch: Touch) {
        let of_vertex = &mut self.folded.entry(vertex).or_default()[role];
        of_vertex.entry(touch.operation).and_modify(|known| known.absorb(&touch)).or_insert(touch);
    }

    fn join_around_folded(&mut self) {
        for (vertex, [writers, readers]) in std::mem::take(&mut self.folded) {
            for writer in writers.values() {
                for reader in readers.values().filter(|reader| reader.operation != writer.operation) {
                    if self.edges.len() >= EDGES_LIMIT {
                        self.cut = true;
                        return;
                    }
                    let first: Timestamp = writer.first.max(reader.first);
                    let last = reader.last.max(first);
                    let joined = Touch { first, last, current: writer.current && reader.current, ..*reader };
                    for kind in kinds(reader) {
                        self.add(writer.operation, reader.operation, kind, &joined, Some(vertex));
                    }
                }
            }
        }
    }

    fn add(&mut self, source: EntityId, target: EntityId, kind: FlowKind, touch: &Touch, hides: Option<EntityId>) {
        let edge = self.edges.entry((source, target, kind)).or_insert_with(|| FoundEdge {
            source,
            target,
            kind,
            via: BTreeSet::new(),
            hides: BTreeSet::new(),
            first: touch.first,
            last: touch.last,
            former: true,
            hops: BTreeSet::new(),
        });
        edge.first = edge.first.min(touch.first);
        edge.last = edge.last.max(touch.last);
        edge.former &= !touch.current;
        edge.hides.extend(hides);
    }
}
