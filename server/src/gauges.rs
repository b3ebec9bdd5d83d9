//! What `/metrics` tells besides the counters: how everything stands at the moment of the question.
//!
//! It is made anew for every answer, so that an agent, spool or extractor that is gone leaves no
//! stale series. Labels are bounded: extractors are configured; of agents there are at most [`MOST_AGENTS`], each with
//! [`MAX_REPORTED_SPOOLS`](sextant_model::delivery::MAX_REPORTED_SPOOLS) spools of its configuration and
//! [`MOST_UNREPORTED`](crate::agents::MOST_UNREPORTED) directories that belong to none of them; everything else comes
//! from closed lists of words.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use sextant_model::problem::ProblemKind;
use sextant_model::{Timestamp, Viewer};
use sextant_store::{RunOutcome, StoreError};

use crate::agents::{ShownSpool, Silence};
use crate::clock::now;
use crate::disk::Room;
use crate::overview;
use crate::server::Server;
use crate::view::agent::KnownAgent;
use crate::view::run::outcome_word;

/// Agents that have series of their own; of more, those heard last.
const MOST_AGENTS: usize = 1_000;
/// The longest value of a label that comes from outside, characters.
const LONGEST_LABEL: usize = 200;
/// So many of them are its hash when it was cut.
const HASH_CHARACTERS: usize = 16;

const OUTCOMES: [RunOutcome; 4] = [RunOutcome::Complete, RunOutcome::Incomplete, RunOutcome::Held, RunOutcome::Failed];

type Labels = Vec<(&'static str, String)>;
type Number = Gauge<f64, AtomicU64>;

/// Families by name, in the making.
#[derive(Default)]
struct Families {
    gauges: BTreeMap<&'static str, (&'static str, Family<Labels, Number>)>,
    counters: BTreeMap<&'static str, (&'static str, Family<Labels, Counter>)>,
}

impl Families {
    fn set(&mut self, name: &'static str, help: &'static str, labels: &Labels, value: f64) {
        let (_, family) = self.gauges.entry(name).or_insert_with(|| (help, Family::default()));
        family.get_or_create(labels).set(value);
    }

    fn count(&mut self, name: &'static str, help: &'static str, labels: &Labels, value: u64) {
        let (_, family) = self.counters.entry(name).or_insert_with(|| (help, Family::default()));
        family.get_or_create(labels).inc_by(value);
    }

    fn register(self, registry: &mut Registry) {
        for (name, (help, family)) in self.gauges {
            registry.register(name, help, family);
        }
        for (name, (help, family)) in self.counters {
            registry.register(name, help, family);
        }
    }
}

/// Everything as it stands now.
pub(crate) fn gather(server: &Server) -> Result<Registry, StoreError> {
    let at = now();
    let mut families = Families::default();
    let version = label("version", env!("CARGO_PKG_VERSION"));
    families.set("sextant_build_info", "The version of the server; always 1", &vec![version], 1.0);
    add_agents(server, at, &mut families)?;
    add_extractors(server, &mut families)?;
    add_known(server, &mut families)?;
    add_disk(&Room::of(&server.data_dir), &mut families);
    add_process(server.started, &mut families);
    let mut registry = Registry::default();
    families.register(&mut registry);
    Ok(registry)
}

fn add_agents(server: &Server, at: Timestamp, families: &mut Families) -> Result<(), StoreError> {
    let mut known = server.known_agents(&Viewer::all(), at)?;
    known.retain(|known| known.silence != Silence::GivenUp);
    known.sort_by_key(|known| std::cmp::Reverse(known.contact.last_contact));
    for known in known.iter().take(MOST_AGENTS) {
        add_agent(known, families);
    }
    Ok(())
}

fn add_agent(known: &KnownAgent, families: &mut Families) {
    let labels = vec![label("agent", &known.contact.agent), label("host", &known.contact.host)];
    let mut with_version = labels.clone();
    with_version.push(label("version", known.contact.version.as_deref().unwrap_or("unknown")));
    families.set("sextant_agent_info", "The version of an agent; always 1", &with_version, 1.0);
    families.set(
        "sextant_agent_last_contact_timestamp_seconds",
        "When an agent was last heard",
        &labels,
        seconds(known.contact.last_contact),
    );
    families.set(
        "sextant_agent_silent",
        "1 when an agent was not heard for longer than [server] silent_after",
        &labels,
        switch(known.silence == Silence::Silent),
    );
    families.set(
        "sextant_agent_stopped",
        "1 when the last word of an agent was that it stops",
        &labels,
        switch(known.silence == Silence::Stopped),
    );
    for spool in &known.shown.spools {
        add_spool(&labels, spool, known.silence, families);
    }
}

fn add_spool(of_agent: &Labels, spool: &ShownSpool, silence: Silence, families: &mut Families) {
    let mut labels = of_agent.clone();
    labels.push(label("spool", &spool.state.path));
    labels.push(label("format", &spool.state.format));
    labels.push(label("cluster", &spool.state.cluster));
    families.count(
        "sextant_spool_records",
        "Lineage records of a spool that were linked since the server started",
        &labels,
        spool.records,
    );
    families.count(
        "sextant_spool_problems",
        "Stretches of a spool that were quarantined since the server started",
        &labels,
        spool.problems,
    );
    if spool.reported.is_none() || silence == Silence::Stopped {
        // An agent that does not tell has no lag, which is not the same as a lag of 0; nor has one that stopped the
        // lag of its last word.
        return;
    }
    let state = &spool.state;
    families.set("sextant_spool_files", "Files that an agent follows in a spool", &labels, state.files_known as f64);
    families.set(
        "sextant_spool_behind_bytes",
        "Bytes of a spool that are not delivered, as its agent told last",
        &labels,
        state.bytes_behind as f64,
    );
    families.set(
        "sextant_spool_behind_seconds",
        "For how long the oldest of them has been in its file, as its agent told last",
        &labels,
        state.seconds_behind as f64,
    );
    families.set(
        "sextant_spool_troubled",
        "1 when something keeps a spool or one of its files from being read or delivered",
        &labels,
        switch(state.trouble.is_some()),
    );
}

fn add_extractors(server: &Server, families: &mut Families) -> Result<(), StoreError> {
    for extractor in server.extraction.extractors() {
        let name = extractor.name();
        let labels = vec![label("extractor", name)];
        let is_running = switch(extractor.running().is_some());
        families.set("sextant_extractor_running", "1 while an extractor runs", &labels, is_running);
        if let Some(last) = overview::last_run(server, extractor)? {
            families.set(
                "sextant_extractor_last_run_timestamp_seconds",
                "When the last run of an extractor ended",
                &labels,
                seconds(last.finished),
            );
            for outcome in OUTCOMES {
                let mut labels = labels.clone();
                labels.push(label("outcome", outcome_word(outcome)));
                families.set(
                    "sextant_extractor_last_run_outcome",
                    "1 for the way in which the last run ended, 0 for the others",
                    &labels,
                    switch(last.outcome == outcome),
                );
            }
            for (result, objects) in [
                ("seen", last.counts.seen),
                ("created", last.counts.created),
                ("changed", last.counts.changed),
                ("deleted", last.counts.deleted),
                ("held", last.counts.held),
                ("failed", last.counts.failed),
            ] {
                let mut labels = labels.clone();
                labels.push(label("result", result));
                families.set(
                    "sextant_extractor_last_run_objects",
                    "Objects in the last run of an extractor",
                    &labels,
                    objects as f64,
                );
            }
        }
        if let Some(complete) = server.store.last_complete_run(name)? {
            families.set(
                "sextant_extractor_last_complete_run_timestamp_seconds",
                "When the last complete run of an extractor began",
                &labels,
                seconds(complete),
            );
        }
        if let Some(stamp) = server.store.last_stamp(name)? {
            families.set(
                "sextant_extractor_image_timestamp_seconds",
                "When the state of a file system that is shown was taken",
                &labels,
                seconds(stamp.taken),
            );
        }
    }
    Ok(())
}

fn add_known(server: &Server, families: &mut Families) -> Result<(), StoreError> {
    let counts = server.store.counts(&Viewer::all())?;
    for (state, by_type) in [("living", &counts.living), ("deleted", &counts.deleted)] {
        for (kind, count) in by_type {
            let labels = vec![label("type", &kind.to_lowercase()), label("state", state)];
            families.set("sextant_entities", "Entities that are known", &labels, *count as f64);
        }
    }
    let none = Labels::new();
    families.set("sextant_operations", "Distinct statement shapes", &none, counts.operations as f64);
    families.set("sextant_executions", "Runs of statements", &none, counts.executions as f64);
    families.set("sextant_unlinked_names", "Names that no source has shown", &none, counts.unlinked_names as f64);
    for kind in ProblemKind::ALL {
        let kept = counts.quarantined.iter().find(|(word, _)| word == kind.as_str());
        let labels = vec![label("kind", kind.as_str())];
        let count = kept.map_or(0, |(_, count)| *count);
        families.set("sextant_quarantined_stretches", "Stretches in the quarantine", &labels, count as f64);
    }
    let stands_still = server.linker.trouble().or_else(|| server.indexer.trouble()).is_some();
    families.set("sextant_stands_still", "1 while linking or indexing cannot go on", &none, switch(stands_still));
    Ok(())
}

fn add_disk(room: &Room, families: &mut Families) {
    for (part, bytes) in &room.used {
        let labels = vec![label("part", part)];
        families.set("sextant_data_bytes", "What a part of the data directory takes", &labels, *bytes as f64);
    }
    if let Some(free) = room.free {
        let help = "What is left on the disk of the data directory";
        families.set("sextant_data_free_bytes", help, &Labels::new(), free as f64);
    }
    if let Some(total) = room.total {
        let help = "The size of the file system of the data directory";
        families.set("sextant_data_size_bytes", help, &Labels::new(), total as f64);
    }
}

/// Under the names that Prometheus' own clients use.
fn add_process(started: Timestamp, families: &mut Families) {
    let none = Labels::new();
    families.set("process_start_time_seconds", "When the server started", &none, seconds(started));
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok());
    if let Some(kibibytes) = resident {
        let kibibytes: f64 = kibibytes;
        families.set("process_resident_memory_bytes", "Memory in use", &none, kibibytes * 1024.0);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        families.set("process_open_fds", "Open files and connections", &none, open.count() as f64);
    }
}

/// A label; a long value from outside is cut, and told from others with the same beginning by its hash.
fn label(name: &'static str, value: &str) -> (&'static str, String) {
    if value.chars().count() <= LONGEST_LABEL {
        return (name, value.to_owned());
    }
    let hash = blake3::hash(value.as_bytes()).to_hex();
    let hash = &hash[..HASH_CHARACTERS];
    let beginning: String = value.chars().take(LONGEST_LABEL - HASH_CHARACTERS - 1).collect();
    (name, format!("{beginning}…{hash}"))
}

fn seconds(time: Timestamp) -> f64 {
    time.as_millis() as f64 / 1_000.0
}

const fn switch(is_on: bool) -> f64 {
    if is_on { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_that_begin_alike_stay_apart() {
        let long = |end: &str| label("spool", &format!("{}{end}", "ü".repeat(LONGEST_LABEL))).1;
        assert_ne!(long("a"), long("b"));
        assert_eq!(long("a").chars().count(), LONGEST_LABEL);
        assert_eq!(label("spool", &"x".repeat(LONGEST_LABEL)).1, "x".repeat(LONGEST_LABEL));
    }
}
