//! Random small graphs: a walk equals what a slow and simple reading of the rules gives.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use sextant_graph::{Direction, Options};
use sextant_model::EntityId;
use sextant_model::record::FlowKind;

use crate::lake::{CONTROL, DATA, Lake, id_of, key_of, statement};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Living,
    Deleted,
    Unlinked,
}

/// One input flowing into one output of an operation; all are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Flow {
    operation: usize,
    source: usize,
    target: usize,
    data: bool,
    control: bool,
}

#[derive(Debug, Clone)]
struct Graph {
    tables: Vec<Standing>,
    flows: BTreeSet<Flow>,
}

fn graphs() -> impl Strategy<Value = Graph> {
    let standing = prop_oneof![
        3 => Just(Standing::Living),
        3 => Just(Standing::Deleted),
        1 => Just(Standing::Unlinked),
    ];
    proptest::collection::vec(standing, 2..8).prop_flat_map(|tables| {
        let count = tables.len();
        let flow = (0..6_usize, 0..count, 0..count, 0..4_usize).prop_map(|(operation, source, target, kind)| Flow {
            operation,
            source,
            target,
            data: kind != 3,
            control: kind >= 2,
        });
        let flows = proptest::collection::vec(flow, 0..12).prop_map(|flows| {
            let by_ends: BTreeMap<_, Flow> =
                flows.into_iter().map(|flow| ((flow.operation, flow.source, flow.target), flow)).collect();
            by_ends.into_values().collect()
        });
        flows.prop_map(move |flows| Graph { tables: tables.clone(), flows })
    })
}

fn option_sets() -> impl Strategy<Value = Options> {
    let direction = prop_oneof![Just(Direction::Upstream), Just(Direction::Downstream), Just(Direction::Both)];
    (direction, 1..5_u8, any::<[bool; 4]>()).prop_map(
        |(direction, depth, [operations, deleted, control_flow, unlinked])| Options {
            direction,
            depth,
            operations,
            deleted,
            control_flow,
            unlinked,
            limit: 1_000,
            ..Options::default()
        },
    )
}

fn name(table: usize) -> String {
    format!("t{table}")
}

fn lake_of(graph: &Graph) -> Lake {
    let mut lake = Lake::new();
    for (table, standing) in graph.tables.iter().enumerate() {
        match standing {
            Standing::Living => lake.table(&name(table)),
            Standing::Deleted => lake.dropped(&name(table)),
            Standing::Unlinked => {}
        }
    }
    let operations: BTreeSet<usize> = graph.flows.iter().map(|flow| flow.operation).collect();
    for operation in operations {
        let mut told = statement(&format!("o{operation}")).run(operation as i64);
        for flow in graph.flows.iter().filter(|flow| flow.operation == operation) {
            let (source, target) = (name(flow.source), name(flow.target));
            told = match (flow.data, flow.control) {
                (true, true) => told.data_and_control(&source, &target),
                (true, false) => told.data(&source, &target),
                _ => told.control(&source, &target),
            };
        }
        lake.add(told);
    }
    lake
}

/// A vertex of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Table(usize),
    Operation(usize),
}

impl Item {
    fn id(self, graph: &Graph) -> EntityId {
        match self {
            Self::Table(table) if graph.tables[table] == Standing::Unlinked => key_of(&name(table)).id(),
            Self::Table(table) => id_of(&name(table)),
            Self::Operation(operation) => EntityId::derive("operation", &[format!("o{operation}").as_bytes()]),
        }
    }
}

type DrawnEdge = (Item, Item, FlowKind, BTreeSet<usize>, BTreeSet<usize>);

/// The rules, read slowly.
struct Reference<'a> {
    graph: &'a Graph,
    options: &'a Options,
    root: usize,
}

impl Reference<'_> {
    fn flows(&self) -> impl Iterator<Item = Flow> + '_ {
        let control_flow = self.options.control_flow;
        self.graph
            .flows
            .iter()
            .map(move |flow| Flow { control: flow.control && control_flow, ..*flow })
            .filter(|flow| flow.data || flow.control)
    }

    fn shows(&self, table: usize) -> bool {
        table == self.root
            || match self.graph.tables[table] {
                Standing::Living => true,
                Standing::Deleted => self.options.deleted,
                Standing::Unlinked => self.options.unlinked,
            }
    }

    fn folds(&self, table: usize) -> bool {
        !self.shows(table) && self.graph.tables[table] == Standing::Deleted
    }

    fn ends(flow: Flow, upstream: bool) -> (usize, usize) {
        if upstream { (flow.target, flow.source) } else { (flow.source, flow.target) }
    }

    /// The distances of all tables that are shown or folded, in one direction.
    fn distances(&self, upstream: bool) -> BTreeMap<usize, u8> {
        let mut distances = BTreeMap::from([(self.root, 0)]);
        for hop in 1..=self.options.depth {
            for flow in self.flows() {
                let (near, far) = Self::ends(flow, upstream);
                let passes = self.shows(far) || self.folds(far);
                if passes && distances.get(&near) == Some(&(hop - 1)) && !distances.contains_key(&far) {
                    distances.insert(far, hop);
                }
            }
        }
        distances
    }

    fn directions(&self) -> Vec<bool> {
        match self.options.direction {
            Direction::Upstream => vec![true],
            Direction::Downstream => vec![false],
            Direction::Both => vec![true, false],
        }
    }

    /// The tables whose surroundings are crossed: nearer than the depth.
    fn crossed_tables(&self, upstream: bool) -> Vec<usize> {
        let distances = self.distances(upstream);
        distances.into_iter().filter(|(_, distance)| *distance < self.options.depth).map(|(table, _)| table).collect()
    }

    fn crossed_flows(&self) -> BTreeSet<Flow> {
        let mut crossed = BTreeSet::new();
        for upstream in self.directions() {
            let tables = self.crossed_tables(upstream);
            crossed.extend(self.flows().filter(|flow| tables.contains(&Self::ends(*flow, upstream).0)));
            if !self.options.operations {
                let met = self.distances(upstream);
                let shown = |table| met.contains_key(&table) && self.shows(table);
                let to_known = self.flows().filter(|flow| {
                    let (near, far) = Self::ends(*flow, upstream);
                    shown(near)
                        && self.directions().into_iter().any(|upstream| self.distances(upstream).contains_key(&far))
                });
                crossed.extend(to_known);
            }
        }
        crossed
    }

    fn nodes(&self) -> BTreeSet<Item> {
        let mut nodes = BTreeSet::new();
        for upstream in self.directions() {
            nodes.extend(self.distances(upstream).into_keys().filter(|table| self.shows(*table)).map(Item::Table));
            if self.options.operations {
                let tables = self.crossed_tables(upstream);
                // Whoever writes a table is shown, whatever it reads.
                let all =
                    self.graph.flows.iter().copied().filter(|_| upstream).chain(self.flows().filter(|_| !upstream));
                let touching = all.filter(|flow| tables.contains(&Self::ends(*flow, upstream).0));
                nodes.extend(touching.map(|flow| Item::Operation(flow.operation)));
            }
        }
        nodes
    }

    fn edges(&self) -> BTreeSet<DrawnEdge> {
        if self.options.operations { self.edges_with_operations() } else { self.edges_between_tables() }
    }

    fn edges_between_tables(&self) -> BTreeSet<DrawnEdge> {
        let nodes: Vec<usize> =
            (0..self.graph.tables.len()).filter(|&table| self.nodes().contains(&Item::Table(table))).collect();
        let mut edges = BTreeSet::new();
        for &source in &nodes {
            for &target in &nodes {
                for kind in [DATA, CONTROL] {
                    edges.extend(self.edge(source, target, kind));
                }
            }
        }
        edges
    }

    /// A step goes from (table, whether control was passed) to the same.
    fn edge(&self, source: usize, target: usize, kind: FlowKind) -> Option<DrawnEdge> {
        let mut steps = BTreeSet::new();
        for flow in self.crossed_flows() {
            for passed in [false, true] {
                if flow.data {
                    steps.insert(((flow.source, passed), (flow.target, passed), flow.operation));
                }
                if flow.control {
                    steps.insert(((flow.source, passed), (flow.target, true), flow.operation));
                }
            }
        }
        let begin = (source, false);
        let end = (target, kind == CONTROL);
        // Folded places that are reached from the beginning, and that lead to the end.
        let (mut reached, mut leading) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..2 * self.graph.tables.len() {
            for (from, to, _) in &steps {
                if self.folds(to.0) && (*from == begin || reached.contains(from)) {
                    reached.insert(*to);
                }
                if self.folds(from.0) && (*to == end || leading.contains(to)) {
                    leading.insert(*from);
                }
            }
        }
        let on_the_way: BTreeSet<_> = reached.intersection(&leading).copied().collect();
        let via: BTreeSet<usize> = steps
            .iter()
            .filter(|(from, to, _)| {
                (*from == begin || on_the_way.contains(from)) && (*to == end || on_the_way.contains(to))
            })
            .map(|(_, _, operation)| *operation)
            .collect();
        let hides = on_the_way.into_iter().map(|(table, _)| table).collect();
        (!via.is_empty()).then_some((Item::Table(source), Item::Table(target), kind, via, hides))
    }

    fn edges_with_operations(&self) -> BTreeSet<DrawnEdge> {
        let mut into: BTreeSet<(usize, usize, FlowKind)> = BTreeSet::new();
        let mut out_of: BTreeSet<(usize, usize)> = BTreeSet::new();
        for upstream in self.directions() {
            let tables = self.crossed_tables(upstream);
            if upstream {
                let written = self.graph.flows.iter().filter(|flow| tables.contains(&flow.target));
                out_of.extend(written.map(|flow| (flow.operation, flow.target)));
            }
            for flow in self.flows().filter(|flow| tables.contains(&Self::ends(*flow, upstream).0)) {
                let kinds = [(flow.data, DATA), (flow.control, CONTROL)];
                into.extend(kinds.iter().filter(|(is, _)| *is).map(|(_, kind)| (flow.source, flow.operation, *kind)));
                out_of.insert((flow.operation, flow.target));
            }
        }
        let nodes = self.nodes();
        let is_node = |table: usize| nodes.contains(&Item::Table(table));
        let mut edges = BTreeSet::new();
        let nothing = BTreeSet::new;
        for &(table, operation, kind) in into.iter().filter(|(table, _, _)| is_node(*table)) {
            edges.insert((Item::Table(table), Item::Operation(operation), kind, nothing(), nothing()));
        }
        for &(operation, table) in out_of.iter().filter(|(_, table)| is_node(*table)) {
            edges.insert((Item::Operation(operation), Item::Table(table), DATA, nothing(), nothing()));
        }
        let mut around: BTreeMap<(usize, usize, FlowKind), BTreeSet<usize>> = BTreeMap::new();
        for &(writer, folded) in out_of.iter().filter(|(_, table)| self.folds(*table)) {
            for &(_, reader, kind) in into.iter().filter(|(table, reader, _)| *table == folded && *reader != writer) {
                around.entry((writer, reader, kind)).or_default().insert(folded);
            }
        }
        for ((writer, reader, kind), hides) in around {
            edges.insert((Item::Operation(writer), Item::Operation(reader), kind, nothing(), hides));
        }
        edges
    }

    /// Shown neighbours that are not among the nodes, and unlinked neighbours, on one side.
    fn next_to(&self, table: usize, upstream: bool) -> (usize, usize) {
        let mut behind = BTreeSet::from([table]);
        let mut neighbours = BTreeSet::new();
        for _ in 0..=self.graph.tables.len() {
            for flow in self.flows() {
                let (near, far) = Self::ends(flow, upstream);
                if behind.contains(&near) {
                    neighbours.insert(far);
                    if self.folds(far) {
                        behind.insert(far);
                    }
                }
            }
        }
        let nodes = self.nodes();
        let more = neighbours.iter().filter(|&&far| self.shows(far) && !nodes.contains(&Item::Table(far))).count();
        let unlinked = neighbours.iter().filter(|&&far| self.graph.tables[far] == Standing::Unlinked).count();
        (more, unlinked)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_walk_is_what_the_rules_say(graph in graphs(), sets in proptest::collection::vec(option_sets(), 8)) {
        let lake = lake_of(&graph);
        let is_used = |table: usize| graph.flows.iter().any(|flow| flow.source == table || flow.target == table);
        for (root, options) in sets.iter().enumerate().map(|(number, options)| (number % graph.tables.len(), options)) {
            if graph.tables[root] == Standing::Unlinked && !is_used(root) {
                continue;
            }
            let reference = Reference { graph: &graph, options, root };
            let lineage = lake.walk(&name(root), options);

            let nodes: BTreeSet<EntityId> = lineage.nodes.iter().map(|node| node.id).collect();
            let expected: BTreeSet<EntityId> = reference.nodes().into_iter().map(|item| item.id(&graph)).collect();
            prop_assert_eq!(nodes, expected, "nodes from t{} with {:?}", root, options);
            prop_assert!(!lineage.cut);

            let edges: BTreeSet<_> = lineage
                .edges
                .iter()
                .map(|edge| {
                    let hides: BTreeSet<EntityId> = edge.hides.iter().map(|hidden| hidden.entity).collect();
                    (edge.source, edge.target, edge.kind, edge.via.iter().copied().collect::<BTreeSet<_>>(), hides)
                })
                .collect();
            prop_assert_eq!(edges.len(), lineage.edges.len(), "each edge once");
            let expected: BTreeSet<_> = reference
                .edges()
                .into_iter()
                .map(|(source, target, kind, via, hides)| {
                    let via = via.into_iter().map(|operation| Item::Operation(operation).id(&graph)).collect();
                    let hides = hides.into_iter().map(|table| Item::Table(table).id(&graph)).collect();
                    (source.id(&graph), target.id(&graph), kind, via, hides)
                })
                .collect();
            prop_assert_eq!(edges, expected, "edges from t{} with {:?}", root, options);

            for upstream in reference.directions() {
                for table in reference.distances(upstream).into_keys().filter(|table| reference.shows(*table)) {
                    let id = Item::Table(table).id(&graph);
                    let node = lineage.nodes.iter().find(|node| node.id == id).unwrap();
                    let counted = if upstream {
                        (node.more_upstream, node.unlinked_inputs)
                    } else {
                        (node.more_downstream, node.unlinked_outputs)
                    };
                    let (more, unlinked) = reference.next_to(table, upstream);
                    prop_assert_eq!(counted, (more as u64, unlinked as u64), "around t{} with {:?}", table, options);
                }
            }
        }
    }

    #[test]
    fn a_cut_answer_is_a_part_of_the_whole(graph in graphs(), options in option_sets(), limit in 1..10_usize) {
        let lake = lake_of(&graph);
        let root = (0..graph.tables.len()).find(|&table| graph.tables[table] != Standing::Unlinked);
        let Some(root) = root.map(name) else { return Ok(()) };
        let whole = lake.walk(&root, &options);
        let part = lake.walk(&root, &Options { limit, ..options.clone() });
        prop_assert_eq!(&part, &lake.walk(&root, &Options { limit, ..options }), "the same again");
        prop_assert!(part.nodes.len() <= limit);
        prop_assert_eq!(part.cut, part.nodes.len() < whole.nodes.len());
        let shown: BTreeSet<EntityId> = part.nodes.iter().map(|node| node.id).collect();
        let in_whole: BTreeSet<EntityId> = whole.nodes.iter().map(|node| node.id).collect();
        prop_assert!(shown.is_subset(&in_whole));
        for edge in &part.edges {
            prop_assert!(shown.contains(&edge.source) && shown.contains(&edge.target));
        }
    }
}
