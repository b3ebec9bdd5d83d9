//! The column flows of operations, as they are stored.

use serde::Serialize;
use sextant_model::operation::FlowVariant;
use sextant_model::record::{FlowEdge, Flows, Vertex};
use sextant_model::{EntityId, Timestamp};
use utoipa::ToSchema;

use super::lineage::{EdgeType, flow_type};

/// The flows of an operation in one meaning of `*`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowVariantAnswer {
    #[schema(value_type = String)]
    id: EntityId,
    /// The first run that told it.
    #[schema(value_type = String, format = DateTime)]
    first_seen: Timestamp,
    /// The last one.
    #[schema(value_type = String, format = DateTime)]
    last_seen: Timestamp,
    edges: Vec<FlowEdgeAnswer>,
}

/// Every source of it flows into every target of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct FlowEdgeAnswer {
    #[serde(rename = "type")]
    edge_type: EdgeType,
    sources: Vec<FlowEnd>,
    targets: Vec<FlowEnd>,
    /// The engine's own expression text, where it gives one.
    #[schema(required)]
    expression: Option<String>,
}

/// An end of a flow.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
pub enum FlowEnd {
    /// A column of a table.
    Column {
        /// `db.table`.
        #[schema(required)]
        table: Option<String>,
        /// Its own name.
        column: String,
    },
    /// A table as a whole.
    Table {
        /// `db.table`.
        #[schema(required)]
        table: Option<String>,
    },
    /// A column of a result that no table keeps.
    Result {
        /// Its label.
        result: String,
    },
}

/// A variant of an operation's flows as the API shows it.
pub fn flow_variant(variant: &FlowVariant) -> FlowVariantAnswer {
    let flows = &variant.flows;
    let ends: Vec<FlowEnd> = flows.vertices.iter().map(|vertex| end(flows, vertex)).collect();
    FlowVariantAnswer {
        id: variant.id,
        first_seen: variant.seen.first,
        last_seen: variant.seen.last,
        edges: flows.edges.iter().map(|told| edge(told, &ends)).collect(),
    }
}

fn edge(edge: &FlowEdge, ends: &[FlowEnd]) -> FlowEdgeAnswer {
    let named = |vertices: &[u32]| -> Vec<FlowEnd> {
        vertices.iter().filter_map(|vertex| ends.get(*vertex as usize).cloned()).collect()
    };
    FlowEdgeAnswer {
        edge_type: flow_type(edge.kind),
        sources: named(&edge.sources),
        targets: named(&edge.targets),
        expression: edge.expression.clone(),
    }
}

fn end(flows: &Flows, vertex: &Vertex) -> FlowEnd {
    let table = |index: &u32| flows.tables.get(*index as usize).map(|table| table.name.qualified());
    match vertex {
        Vertex::Column { table: index, column } => FlowEnd::Column { table: table(index), column: column.clone() },
        Vertex::Table { table: index } => FlowEnd::Table { table: table(index) },
        Vertex::Result { label } => FlowEnd::Result { result: label.clone() },
    }
}
