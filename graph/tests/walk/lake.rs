//! A small store, told in a few words: tables of the database `lake`, and statements over them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use tempfile::TempDir;

use sextant_graph::{Asset, Graph, Lineage, LiveGraph, Options, Root, paths, walk};
use sextant_model::feed::What;
use sextant_model::operation::{FlowVariant, Operation, Role, SeenSpan, TablePair, Usage};
use sextant_model::record::{FlowEdge, FlowKind, Flows, TableMention, Vertex};
use sextant_model::{
    Entity, EntityId, EntityState, EntityType, Life, NameKey, NameKind, ObjectName, Properties, SourceType, Timestamp,
    Viewer,
};
use sextant_store::{Changes, EntityWrite, Facts, Location, SqliteStore};

pub(crate) struct Lake {
    store: SqliteStore,
    /// Follows the feed from the beginning.
    graph: LiveGraph,
    _directory: TempDir,
    /// What was told since the last walk.
    untold: RefCell<Changes>,
    latest_lives: HashMap<String, u32>,
    labels: HashMap<EntityId, String>,
}

/// One statement shape with its runs.
#[derive(Default)]
pub(crate) struct Statement {
    label: String,
    pairs: Vec<TablePair>,
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    flows: Flows,
    lineage_unknown: bool,
    runs: Vec<(i64, Vec<(String, u32)>)>,
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

pub(crate) fn id_of(table: &str) -> EntityId {
    EntityId::of_object("hive", NameKind::Relation, &format!("lake.{table}"))
}

pub(crate) fn key_of(table: &str) -> NameKey {
    NameKey::of("default", &ObjectName::relation("lake", table))
}

pub(crate) fn path_id(path: &str) -> EntityId {
    EntityId::derive("path", &[path.as_bytes()])
}

pub(crate) fn path_key(path: &str) -> NameKey {
    NameKey { cluster: "default".to_owned(), kind: NameKind::Path, qualified: path.to_owned() }
}

pub(crate) fn statement(label: &str) -> Statement {
    Statement { label: label.to_owned(), ..Statement::default() }
}

/// `insert into OUTPUT select … from INPUTS`, run once.
pub(crate) fn insert(label: &str, inputs: &[&str], output: &str, time: i64) -> Statement {
    let written = statement(label).writes(output).run(time);
    inputs.iter().fold(written, |written, input| written.data(input, output))
}

impl Statement {
    fn pair(mut self, input: &str, output: &str, data: bool, control: bool) -> Self {
        self.reads.insert(input.to_owned());
        self.writes.insert(output.to_owned());
        self.pairs.push(TablePair { input: key_of(input), output: key_of(output), data, control });
        self
    }

    pub(crate) fn data(self, input: &str, output: &str) -> Self {
        self.pair(input, output, true, false)
    }

    pub(crate) fn control(self, input: &str, output: &str) -> Self {
        self.pair(input, output, false, true)
    }

    pub(crate) fn data_and_control(self, input: &str, output: &str) -> Self {
        self.pair(input, output, true, true)
    }

    pub(crate) fn reads(mut self, input: &str) -> Self {
        self.reads.insert(input.to_owned());
        self
    }

    pub(crate) fn writes(mut self, output: &str) -> Self {
        self.writes.insert(output.to_owned());
        self
    }

    pub(crate) fn without_lineage(mut self) -> Self {
        self.lineage_unknown = true;
        self
    }

    /// A hyperedge between columns written as `table.column`, or `table` for the table as a whole.
    pub(crate) fn columns(
        mut self,
        kind: FlowKind,
        sources: &[&str],
        targets: &[&str],
        expression: Option<&str>,
    ) -> Self {
        let mut numbers = |ends: &[&str]| -> Vec<u32> { ends.iter().map(|end| self.vertex(end)).collect() };
        let (targets, sources) = (numbers(targets), numbers(sources));
        self.flows.edges.push(FlowEdge { kind, sources, targets, expression: expression.map(str::to_owned) });
        self
    }

    fn vertex(&mut self, end: &str) -> u32 {
        let (table, column) = end.split_once('.').map_or((end, None), |(table, column)| (table, Some(column)));
        let mention = TableMention { name: ObjectName::relation("lake", table), created: None };
        let table = position_or_push(&mut self.flows.tables, mention);
        let vertex = match column {
            Some(column) => Vertex::Column { table, column: column.to_owned() },
            None => Vertex::Table { table },
        };
        position_or_push(&mut self.flows.vertices, vertex)
    }

    pub(crate) fn run(self, time: i64) -> Self {
        self.run_in(time, &[])
    }

    /// A run that met other lives than the latest.
    pub(crate) fn run_in(mut self, time: i64, lives: &[(&str, u32)]) -> Self {
        self.runs.push((time, lives.iter().map(|(table, life)| ((*table).to_owned(), *life)).collect()));
        self
    }
}

fn position_or_push<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    let position = list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    });
    position as u32
}

impl Lake {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(directory.path()).unwrap();
        let graph = LiveGraph::load(&store).unwrap();
        Self {
            store,
            graph,
            _directory: directory,
            untold: RefCell::default(),
            latest_lives: HashMap::new(),
            labels: HashMap::new(),
        }
    }

    /// With these living tables.
    pub(crate) fn with(tables: &[&str]) -> Self {
        let mut lake = Self::new();
        for table in tables {
            lake.table(table);
        }
        lake
    }

    pub(crate) fn table(&mut self, table: &str) {
        self.relation(table, EntityType::Table, EntityState::Living, &[(0, None)]);
    }

    pub(crate) fn view(&mut self, view: &str) {
        self.relation(view, EntityType::View, EntityState::Living, &[(0, None)]);
    }

    pub(crate) fn dropped(&mut self, table: &str) {
        self.relation(table, EntityType::Table, EntityState::Deleted, &[(0, Some(1_000))]);
    }

    pub(crate) fn out_of_scope(&mut self, table: &str) {
        self.relation(table, EntityType::Table, EntityState::OutOfScope, &[(0, None)]);
    }

    /// A relation with its lives: when each was created, and when it was over.
    pub(crate) fn relation(
        &mut self,
        table: &str,
        entity_type: EntityType,
        state: EntityState,
        lives: &[(i64, Option<i64>)],
    ) {
        let entity = Entity {
            entity_type,
            state,
            parent: None,
            delete_time: (state == EntityState::Deleted).then(|| at(1_000)),
            ..blank(id_of(table), table, &format!("lake.{table}"))
        };
        let lives: Vec<Life> = (1..)
            .zip(lives)
            .map(|(number, (created, over))| Life {
                entity: entity.id,
                number,
                created: Some(at(*created)),
                first_seen: at(created + 1),
                last_seen: over.map(at),
                over: over.map(at),
            })
            .collect();
        self.latest_lives.insert(table.to_owned(), lives.len() as u32);
        self.tell(Changes {
            entities: vec![EntityWrite { entity, what: What::Created, content: None }],
            bindings: vec![(key_of(table), id_of(table))],
            lives,
            ..Changes::default()
        });
    }

    pub(crate) fn fields(&mut self, table: &str, fields: &[&str]) {
        let entities = (0..)
            .zip(fields)
            .map(|(position, field)| EntityWrite {
                entity: Entity {
                    entity_type: EntityType::Field,
                    parent: Some(id_of(table)),
                    position,
                    ..blank(EntityId::of_field(id_of(table), field), field, &format!("lake.{table}.{field}"))
                },
                what: What::Created,
                content: None,
            })
            .collect();
        self.tell(Changes { entities, ..Changes::default() });
    }

    /// A directory or file that also had these paths.
    pub(crate) fn path(&mut self, path: &str, entity_type: EntityType, former: &[&str]) {
        let entity = Entity { entity_type, source_type: SourceType::Hdfs, ..blank(path_id(path), path, path) };
        let names = former.iter().chain([&path]);
        self.tell(Changes {
            entities: vec![EntityWrite { entity, what: What::Created, content: None }],
            bindings: names.map(|name| (path_key(name), path_id(path))).collect(),
            ..Changes::default()
        });
    }

    /// The source tells where the data of a table or partition lies.
    pub(crate) fn located(&mut self, owner: EntityId, path: &str) {
        self.tell(Changes { locations: vec![Location { owner, place: Some(path_key(path)) }], ..Changes::default() });
    }

    pub(crate) fn partition(&mut self, table: &str, partition: &str, path: &str) -> EntityId {
        let id = EntityId::derive("partition", &[table.as_bytes(), partition.as_bytes()]);
        let entity = Entity {
            entity_type: EntityType::Partition,
            parent: Some(id_of(table)),
            ..blank(id, partition, &format!("lake.{table}/{partition}"))
        };
        self.tell(Changes {
            entities: vec![EntityWrite { entity, what: What::Created, content: None }],
            ..Changes::default()
        });
        self.located(id, path);
        id
    }

    pub(crate) fn add(&mut self, statement: Statement) -> EntityId {
        let id = EntityId::derive("operation", &[statement.label.as_bytes()]);
        let mut changes = Changes {
            operations: vec![Operation {
                id,
                source_type: SourceType::Hive,
                cluster: "default".to_owned(),
                operation_type: Some("QUERY".to_owned()),
                lineage_known: !statement.lineage_unknown,
                pairs: statement.pairs,
            }],
            ..Changes::default()
        };
        let mut seen_in_all: Option<SeenSpan> = None;
        for (time, lives) in &statement.runs {
            let run = EntityId::derive("execution", &[statement.label.as_bytes(), &time.to_le_bytes()]);
            let seen = SeenSpan::once(at(*time), run);
            seen_in_all = Some(seen_in_all.map_or(seen, |known| known.merged(seen)));
            let inputs = statement.reads.iter().map(|table| (table, Role::Input));
            let outputs = statement.writes.iter().map(|table| (table, Role::Output));
            for (table, role) in inputs.chain(outputs) {
                let told = lives.iter().find(|(of, _)| of == table).map(|(_, life)| *life);
                let life = told.or_else(|| self.latest_lives.get(table).copied()).unwrap_or(0);
                changes.usages.push(Usage { operation: id, name: key_of(table), role, life, seen });
            }
        }
        if let Some(seen) = seen_in_all.filter(|_| !statement.flows.edges.is_empty()) {
            let variant = EntityId::derive("variant", &[statement.label.as_bytes()]);
            changes.variants.push(FlowVariant { operation: id, id: variant, flows: statement.flows, seen });
        }
        self.labels.insert(id, statement.label);
        self.tell(changes);
        id
    }

    /// Tells more, which is committed with the next look.
    pub(crate) fn tell(&mut self, changes: Changes) {
        let untold = self.untold.get_mut();
        untold.entities.extend(changes.entities);
        untold.lives.extend(changes.lives);
        untold.bindings.extend(changes.bindings);
        untold.operations.extend(changes.operations);
        untold.variants.extend(changes.variants);
        untold.usages.extend(changes.usages);
        untold.locations.extend(changes.locations);
        untold.usage_replacements.extend(changes.usage_replacements);
    }

    pub(crate) fn walk(&self, root: &str, options: &Options) -> Lineage {
        let asset = if self.latest_lives.contains_key(root) {
            Asset::Entity(id_of(root))
        } else {
            Asset::Unlinked(key_of(root))
        };
        self.walk_from(&Root::Asset(asset), options)
    }

    pub(crate) fn walk_from(&self, root: &Root, options: &Options) -> Lineage {
        self.found(|graph| walk(graph, &self.store, &Viewer::all(), root, options).unwrap())
    }

    pub(crate) fn paths(&self, from: &Root, to: &Root, options: &Options) -> Lineage {
        self.found(|graph| paths(graph, &self.store, &Viewer::all(), from, to, options).unwrap())
    }

    fn found(&self, find: impl Fn(&Graph) -> Lineage) -> Lineage {
        self.store.commit(&self.untold.take()).unwrap();
        while self.graph.follow(&self.store).unwrap() {}
        let followed = find(&self.graph.read());
        let of_anew = find(&LiveGraph::load(&self.store).unwrap().read());
        assert_eq!(followed, of_anew, "a graph that followed the feed answers as one that was built anew");
        followed
    }

    /// The label of a statement.
    pub(crate) fn label(&self, operation: EntityId) -> &str {
        &self.labels[&operation]
    }
}

pub(crate) fn blank(id: EntityId, original_name: &str, qualified_name: &str) -> Entity {
    Entity {
        id,
        entity_type: EntityType::Table,
        source_type: SourceType::Hive,
        source: "hive".to_owned(),
        cluster: "default".to_owned(),
        original_name: original_name.to_owned(),
        qualified_name: qualified_name.to_owned(),
        parent: None,
        parent_path: Some("/lake".to_owned()),
        state: EntityState::Living,
        delete_time: None,
        last_seen: None,
        first_seen: at(1),
        position: 0,
        properties: Properties::new(),
    }
}

/// Shorthands for the kinds.
pub(crate) const DATA: FlowKind = FlowKind::Data;
pub(crate) const CONTROL: FlowKind = FlowKind::Control;
