//! Completing what is typed into a search box.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use sextant_model::Viewer;
use sextant_search::{FIELDS, Field, Kind, Options, parse};
use utoipa::{IntoParams, ToSchema};

use super::parameters::Parameters;
use super::search::{FacetCount, refused};
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::clock::now;

/// The most values of one answer.
const MAX_VALUES: usize = 20;
/// The longest prefix, bytes.
const MAX_PREFIX_BYTES: usize = 200;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CompletionParameters {
    /// What the field or value begins with, in any case; at most 200 bytes.
    #[serde(default)]
    prefix: String,
    /// The field whose values are wanted; without it the fields themselves.
    field: Option<String>,
}

/// What could follow in a query.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CompletionsAnswer {
    /// Fields of the query language. Empty where values were asked for.
    fields: Vec<FieldAnswer>,
    /// The most frequent values of the field, at most 20, the most frequent first. Of a field whose values are not
    /// counted there are none.
    values: Vec<FacetCount>,
}

/// A field of the query language.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FieldAnswer {
    name: &'static str,
    /// Other names that queries may use.
    aliases: &'static [&'static str],
    kind: FieldKind,
    /// Whether its values are counted, so that they can be completed and asked for as facets.
    counted: bool,
    description: &'static str,
}

/// How the values of a field are compared.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum FieldKind {
    /// The whole value, in any case; wildcards match the whole value.
    Keyword,
    /// `true` or `false`.
    Flag,
    /// A word of a name, or the whole of it.
    Name,
    /// A word of a path, or the whole of it.
    Path,
    /// Words, or a phrase.
    Text,
    /// A whole number.
    Number,
    /// A point in time.
    Date,
}

/// Fields of the query language, or the most frequent values of one of them.
#[utoipa::path(
    get,
    path = "/api/v1/search/completions",
    tag = "read",
    params(CompletionParameters),
    responses(
        (status = 200, description = "what could follow", body = CompletionsAnswer),
        (status = 400, description = "there is no such field", body = ErrorAnswer)
    )
)]
pub(super) async fn completions(
    State(server): Shared,
    Parameters(parameters): Parameters<CompletionParameters>,
) -> Result<Json<CompletionsAnswer>, ApiError> {
    let prefix = parameters.prefix;
    if prefix.len() > MAX_PREFIX_BYTES {
        return Err(ApiError::bad_request(format!("prefix has more than {MAX_PREFIX_BYTES} bytes")));
    }
    let Some(name) = parameters.field else {
        let fields = FIELDS.iter().filter(|field| is_called(field, &prefix)).map(shown).collect();
        return Ok(Json(CompletionsAnswer { fields, values: Vec::new() }));
    };
    let field = named(&name)?;
    if !field.facet {
        return Ok(Json(CompletionsAnswer { fields: Vec::new(), values: Vec::new() }));
    }
    let query = parse(&narrowed(field, &prefix), now()).map_err(|_| ApiError::internal())?;
    let options = Options { limit: 0, facets: true, ..Options::default() };
    blocking(&server, move |server| {
        let mut found =
            server.indexer.index().search(&Viewer::all(), &query, &options).map_err(|error| refused(&error))?;
        let counts = found.facets.remove(field.name).unwrap_or_default().into_iter();
        let values = counts
            .filter(|(value, _)| begins_with(value, &prefix))
            .take(MAX_VALUES)
            .map(|(value, count)| FacetCount { value, count })
            .collect();
        Ok(Json(CompletionsAnswer { fields: Vec::new(), values }))
    })
    .await
}

fn named(name: &str) -> Result<&'static Field, ApiError> {
    let is_named = |known: &str| known.eq_ignore_ascii_case(name);
    FIELDS.iter().find(|field| is_named(field.name) || field.aliases.iter().any(|alias| is_named(alias))).ok_or_else(
        || {
            let name: String = name.chars().take(80).collect();
            ApiError::bad_request(format!("there is no field {name:?}")).hint("leave out `field` to see the fields")
        },
    )
}

/// A query for everything that has a value with the prefix. Where the prefix would have to be escaped, for everything:
/// then only values that are among the most frequent ones of all are found.
fn narrowed(field: &Field, prefix: &str) -> String {
    let is_plain =
        !prefix.is_empty() && prefix.chars().all(|character| character.is_alphanumeric() || character == '_');
    if is_plain && field.kind == Kind::Keyword { format!("{}:{prefix}*", field.name) } else { String::new() }
}

fn begins_with(value: &str, prefix: &str) -> bool {
    value.to_lowercase().starts_with(&prefix.to_lowercase())
}

fn is_called(field: &Field, prefix: &str) -> bool {
    begins_with(field.name, prefix) || field.aliases.iter().any(|alias| begins_with(alias, prefix))
}

fn shown(field: &Field) -> FieldAnswer {
    FieldAnswer {
        name: field.name,
        aliases: field.aliases,
        kind: match field.kind {
            Kind::Keyword => FieldKind::Keyword,
            Kind::Flag => FieldKind::Flag,
            Kind::Name => FieldKind::Name,
            Kind::Path => FieldKind::Path,
            Kind::Text => FieldKind::Text,
            Kind::Number => FieldKind::Number,
            Kind::Date => FieldKind::Date,
        },
        counted: field.facet,
        description: field.description,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_can_be_narrowed() {
        for field in FIELDS {
            for prefix in ["", "a", "a b", "\"", "and", "é_1"] {
                assert!(parse(&narrowed(field, prefix), now()).is_ok(), "{} {prefix:?}", field.name);
            }
        }
    }
}
