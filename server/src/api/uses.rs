//! The operations that read or write something, all of them.

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use sextant_model::operation::Role;
use sextant_model::{NameKey, Viewer};
use utoipa::IntoParams;

use super::entities::find;
use super::parameters::{Parameters, number_within, time};
use super::{ApiError, ErrorAnswer, Shared, blocking};
use crate::resolve::Resolved;
use crate::view::usage::used_names;
use crate::view::using::{UsingOperationsAnswer, WantedUses, using_operations};

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct UsesParameters {
    /// reads, writes or all (the default).
    role: Option<String>,
    /// How many to leave out at the beginning.
    #[serde(default)]
    skip: u64,
    /// At most this many, 1 to 200.
    #[serde(default = "default_limit")]
    limit: u64,
    /// Only operations that used it at or after this time (RFC 3339, a date, or milliseconds). An operation counts as
    /// using it from its first to its last run that did.
    from: Option<String>,
    /// Only operations that used it at or before this time.
    to: Option<String>,
    /// Only in this cluster.
    cluster: Option<String>,
}

const fn default_limit() -> u64 {
    50
}

impl UsesParameters {
    fn wanted(&self) -> Result<WantedUses, ApiError> {
        let role = match self.role.as_deref() {
            None | Some("all") => None,
            Some("reads") => Some(Role::Input),
            Some("writes") => Some(Role::Output),
            Some(_) => return Err(ApiError::bad_request("role is reads, writes or all")),
        };
        let limit = number_within("limit", self.limit, 1..=200)?;
        let (from, to) = (time("from", self.from.as_deref())?, time("to", self.to.as_deref())?);
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            return Err(ApiError::bad_request("from is after to"));
        }
        Ok(WantedUses { role, from, to, skip: self.skip, limit })
    }
}

/// The operations that read or write a table, view or path, under all of its names and in all of its lives, the one
/// that used it last first. Of a column or partition those of its table.
#[utoipa::path(
    get,
    path = "/api/v1/entities/{name}/operations",
    tag = "read",
    params(("name" = String, Path, description = "an id or a name, also one that no source has shown"), UsesParameters),
    responses(
        (status = 200, description = "a part of the operations", body = UsingOperationsAnswer),
        (status = 404, description = "nothing is called so", body = ErrorAnswer),
        (status = 409, description = "several things are called so: `candidates`", body = ErrorAnswer)
    )
)]
pub(super) async fn operations(
    State(server): Shared,
    Path(name): Path<String>,
    Parameters(parameters): Parameters<UsesParameters>,
) -> Result<Json<UsingOperationsAnswer>, ApiError> {
    let wanted = parameters.wanted()?;
    blocking(&server, move |server| {
        let (facts, viewer) = (server.facts(), Viewer::all());
        let names: Vec<NameKey> = match find(server, &name, parameters.cluster.as_deref(), None)? {
            Resolved::Entity(entity) => used_names(facts, &viewer, &entity)?,
            Resolved::UnlistedColumn { table, .. } => used_names(facts, &viewer, &table)?,
            Resolved::Unlinked(name) => vec![name],
            Resolved::Operation(_) | Resolved::Execution(_) => {
                return Err(ApiError::bad_request("an operation is not used by operations")
                    .hint("/api/v1/operations/ID tells what it reads and writes"));
            }
        };
        let usages = facts.usages_of_names(&viewer, &names)?;
        Ok(Json(using_operations(facts, &viewer, &usages, wanted)?))
    })
    .await
}
