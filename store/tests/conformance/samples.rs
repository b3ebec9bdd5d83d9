//! Small values to store.

use sextant_model::operation::{Evidence, Execution, FlowVariant, Operation, Role, SeenSpan, StatementText, Usage};
use sextant_model::record::{FlowEdge, FlowKind, Flows, TableMention, Vertex};
use sextant_model::{
    Entity, EntityId, EntityState, EntityType, Life, NameKey, NameKind, ObjectName, Properties, SourceType, Timestamp,
};

pub(crate) fn id(text: &str) -> EntityId {
    EntityId::derive("sample", &[text.as_bytes()])
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_700_000_000 + second)
}

pub(crate) fn span(first: i64, last: i64) -> SeenSpan {
    SeenSpan::once(at(first), id(&format!("run {first}"))).merged(SeenSpan::once(at(last), id(&format!("run {last}"))))
}

/// `db.table` in the cluster `prod`.
pub(crate) fn name(qualified: &str) -> NameKey {
    NameKey { cluster: "prod".to_owned(), kind: NameKind::Relation, qualified: qualified.to_owned() }
}

pub(crate) fn entity(qualified: &str, entity_type: EntityType) -> Entity {
    let (parent, original_name) =
        qualified.rsplit_once('.').map_or((None, qualified), |(parent, last)| (Some(parent), last));
    let mut properties = Properties::new();
    properties.insert("owner".to_owned(), "étienne".into());
    Entity {
        id: id(qualified),
        entity_type,
        source_type: SourceType::Hive,
        source: "hive".to_owned(),
        cluster: "prod".to_owned(),
        original_name: original_name.to_owned(),
        qualified_name: qualified.to_owned(),
        parent: parent.map(id),
        parent_path: parent.map(|parent| format!("/{}", parent.replace('.', "/"))),
        state: EntityState::Living,
        delete_time: None,
        last_seen: None,
        first_seen: at(0),
        position: 0,
        properties,
    }
}

pub(crate) fn life(entity: EntityId, number: u32) -> Life {
    Life {
        entity,
        number,
        created: Some(at(i64::from(number))),
        first_seen: at(100 * i64::from(number)),
        last_seen: None,
        over: None,
    }
}

pub(crate) fn operation(label: &str) -> Operation {
    Operation {
        id: id(label),
        source_type: SourceType::Impala,
        cluster: "prod".to_owned(),
        operation_type: Some("QUERY".to_owned()),
        lineage_known: true,
        pairs: Vec::new(),
    }
}

pub(crate) fn text(operation: EntityId, words: &str, first_seen: i64) -> StatementText {
    StatementText { id: id(words), operation, text: words.to_owned(), first_seen: at(first_seen) }
}

/// An execution that ended at `second`.
pub(crate) fn execution(label: &str, operation: EntityId, text: EntityId, second: i64) -> Execution {
    Execution {
        id: id(label),
        operation,
        text,
        variant: None,
        user: Some(format!("user of {label}")),
        started: Some(at(second - 5)),
        ended: Some(at(second)),
        received: at(second + 1),
        query_id: Some(format!("query of {label}")),
        engine: Some("tez".to_owned()),
        job_ids: vec!["job_1".to_owned(), "job_2".to_owned()],
        table_created: vec![("db.t".to_owned(), at(-7)), ("db.u".to_owned(), at(-8))],
        evidence: Evidence { host: "edge-1".to_owned(), file: "/var/log/lineage.log".to_owned(), offset: 4711 },
    }
}

pub(crate) fn usage(operation: EntityId, qualified: &str, role: Role, life: u32, seen: SeenSpan) -> Usage {
    Usage { operation, name: name(qualified), role, life, seen }
}

pub(crate) fn variant(operation: EntityId, column: &str, seen: SeenSpan) -> FlowVariant {
    let flows = Flows {
        tables: vec![TableMention { name: ObjectName::relation("db", "t"), created: None }],
        vertices: vec![
            Vertex::Column { table: 0, column: column.to_owned() },
            Vertex::Table { table: 0 },
            Vertex::Result { label: "_c0".to_owned() },
        ],
        edges: vec![
            FlowEdge { kind: FlowKind::Data, sources: vec![0, 1], targets: vec![2], expression: None },
            FlowEdge {
                kind: FlowKind::Control,
                sources: vec![0],
                targets: vec![2],
                expression: Some("x > ?".to_owned()),
            },
        ],
    };
    FlowVariant { operation, id: id(column), flows, seen }
}
