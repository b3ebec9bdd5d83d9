//! Random histories, told commit by commit: tables are dropped, created again and renamed, runs
//! come late, uses are computed anew. After each commit a graph that followed the feed answers as
//! one that is built anew (every walk of a [`Lake`] compares the two), with any options.

use proptest::prelude::*;

use sextant_graph::{Asset, Direction, Options, Root};
use sextant_model::feed::What;
use sextant_model::operation::{FlowVariant, Operation, Role, SeenSpan, TablePair, Usage};
use sextant_model::record::{FlowEdge, FlowKind, Flows, TableMention, Vertex};
use sextant_model::{Entity, EntityId, EntityState, EntityType, Life, NameKey, ObjectName, SourceType};
use sextant_store::{Changes, EntityWrite, UsageReplacement};

use crate::lake::{Lake, at, blank, id_of, key_of};

const TABLES: usize = 5;

#[derive(Debug, Clone)]
enum Step {
    /// A table is there, gone, or out of sight, with so many lives.
    Table { table: usize, state: EntityState, lives: u32 },
    /// A name leads to another table from now on, as after a rename.
    Rename { name: usize, table: usize },
    /// A statement ran.
    Run { operation: usize, inputs: Vec<usize>, output: usize, control: bool, life: u32, time: i64 },
    /// Uses are computed anew.
    Relink { operation: usize, name: usize, role: Role, life: u32, time: i64 },
}

fn step() -> impl Strategy<Value = Step> {
    let state = prop_oneof![
        3 => Just(EntityState::Living),
        2 => Just(EntityState::Deleted),
        1 => Just(EntityState::OutOfScope),
    ];
    let role = prop_oneof![Just(Role::Input), Just(Role::Output)];
    prop_oneof![
        3 => (0..TABLES, state, 1..4_u32).prop_map(|(table, state, lives)| Step::Table { table, state, lives }),
        1 => (0..TABLES, 0..TABLES).prop_map(|(name, table)| Step::Rename { name, table }),
        5 => (0..6_usize, proptest::collection::vec(0..TABLES, 0..3), 0..TABLES, any::<bool>(), 0..3_u32, 0..100_i64).prop_map(
            |(operation, inputs, output, control, life, time)| Step::Run { operation, inputs, output, control, life, time }
        ),
        1 => (0..6_usize, 0..TABLES, role, 0..3_u32, 0..100_i64)
            .prop_map(|(operation, name, role, life, time)| Step::Relink { operation, name, role, life, time }),
    ]
}

fn table(number: usize) -> String {
    format!("t{number}")
}

fn operation_id(number: usize) -> EntityId {
    EntityId::derive("operation", &[&number.to_le_bytes()])
}

fn changes(step: &Step) -> Changes {
    match step {
        Step::Table { table: number, state, lives } => {
            let name = table(*number);
            let entity = Entity {
                entity_type: EntityType::Table,
                state: *state,
                delete_time: (*state == EntityState::Deleted).then(|| at(60)),
                ..blank(id_of(&name), &name, &format!("lake.{name}"))
            };
            let lives = (1..=*lives).map(|number| {
                let ended = number < *lives || *state == EntityState::Deleted;
                let begin = i64::from(number) * 20;
                Life {
                    entity: entity.id,
                    number,
                    created: (number % 2 == 0).then(|| at(begin)),
                    first_seen: at(begin + 1),
                    last_seen: None,
                    over: ended.then(|| at(begin + 15)),
                }
            });
            Changes {
                lives: lives.collect(),
                bindings: vec![(key_of(&name), entity.id)],
                entities: vec![EntityWrite { entity, what: What::Changed, content: None }],
                ..Changes::default()
            }
        }
        Step::Rename { name, table: number } => {
            Changes { bindings: vec![(key_of(&table(*name)), id_of(&table(*number)))], ..Changes::default() }
        }
        Step::Run { operation, inputs, output, control, life, time } => {
            let id = operation_id(*operation);
            let seen = SeenSpan::once(at(*time), EntityId::derive("run", &[&time.to_le_bytes()]));
            let output = key_of(&table(*output));
            let inputs: Vec<_> = inputs.iter().map(|input| key_of(&table(*input))).collect();
            let used = |name, role| Usage { operation: id, name, role, life: *life, seen };
            let mut usages: Vec<Usage> = inputs.iter().map(|input| used(input.clone(), Role::Input)).collect();
            usages.push(used(output.clone(), Role::Output));
            let pairs = inputs.iter().map(|input| TablePair {
                input: input.clone(),
                output: output.clone(),
                data: !control,
                control: *control,
            });
            let told = Operation {
                id,
                source_type: SourceType::Hive,
                cluster: "default".to_owned(),
                operation_type: None,
                lineage_known: operation % 3 != 0,
                pairs: pairs.collect(),
            };
            let variants = vec![column_flows(id, seen, &inputs, &output, *control)];
            Changes { operations: vec![told], usages, variants, ..Changes::default() }
        }
        Step::Relink { operation, name, role, life, time } => {
            let (operation, name) = (operation_id(*operation), key_of(&table(*name)));
            let seen = SeenSpan::once(at(*time), EntityId::derive("run", &[&time.to_le_bytes()]));
            let uses = Usage { operation, name: name.clone(), role: *role, life: *life, seen };
            let usages = if time % 4 == 0 { Vec::new() } else { vec![uses] };
            Changes { usage_replacements: vec![UsageReplacement { operation, name, usages }], ..Changes::default() }
        }
    }
}

/// Column `a` of every input flows into `a` of the output, or decides about it.
fn column_flows(
    operation: EntityId,
    seen: SeenSpan,
    inputs: &[NameKey],
    output: &NameKey,
    control: bool,
) -> FlowVariant {
    let mention = |name: &NameKey| {
        let (database, table) = name.qualified.split_once('.').unwrap_or_default();
        TableMention { name: ObjectName::relation(database, table), created: None }
    };
    let tables: Vec<TableMention> = inputs.iter().chain([output]).map(mention).collect();
    let count = tables.len() as u32;
    let kind = if control { FlowKind::Control } else { FlowKind::Data };
    let vertices = (0..count).map(|table| Vertex::Column { table, column: "a".to_owned() }).collect();
    let edge = FlowEdge { kind, sources: (0..count - 1).collect(), targets: vec![count - 1], expression: None };
    let flows = Flows { tables, vertices, edges: vec![edge] };
    let id = EntityId::derive("variant", &[format!("{flows:?}").as_bytes()]);
    FlowVariant { operation, id, flows, seen }
}

fn option_sets() -> impl Strategy<Value = Options> {
    let direction = prop_oneof![Just(Direction::Upstream), Just(Direction::Downstream), Just(Direction::Both)];
    let time = || proptest::option::weighted(0.3, (0..100_i64).prop_map(at));
    (direction, 1..5_u8, any::<[bool; 6]>(), (time(), time(), time()), 1..12_usize).prop_map(
        |(direction, depth, [operations, deleted, control_flow, unlinked, columns, current_life], times, limit)| {
            let (as_of, seen_from, seen_to) = times;
            Options {
                direction,
                depth,
                operations,
                deleted,
                control_flow,
                unlinked,
                columns,
                current_life,
                as_of,
                seen_from,
                seen_to,
                limit,
                ..Options::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whoever_follows_the_feed_knows_what_is_there(
        commits in proptest::collection::vec((proptest::collection::vec(step(), 1..5), option_sets(), 0..TABLES, 0..TABLES), 1..8),
    ) {
        let mut lake = Lake::new();
        let root = |number| Root::Asset(Asset::Entity(id_of(&table(number))));
        for (steps, options, from, to) in &commits {
            for step in steps {
                lake.tell(changes(step));
            }
            let lineage = lake.walk_from(&root(*from), options);
            prop_assert!(lineage.nodes.len() <= options.limit);
            let path = lake.paths(&root(*from), &root(*to), options);
            let ends: Vec<EntityId> = path.nodes.iter().map(|node| node.id).collect();
            for edge in &path.edges {
                prop_assert!(ends.contains(&edge.source) && ends.contains(&edge.target));
            }
            lake.walk_from(&Root::Asset(Asset::Unlinked(key_of(&table(*to)))), options);
            lake.walk_from(&Root::Operation(operation_id(*from)), options);
            let column = Root::Field { table: id_of(&table(*from)), column: "a".to_owned() };
            lake.walk_from(&column, options);
        }
    }

    /// A path is as long as the distance that a walk tells.
    #[test]
    fn a_path_is_as_long_as_a_walk_is_deep(
        steps in proptest::collection::vec(step(), 1..25),
        options in option_sets(),
        from in 0..TABLES,
        to in 0..TABLES,
    ) {
        let options = Options { depth: 10, limit: 1_000, operations: false, direction: Direction::Downstream, ..options };
        let mut lake = Lake::new();
        for step in &steps {
            lake.tell(changes(step));
        }
        // With what is deleted shown, so that the goal is among the nodes.
        let options = Options { deleted: true, unlinked: true, ..options };
        let root = |number| Root::Asset(Asset::Entity(id_of(&table(number))));
        let walked = lake.walk_from(&root(from), &options);
        let goal = walked.nodes.iter().find(|node| node.id == id_of(&table(to)));
        let path = lake.paths(&root(from), &root(to), &options);
        let end = path.nodes.iter().find(|node| node.id == id_of(&table(to)));
        prop_assert_eq!(end.map(|node| node.depth), goal.map(|node| node.depth));
        if let Some(end) = end {
            let depth = |id| path.nodes.iter().find(|node| node.id == id).map(|node| node.depth);
            for edge in &path.edges {
                prop_assert_eq!(depth(edge.source).map(|depth| depth + 1), depth(edge.target), "an edge on the way is one hop");
            }
            prop_assert!(path.nodes.iter().all(|node| node.depth <= end.depth));
        }
    }
}
