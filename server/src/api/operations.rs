//! Statements.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sextant_model::record::{Flows, Vertex};
use sextant_model::{EntityId, Viewer};
use utoipa::IntoParams;

use super::parameters::{Parameters, number_within};
use super::{ApiError, Shared, blocking};
use crate::view;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LatestParameters {
    /// At most this many, 1 to 200.
    #[serde(default = "default_limit")]
    limit: u64,
}

const fn default_limit() -> u64 {
    20
}

/// The operations that ran last, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/operations/latest",
    tag = "read",
    params(LatestParameters),
    responses((status = 200, description = "`{results: [operation…]}`", body = Value))
)]
pub(super) async fn latest(
    State(server): Shared,
    Parameters(parameters): Parameters<LatestParameters>,
) -> Result<Json<Value>, ApiError> {
    let limit = number_within("limit", parameters.limit, 1..=200)?;
    blocking(&server, move |server| {
        let operations = server.facts().latest_operations(&Viewer::all(), limit)?;
        let results: Vec<Value> =
            operations.iter().map(|summary| Value::Object(view::operation::operation(summary))).collect();
        Ok(Json(json!({ "results": results })))
    })
    .await
}

/// The column flows of an operation, as they are stored: every source of an edge flows into every
/// target of it.
#[utoipa::path(
    get,
    path = "/api/v1/operations/{id}/flows",
    tag = "read",
    params(("id" = String, Path, description = "the operation's id")),
    responses(
        (
            status = 200,
            description = "`{operation, lineageKnown, variants: [{id, firstSeen, lastSeen, edges: [{type, sources, \
                           targets, expression}]}]}`; an end is a `table` with or without a `column`, or a `result` \
                           column that no table keeps",
            body = Value
        ),
        (status = 404, description = "no such operation", body = Value)
    )
)]
pub(super) async fn flows(State(server): Shared, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let id: EntityId = id.parse().map_err(|error| ApiError::bad_request(format!("{error}")))?;
    blocking(&server, move |server| {
        let viewer = Viewer::all();
        let operation = server
            .facts()
            .bare_operations(&viewer, &[id])?
            .pop()
            .ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, format!("there is no operation {id}")))?;
        let variants: Vec<Value> = server
            .facts()
            .variants(&viewer, id)?
            .iter()
            .map(|variant| {
                json!({
                    "id": variant.id,
                    "firstSeen": variant.seen.first,
                    "lastSeen": variant.seen.last,
                    "edges": edges(&variant.flows),
                })
            })
            .collect();
        Ok(Json(json!({
            "operation": operation.id,
            "lineageKnown": operation.lineage_known,
            "variants": variants,
        })))
    })
    .await
}

fn edges(flows: &Flows) -> Vec<Value> {
    let by_index: BTreeMap<u32, Value> =
        (0_u32..).zip(flows.vertices.iter().map(|vertex| vertex_name(flows, vertex))).collect();
    let named = |vertices: &[u32]| -> Vec<Value> {
        vertices.iter().filter_map(|vertex| by_index.get(vertex).cloned()).collect()
    };
    flows
        .edges
        .iter()
        .map(|edge| {
            json!({
                "type": view::lineage::flow_word(edge.kind),
                "sources": named(&edge.sources),
                "targets": named(&edge.targets),
                "expression": edge.expression,
            })
        })
        .collect()
}

fn vertex_name(flows: &Flows, vertex: &Vertex) -> Value {
    let table = |index: &u32| flows.tables.get(*index as usize).map(|table| table.name.qualified());
    match vertex {
        Vertex::Column { table: index, column } => json!({ "table": table(index), "column": column }),
        Vertex::Table { table: index } => json!({ "table": table(index) }),
        Vertex::Result { label } => json!({ "result": label }),
    }
}
