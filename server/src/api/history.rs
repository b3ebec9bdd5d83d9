//! What became of a thing: its lives, the names that it had, what runs found changed of it.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use sextant_model::{Entity, EntityType, Timestamp, Viewer};
use sextant_store::{Facts, KeptChanges, StoreError};
use utoipa::ToSchema;

use super::entities::{NameParameters, find};
use super::parameters::Parameters;
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::resolve::Resolved;
use crate::view;
use crate::view::change::EntityChangeAnswer;

/// What became of a thing.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HistoryAnswer {
    /// By number.
    lives: Vec<LifeAnswer>,
    /// Every name that leads to it.
    names: Vec<HadNameAnswer>,
    /// What runs found changed since it was first seen, the newest first, at most 100. Of a column
    /// what they found of it in its table's columns.
    changes: Vec<EntityChangeAnswer>,
    /// How many older changes there were that are no longer kept.
    changes_forgotten: u64,
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

/// The lives of an entity, every name that leads to it, and what runs found changed of it. What is
/// no entity has none of these. Told is what somebody decided: columns, owner, rights, location,
/// text, parameters, that it went and came; not what changes as data comes (sizes, statistics,
/// partitions). Of directories and files it is told where a location or a statement names them.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/history",
    tag = "read",
    params(("name" = String, Path, description = "an id or a name"), NameParameters),
    responses(
        (status = 200, description = "its lives, names and changes", body = HistoryAnswer),
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
        let KeptChanges { changes, forgotten } = changes_of(facts, &entity)?;
        let changes = changes.iter().map(view::change::change).collect();
        Ok(Json(HistoryAnswer { lives, names, changes, changes_forgotten: forgotten }))
    })
    .await
}

/// What is kept of an entity's changes; those of a column are kept with its table.
fn changes_of(facts: &dyn Facts, entity: &Entity) -> Result<KeptChanges, StoreError> {
    let viewer = Viewer::all();
    let table = entity.parent.filter(|_| entity.entity_type == EntityType::Field);
    let Some(table) = table else {
        return facts.entity_changes(&viewer, entity.id);
    };
    let KeptChanges { changes, forgotten } = facts.entity_changes(&viewer, table)?;
    Ok(KeptChanges { changes: view::change::of_column(changes, &entity.original_name), forgotten })
}
