//! Where data comes from and goes to.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use sextant_graph::{Options, walk};
use utoipa::IntoParams;

use super::entities::find;
use super::parameters::{Parameters, switch};
use super::walks::{Asked, answer_from_graph, note_of_no_table, root};
use super::{ApiError, Shared};
use crate::server::Server;
use crate::view::lineage::LineageAnswer;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the request")]
pub(super) struct LineageParameters {
    /// The name or id, where it is not part of the path.
    name: Option<String>,
    /// upstream, downstream or both (the default).
    direction: Option<String>,
    /// Hops between assets, 1 to 10; 2 where it is left out. Operations never count.
    depth: Option<u64>,
    /// Show operations as nodes.
    #[serde(default, deserialize_with = "switch")]
    operations: bool,
    /// Show deleted assets; without it they are folded through.
    #[serde(default, deserialize_with = "switch")]
    deleted: bool,
    /// Also follow columns that only decide which rows arrive (joins and filters).
    #[serde(default, deserialize_with = "switch")]
    control_flow: bool,
    /// Say which columns flow into which.
    #[serde(default, deserialize_with = "switch")]
    columns: bool,
    /// Show names that no source has shown.
    #[serde(default, deserialize_with = "switch")]
    unlinked: bool,
    /// Show the directories of tables. A directory or file shows its tables always.
    #[serde(default, deserialize_with = "switch")]
    physical: bool,
    /// Only what had been seen by this time (RFC 3339, a date, or milliseconds).
    as_of: Option<String>,
    /// Only flows that were seen at or after this time. A flow counts as seen from its first to its last run.
    from: Option<String>,
    /// Only flows that were seen at or before this time.
    to: Option<String>,
    /// Only flows of the present life of both ends.
    #[serde(default, deserialize_with = "switch")]
    current_life: bool,
    /// At most this many nodes, 1 to 10,000; 100 where it is left out.
    limit: Option<usize>,
    /// Only in this cluster.
    cluster: Option<String>,
    /// Only of this type (TABLE, VIEW, FIELD, ...).
    #[serde(rename = "type")]
    entity_type: Option<String>,
}

/// The lineage of a table, view, column, operation, or of a name that no source has shown.
#[utoipa::path(
    get,
    path = "/api/v1/lineage/{name}",
    tag = "read",
    params(("name" = String, Path, description = "an id or a name, percent-encoded"), LineageParameters),
    responses(
        (status = 200, description = "a part of the lineage graph", body = LineageAnswer),
        (status = 404, description = "nothing is called so", body = Value),
        (status = 409, description = "several things are called so: `candidates`", body = Value),
        (status = 503, description = "the graph is being loaded; `Retry-After` says when to ask again", body = Value)
    )
)]
pub(super) async fn lineage(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(parameters): Parameters<LineageParameters>,
) -> Result<Json<LineageAnswer>, ApiError> {
    answer(server, name, parameters).await
}

/// The same with the name as a parameter.
#[utoipa::path(
    get,
    path = "/api/v1/lineage",
    tag = "read",
    params(LineageParameters),
    responses((status = 200, description = "as `/api/v1/lineage/{name}`", body = LineageAnswer))
)]
pub(super) async fn lineage_by_parameter(
    State(server): Shared,
    Parameters(mut parameters): Parameters<LineageParameters>,
) -> Result<Json<LineageAnswer>, ApiError> {
    let name = parameters.name.take().ok_or_else(|| ApiError::bad_request("name is missing: whose lineage?"))?;
    answer(server, name, parameters).await
}

async fn answer(
    server: Arc<Server>,
    name: String,
    parameters: LineageParameters,
) -> Result<Json<LineageAnswer>, ApiError> {
    let options = options(&parameters)?;
    let answer = answer_from_graph(&server, move |server, graph, viewer| {
        let resolved = find(server, &name, parameters.cluster.as_deref(), parameters.entity_type.as_deref())?;
        let mut walked = walk(graph, server.facts(), viewer, &root(resolved)?, &options)?;
        walked.coverage.notes.extend(note_of_no_table(server, viewer, &walked, &options)?);
        Ok(walked)
    })
    .await?;
    Ok(Json(answer))
}

fn options(parameters: &LineageParameters) -> Result<Options, ApiError> {
    let asked = Asked {
        direction: parameters.direction.as_deref(),
        depth: parameters.depth.map(|depth| ("depth", depth)),
        as_of: parameters.as_of.as_deref(),
        seen: [("from", parameters.from.as_deref()), ("to", parameters.to.as_deref())],
        limit: parameters.limit,
    };
    asked.options(&Options {
        operations: parameters.operations,
        deleted: parameters.deleted,
        control_flow: parameters.control_flow,
        columns: parameters.columns,
        unlinked: parameters.unlinked,
        physical: parameters.physical,
        current_life: parameters.current_life,
        ..Options::default()
    })
}
