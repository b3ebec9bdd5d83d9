//! What came of file generations, for whoever waits for an import.

use std::collections::{HashMap, VecDeque};

use serde::Serialize;

/// Generations that are remembered.
const REMEMBERED: usize = 1_000;

/// What came of one file generation since the server started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Records that were understood.
    pub records: u64,
    /// Stretches that were quarantined.
    pub problems: u64,
    /// Lines that are no lineage.
    pub ignored_lines: u64,
    /// Bytes that wait for a server that reads their format.
    pub waiting_bytes: u64,
}

/// The tallies of the generations that were linked last.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    by_generation: HashMap<(String, String), Tally>,
    oldest_first: VecDeque<(String, String)>,
}

impl Tallies {
    pub(super) fn add(&mut self, more: &HashMap<(String, String), Tally>) {
        for (key, tally) in more {
            if !self.by_generation.contains_key(key) {
                self.oldest_first.push_back(key.clone());
            }
            let sum = self.by_generation.entry(key.clone()).or_default();
            sum.records += tally.records;
            sum.problems += tally.problems;
            sum.ignored_lines += tally.ignored_lines;
            sum.waiting_bytes += tally.waiting_bytes;
        }
        while self.oldest_first.len() > REMEMBERED {
            if let Some(oldest) = self.oldest_first.pop_front() {
                self.by_generation.remove(&oldest);
            }
        }
    }

    pub(super) fn get(&self, host: &str, generation: &str) -> Option<Tally> {
        self.by_generation.get(&(host.to_owned(), generation.to_owned())).copied()
    }
}
