//! One spool of one agent: what the agent said of it, and what came of its records.

use std::path::Path;

use sextant_model::Timestamp;
use sextant_model::delivery::{BatchHeader, SpoolState};

use super::hour::LastHour;
use super::paths::SpoolPaths;

/// Something that went wrong, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// When the server learned of it.
    pub at: Timestamp,
    /// What, in words.
    pub in_words: String,
}

/// What came of a stretch of input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// Records that were understood.
    pub records: u64,
    /// Stretches that were quarantined.
    pub problems: u64,
    /// The last of these, in words.
    pub last_problem: Option<&'a str>,
}

/// A spool as the server knows it.
#[derive(Debug)]
pub(super) struct Spool {
    paths: SpoolPaths,
    state: SpoolState,
    /// One of its files, of a spool that is known by its files alone.
    file: Option<String>,
    /// When the agent told the state; `None` for a spool that is known by its files alone.
    reported: Option<Timestamp>,
    records: LastHour,
    problems: LastHour,
    records_total: u64,
    problems_total: u64,
    last_failure: Option<Failure>,
}

impl Spool {
    /// A spool that its agent told of.
    pub(super) fn reported(state: SpoolState, at: Timestamp) -> Self {
        let mut spool = Self::new(SpoolState { trouble: None, ..state.clone() });
        spool.report(state, at);
        spool
    }

    /// The directory of a file, for an agent that tells of no spools.
    pub(super) fn of_file(header: &BatchHeader) -> Self {
        let directory = Path::new(&header.path).parent().and_then(Path::to_str).unwrap_or_default();
        let state = SpoolState {
            path: directory.to_owned(),
            format: header.format.clone(),
            cluster: header.cluster.clone(),
            files_known: 0,
            bytes_behind: 0,
            seconds_behind: 0,
            trouble: None,
        };
        Self { file: Some(header.path.clone()), ..Self::new(state) }
    }

    fn new(state: SpoolState) -> Self {
        Self {
            paths: SpoolPaths::of(&state.path),
            state,
            file: None,
            reported: None,
            records: LastHour::default(),
            problems: LastHour::default(),
            records_total: 0,
            problems_total: 0,
            last_failure: None,
        }
    }

    /// Whether it is the spool that this state is of.
    pub(super) fn is_of(&self, state: &SpoolState) -> bool {
        self.state.path == state.path && self.state.format == state.format && self.state.cluster == state.cluster
    }

    /// Whether a batch comes from it.
    pub(super) fn holds(&self, header: &BatchHeader) -> bool {
        self.state.format == header.format && self.state.cluster == header.cluster && self.paths.cover(&header.path)
    }

    /// Whether it is what was known of this spool before its agent told of it.
    pub(super) fn is_former(&self, reported: &Self) -> bool {
        let is_alike = self.state.format == reported.state.format && self.state.cluster == reported.state.cluster;
        is_alike && self.file.as_ref().is_some_and(|file| reported.paths.cover(file))
    }

    /// Takes over what another one counted.
    pub(super) fn absorb(&mut self, former: Self) {
        self.records.absorb(&former.records);
        self.problems.absorb(&former.problems);
        self.records_total += former.records_total;
        self.problems_total += former.problems_total;
        self.last_failure = self.last_failure.take().or(former.last_failure);
    }

    pub(super) fn is_reported(&self) -> bool {
        self.reported.is_some()
    }

    /// The agent told how it stands.
    pub(super) fn report(&mut self, state: SpoolState, at: Timestamp) {
        if let Some(trouble) = &state.trouble
            && self.state.trouble.as_ref() != Some(trouble)
        {
            self.last_failure = Some(Failure { at, in_words: trouble.clone() });
        }
        self.reported = Some(at);
        self.state = state;
    }

    /// Something of it was linked.
    pub(super) fn add(&mut self, outcome: Outcome<'_>, at: Timestamp) {
        self.records.add(outcome.records, at);
        self.problems.add(outcome.problems, at);
        self.records_total += outcome.records;
        self.problems_total += outcome.problems;
        if let Some(problem) = outcome.last_problem {
            self.last_failure = Some(Failure { at, in_words: problem.to_owned() });
        }
    }

    pub(super) fn shown(&self, now: Timestamp) -> ShownSpool {
        ShownSpool {
            state: self.state.clone(),
            reported: self.reported,
            records_last_hour: self.records.total(now),
            problems_last_hour: self.problems.total(now),
            records: self.records_total,
            problems: self.problems_total,
            last_failure: self.last_failure.clone(),
        }
    }
}

/// A spool for people and metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSpool {
    /// As the agent told it last; without a report only path, format and cluster mean something.
    pub state: SpoolState,
    /// When the agent told it; `None` when it has not since the server started.
    pub reported: Option<Timestamp>,
    /// Records linked in the last hour.
    pub records_last_hour: u64,
    /// Stretches quarantined in the last hour.
    pub problems_last_hour: u64,
    /// Records linked since the server started.
    pub records: u64,
    /// Stretches quarantined since the server started.
    pub problems: u64,
    /// What went wrong last.
    pub last_failure: Option<Failure>,
}
