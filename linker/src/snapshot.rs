//! One pass of a pull extractor becomes new, changed, deleted and re-created entities.

use sextant_model::snapshot::{Existence, ObservedObject, PassProblem, PassSummary};
use sextant_model::{ObjectName, Timestamp};
use sextant_store::{Changes, Facts, StoreError};

use crate::SourceInstance;

/// A pass in progress.
#[derive(Debug)]
pub struct Pass {}

/// What is known when a pass has ended.
#[derive(Debug, Clone)]
pub struct PassEnd {
    /// The extractor's own summary.
    pub summary: PassSummary,
    /// What it could not read.
    pub problems: Vec<PassProblem>,
    /// The answers to asking once more for each name of [`Pass::vanished`].
    pub confirmed: Vec<(ObjectName, Existence)>,
    /// Whether somebody asked for this pass with deletions accepted.
    pub accept_deletions: bool,
    /// When it ended.
    pub finished: Timestamp,
}

impl Pass {
    /// Begins a pass: reads what is known of the source. `started` is the time of the snapshot.
    pub fn begin(facts: &dyn Facts, source: SourceInstance, started: Timestamp) -> Result<Self, StoreError> {
        let _ = (facts, source, started);
        Ok(Self {})
    }

    /// Notes names that the source lists.
    pub fn listed(&mut self, names: Vec<ObjectName>) {
        let _ = names;
    }

    /// Compares objects with what is known; the changes are to be committed before the next call.
    pub fn objects(&mut self, facts: &dyn Facts, objects: Vec<ObservedObject>) -> Result<Changes, StoreError> {
        let _ = (facts, objects);
        Ok(Changes::default())
    }

    /// Living names that the pass did not list although their database was listed whole and they
    /// are `in_scope`: each is to be asked for once more. Too many to ask are cut at 10,000 and stay alive.
    pub fn vanished(&self, summary: &PassSummary, in_scope: &dyn Fn(&ObjectName) -> bool) -> Vec<ObjectName> {
        let _ = (summary, in_scope);
        Vec::new()
    }

    /// Ends the pass: deletions, what left the scope, what is held, and the run's own entry.
    pub fn finish(
        self,
        facts: &dyn Facts,
        in_scope: &dyn Fn(&ObjectName) -> bool,
        end: PassEnd,
    ) -> Result<Changes, StoreError> {
        let _ = (facts, in_scope, end);
        Ok(Changes::default())
    }

    /// Ends a pass that failed: nothing is deleted, the run is noted.
    pub fn fail(self, message: String, finished: Timestamp) -> Changes {
        let _ = (message, finished);
        Changes::default()
    }
}
