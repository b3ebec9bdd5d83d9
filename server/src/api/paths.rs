//! The shortest ways from one asset to another.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use sextant_graph::{MAX_DEPTH, Options, Root, paths as find_paths};
use utoipa::IntoParams;

use super::entities::find;
use super::parameters::{Parameters, switch};
use super::walks::{Asked, answer_from_graph, root};
use super::{ApiError, Shared};
use crate::view::lineage::LineageAnswer;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the request")]
pub(super) struct PathParameters {
    /// The name or id of a table, view, path or column.
    from: String,
    /// The name or id of the other end.
    to: String,
    /// downstream (data comes from `from` to `to`), upstream (it comes from `to` to `from`) or both
    /// (the default).
    direction: Option<String>,
    /// Hops between assets, 1 to 10; 10 where it is left out. Operations never count.
    max_depth: Option<u64>,
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
    /// Go through names that no source has shown, too.
    #[serde(default, deserialize_with = "switch")]
    unlinked: bool,
    /// Go through the directories of tables, too.
    #[serde(default, deserialize_with = "switch")]
    physical: bool,
    /// Only what had been seen by this time (RFC 3339, a date, or milliseconds).
    as_of: Option<String>,
    /// Only flows that were seen at or after this time.
    seen_from: Option<String>,
    /// Only flows that were seen at or before this time.
    seen_to: Option<String>,
    /// Only flows of the present life of both ends.
    #[serde(default, deserialize_with = "switch")]
    current_life: bool,
    /// At most this many nodes, 1 to 10,000; 100 where it is left out. Whole ways are left out.
    limit: Option<usize>,
    /// Only in this cluster.
    cluster: Option<String>,
}

/// The shortest ways between two assets, as a lineage of the first. Notes say what was found.
#[utoipa::path(
    get,
    path = "/api/v1/paths",
    tag = "read",
    params(PathParameters),
    responses(
        (status = 200, description = "as `/api/v1/lineage/{name}`; without a way only the first end", body = LineageAnswer),
        (status = 404, description = "nothing is called so", body = Value),
        (status = 409, description = "several things are called so: `candidates`", body = Value),
        (status = 503, description = "the graph is being loaded; `Retry-After` says when to ask again", body = Value)
    )
)]
pub(super) async fn paths(
    State(server): Shared,
    Parameters(parameters): Parameters<PathParameters>,
) -> Result<Json<LineageAnswer>, ApiError> {
    let options = options(&parameters)?;
    let answer = answer_from_graph(&server, move |server, graph, viewer| {
        let end = |name: &str| {
            let root = root(find(server, name, parameters.cluster.as_deref(), None)?)?;
            if matches!(root, Root::Operation(_)) {
                return Err(ApiError::bad_request(format!("{name} is an operation: a path leads from asset to asset"))
                    .hint("ask for the lineage of the operation"));
            }
            Ok(root)
        };
        let (from, to) = (end(&parameters.from)?, end(&parameters.to)?);
        Ok(find_paths(graph, server.facts(), viewer, &from, &to, &options)?)
    })
    .await?;
    Ok(Json(answer))
}

fn options(parameters: &PathParameters) -> Result<Options, ApiError> {
    let asked = Asked {
        direction: parameters.direction.as_deref(),
        depth: parameters.max_depth.map(|depth| ("maxDepth", depth)),
        as_of: parameters.as_of.as_deref(),
        seen: [("seenFrom", parameters.seen_from.as_deref()), ("seenTo", parameters.seen_to.as_deref())],
        limit: parameters.limit,
    };
    asked.options(&Options {
        depth: MAX_DEPTH,
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
