//! Finding the records that linking or storing fails over.
//!
//! A record is no reason to stand still: those that fail alone are named, all others are
//! committed. What may pass (a full disk, a lock) is no record's fault, and an error.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sextant_linker::operations::SourcedRecord;
use sextant_store::{Changes, Facts, Store, StoreError};

/// Records become changes.
pub(super) type Link = fn(&dyn Facts, &[SourcedRecord]) -> Result<Changes, StoreError>;

/// Why something was not done.
#[derive(Debug)]
pub(super) enum Failure {
    /// Trying again may help.
    Passing(StoreError),
    /// The same will happen again; in words.
    Lasting(String),
}

impl Failure {
    /// What an error of the store means.
    pub(super) fn of(error: StoreError) -> Self {
        match error {
            StoreError::Refused { .. } => Self::Lasting(error.to_string()),
            error => Self::Passing(error),
        }
    }
}

/// Does something that may panic. A transaction that a panic breaks off is undone.
pub(super) fn attempt<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome.map_err(Failure::of),
        Err(panic) => {
            Err(Failure::Lasting(format!("it failed inside sextant ({}); please report it", said_by(panic.as_ref()))))
        }
    }
}

fn said_by(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it did not say why")
}

/// Commits all records but those that fail alone. Answers which those are, and why.
///
/// What was committed before an error stays; committing it again changes nothing.
pub(super) fn commit_all_but_failing(
    store: &dyn Store,
    link: Link,
    records: &[SourcedRecord],
) -> Result<Vec<(usize, String)>, StoreError> {
    let mut failing = Vec::new();
    let mut ranges = Vec::new();
    if !records.is_empty() {
        ranges.push(0..records.len());
    }
    while let Some(range) = ranges.pop() {
        let tried = attempt(|| {
            let changes = link(as_facts(store), &records[range.clone()])?;
            store.commit(&changes)
        });
        match tried {
            Ok(_) => {}
            Err(Failure::Passing(error)) => return Err(error),
            Err(Failure::Lasting(reason)) if range.len() == 1 => failing.push((range.start, reason)),
            Err(Failure::Lasting(_)) => {
                let middle = range.start + range.len() / 2;
                ranges.push(middle..range.end);
                ranges.push(range.start..middle);
            }
        }
    }
    Ok(failing)
}

/// The facts alone.
pub(super) fn as_facts(store: &dyn Store) -> &dyn Facts {
    store
}
