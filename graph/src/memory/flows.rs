//! How columns flow in an operation, in few bytes: two or three for each column.
//!
//! ```text
//! sets      count, then each, the latest first: its id, first time, last - first, and
//! vertices  count, then each: what it is (see below), the name if it is another one than that of
//!           the vertex before (as the distance from it), the column
//! edges     count, then each: kind, whether the sources are those of the edge before, the sources
//!           (if not) and the targets: count, then each as the distance from the one before
//! ```
//!
//! All but ids are numbers of seven bits a byte; columns are numbers of texts that all operations
//! share. Expressions are not kept: the store has them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use sextant_model::record::FlowKind;
use sextant_model::{EntityId, Timestamp};

use super::NameNumber;
use super::record::{Reader, put, put_signed};

/// A column of a name, or the named table as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NamedColumn {
    pub(crate) name: NameNumber,
    /// `None` for the table as a whole.
    pub(crate) column: Option<Arc<str>>,
}

/// One set of flows that an operation was seen with.
#[derive(Debug)]
pub(crate) struct FlowSet {
    pub(crate) id: EntityId,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    /// `None` in the place of what no table keeps.
    pub(crate) vertices: Vec<Option<NamedColumn>>,
    /// In the order in which the store tells them.
    pub(crate) edges: Vec<Hyperedge>,
    /// The ends of all edges, one after the other, as places among the vertices.
    ends: Vec<u32>,
}

/// Every source flows into every target.
#[derive(Debug)]
pub(crate) struct Hyperedge {
    pub(crate) kind: FlowKind,
    sources: Range<usize>,
    targets: Range<usize>,
}

impl FlowSet {
    /// One without edges.
    pub(super) fn new(id: EntityId, first: Timestamp, last: Timestamp, vertices: Vec<Option<NamedColumn>>) -> Self {
        Self { id, first, last, vertices, edges: Vec::new(), ends: Vec::new() }
    }

    pub(super) fn add_edge(&mut self, kind: FlowKind, sources: &[u32], targets: &[u32]) {
        let begin = self.ends.len();
        self.ends.extend(sources.iter().chain(targets));
        let middle = begin + sources.len();
        self.edges.push(Hyperedge { kind, sources: begin..middle, targets: middle..self.ends.len() });
    }

    /// The places of an edge's sources among the vertices.
    pub(crate) fn sources(&self, edge: &Hyperedge) -> &[u32] {
        &self.ends[edge.sources.clone()]
    }

    /// The places of an edge's targets.
    pub(crate) fn targets(&self, edge: &Hyperedge) -> &[u32] {
        &self.ends[edge.targets.clone()]
    }

    /// How many ends its edges have.
    pub(crate) fn ends_count(&self) -> usize {
        self.edges.iter().map(|edge| edge.sources.len() + edge.targets.len()).sum()
    }

    /// What is at a place.
    pub(crate) fn vertex(&self, place: u32) -> Option<&NamedColumn> {
        self.vertices.get(place as usize)?.as_ref()
    }

    fn read_ends(&mut self, reader: &mut Reader<'_>) -> Range<usize> {
        let begin = self.ends.len();
        let mut place = 0;
        for _ in 0..reader.number() {
            place += reader.signed();
            self.ends.push(place as u32);
        }
        begin..self.ends.len()
    }
}

/// The names of columns, each once.
#[derive(Debug, Default)]
pub(super) struct ColumnNames {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    bytes: usize,
}

impl ColumnNames {
    fn number(&mut self, text: &Arc<str>) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(Arc::clone(text));
        self.numbers.insert(Arc::clone(text), number);
        self.bytes += text.len();
        number
    }

    fn text(&self, number: u64) -> Arc<str> {
        self.texts.get(number as usize).cloned().unwrap_or_default()
    }

    /// A text that is known, or a new one.
    pub(super) fn shared(&self, text: &str) -> Arc<str> {
        self.numbers.get_key_value(text).map_or_else(|| Arc::from(text), |(known, _)| Arc::clone(known))
    }

    /// Bytes that are allocated, nearly.
    pub(super) fn bytes(&self) -> usize {
        let entry = size_of::<(Arc<str>, u32)>() + 1;
        self.bytes + self.texts.capacity() * size_of::<Arc<str>>() + self.numbers.capacity() * entry
    }
}

// What a vertex is.
const NOTHING: u64 = 0;
const SAME_NAME: u64 = 1;
const OTHER_NAME: u64 = 2;
const WHOLE: u64 = 4;

// What an edge begins with.
const CONTROL: u64 = 1;
const SAME_SOURCES: u64 = 2;

/// Writes these sets in the place of what is there, the latest first; of equally late ones that
/// with the smallest id.
pub(super) fn encode(sets: &mut [FlowSet], columns: &mut ColumnNames, bytes: &mut Vec<u8>) {
    bytes.clear();
    if sets.is_empty() {
        return;
    }
    sets.sort_unstable_by_key(|set| (std::cmp::Reverse(set.last), set.id));
    put(bytes, sets.len() as u64);
    for set in sets {
        bytes.extend_from_slice(set.id.as_bytes());
        put_signed(bytes, set.first.as_millis());
        put_signed(bytes, set.last.as_millis().wrapping_sub(set.first.as_millis()));
        put(bytes, set.vertices.len() as u64);
        let mut before = None;
        for vertex in &set.vertices {
            let Some(vertex) = vertex else {
                put(bytes, NOTHING);
                continue;
            };
            let name = i64::from(vertex.name.0);
            let whole = if vertex.column.is_none() { WHOLE } else { 0 };
            if before == Some(name) {
                put(bytes, SAME_NAME | whole);
            } else {
                put(bytes, OTHER_NAME | whole);
                put_signed(bytes, name - before.unwrap_or_default());
                before = Some(name);
            }
            if let Some(column) = &vertex.column {
                put(bytes, u64::from(columns.number(column)));
            }
        }
        put(bytes, set.edges.len() as u64);
        let mut sources: Option<&[u32]> = None;
        for edge in &set.edges {
            let control = if edge.kind == FlowKind::Control { CONTROL } else { 0 };
            if sources == Some(set.sources(edge)) {
                put(bytes, control | SAME_SOURCES);
            } else {
                put(bytes, control);
                put_places(bytes, set.sources(edge));
                sources = Some(set.sources(edge));
            }
            put_places(bytes, set.targets(edge));
        }
    }
}

/// What [`encode`] wrote.
pub(super) fn decode(bytes: &[u8], columns: &ColumnNames) -> Vec<FlowSet> {
    let mut reader = Reader(bytes);
    let mut sets = Vec::new();
    for _ in 0..reader.number() {
        let id = EntityId::from_bytes(reader.bytes());
        let first = reader.signed();
        let last = first.wrapping_add(reader.signed());
        let mut vertices = Vec::new();
        let mut name = 0;
        for _ in 0..reader.number() {
            let what = reader.number();
            if what == NOTHING {
                vertices.push(None);
                continue;
            }
            if what & OTHER_NAME != 0 {
                name += reader.signed();
            }
            let column = (what & WHOLE == 0).then(|| columns.text(reader.number()));
            vertices.push(Some(NamedColumn { name: NameNumber(name as u32), column }));
        }
        let (first, last) = (Timestamp::from_millis(first), Timestamp::from_millis(last));
        let mut set = FlowSet::new(id, first, last, vertices);
        for _ in 0..reader.number() {
            let word = reader.number();
            let kind = if word & CONTROL == 0 { FlowKind::Data } else { FlowKind::Control };
            let sources = match set.edges.last() {
                Some(before) if word & SAME_SOURCES != 0 => before.sources.clone(),
                _ => set.read_ends(&mut reader),
            };
            let targets = set.read_ends(&mut reader);
            set.edges.push(Hyperedge { kind, sources, targets });
        }
        sets.push(set);
    }
    sets
}

fn put_places(bytes: &mut Vec<u8>, places: &[u32]) {
    put(bytes, places.len() as u64);
    let mut before = 0;
    for &place in places {
        put_signed(bytes, i64::from(place) - before);
        before = i64::from(place);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sets() -> impl Strategy<Value = Vec<FlowSet>> {
        let column = (any::<u32>(), proptest::option::of("[a-c]{1,2}"));
        let vertex = proptest::option::of(
            column.prop_map(|(name, column)| NamedColumn { name: NameNumber(name), column: column.map(Arc::from) }),
        );
        let places = || proptest::collection::vec(any::<u32>(), 0..4);
        let edge = (any::<bool>(), places(), places());
        let parts = (proptest::collection::vec(vertex, 0..6), proptest::collection::vec(edge, 0..5));
        let set = (any::<[u8; 16]>(), any::<i64>(), any::<i64>(), parts).prop_map(
            |(id, first, last, (vertices, mut edges))| {
                // As in a statement whose columns all come from the same ones.
                edges.extend(edges.last().cloned());
                let (first, last) = (Timestamp::from_millis(first), Timestamp::from_millis(last));
                let mut set = FlowSet::new(EntityId::from_bytes(id), first, last, vertices);
                for (control, sources, targets) in edges {
                    let kind = if control { FlowKind::Control } else { FlowKind::Data };
                    set.add_edge(kind, &sources, &targets);
                }
                set
            },
        );
        proptest::collection::vec(set, 0..4)
    }

    /// Edges with their ends, however these are kept.
    fn told(set: &FlowSet) -> impl PartialEq + std::fmt::Debug + '_ {
        let edges = set.edges.iter().map(|edge| (edge.kind, set.sources(edge), set.targets(edge)));
        (set.id, set.first, set.last, &set.vertices, edges.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(mut sets in sets()) {
            let (mut columns, mut bytes) = (ColumnNames::default(), vec![7]);
            encode(&mut sets, &mut columns, &mut bytes);
            let read = decode(&bytes, &columns);
            prop_assert_eq!(read.iter().map(told).collect::<Vec<_>>(), sets.iter().map(told).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_column_from_every_column_has_few_bytes() {
        let column = |name, number: u32| {
            Some(NamedColumn { name: NameNumber(name), column: Some(Arc::from(format!("c{number}"))) })
        };
        let vertices = (0..100).map(|number| column(1, number)).chain((0..100).map(|number| column(2, number)));
        let time = Timestamp::from_seconds(1_790_000_000);
        let mut set = FlowSet::new(EntityId::derive("test", &[]), time, time, vertices.collect());
        let sources: Vec<u32> = (0..100).collect();
        for target in 100..200 {
            set.add_edge(FlowKind::Data, &sources, &[target]);
        }
        let mut bytes = Vec::new();
        encode(&mut [set], &mut ColumnNames::default(), &mut bytes);
        assert!(bytes.len() < 1_100, "{}", bytes.len());
    }
}
