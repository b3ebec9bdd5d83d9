//! Runs of pull extractors, with their outcome in words.

use std::fmt::Write as _;

use serde_json::Value;
use sextant_store::{ExtractorRun, PassCounts, RunOutcome};

use super::{Object, json};

/// The word for an outcome.
pub const fn outcome_word(outcome: RunOutcome) -> &'static str {
    match outcome {
        RunOutcome::Complete => "complete",
        RunOutcome::Incomplete => "incomplete",
        RunOutcome::Held => "held",
        RunOutcome::Failed => "failed",
    }
}

/// A run as the API shows it.
pub fn run(run: &ExtractorRun) -> Object {
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("extractor", json(&run.source));
    put("started", json(run.started));
    put("finished", json(run.finished));
    put("outcome", outcome_word(run.outcome).into());
    put("inWords", in_words(run).into());
    put("counts", json(run.counts));
    put("message", json(&run.message));
    put("problems", json(run.problems.iter().map(problem).collect::<Vec<_>>()));
    put("idlePatterns", json(&run.idle_patterns));
    object
}

fn problem(problem: &sextant_model::snapshot::PassProblem) -> Value {
    let object = problem.object.as_ref().map(ToString::to_string);
    serde_json::json!({ "object": object, "reason": problem.reason })
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
    use sextant_model::Timestamp;

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
