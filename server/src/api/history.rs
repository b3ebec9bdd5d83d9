//! What became of a thing: its lives and the names that it had.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use sextant_model::{Timestamp, Viewer};
use utoipa::ToSchema;

use super::entities::{NameParameters, find};
use super::parameters::Parameters;
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::resolve::Resolved;

/// What became of a thing.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(super) struct HistoryAnswer {
    /// By number.
    lives: Vec<LifeAnswer>,
    /// Every name that leads to it.
    names: Vec<HadNameAnswer>,
}

/// From a creation to the next one.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LifeAnswer {
    number: u32,
    /// When its source says that it was created.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    created: Option<Timestamp>,
    /// When it was first seen.
    #[schema(value_type = String, format = DateTime)]
    first_seen: Timestamp,
    /// When it was last seen.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    last_seen: Option<Timestamp>,
    /// When it was found to be over; null while it is not.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    over: Option<Timestamp>,
}

/// A name that it has, or had.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct HadNameAnswer {
    /// `db.table`, `/path`.
    qualified_name: String,
    /// Whether it is called so now.
    present: bool,
}

/// The lives of an entity and every name that leads to it. What is no entity has neither.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/history",
    tag = "read",
    params(("name" = String, Path, description = "an id or a name"), NameParameters),
    responses(
        (status = 200, description = "its lives and names", body = HistoryAnswer),
        (status = 404, description = "nothing is called so", body = ErrorAnswer)
    )
)]
pub(super) async fn history(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(narrowed): Parameters<NameParameters>,
) -> Result<Json<HistoryAnswer>, ApiError> {
    blocking(&server, move |server| {
        let resolved = find(server, &name, narrowed.cluster.as_deref(), narrowed.entity_type.as_deref())?;
        let Resolved::Entity(entity) = resolved else {
            return Ok(Json(HistoryAnswer::default()));
        };
        let facts = server.facts();
        let mut lives = facts.lives(&[entity.id])?.remove(&entity.id).unwrap_or_default();
        lives.sort_by_key(|life| life.number);
        let lives = lives
            .into_iter()
            .map(|life| LifeAnswer {
                number: life.number,
                created: life.created,
                first_seen: life.first_seen,
                last_seen: life.last_seen,
                over: life.over,
            })
            .collect();
        let names = facts
            .names_of(&Viewer::all(), &[entity.id])?
            .into_iter()
            .map(|(_, name)| HadNameAnswer {
                present: name.qualified == entity.qualified_name,
                qualified_name: name.qualified,
            })
            .collect();
        Ok(Json(HistoryAnswer { lives, names }))
    })
    .await
}
