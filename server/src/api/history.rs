//! What became of a thing: its lives and the names that it had.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};
use sextant_model::Viewer;

use super::entities::{NameParameters, find};
use super::parameters::Parameters;
use super::{ApiError, Shared, blocking};
use crate::resolve::Resolved;

/// The lives of an entity and every name that leads to it. What is no entity has neither.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/history",
    tag = "read",
    params(("name" = String, Path, description = "an id or a name"), NameParameters),
    responses((
        status = 200,
        description = "`{lives: [{number, created, firstSeen, lastSeen, over}], names: [{qualifiedName, present}]}`; \
                       `over` is when a life was found to be over, `present` whether it is called so now",
        body = Value
    ))
)]
pub(super) async fn history(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(narrowed): Parameters<NameParameters>,
) -> Result<Json<Value>, ApiError> {
    blocking(&server, move |server| {
        let resolved = find(server, &name, narrowed.cluster.as_deref(), narrowed.entity_type.as_deref())?;
        let Resolved::Entity(entity) = resolved else {
            return Ok(Json(json!({ "lives": [], "names": [] })));
        };
        let facts = server.facts();
        let mut lives = facts.lives(&[entity.id])?.remove(&entity.id).unwrap_or_default();
        lives.sort_by_key(|life| life.number);
        let lives: Vec<Value> = lives
            .iter()
            .map(|life| {
                json!({
                    "number": life.number,
                    "created": life.created,
                    "firstSeen": life.first_seen,
                    "lastSeen": life.last_seen,
                    "over": life.over,
                })
            })
            .collect();
        let names: Vec<Value> = facts
            .names_of(&Viewer::all(), &[entity.id])?
            .iter()
            .map(|(_, name)| {
                json!({ "qualifiedName": name.qualified, "present": name.qualified == entity.qualified_name })
            })
            .collect();
        Ok(Json(json!({ "lives": lives, "names": names })))
    })
    .await
}
