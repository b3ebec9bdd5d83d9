//! How everything stands, for `sextant status`, the API and the first page.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use sextant_extractors::push::Format;
use sextant_model::namespace::NamespaceStamp;
use sextant_model::{NameKey, Timestamp, Viewer};
use sextant_store::{ExtractorRun, RunOutcome, StoreError};

use crate::agents::ShownSpool;
use crate::api::{ApiError, blocking};
use crate::clock::now;
use crate::disk::Room;
use crate::extraction::Extractor;
use crate::server::Server;
use crate::view;
use crate::view::agent::{KnownAgent, bytes_in_words};
use crate::view::status::{
    CountsAnswer, DiskAnswer, ExtractorAnswer, IntakeState, PushExtractorAnswer, StatusAnswer, UnlinkedNameAnswer,
};

/// Names without a source that a status lists.
const LISTED_UNLINKED: u64 = 10;
/// Sentences about agents that ask for attention, at most.
const LISTED_AGENT_SENTENCES: usize = 10;
/// A spool whose oldest byte waits for longer asks for attention.
const LONG_LAG: Duration = Duration::from_mins(10);

/// Every extractor with its last run and the next one.
pub async fn extractors(server: &Arc<Server>) -> Result<Vec<ExtractorAnswer>, ApiError> {
    let mut shown = Vec::new();
    for extractor in server.extraction.extractors() {
        let last = last_run_of(server, extractor).await?;
        let next = server.extraction.next_run(extractor.name()).await;
        let settings = extractor.settings();
        let state = applied_state(server, extractor.name()).await?;
        shown.push(ExtractorAnswer {
            name: settings.name.clone(),
            kind: settings.kind.word(),
            clusters: settings.clusters.clone(),
            uri: settings.uri.clone(),
            schedule: settings.schedule.clone(),
            state: state.map(|stamp| view::namespace::with_age(&stamp, now())),
            running: extractor.running().as_ref().map(view::run::running),
            last_run: last.as_ref().map(view::run::run),
            next_run: next,
            skipped: extractor.skipped(),
        });
    }
    Ok(shown)
}

/// What each push extractor made of the records of all agents.
pub(crate) fn push_extractors(agents: &[KnownAgent]) -> Vec<PushExtractorAnswer> {
    let mut shown = Vec::new();
    for format in Format::ALL {
        let of_format = |spool: &&ShownSpool| spool.state.format == format.as_str();
        let spools: Vec<&ShownSpool> = agents.iter().flat_map(|known| &known.shown.spools).filter(of_format).collect();
        let last_failure =
            spools.iter().filter_map(|spool| spool.last_failure.as_ref()).max_by_key(|failure| failure.at);
        shown.push(PushExtractorAnswer {
            format: format.as_str(),
            spools: spools.len(),
            records_last_hour: spools.iter().map(|spool| spool.records_last_hour).sum(),
            problems_last_hour: spools.iter().map(|spool| spool.problems_last_hour).sum(),
            last_error: last_failure.map(view::agent::failure),
        });
    }
    shown
}

/// The state of a file system that was applied last; `None` for a metastore.
async fn applied_state(server: &Arc<Server>, name: &str) -> Result<Option<NamespaceStamp>, ApiError> {
    let name = name.to_owned();
    blocking(server, move |server| Ok(server.store.last_stamp(&name)?)).await
}

/// The later of what the store keeps and what this process remembers.
pub(crate) fn last_run(server: &Server, extractor: &Extractor) -> Result<Option<ExtractorRun>, StoreError> {
    let kept = server.store.runs(&Viewer::all(), extractor.name(), 1)?.pop();
    let remembered = extractor.last_of_this_process();
    Ok([kept, remembered].into_iter().flatten().max_by_key(|run| run.finished))
}

async fn last_run_of(server: &Arc<Server>, extractor: &Arc<Extractor>) -> Result<Option<ExtractorRun>, ApiError> {
    let extractor = Arc::clone(extractor);
    blocking(server, move |server| Ok(last_run(server, &extractor)?)).await
}

/// Everything.
pub async fn status(server: &Arc<Server>) -> Result<StatusAnswer, ApiError> {
    let extractors = extractors(server).await?;
    let at = now();
    let stored = blocking(server, move |server| {
        let viewer = Viewer::all();
        Ok((
            server.known_agents(&viewer, at)?,
            server.store.counts(&viewer)?,
            server.store.unlinked_names(&viewer, LISTED_UNLINKED)?,
            server.lag()?,
            server.store.waiting(&viewer)?,
            Room::of(&server.data_dir),
        ))
    })
    .await?;
    let (agents, counts, unlinked, lag, waiting, room) = stored;
    let unserved = unserved_clusters(server, &unlinked);
    let most_used_unlinked_names: Vec<UnlinkedNameAnswer> =
        unlinked.iter().map(|(name, operations)| view::status::unlinked_name(name, *operations)).collect();
    let trouble = server.linker.trouble().or_else(|| server.indexer.trouble());
    let quarantined: u64 = counts.quarantined.iter().map(|(_, count)| count).sum();
    let mut attention = attention(server, trouble.as_deref(), lag.inbox_entries).await?;
    if quarantined > 0 {
        let stretches = if quarantined == 1 { "stretch" } else { "stretches" };
        attention
            .push(format!("{quarantined} {stretches} of input could not be read: `sextant quarantine list` says why"));
    }
    if let Some(trouble) = server.graph.trouble() {
        attention.push(format!("the lineage graph stands still: {trouble}"));
    }
    attention.extend(agents_attention(&agents, at));
    if room.is_short() {
        let free = bytes_in_words(room.free.unwrap_or_default());
        let folder = server.data_dir.display();
        attention.push(format!("only {free} are left on the disk of {folder}; agents wait when it is full"));
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
    Ok(StatusAnswer {
        version: env!("CARGO_PKG_VERSION"),
        started: server.started,
        attention,
        extractors,
        agents: agents.iter().map(|known| view::agent::agent(known, at)).collect(),
        disk: DiskAnswer {
            path: server.data_dir.display().to_string(),
            used_bytes: room.used_bytes(),
            used: map(&room.used),
            free_bytes: room.free,
            in_words: disk_in_words(&room),
        },
        intake: IntakeState {
            received: lag.newest_entry,
            linked: server.linker.linked().position(),
            waiting: lag.inbox_entries,
            waiting_bytes: server.linker.unlinked_bytes(),
            waiting_for_format: waiting.iter().map(view::status::waiting).collect(),
            agents_wait: pushback,
            newest_change: lag.newest_change,
            searchable: server.indexer.position(),
            not_searchable: lag.index_changes,
            trouble,
        },
        graph: server.graph.shown(lag.newest_change),
        counts: CountsAnswer {
            living: map(&counts.living),
            deleted: map(&counts.deleted),
            operations: counts.operations,
            executions: counts.executions,
        },
        quarantine: map(&counts.quarantined),
        unlinked_names: counts.unlinked_names,
        most_used_unlinked_names,
    })
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

fn map<Word: ToString>(counts: &[(Word, u64)]) -> BTreeMap<String, u64> {
    counts.iter().map(|(word, count)| (word.to_string(), *count)).collect()
}

fn disk_in_words(room: &Room) -> String {
    let used = bytes_in_words(room.used_bytes());
    match room.free {
        Some(free) => format!("{used} used, {} left", bytes_in_words(free)),
        None => format!("{used} used"),
    }
}

/// Sentences about agents, the first of them one by one.
fn agents_attention(agents: &[KnownAgent], at: Timestamp) -> Vec<String> {
    let mut sentences: Vec<String> = agents.iter().flat_map(|known| known.attention(at, LONG_LAG)).collect();
    if sentences.len() > LISTED_AGENT_SENTENCES {
        let more = sentences.len() - LISTED_AGENT_SENTENCES;
        sentences.truncate(LISTED_AGENT_SENTENCES);
        sentences.push(format!("{more} more sentences about agents: see `GET /api/v1/agents`"));
    }
    sentences
}

/// What a person needs to know first, one sentence each; empty when all is well.
async fn attention(server: &Arc<Server>, trouble: Option<&str>, waiting: u64) -> Result<Vec<String>, ApiError> {
    let mut sentences = Vec::new();
    if let Some(trouble) = trouble {
        sentences.push(format!("linking or indexing stands still: {trouble}"));
    }
    if waiting > 1_000 {
        sentences.push(format!("{waiting} batches wait to be linked"));
    }
    for extractor in server.extraction.extractors() {
        let name = extractor.name();
        let Some(last) = last_run_of(server, extractor).await? else {
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
    if server.extraction.extractors().is_empty() {
        sentences.push("no extractor is configured: operations are linked by name only".to_owned());
    }
    Ok(sentences)
}
