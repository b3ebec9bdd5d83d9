//! What lineage and paths have in common: the options of a walk, where it begins, and a graph to
//! walk over.

use std::sync::Arc;

use axum::http::StatusCode;
use sextant_graph::{Asset, Direction, Graph, Lineage, MAX_DEPTH, NodeContent, Options, Root};
use sextant_model::{EntityType, NameKey, NameKind, Viewer};
use sextant_store::StoreError;

use super::parameters::{number_within, time};
use super::{ApiError, blocking};
use crate::resolve::Resolved;
use crate::server::Server;
use crate::view;
use crate::view::lineage::LineageAnswer;

/// When to ask again while the graph is being loaded.
const LOADING_RETRY_SECONDS: u64 = 5;
/// The most nodes of one answer.
const MAX_NODES: u64 = 10_000;

/// What of the options of a walk is not a switch, as it was asked for.
pub(super) struct Asked<'p> {
    pub(super) direction: Option<&'p str>,
    pub(super) depth: Option<(&'static str, u64)>,
    pub(super) as_of: Option<&'p str>,
    /// The parameters that say so, with their values.
    pub(super) seen: [(&'static str, Option<&'p str>); 2],
    pub(super) limit: Option<usize>,
}

impl Asked<'_> {
    /// The switches with everything else that was asked for.
    pub(super) fn options(&self, switches: &Options) -> Result<Options, ApiError> {
        let direction = match self.direction.map(str::to_ascii_lowercase).as_deref() {
            None => switches.direction,
            Some("both") => Direction::Both,
            Some("upstream") => Direction::Upstream,
            Some("downstream") => Direction::Downstream,
            Some(_) => {
                return Err(ApiError::bad_request("direction is upstream, downstream or both"));
            }
        };
        let depth = match self.depth {
            None => switches.depth,
            Some((parameter, depth)) => number_within(parameter, depth, 1..=u64::from(MAX_DEPTH))? as u8,
        };
        let limit = match self.limit {
            None => switches.limit,
            Some(limit) => number_within("limit", limit as u64, 1..=MAX_NODES)? as usize,
        };
        let as_of = time("asOf", self.as_of)?;
        let [seen_from, seen_to] = self.seen.map(|(parameter, text)| time(parameter, text));
        let (seen_from, seen_to) = (seen_from?, seen_to?);
        if let (Some(from), Some(to)) = (seen_from, seen_to)
            && from > to
        {
            let [(from, _), (to, _)] = self.seen;
            return Err(ApiError::bad_request(format!("{from} is after {to}")));
        }
        if as_of.is_some() && (seen_from.is_some() || seen_to.is_some()) {
            let [(from, _), (to, _)] = self.seen;
            return Err(ApiError::bad_request(format!(
                "asOf is one time, {from} and {to} are another: give one of both"
            )));
        }
        Ok(Options { direction, depth, as_of, seen_from, seen_to, limit, ..*switches })
    }
}

/// Answers with what is found in a graph that holds everything that was committed before.
pub(super) async fn answer_from_graph(
    server: &Arc<Server>,
    find: impl FnOnce(&Server, &Graph, &Viewer) -> Result<Lineage, ApiError> + Send + 'static,
) -> Result<LineageAnswer, ApiError> {
    let newest = blocking(server, |server| Ok(server.facts().newest_change()?)).await?;
    server.graph.wait_for(newest).await;
    blocking(server, move |server| {
        let live = server.graph.graph().ok_or_else(not_loaded)?;
        let behind = newest.saturating_sub(live.position());
        let viewer = Viewer::all();
        let mut found = find(server, &live.read(), &viewer)?;
        if behind > 0 {
            let note = format!("the last {behind} changes are not in the graph yet: ask again in a moment");
            found.coverage.notes.push(note);
        }
        Ok(view::lineage::lineage(&server.physical(&viewer), &found)?)
    })
    .await
}

/// What to answer while there is nothing to walk over.
fn not_loaded() -> ApiError {
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "the lineage graph is being loaded after the start of the server")
        .hint("ask again in a few seconds")
        .retry_after(LOADING_RETRY_SECONDS)
}

/// Where a walk from something begins.
pub(super) fn root(resolved: Resolved) -> Result<Root, ApiError> {
    match resolved {
        Resolved::Operation(operation) => Ok(Root::Operation(operation)),
        Resolved::Execution(execution) => Ok(Root::Operation(execution.operation)),
        Resolved::Unlinked(name) => Ok(Root::Asset(Asset::Unlinked(name))),
        Resolved::UnlistedColumn { table, column } => Ok(Root::Field { table: table.id, column }),
        Resolved::Entity(entity) => match (entity.entity_type, entity.parent) {
            (EntityType::Field, Some(table)) => Ok(Root::Field { table, column: entity.original_name }),
            (EntityType::Partition, Some(table)) => Ok(Root::Asset(Asset::Entity(table))),
            (EntityType::Database, _) => Err(ApiError::bad_request(format!(
                "{} is a database: a database has no lineage",
                entity.qualified_name
            ))
            .hint("ask for one of its tables")),
            _ => Ok(Root::Asset(Asset::Entity(entity.id))),
        },
    }
}

/// Of a directory or file that is no table's that it is so, and what lies below, where a walk does
/// not go.
pub(super) fn note_of_no_table(
    server: &Server,
    viewer: &Viewer,
    walked: &Lineage,
    options: &Options,
) -> Result<Option<String>, StoreError> {
    let Some(NodeContent::Entity(root)) = walked.nodes.first().map(|root| &root.content) else {
        return Ok(None);
    };
    if walked.cut || !walked.placements.is_empty() || !view::physical::is_path(root) {
        return Ok(None);
    }
    let name = NameKey { cluster: root.cluster.clone(), kind: NameKind::Path, qualified: root.qualified_name.clone() };
    let living = if options.deleted { "" } else { "living " };
    let mut note = format!("no {living}table lies at or above {}", root.qualified_name);
    if !server.facts().located_below(viewer, &name, 1)?.is_empty() {
        note.push_str("; what lies below is listed by `sextant entity`, and not walked to");
    }
    Ok(Some(note))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(from: Option<&'static str>, to: Option<&'static str>, as_of: Option<&'static str>) -> Asked<'static> {
        Asked { direction: None, depth: None, as_of, seen: [("from", from), ("to", to)], limit: None }
    }

    #[test]
    fn times_that_say_nothing_together_are_refused() {
        let defaults = Options::default;
        let between = asked(Some("2026-01-01"), Some("2026-02-01"), None).options(&defaults()).unwrap();
        assert!(between.seen_from < between.seen_to && between.as_of.is_none());
        assert!(asked(Some("2026-02-02"), Some("2026-02-01"), None).options(&defaults()).is_err());
        assert!(asked(None, Some("2026-02-01"), Some("2026-02-01")).options(&defaults()).is_err());
        assert!(asked(Some("yesterday"), None, None).options(&defaults()).is_err());
    }
}
