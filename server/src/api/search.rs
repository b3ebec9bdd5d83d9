//! Searching.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sextant_model::{EntityId, Viewer};
use sextant_search::{FIELDS, Found, Options, QueryError, Sort, parse};
use sextant_store::{Facts, StoreError};
use utoipa::IntoParams;

use super::parameters::{Parameters, number_within};
use super::{ApiError, Shared, blocking};
use crate::clock::now;
use crate::view;

/// Results of one page where nothing is said.
const DEFAULT_LIMIT: usize = 50;
/// The most results of one page.
const MAX_LIMIT: u64 = 1_000;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SearchParameters {
    /// In Navigator's query language; empty finds everything.
    #[serde(default)]
    query: String,
    /// At most this many results, 0 to 1,000; 50 where it is left out.
    limit: Option<usize>,
    /// The `next` of the page before.
    cursor: Option<String>,
    /// relevance, name, created, started or lastSeen; with a - before it the greatest first.
    sort: Option<String>,
    /// true counts all facet fields; a list of fields, separated by commas, only these.
    facets: Option<String>,
}

/// Finds entities, operations and executions.
#[utoipa::path(
    get,
    path = "/api/v1/search",
    tag = "read",
    params(SearchParameters),
    responses(
        (
            status = 200,
            description = "`{total, totalIsExact, results: [entity…], facets: {field: [{value, count}]}, next}`",
            body = Value
        ),
        (status = 400, description = "the query is wrong: `position`, and `detail` with a mark under the place", body = Value)
    )
)]
pub(super) async fn search(
    State(server): Shared,
    Parameters(parameters): Parameters<SearchParameters>,
) -> Result<Json<Value>, ApiError> {
    let limit = parameters.limit.unwrap_or(DEFAULT_LIMIT);
    number_within("limit", limit as u64, 0..=MAX_LIMIT)?;
    let wanted_facets = WantedFacets::read(parameters.facets.as_deref())?;
    let query = parse(&parameters.query, now()).map_err(|error| wrong_query(&error))?;
    let sort = match parameters.sort.as_deref() {
        None => Sort::default(),
        Some(text) => text.parse().map_err(|error| ApiError::bad_request(format!("sort: {error}")))?,
    };
    let options =
        Options { limit, cursor: parameters.cursor, sort, facets: !matches!(wanted_facets, WantedFacets::None) };
    blocking(&server, move |server| {
        let viewer = Viewer::all();
        let found = server.indexer.index().search(&viewer, &query, &options).map_err(|error| refused(&error))?;
        let facets = wanted_facets.shown(&found);
        let hits: Vec<EntityId> = found.hits.iter().map(|hit| hit.entity).collect();
        Ok(Json(json!({
            "total": found.total,
            "totalIsExact": found.total_is_exact,
            "results": hydrated(server.facts(), &viewer, &hits)?,
            "facets": facets,
            "next": found.next,
        })))
    })
    .await
}

fn wrong_query(error: &QueryError) -> ApiError {
    let shown =
        ApiError::bad_request(format!("the query is wrong at character {}: {}", error.position + 1, error.message))
            .with("position", error.position.into())
            .with("detail", error.to_string().into());
    match &error.hint {
        Some(hint) => shown.hint(hint.clone()),
        None => shown,
    }
}

fn refused(error: &sextant_search::Error) -> ApiError {
    if matches!(error, sextant_search::Error::Cursor) {
        return ApiError::bad_request(error.to_string());
    }
    tracing::error!(error = %error, "the search failed");
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).hint("`sextant index rebuild`")
}

/// Which facets are counted.
enum WantedFacets {
    None,
    All,
    These(Vec<&'static str>),
}

impl WantedFacets {
    fn read(text: Option<&str>) -> Result<Self, ApiError> {
        match text {
            None | Some("false" | "0") => Ok(Self::None),
            Some("" | "true" | "1") => Ok(Self::All),
            Some(list) => {
                let mut fields = Vec::new();
                for name in list.split(',').map(str::trim) {
                    let field = FIELDS.iter().find(|field| field.facet && field.name.eq_ignore_ascii_case(name));
                    let Some(field) = field else {
                        let known: Vec<&str> =
                            FIELDS.iter().filter(|field| field.facet).map(|field| field.name).collect();
                        return Err(ApiError::bad_request(format!("facets: {name:?} is not counted"))
                            .hint(format!("counted are {}", known.join(", "))));
                    };
                    fields.push(field.name);
                }
                Ok(Self::These(fields))
            }
        }
    }

    fn shown(&self, found: &Found) -> Value {
        let mut facets = serde_json::Map::new();
        for (field, counts) in &found.facets {
            if matches!(self, Self::These(fields) if !fields.contains(&field.as_str())) {
                continue;
            }
            let counts: Vec<Value> =
                counts.iter().map(|(value, count)| json!({ "value": value, "count": count })).collect();
            facets.insert(field.clone(), counts.into());
        }
        Value::Object(facets)
    }
}

/// The things that were found, in the order given; one that is gone meanwhile is left out.
fn hydrated(facts: &dyn Facts, viewer: &Viewer, hits: &[EntityId]) -> Result<Vec<Value>, StoreError> {
    let mut shown: HashMap<EntityId, view::Object> = HashMap::new();
    for entity in facts.entities(viewer, hits)? {
        shown.insert(entity.id, view::entity::entity(&entity));
    }
    let others = |shown: &HashMap<EntityId, view::Object>| -> Vec<EntityId> {
        hits.iter().copied().filter(|hit| !shown.contains_key(hit)).collect()
    };
    let operations = others(&shown);
    if !operations.is_empty() {
        for summary in facts.operations(viewer, &operations)? {
            shown.insert(summary.operation.id, view::operation::operation(&summary));
        }
    }
    let executions = others(&shown);
    if !executions.is_empty() {
        let runs = facts.executions(viewer, &executions)?;
        let objects = view::execution::executions(facts, viewer, &runs)?;
        shown.extend(runs.iter().map(|run| run.id).zip(objects));
    }
    Ok(hits.iter().filter_map(|hit| shown.remove(hit)).map(Value::Object).collect())
}
