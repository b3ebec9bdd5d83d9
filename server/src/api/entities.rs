//! Single things, by id or name.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sextant_model::operation::Usage;
use sextant_model::{Entity, EntityId, EntityType, NameKey, NameKind, Viewer};
use utoipa::IntoParams;

use super::parameters::{Parameters, number_within};
use super::{ApiError, Shared, blocking};
use crate::resolve::{Resolved, Wanted, resolve};
use crate::server::Server;
use crate::view::{self, Object};

/// Operations that an entity's own answer lists.
const LISTED_OPERATIONS: usize = 20;

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
            description = "the entity; its properties stand beside the fixed keys. A database, table or partition has \
                           its `location: {written, path, rule, ruleInWords, directory, note, alsoHere}`; a directory \
                           or file has `locatedHere`, `locatedAbove`, `locatedBelow` and `lastChanged`. What rests on a \
                           file system says which state of it: `namespaceState: {source, transaction, taken, identity}`",
            body = Value
        ),
        (status = 404, description = "nothing is called so", body = Value),
        (status = 409, description = "several things are called so: `candidates`", body = Value)
    )
)]
pub(super) async fn entity(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(narrowed): Parameters<NameParameters>,
) -> Result<Json<Value>, ApiError> {
    answer(server, name, narrowed).await
}

/// The same with the name as a parameter.
#[utoipa::path(
    get,
    path = "/api/v1/entities",
    tag = "read",
    params(NamedParameters),
    responses((status = 200, description = "as `/api/v1/entities/{name}`", body = Value))
)]
pub(super) async fn entity_by_parameter(
    State(server): Shared,
    Parameters(named): Parameters<NamedParameters>,
) -> Result<Json<Value>, ApiError> {
    let narrowed = NameParameters { cluster: named.cluster, entity_type: named.entity_type };
    answer(server, named.name, narrowed).await
}

async fn answer(server: Arc<Server>, name: String, narrowed: NameParameters) -> Result<Json<Value>, ApiError> {
    blocking(&server, move |server| {
        let resolved = find(server, &name, narrowed.cluster.as_deref(), narrowed.entity_type.as_deref())?;
        Ok(Json(Value::Object(shown(server, resolved)?)))
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

fn shown(server: &Server, resolved: Resolved) -> Result<Object, ApiError> {
    let viewer = Viewer::all();
    let facts = server.facts();
    match resolved {
        Resolved::Entity(entity) => {
            let mut object = view::entity::entity(&entity);
            if view::physical::is_path(&entity) {
                server.physical(&viewer).put_owners_around(&mut object, &entity)?;
            } else {
                server.physical(&viewer).put_location(&mut object, &entity)?;
            }
            put_users(server, &mut object, &used_names(server, &entity)?)?;
            Ok(object)
        }
        Resolved::Operation(id) => {
            let summary = facts.operations(&viewer, &[id])?.pop().ok_or_else(gone)?;
            let mut object = view::operation::operation(&summary);
            view::operation::put_inputs_and_outputs(&mut object, facts, &viewer, id)?;
            let texts = facts.texts_of(&viewer, id, LISTED_OPERATIONS as u64)?;
            let texts: Vec<Value> =
                texts.iter().map(|text| json!({ "text": text.text, "firstSeen": text.first_seen })).collect();
            object.insert("queryTexts".to_owned(), texts.into());
            Ok(object)
        }
        Resolved::Execution(execution) => {
            view::execution::executions(facts, &viewer, &[*execution])?.pop().ok_or_else(gone)
        }
        Resolved::Unlinked(name) => {
            let mut object = view::entity::unlinked_name(&name);
            object.insert("knownByNameOnly".to_owned(), true.into());
            if name.kind == NameKind::Path {
                server.physical(&viewer).put_owners_around_name(&mut object, &name)?;
            }
            put_users(server, &mut object, &[name])?;
            Ok(object)
        }
        Resolved::UnlistedColumn { table, column } => {
            Err(ApiError::new(StatusCode::NOT_FOUND, format!("{} has no column {column:?}", table.qualified_name))
                .hint("`sextant entity` lists a table's columns; lineage may still know a column that is gone"))
        }
    }
}

fn gone() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "it is not there any more")
}

/// The names by which operations use an entity: a column or partition is used with its table.
fn used_names(server: &Server, entity: &Entity) -> Result<Vec<NameKey>, ApiError> {
    let asset = match entity.entity_type {
        EntityType::Field | EntityType::Partition => entity.parent.unwrap_or(entity.id),
        _ => entity.id,
    };
    Ok(server.facts().names_of(&Viewer::all(), &[asset])?.into_iter().map(|(_, name)| name).collect())
}

/// Adds which operations use the names, the last ones first.
fn put_users(server: &Server, object: &mut Object, names: &[NameKey]) -> Result<(), ApiError> {
    let (total, users) = users(server, names, 0, LISTED_OPERATIONS)?;
    object.insert("usedByTotal".to_owned(), total.into());
    object.insert("usedBy".to_owned(), users.into_iter().map(Value::Object).collect::<Vec<_>>().into());
    Ok(())
}

/// How many uses of the names there are, and a part of them, the last ones first.
fn users(server: &Server, names: &[NameKey], skip: usize, limit: usize) -> Result<(usize, Vec<Object>), ApiError> {
    let viewer = Viewer::all();
    let mut usages = server.facts().usages_of_names(&viewer, names)?;
    usages.sort_by_key(|usage| (std::cmp::Reverse(usage.seen.last), usage.operation, usage.role));
    usages.dedup_by_key(|usage| (usage.operation, usage.role));
    let total = usages.len();
    let usages: Vec<Usage> = usages.into_iter().skip(skip).take(limit).collect();
    let ids: Vec<EntityId> = usages.iter().map(|usage| usage.operation).collect();
    let operations = server.facts().operations(&viewer, &ids)?;
    let users = usages
        .iter()
        .filter_map(|usage| {
            let summary = operations.iter().find(|summary| summary.operation.id == usage.operation)?;
            Some(used_by(usage, &view::operation::operation(summary)))
        })
        .collect();
    Ok((total, users))
}

fn used_by(usage: &Usage, operation: &Object) -> Object {
    let mut shown = Object::new();
    shown.insert("operation".to_owned(), json!(usage.operation));
    shown.insert("role".to_owned(), json!(usage.role));
    for key in ["operationType", "sourceType", "queryText", "principal", "userIsService"] {
        shown.insert(key.to_owned(), operation.get(key).cloned().unwrap_or_default());
    }
    shown.insert("firstSeen".to_owned(), json!(usage.seen.first));
    shown.insert("lastSeen".to_owned(), json!(usage.seen.last));
    shown
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

    /// Puts the list together; `results` may hold one more than asked for.
    fn part(&self, mut results: Vec<Object>) -> Json<Value> {
        let more = results.len() as u64 > self.limit;
        results.truncate(self.limit as usize);
        let next = more.then_some(self.skip + self.limit);
        Json(json!({ "results": results, "next": next }))
    }
}

/// Which operations read or write an entity, or a name that no source has shown, the last ones first.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/usages",
    tag = "read",
    params(("name" = String, Path, description = "an id or a name"), PartParameters),
    responses((
        status = 200,
        description = "`{results: [{operation, role, queryText, principal, firstSeen, lastSeen, …}], next, total}`",
        body = Value
    ))
)]
pub(super) async fn usages(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(part): Parameters<PartParameters>,
) -> Result<Json<Value>, ApiError> {
    part.check()?;
    blocking(&server, move |server| {
        let names = match find(server, &name, part.cluster.as_deref(), None)? {
            Resolved::Entity(entity) => used_names(server, &entity)?,
            Resolved::Unlinked(name) => vec![name],
            _ => Vec::new(),
        };
        let (total, results) = users(server, &names, part.skip as usize, part.limit as usize + 1)?;
        let Json(mut shown) = part.part(results);
        shown["total"] = total.into();
        Ok(Json(shown))
    })
    .await
}

/// The parts of an entity: a database's tables, a table's columns and partitions.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/children",
    tag = "read",
    params(("name" = String, Path, description = "an id or a name"), PartParameters),
    responses((status = 200, description = "`{results: [entity…], next}`; `next` is the next `skip`", body = Value))
)]
pub(super) async fn children(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(part): Parameters<PartParameters>,
) -> Result<Json<Value>, ApiError> {
    part.check()?;
    blocking(&server, move |server| {
        let Resolved::Entity(parent) = find(server, &name, part.cluster.as_deref(), None)? else {
            return Ok(part.part(Vec::new()));
        };
        let children = server.facts().children(&Viewer::all(), parent.id, part.skip, part.limit + 1)?;
        Ok(part.part(children.iter().map(view::entity::entity).collect()))
    })
    .await
}

/// The runs of an operation, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/executions",
    tag = "read",
    params(("name" = String, Path, description = "an operation's id"), PartParameters),
    responses((status = 200, description = "`{results: [execution…], next}`; `next` is the next `skip`", body = Value))
)]
pub(super) async fn executions(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(part): Parameters<PartParameters>,
) -> Result<Json<Value>, ApiError> {
    part.check()?;
    blocking(&server, move |server| {
        let Resolved::Operation(operation) = find(server, &name, part.cluster.as_deref(), None)? else {
            return Err(ApiError::bad_request("only operations have executions"));
        };
        let viewer = Viewer::all();
        let runs = server.facts().executions_of(&viewer, operation, part.skip, part.limit + 1)?;
        Ok(part.part(view::execution::executions(server.facts(), &viewer, &runs)?))
    })
    .await
}
