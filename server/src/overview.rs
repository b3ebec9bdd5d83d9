//! How everything stands, for `sextant status`, the API and the first page.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use sextant_model::namespace::NamespaceStamp;
use sextant_model::{NameKey, Viewer};
use sextant_store::{ExtractorRun, RunOutcome};

use crate::api::{ApiError, blocking};
use crate::clock::now;
use crate::extraction::Extractor;
use crate::server::Server;
use crate::view;

/// Names without a source that a status lists.
const LISTED_UNLINKED: u64 = 10;

/// Every extractor with its last run and the next one.
pub async fn extractors(server: &Arc<Server>) -> Result<Vec<Value>, ApiError> {
    let mut shown = Vec::new();
    for extractor in server.extraction.extractors() {
        let last = last_run(server, extractor).await?;
        let next = server.extraction.next_run(extractor.name()).await;
        let settings = extractor.settings();
        let state = applied_state(server, extractor.name()).await?;
        shown.push(json!({
            "name": settings.name,
            "kind": settings.kind.word(),
            "clusters": settings.clusters,
            "uri": settings.uri,
            "schedule": settings.schedule,
            "state": state.map(|stamp| view::namespace::with_age(&stamp, now())),
            "running": extractor.running(),
            "lastRun": last.as_ref().map(view::run::run),
            "nextRun": next,
            "skipped": extractor.skipped(),
        }));
    }
    Ok(shown)
}

/// The state of a file system that was applied last; `None` for a metastore.
async fn applied_state(server: &Arc<Server>, name: &str) -> Result<Option<NamespaceStamp>, ApiError> {
    let name = name.to_owned();
    blocking(server, move |server| Ok(server.store.last_stamp(&name)?)).await
}

/// The later of what the store keeps and what this process remembers.
async fn last_run(server: &Arc<Server>, extractor: &Arc<Extractor>) -> Result<Option<ExtractorRun>, ApiError> {
    let name = extractor.name().to_owned();
    let kept = blocking(server, move |server| Ok(server.store.runs(&Viewer::all(), &name, 1)?.pop())).await?;
    let remembered = extractor.last_of_this_process();
    Ok([kept, remembered].into_iter().flatten().max_by_key(|run| run.finished))
}

/// Everything.
pub async fn status(server: &Arc<Server>) -> Result<Value, ApiError> {
    let extractors = extractors(server).await?;
    let stored = blocking(server, |server| {
        let viewer = Viewer::all();
        Ok((
            server.store.agents(&viewer)?,
            server.store.counts(&viewer)?,
            server.store.unlinked_names(&viewer, LISTED_UNLINKED)?,
            server.lag()?,
            server.store.waiting(&viewer)?,
        ))
    })
    .await?;
    let (agents, counts, unlinked, lag, waiting) = stored;
    let unserved = unserved_clusters(server, &unlinked);
    let unlinked: Vec<Value> = unlinked
        .iter()
        .map(|(name, operations)| json!({ "name": name.qualified, "cluster": name.cluster, "id": name.id(), "operations": operations }))
        .collect();
    let quarantine: serde_json::Map<String, Value> =
        counts.quarantined.iter().map(|(kind, count)| (kind.clone(), json!(count))).collect();
    let trouble = server.linker.trouble().or_else(|| server.indexer.trouble());
    let quarantined: u64 = counts.quarantined.iter().map(|(_, count)| count).sum();
    let mut attention = attention(server, &extractors, trouble.as_deref(), lag.inbox_entries).await?;
    if quarantined > 0 {
        attention
            .push(format!("{quarantined} stretches of input could not be read: `sextant quarantine list` says why"));
    }
    for entries in &waiting {
        attention.push(format!(
            "{} bytes in the format {:?} wait for a version of sextant that reads it",
            entries.bytes, entries.format
        ));
    }
    let pushback = server.pushback.present_reason(server.linker.unlinked_bytes());
    if let Some(reason) = &pushback {
        attention.push(format!("agents are asked to wait: {reason}"));
    }
    for cluster in unserved {
        attention.push(format!(
            "no extractor serves cluster {cluster:?}, which operations come from: their names cannot be linked"
        ));
    }
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "started": server.started,
        "attention": attention,
        "extractors": extractors,
        "agents": agents,
        "intake": {
            "received": lag.newest_entry,
            "linked": server.linker.linked().position(),
            "waiting": lag.inbox_entries,
            "waitingBytes": server.linker.unlinked_bytes(),
            "waitingForFormat": waiting,
            "agentsWait": pushback,
            "newestChange": lag.newest_change,
            "searchable": server.indexer.position(),
            "notSearchable": lag.index_changes,
            "trouble": trouble,
        },
        "counts": {
            "living": map(&counts.living),
            "deleted": map(&counts.deleted),
            "operations": counts.operations,
            "executions": counts.executions,
        },
        "quarantine": quarantine,
        "unlinkedNames": counts.unlinked_names,
        "mostUsedUnlinkedNames": unlinked,
    }))
}

/// Clusters of names that no extractor could ever link.
fn unserved_clusters(server: &Server, unlinked: &[(NameKey, u64)]) -> BTreeSet<String> {
    let extractors = server.extraction.extractors();
    if extractors.is_empty() {
        // Said in a sentence of its own.
        return BTreeSet::new();
    }
    let mut clusters: BTreeSet<String> = unlinked.iter().map(|(name, _)| name.cluster.clone()).collect();
    clusters.retain(|cluster| !server.clusters.is_served(cluster));
    clusters
}

fn map(counts: &[(String, u64)]) -> Value {
    Value::Object(counts.iter().map(|(word, count)| (word.clone(), json!(count))).collect())
}

/// What a person needs to know first, one sentence each; empty when all is well.
async fn attention(
    server: &Arc<Server>,
    shown: &[Value],
    trouble: Option<&str>,
    waiting: u64,
) -> Result<Vec<String>, ApiError> {
    let mut sentences = Vec::new();
    if let Some(trouble) = trouble {
        sentences.push(format!("linking or indexing stands still: {trouble}"));
    }
    if waiting > 1_000 {
        sentences.push(format!("{waiting} batches wait to be linked"));
    }
    for extractor in server.extraction.extractors() {
        let name = extractor.name();
        let Some(last) = last_run(server, extractor).await? else {
            continue;
        };
        if last.outcome != RunOutcome::Complete {
            sentences.push(format!("extractor {name}: {}", view::run::in_words(&last)));
        }
        for pattern in &last.idle_patterns {
            sentences.push(format!("extractor {name}: the pattern {pattern:?} matches nothing"));
        }
        if last.counts.failed > 0 {
            sentences.push(format!("extractor {name}: {} objects could not be read", last.counts.failed));
        }
    }
    if shown.is_empty() {
        sentences.push("no extractor is configured: operations are linked by name only".to_owned());
    }
    Ok(sentences)
}
