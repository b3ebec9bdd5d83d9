//! Pairs of columns on the edges between tables.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use sextant_model::EntityId;
use sextant_model::record::FlowKind;
use sextant_store::StoreError;

use crate::answer::ColumnPair;
use crate::columns::qualified_column;
use crate::fold::{FoundEdge, Hop};
use crate::ground::Ground;
use crate::hyperedges::Hyperedges;
use crate::lives::Meeting;
use crate::memory::NamedColumn;

/// At most this many pairs in one answer: one predicate over two wide tables alone has 40,000.
pub(crate) const PAIRS_LIMIT: usize = 10_000;

/// At most this many pairs are looked at on the way through folded tables.
const STEPS_LIMIT: usize = 100_000;

/// The column pairs of some edges.
#[derive(Debug)]
pub(crate) struct Pairs {
    /// In the edges' order, each edge's sorted.
    pub(crate) by_edge: Vec<Vec<ColumnPair>>,
    /// Whether there were more.
    pub(crate) cut: bool,
}

/// Reads the column pairs of these edges; data flow comes first where not all have room.
pub(crate) fn read_pairs(ground: &Ground<'_>, edges: &[FoundEdge]) -> Result<Pairs, StoreError> {
    let mut reader = PairReader {
        ground,
        hyperedges: Hyperedges::default(),
        expressions: HashMap::new(),
        room: PAIRS_LIMIT,
        steps_left: STEPS_LIMIT,
        cut: false,
    };
    let mut by_edge: Vec<Vec<ColumnPair>> = vec![Vec::new(); edges.len()];
    for kind in [FlowKind::Data, FlowKind::Control] {
        for (edge, pairs) in edges.iter().zip(&mut by_edge) {
            pairs.extend(reader.pairs_of(edge, kind)?);
        }
    }
    for pairs in &mut by_edge {
        pairs.sort_unstable();
    }
    Ok(Pairs { by_edge, cut: reader.cut })
}

struct PairReader<'r, 'a> {
    ground: &'r Ground<'a>,
    hyperedges: Hyperedges,
    /// By operation and the id of a set of its flows.
    expressions: HashMap<EntityId, HashMap<EntityId, Expressions>>,
    room: usize,
    steps_left: usize,
    cut: bool,
}

/// Of the edges of a set of flows, in their order.
type Expressions = Vec<Option<Rc<str>>>;

/// A column of a vertex; `None` for the table as a whole.
type End = (EntityId, Option<Arc<str>>);

/// Pairs of columns, each with its expression.
type FoundPairs = BTreeMap<(End, End), Option<Rc<str>>>;

/// One column flowing into another within one operation.
struct Step {
    source: End,
    target: End,
    kind: FlowKind,
    expression: Option<Rc<str>>,
}

impl PairReader<'_, '_> {
    fn pairs_of(&mut self, edge: &FoundEdge, kind: FlowKind) -> Result<Vec<ColumnPair>, StoreError> {
        let from_operation = self.ground.graph.operation(edge.source).is_some();
        // Between tables each kind is an edge of its own; out of an operation there is only one.
        let walked = self.ground.options.walks(kind == FlowKind::Data, kind == FlowKind::Control);
        if !walked || (!from_operation && edge.kind != kind) {
            return Ok(Vec::new());
        }
        let is_chain = edge.hops.iter().any(|hop| hop.target != edge.target);
        let found = if is_chain { self.chained(edge, kind)? } else { self.direct(edge, kind)? };
        Ok(found
            .into_iter()
            .map(|((source, target), expression)| ColumnPair {
                source: self.qualified(&source),
                target: self.qualified(&target),
                kind,
                expression: expression.map(|text| text.as_ref().to_owned()),
            })
            .collect())
    }

    fn qualified(&self, (table, column): &End) -> String {
        qualified_column(&self.ground.qualified_name(*table), column.as_deref())
    }

    /// The pairs of hops that lead straight to the edge's target. The first expression counts.
    fn direct(&mut self, edge: &FoundEdge, kind: FlowKind) -> Result<FoundPairs, StoreError> {
        let mut found = BTreeMap::new();
        for hop in &edge.hops {
            // What an earlier hop told takes no room.
            let mut steps = StepCollector::new(self.room + found.len());
            self.steps_of(*hop, kind, &mut steps)?;
            self.cut |= steps.cut;
            for step in steps.steps {
                let pair = (step.source, step.target);
                if found.contains_key(&pair) {
                    continue;
                }
                if self.room == 0 {
                    self.cut = true;
                    return Ok(found);
                }
                self.room -= 1;
                found.insert(pair, step.expression);
            }
        }
        Ok(found)
    }

    /// The pairs of a chain through folded tables: from each column of the source as far as it
    /// goes. A chain is control as soon as one of its steps is.
    fn chained(&mut self, edge: &FoundEdge, kind: FlowKind) -> Result<FoundPairs, StoreError> {
        let mut leaving: HashMap<End, Vec<Step>> = HashMap::new();
        let mut origins: BTreeSet<End> = BTreeSet::new();
        let kinds: &[FlowKind] = match kind {
            FlowKind::Data => &[FlowKind::Data],
            FlowKind::Control => &[FlowKind::Data, FlowKind::Control],
        };
        for hop in &edge.hops {
            let mut collector = StepCollector::new(self.steps_left);
            for &step_kind in kinds {
                self.steps_of(*hop, step_kind, &mut collector)?;
            }
            self.cut |= collector.cut;
            self.steps_left = self.steps_left.saturating_sub(collector.steps.len());
            if hop.target != edge.target {
                // The rows of a folded table are those of its inputs.
                let (source, target) = ((hop.source, None), (hop.target, None));
                collector.steps.push(Step { source, target, kind: FlowKind::Data, expression: None });
            }
            for step in collector.steps {
                if step.source.0 == edge.source {
                    origins.insert(step.source.clone());
                }
                leaving.entry(step.source.clone()).or_default().push(step);
            }
        }

        let mut found = BTreeMap::new();
        for origin in origins {
            let mut passed: HashSet<(End, bool)> = HashSet::new();
            let mut pending = vec![(origin.clone(), false)];
            while let Some((at, control)) = pending.pop() {
                for step in leaving.get(&at).into_iter().flatten() {
                    let control = control || step.kind == FlowKind::Control;
                    if step.target.0 != edge.target {
                        if passed.insert((step.target.clone(), control)) {
                            pending.push((step.target.clone(), control));
                        }
                        continue;
                    }
                    let pair = (origin.clone(), step.target.clone());
                    if control != (kind == FlowKind::Control) || found.contains_key(&pair) {
                        continue;
                    }
                    if self.room == 0 {
                        self.cut = true;
                        return Ok(found);
                    }
                    self.room -= 1;
                    found.insert(pair, step.expression.clone());
                }
            }
        }
        Ok(found)
    }

    /// The steps of one kind between the two ends of a hop.
    fn steps_of(&mut self, hop: Hop, kind: FlowKind, collector: &mut StepCollector) -> Result<(), StoreError> {
        let variants = self.hyperedges.of(self.ground, hop.operation)?;
        let Some(operation) = self.ground.known_operation(hop.operation) else {
            return Ok(());
        };
        for variant in variants.iter() {
            for (number, edge) in variant.set.edges.iter().enumerate().filter(|(_, edge)| edge.kind == kind) {
                let of = |named: &&NamedColumn, id| self.ground.vertex_of(named.name) == Some(self.ground.behind(id));
                // What comes from the operation itself comes from all that it reads.
                let is_source = |named: &&NamedColumn| hop.source == hop.operation || of(named, hop.source);
                for source in variant.sources(edge).filter(is_source) {
                    let Some(source_vertex) = self.ground.vertex_of(source.name) else {
                        continue;
                    };
                    let source_vertex = if hop.source == hop.operation { source_vertex } else { hop.source };
                    for target in variant.targets(edge).filter(|named| of(named, hop.target)) {
                        let met = self.ground.meetings(&operation, source.name, target.name).any(|judged| {
                            let Meeting { input, output, .. } = judged.meeting;
                            let fits = |id, at| self.ground.folded_life(id).is_none_or(|life| life.fits(at));
                            fits(hop.source, input)
                                && fits(hop.target, output)
                                && judged.meeting.first <= variant.set.last
                                && variant.set.first <= judged.meeting.last
                        });
                        if !met {
                            continue;
                        }
                        let step = Step {
                            source: (source_vertex, source.column.clone()),
                            target: (hop.target, target.column.clone()),
                            kind,
                            expression: self.expression(hop.operation, variant.set.id, number)?,
                        };
                        if !collector.add(step) {
                            return Ok(());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What the store tells of an edge of an operation.
    fn expression(
        &mut self,
        operation: EntityId,
        variant: EntityId,
        edge: usize,
    ) -> Result<Option<Rc<str>>, StoreError> {
        if !self.expressions.contains_key(&operation) {
            let mut known: HashMap<EntityId, Expressions> = HashMap::new();
            for told in self.ground.facts.variants(self.ground.viewer, operation)? {
                let of_edges = told.flows.edges.into_iter().map(|edge| edge.expression.map(Rc::from));
                known.insert(told.id, of_edges.collect());
            }
            self.expressions.insert(operation, known);
        }
        let of_edges = self.expressions[&operation].get(&variant);
        Ok(of_edges.and_then(|of_edges| of_edges.get(edge)).cloned().flatten())
    }
}

/// Takes steps, each pair of columns once, as long as there is room.
struct StepCollector {
    steps: Vec<Step>,
    known: HashSet<(End, End, FlowKind)>,
    limit: usize,
    cut: bool,
}

impl StepCollector {
    fn new(limit: usize) -> Self {
        Self { steps: Vec::new(), known: HashSet::new(), limit, cut: false }
    }

    /// Adds a step that is not there yet; `false` when there is no room.
    fn add(&mut self, step: Step) -> bool {
        let key = (step.source.clone(), step.target.clone(), step.kind);
        if self.known.contains(&key) {
            return true;
        }
        if self.steps.len() >= self.limit {
            self.cut = true;
            return false;
        }
        self.known.insert(key);
        self.steps.push(step);
        true
    }
}
