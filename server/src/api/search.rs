//! Searching.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sextant_model::{EntityId, Viewer};
use sextant_search::{FIELDS, Found, Options, QueryError, Sort, parse};
use utoipa::{IntoParams, ToSchema};

use super::parameters::{Parameters, number_within};
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::clock::now;
use crate::view::thing::{ThingAnswer, things};

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

/// A page of what was found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SearchAnswer {
    /// How many there are on all pages.
    total: u64,
    /// Whether the total was counted; if not, it is estimated.
    total_is_exact: bool,
    results: Vec<ThingAnswer>,
    /// Of each field that was asked for its most frequent values, the most frequent first.
    facets: BTreeMap<String, Vec<FacetCount>>,
    /// The `cursor` of the next page; null on the last one.
    #[schema(required)]
    next: Option<String>,
}

/// A value of a field, and how many of what was found have it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FacetCount {
    pub(super) value: String,
    pub(super) count: u64,
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
            description = "a page of what was found",
            body = SearchAnswer
        ),
        (status = 400, description = "the query is wrong: `position`, and `detail` with a mark under the place", body = ErrorAnswer)
    )
)]
pub(super) async fn search(
    State(server): Shared,
    Parameters(parameters): Parameters<SearchParameters>,
) -> Result<Json<SearchAnswer>, ApiError> {
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
        Ok(Json(SearchAnswer {
            total: found.total,
            total_is_exact: found.total_is_exact,
            results: things(server.facts(), &viewer, &hits)?,
            facets,
            next: found.next,
        }))
    })
    .await
}

fn wrong_query(error: &QueryError) -> ApiError {
    let shown =
        ApiError::bad_request(format!("the query is wrong at character {}: {}", error.position + 1, error.message))
            .at(error.position, error.to_string());
    match &error.hint {
        Some(hint) => shown.hint(hint.clone()),
        None => shown,
    }
}

pub(super) fn refused(error: &sextant_search::Error) -> ApiError {
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

    fn shown(&self, found: &Found) -> BTreeMap<String, Vec<FacetCount>> {
        let mut facets = BTreeMap::new();
        for (field, counts) in &found.facets {
            if matches!(self, Self::These(fields) if !fields.contains(&field.as_str())) {
                continue;
            }
            let counts = counts.iter().map(|(value, count)| FacetCount { value: value.clone(), count: *count });
            facets.insert(field.clone(), counts.collect());
        }
        facets
    }
}
