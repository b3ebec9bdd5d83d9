//! Single things, by id or name.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sextant_model::{EntityType, Viewer};
use utoipa::{IntoParams, ToSchema};

use super::parameters::{Parameters, number_within};
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::resolve::{Resolved, Wanted, resolve};
use crate::server::Server;
use crate::view;
use crate::view::entity::EntityAnswer;
use crate::view::execution::{ExecutionAnswer, executions as executions_in_order};
use crate::view::single::{SingleAnswer, single_entity, single_name, single_operation};

/// What narrows a name.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct NameParameters {
    /// Only in this cluster.
    pub(super) cluster: Option<String>,
    /// Only of this type (TABLE, VIEW, FIELD, DIRECTORY, ...).
    #[serde(rename = "type")]
    pub(super) entity_type: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct NamedParameters {
    /// The name or id.
    name: String,
    /// Only in this cluster.
    cluster: Option<String>,
    /// Only of this type (TABLE, VIEW, FIELD, DIRECTORY, ...).
    #[serde(rename = "type")]
    entity_type: Option<String>,
}

/// One entity, operation or execution; or a name that no source has shown.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}",
    tag = "read",
    params(("name" = String, Path, description = "an id, `db.table`, `db.table.column`, `/path`, `hdfs://authority/path`; percent-encoded"), NameParameters),
    responses(
        (
            status = 200,
            description = "the entity; its properties stand beside the fixed keys",
            body = SingleAnswer
        ),
        (status = 404, description = "nothing is called so", body = ErrorAnswer),
        (status = 409, description = "several things are called so: `candidates`", body = ErrorAnswer)
    )
)]
pub(super) async fn entity(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(narrowed): Parameters<NameParameters>,
) -> Result<Json<SingleAnswer>, ApiError> {
    answer(server, name, narrowed).await
}

/// The same with the name as a parameter.
#[utoipa::path(
    get,
    path = "/api/v1/entities",
    tag = "read",
    params(NamedParameters),
    responses((status = 200, description = "as `/api/v1/entities/{name}`", body = SingleAnswer))
)]
pub(super) async fn entity_by_parameter(
    State(server): Shared,
    Parameters(named): Parameters<NamedParameters>,
) -> Result<Json<SingleAnswer>, ApiError> {
    let narrowed = NameParameters { cluster: named.cluster, entity_type: named.entity_type };
    answer(server, named.name, narrowed).await
}

async fn answer(server: Arc<Server>, name: String, narrowed: NameParameters) -> Result<Json<SingleAnswer>, ApiError> {
    blocking(&server, move |server| {
        let resolved = find(server, &name, narrowed.cluster.as_deref(), narrowed.entity_type.as_deref())?;
        Ok(Json(shown(server, resolved)?))
    })
    .await
}

/// Finds what a request means by a name.
pub(super) fn find(
    server: &Server,
    name: &str,
    cluster: Option<&str>,
    entity_type: Option<&str>,
) -> Result<Resolved, ApiError> {
    let entity_type = match entity_type {
        None => None,
        Some(word) => Some(word.parse::<EntityType>().map_err(|error| {
            let known = EntityType::ALL.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(", ");
            ApiError::bad_request(format!("type: {error}")).hint(format!("the types are {known}"))
        })?),
    };
    let cluster = cluster.map(|cluster| server.clusters.canonical(cluster));
    Ok(resolve(
        server.facts(),
        &Viewer::all(),
        Wanted { name, cluster, entity_type, file_systems: &server.file_systems },
    )?)
}

fn shown(server: &Server, resolved: Resolved) -> Result<SingleAnswer, ApiError> {
    let viewer = Viewer::all();
    let physical = server.physical(&viewer);
    match resolved {
        Resolved::Entity(entity) => Ok(single_entity(&physical, &entity)?),
        Resolved::Operation(id) => {
            let summary = server.facts().operations(&viewer, &[id])?.pop().ok_or_else(gone)?;
            Ok(SingleAnswer::Operation(Box::new(single_operation(server.facts(), &viewer, &summary)?)))
        }
        Resolved::Execution(execution) => {
            let execution = executions_in_order(server.facts(), &viewer, &[*execution])?.pop().ok_or_else(gone)?;
            Ok(SingleAnswer::Execution(Box::new(execution)))
        }
        Resolved::Unlinked(name) => Ok(single_name(&physical, &name)?),
        Resolved::UnlistedColumn { table, column } => {
            Err(ApiError::new(StatusCode::NOT_FOUND, format!("{} has no column {column:?}", table.qualified_name))
                .hint("`sextant entity` lists a table's columns; lineage may still know a column that is gone"))
        }
    }
}

fn gone() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "it is not there any more")
}

/// Which part of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PartParameters {
    /// How many to leave out at the beginning.
    #[serde(default)]
    skip: u64,
    /// At most this many, 1 to 1,000.
    #[serde(default = "default_limit")]
    limit: u64,
    /// Only in this cluster.
    cluster: Option<String>,
}

const fn default_limit() -> u64 {
    100
}

impl PartParameters {
    fn check(&self) -> Result<(), ApiError> {
        number_within("limit", self.limit, 1..=1_000).map(|_| ())
    }

    /// The part itself, and the `skip` of the next one; `found` may hold one more than asked for.
    fn cut<T>(&self, mut found: Vec<T>) -> (Vec<T>, Option<u64>) {
        let more = found.len() as u64 > self.limit;
        found.truncate(self.limit as usize);
        (found, more.then_some(self.skip.saturating_add(self.limit)))
    }
}

/// A part of an entity's parts.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChildrenAnswer {
    results: Vec<EntityAnswer>,
    /// The `skip` of the next part of the list; null when there is none.
    #[schema(required)]
    next: Option<u64>,
}

/// A part of an operation's runs, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ExecutionsAnswer {
    results: Vec<ExecutionAnswer>,
    /// The `skip` of the next part of the list; null when there is none.
    #[schema(required)]
    next: Option<u64>,
}

/// The parts of an entity: a database's tables, a table's columns and partitions.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/children",
    tag = "read",
    params(("name" = String, Path, description = "an id or a name"), PartParameters),
    responses((status = 200, description = "a part of the list", body = ChildrenAnswer))
)]
pub(super) async fn children(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(part): Parameters<PartParameters>,
) -> Result<Json<ChildrenAnswer>, ApiError> {
    part.check()?;
    blocking(&server, move |server| {
        let Resolved::Entity(parent) = find(server, &name, part.cluster.as_deref(), None)? else {
            return Ok(Json(ChildrenAnswer { results: Vec::new(), next: None }));
        };
        let children = server.facts().children(&Viewer::all(), parent.id, part.skip, part.limit + 1)?;
        let (results, next) = part.cut(children.iter().map(view::entity::entity).collect());
        Ok(Json(ChildrenAnswer { results, next }))
    })
    .await
}

/// The runs of an operation, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/executions",
    tag = "read",
    params(("name" = String, Path, description = "an operation's id"), PartParameters),
    responses((status = 200, description = "a part of the list", body = ExecutionsAnswer))
)]
pub(super) async fn executions(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(part): Parameters<PartParameters>,
) -> Result<Json<ExecutionsAnswer>, ApiError> {
    part.check()?;
    blocking(&server, move |server| {
        let Resolved::Operation(operation) = find(server, &name, part.cluster.as_deref(), None)? else {
            return Err(ApiError::bad_request("only operations have executions"));
        };
        let viewer = Viewer::all();
        let runs = server.facts().executions_of(&viewer, operation, part.skip, part.limit + 1)?;
        let (results, next) = part.cut(executions_in_order(server.facts(), &viewer, &runs)?);
        Ok(Json(ExecutionsAnswer { results, next }))
    })
    .await
}
