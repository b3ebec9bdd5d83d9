//! Runs of pull extractors, with their outcome in words.

use std::fmt::Write as _;

use serde::Serialize;
use sextant_model::Timestamp;
use sextant_model::snapshot::PassProblem;
use sextant_store::{ExtractorRun, PassCounts, RunOutcome};
use utoipa::ToSchema;

use super::words::RunOutcomeWord;
use crate::extraction::Running;

/// The word for an outcome.
pub const fn outcome_word(outcome: RunOutcome) -> &'static str {
    match outcome {
        RunOutcome::Complete => "complete",
        RunOutcome::Incomplete => "incomplete",
        RunOutcome::Held => "held",
        RunOutcome::Failed => "failed",
    }
}

/// One run of a pull extractor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunAnswer {
    extractor: String,
    #[schema(value_type = String, format = DateTime)]
    started: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    finished: Timestamp,
    #[schema(value_type = RunOutcomeWord)]
    outcome: RunOutcome,
    /// What happened, for people.
    in_words: String,
    counts: RunCounts,
    /// The error, or why it is held or incomplete.
    #[schema(required)]
    message: Option<String>,
    /// What it could not read, at most 1,000 of them; `counts.failed` is the whole number.
    problems: Vec<RunProblem>,
    /// Include and exclude patterns that matched nothing.
    idle_patterns: Vec<String>,
}

/// What a run saw: numbers of objects.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCounts {
    /// Listed in scope.
    seen: u64,
    /// Not known before.
    created: u64,
    /// Different from what was known.
    changed: u64,
    /// Gone before, or new under a known name.
    revived: u64,
    /// Gone.
    deleted: u64,
    /// They seem gone; their deletion is held.
    held: u64,
    /// They left the configured scope.
    out_of_scope: u64,
    /// They could not be read.
    failed: u64,
}

/// What a run could not read.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunProblem {
    /// `db.table` or a path; null when it concerns the run as a whole.
    #[schema(required)]
    object: Option<String>,
    /// What happened and what to do.
    reason: String,
}

/// A run in progress.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunningAnswer {
    /// Number of the run since the server started.
    run: u64,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
    /// What it is doing, in words.
    phase: &'static str,
    /// What it has seen so far.
    counts: RunCounts,
}

/// A run as the API shows it.
pub fn run(run: &ExtractorRun) -> RunAnswer {
    RunAnswer {
        extractor: run.source.clone(),
        started: run.started,
        finished: run.finished,
        outcome: run.outcome,
        in_words: in_words(run),
        counts: run_counts(run.counts),
        message: run.message.clone(),
        problems: run.problems.iter().map(problem).collect(),
        idle_patterns: run.idle_patterns.clone(),
    }
}

/// A run in progress as the API shows it.
pub fn running(running: &Running) -> RunningAnswer {
    let Running { run, since, phase, counts } = *running;
    RunningAnswer { run, since, phase, counts: run_counts(counts) }
}

fn run_counts(counts: PassCounts) -> RunCounts {
    let PassCounts { seen, created, changed, revived, deleted, held, out_of_scope, failed } = counts;
    RunCounts { seen, created, changed, revived, deleted, held, out_of_scope, failed }
}

fn problem(problem: &PassProblem) -> RunProblem {
    RunProblem { object: problem.object.as_ref().map(ToString::to_string), reason: problem.reason.clone() }
}

/// What happened, for people.
pub fn in_words(run: &ExtractorRun) -> String {
    let counted = counts_in_words(&run.counts);
    match run.outcome {
        RunOutcome::Complete => match &run.message {
            // A file system's state that was applied before, or something else that is worth a word.
            Some(message) if run.counts.seen == 0 => message.clone(),
            Some(message) => format!("complete: {counted}; {message}"),
            None => format!("complete: {counted}"),
        },
        RunOutcome::Incomplete => {
            format!("incomplete, nothing was deleted in what could not be listed: {counted}")
        }
        RunOutcome::Held => format!(
            "held: {} seem gone at once; they are kept until the next run agrees, or until `sextant extract {} \
             --accept-deletions`: {counted}",
            objects(run.counts.held),
            run.source
        ),
        RunOutcome::Failed => {
            format!("failed, nothing was deleted: {}", run.message.as_deref().unwrap_or("no reason is known"))
        }
    }
}

fn counts_in_words(counts: &PassCounts) -> String {
    let mut words = format!("{} seen", objects(counts.seen));
    for (number, word) in [
        (counts.created, "new"),
        (counts.changed, "changed"),
        (counts.revived, "back"),
        (counts.deleted, "deleted"),
        (counts.held, "held"),
        (counts.out_of_scope, "out of scope"),
        (counts.failed, "could not be read"),
    ] {
        if number > 0 {
            let _ = write!(words, ", {number} {word}");
        }
    }
    words
}

fn objects(number: u64) -> String {
    if number == 1 { "1 object".to_owned() } else { format!("{number} objects") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_said_in_words() {
        let counts = PassCounts { seen: 1, deleted: 2, held: 70, ..PassCounts::default() };
        let run = |outcome, message: Option<&str>| ExtractorRun {
            source: "hive".to_owned(),
            started: Timestamp::from_seconds(1),
            finished: Timestamp::from_seconds(2),
            outcome,
            counts,
            message: message.map(str::to_owned),
            problems: Vec::new(),
            idle_patterns: Vec::new(),
            stamp: None,
        };
        assert_eq!(in_words(&run(RunOutcome::Complete, None)), "complete: 1 object seen, 2 deleted, 70 held");
        let unchanged = ExtractorRun { counts: PassCounts::default(), ..run(RunOutcome::Complete, Some("unchanged")) };
        assert_eq!(in_words(&unchanged), "unchanged");
        assert!(in_words(&run(RunOutcome::Held, None)).contains("sextant extract hive --accept-deletions"));
        let failed = run(RunOutcome::Failed, Some("no route to host"));
        assert_eq!(in_words(&failed), "failed, nothing was deleted: no route to host");
    }
}
