//! A metastore and a query log made of a few lines, told to a real store through the linker.

use sextant_linker::SourceInstance;
use sextant_linker::operations::{SourcedRecord, link};
use sextant_linker::snapshot::{Pass, PassEnd};
use sextant_model::operation::{Evidence, Usage};
use sextant_model::record::{FlowEdge, FlowKind, Flows, PushRecord, RecordLineage, TableMention, Vertex};
use sextant_model::snapshot::{Existence, ObservedField, ObservedObject, PassSummary};
use sextant_model::{
    Entity, EntityId, EntityType, Life, NameKey, ObjectName, Properties, SourceType, Timestamp, Viewer,
};
use sextant_store::{Facts, RunOutcome, SqliteStore};

/// Minutes after some day in 2026.
pub(crate) fn minute(minutes: i64) -> Timestamp {
    Timestamp::from_seconds(1_796_000_000 + minutes * 60)
}

/// A table of the metastore: name in `default`, create minute.
pub(crate) type TableAt = (&'static str, i64);

/// One run of a statement that reads `inputs` and writes `output`, at a minute, for a minute.
pub(crate) fn run(text: &str, inputs: &[&str], output: &str, at: i64) -> SourcedRecord {
    let mut flows = Flows::default();
    let mut column_of = |table: &str| {
        let name = ObjectName::relation("default", table);
        let index = flows.tables.iter().position(|mention| mention.name == name).unwrap_or_else(|| {
            flows.tables.push(TableMention { name, created: None });
            flows.tables.len() - 1
        });
        flows.vertices.push(Vertex::Column { table: index as u32, column: "code".to_owned() });
        flows.vertices.len() as u32 - 1
    };
    let target = column_of(output);
    let sources = inputs.iter().map(|input| column_of(input)).collect();
    flows.edges.push(FlowEdge { kind: FlowKind::Data, sources, targets: vec![target], expression: None });
    SourcedRecord {
        record: PushRecord {
            offset: 0,
            length: 0,
            source_type: SourceType::Impala,
            query_text: text.to_owned(),
            query_id: None,
            user: Some("joe".to_owned()),
            started: Some(minute(at)),
            ended: Some(minute(at + 1)),
            engine: None,
            database: None,
            job_ids: Vec::new(),
            operation_type: None,
            table_location: None,
            execution_key: vec![text.to_owned(), at.to_string()],
            lineage: RecordLineage::Known(flows),
        },
        evidence: Evidence { host: "host-1".to_owned(), file: "/spool/log".to_owned(), offset: at as u64 },
        cluster: "default".to_owned(),
        received: minute(10_000),
    }
}

/// Makes the record name the create time of one of its tables.
pub(crate) fn naming_create_time(mut record: SourcedRecord, table: &str, created: i64) -> SourcedRecord {
    if let RecordLineage::Known(flows) = &mut record.record.lineage {
        for mention in &mut flows.tables {
            if mention.name.last_part() == table {
                mention.created = Some(minute(created));
            }
        }
    }
    record
}

/// A real store in a folder that goes with it.
pub(crate) struct Story {
    pub(crate) store: SqliteStore,
    _folder: tempfile::TempDir,
}

impl Story {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: SqliteStore::open(folder.path()).unwrap(), _folder: folder }
    }

    pub(crate) fn log(&self, records: &[SourcedRecord]) {
        let changes = link(&self.store, records).unwrap();
        self.store.commit(&changes).unwrap();
    }

    /// A whole pass at a minute that sees these tables, and a source that says "gone" of others.
    pub(crate) fn pass(&self, at: i64, tables: &[TableAt]) -> RunOutcome {
        self.pass_with(at, tables, PassSummary::default(), &|_| Existence::Gone, &|_| true, false)
    }

    pub(crate) fn pass_with(
        &self,
        at: i64,
        tables: &[TableAt],
        summary: PassSummary,
        existence: &dyn Fn(&ObjectName) -> Existence,
        in_scope: &dyn Fn(&ObjectName) -> bool,
        accept_deletions: bool,
    ) -> RunOutcome {
        let tables = tables.iter().map(|(name, created)| table_at(name, *created)).collect();
        self.pass_of(at, tables, summary, existence, in_scope, accept_deletions)
    }

    /// A whole pass at a minute that sees these tables as they are.
    pub(crate) fn pass_seeing(&self, at: i64, tables: Vec<ObservedObject>) -> RunOutcome {
        self.pass_of(at, tables, PassSummary::default(), &|_| Existence::Gone, &|_| true, false)
    }

    fn pass_of(
        &self,
        at: i64,
        tables: Vec<ObservedObject>,
        summary: PassSummary,
        existence: &dyn Fn(&ObjectName) -> Existence,
        in_scope: &dyn Fn(&ObjectName) -> bool,
        accept_deletions: bool,
    ) -> RunOutcome {
        let source = SourceInstance { name: "hive".to_owned(), cluster: "default".to_owned() };
        let mut pass = Pass::begin(&self.store, source, minute(at)).unwrap();
        let mut objects = vec![object(ObjectName::database("default"), EntityType::Database, None)];
        objects.extend(tables);
        pass.listed(objects.iter().map(|object| object.name.clone()).collect());
        let changes = pass.objects(&self.store, objects).unwrap();
        self.store.commit(&changes).unwrap();
        let confirmed = pass
            .vanished(&summary, in_scope)
            .into_iter()
            .map(|name| {
                let answer = existence(&name);
                (name, answer)
            })
            .collect();
        let end = PassEnd { summary, problems: Vec::new(), confirmed, accept_deletions, finished: minute(at) };
        let changes = pass.finish(&self.store, in_scope, end).unwrap();
        self.store.commit(&changes).unwrap();
        changes.run.unwrap().outcome
    }

    pub(crate) fn table(&self, name: &str) -> Option<Entity> {
        let id = self.name(name)?.1?;
        self.store.entities(&Viewer::all(), &[id]).unwrap().pop()
    }

    pub(crate) fn lives(&self, name: &str) -> Vec<Life> {
        let Some(entity) = self.table(name) else {
            return Vec::new();
        };
        let mut lives = self.store.lives(&[entity.id]).unwrap().remove(&entity.id).unwrap_or_default();
        lives.sort_by_key(|life| life.number);
        lives
    }

    pub(crate) fn name(&self, name: &str) -> Option<(NameKey, Option<EntityId>)> {
        let qualified = ObjectName::relation("default", name).qualified();
        self.store.find_name(&Viewer::all(), None, &qualified).unwrap().pop()
    }

    /// The uses of a name, in a fixed order.
    pub(crate) fn usages(&self, name: &str) -> Vec<Usage> {
        let Some((key, _)) = self.name(name) else {
            return Vec::new();
        };
        let mut usages = self.store.usages_of_names(&Viewer::all(), &[key]).unwrap();
        usages.sort_by_key(|usage| (usage.operation, usage.role, usage.life));
        usages
    }

    /// The lives in which a name was used.
    pub(crate) fn lives_used(&self, name: &str) -> Vec<u32> {
        let mut lives: Vec<u32> = self.usages(name).iter().map(|usage| usage.life).collect();
        lives.sort_unstable();
        lives.dedup();
        lives
    }
}

/// A table in `default` with one column.
pub(crate) fn table_at(name: &str, created: i64) -> ObservedObject {
    object(ObjectName::relation("default", name), EntityType::Table, Some(minute(created)))
}

fn object(name: ObjectName, entity_type: EntityType, created: Option<Timestamp>) -> ObservedObject {
    let fields = if entity_type == EntityType::Table {
        vec![ObservedField {
            name: "code".to_owned(),
            data_type: "string".to_owned(),
            comment: None,
            partition_key: false,
        }]
    } else {
        Vec::new()
    };
    ObservedObject {
        name,
        entity_type,
        source_type: SourceType::Hive,
        created,
        properties: Properties::new(),
        fields,
        partitions: None,
    }
}
