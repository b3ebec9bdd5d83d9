//! Where data comes from and goes to.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use sextant_graph::{Asset, Direction, Lineage, MAX_DEPTH, NodeContent, Options, Root, walk};
use sextant_model::{EntityType, NameKey, NameKind, Timestamp, Viewer};
use utoipa::IntoParams;

use super::entities::find;
use super::parameters::{Parameters, number_within, switch};
use super::{ApiError, Shared, blocking};
use crate::resolve::Resolved;
use crate::server::Server;
use crate::view;
use crate::view::lineage::LineageAnswer;

/// When to ask again while the graph is being loaded.
const LOADING_RETRY_SECONDS: u64 = 5;
/// The most nodes of one answer.
const MAX_NODES: u64 = 10_000;

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

async fn answer(server: Arc<Server>, name: String, parameters: LineageParameters) -> Result<Json<LineageAnswer>, ApiError> {
    let options = options(&parameters)?;
    let newest = blocking(&server, |server| Ok(server.facts().newest_change()?)).await?;
    server.graph.wait_for(newest).await;
    blocking(&server, move |server| {
        let resolved = find(server, &name, parameters.cluster.as_deref(), parameters.entity_type.as_deref())?;
        let root = root(resolved)?;
        let viewer = Viewer::all();
        let graph = server.graph.graph().ok_or_else(not_loaded)?;
        let behind = newest.saturating_sub(graph.position());
        let mut walked = walk(&graph.read(), server.facts(), &viewer, &root, &options)?;
        walked.coverage.notes.extend(note_of_lag(behind));
        if walked.placements.is_empty() {
            walked.coverage.notes.extend(note_of_no_table(server, &viewer, &walked, &options)?);
        }
        Ok(Json(view::lineage::lineage(&server.physical(&viewer), &walked)?))
    })
    .await
}

/// What to answer while there is nothing to walk over.
fn not_loaded() -> ApiError {
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "the lineage graph is being loaded after the start of the server")
        .hint("ask again in a few seconds")
        .retry_after(LOADING_RETRY_SECONDS)
}

/// That the graph lacks what was committed last, if it does.
fn note_of_lag(behind: u64) -> Option<String> {
    (behind > 0).then(|| format!("the last {behind} changes are not in the graph yet: ask again in a moment"))
}

/// Of a directory or file that is no table's that it is so, and what lies below, where a walk does
/// not go.
fn note_of_no_table(
    server: &Server,
    viewer: &Viewer,
    walked: &Lineage,
    options: &Options,
) -> Result<Option<String>, ApiError> {
    let Some(NodeContent::Entity(root)) = walked.nodes.first().map(|root| &root.content) else {
        return Ok(None);
    };
    if !view::physical::is_path(root) {
        return Ok(None);
    }
    let name = NameKey { cluster: root.cluster.clone(), kind: NameKind::Path, qualified: root.qualified_name.clone() };
    let living = if options.deleted { "" } else { "living " };
    let mut note = format!("no {living}table lies at or above {}", root.qualified_name);
    if !server.facts().located_below(viewer, &name, 1)?.is_empty() {
        note.push_str("; what lies below is listed by `sextant entity`, and not walked to");
    }
    Ok(Some(note))
}

fn options(parameters: &LineageParameters) -> Result<Options, ApiError> {
    let defaults = Options::default();
    let direction = match parameters.direction.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("both") => Direction::Both,
        Some("upstream") => Direction::Upstream,
        Some("downstream") => Direction::Downstream,
        Some(_) => {
            return Err(ApiError::bad_request("direction is upstream, downstream or both"));
        }
    };
    let depth = match parameters.depth {
        None => defaults.depth,
        Some(depth) => number_within("depth", depth, 1..=u64::from(MAX_DEPTH))? as u8,
    };
    let limit = match parameters.limit {
        None => defaults.limit,
        Some(limit) => number_within("limit", limit as u64, 1..=MAX_NODES)? as usize,
    };
    let as_of = match parameters.as_of.as_deref() {
        None => None,
        Some(text) => Some(
            Timestamp::parse(text)
                .ok_or_else(|| ApiError::bad_request("asOf is a time such as 2026-11-30T12:00:00Z or 2026-11-30"))?,
        ),
    };
    Ok(Options {
        direction,
        depth,
        operations: parameters.operations,
        deleted: parameters.deleted,
        control_flow: parameters.control_flow,
        columns: parameters.columns,
        unlinked: parameters.unlinked,
        physical: parameters.physical,
        as_of,
        seen_from: None,
        seen_to: None,
        current_life: parameters.current_life,
        limit,
    })
}

fn root(resolved: Resolved) -> Result<Root, ApiError> {
    match resolved {
        Resolved::Operation(operation) => Ok(Root::Operation(operation)),
        Resolved::Execution(execution) => Ok(Root::Operation(execution.operation)),
        Resolved::Unlinked(name) => Ok(Root::Asset(Asset::Unlinked(name))),
        Resolved::UnlistedColumn { table, column } => Ok(Root::Field { table: table.id, column }),
        Resolved::Entity(entity) => match (entity.entity_type, entity.parent) {
            (EntityType::Field, Some(table)) => Ok(Root::Field { table, column: entity.original_name }),
            (EntityType::Partition, Some(table)) => Ok(Root::Asset(Asset::Entity(table))),
            (EntityType::Database, _) => Err(ApiError::bad_request(format!(
                "{} is a database: a database has no lineage",
                entity.qualified_name
            ))
            .hint("ask for one of its tables")),
            _ => Ok(Root::Asset(Asset::Entity(entity.id))),
        },
    }
}
