//! Questions to the facts, each answered from one snapshot.
//!
//! Lists of ids are looked up one by one with prepared statements, which SQLite answers from its
//! page cache in a microsecond or two; there is no limit on their number.

pub(super) mod changes;
pub(super) mod entities;
pub(super) mod executions;
pub(super) mod feed;
pub(super) mod graph;
pub(super) mod intake;
pub(super) mod linking;
pub(super) mod locations;
pub(super) mod names;
pub(super) mod operations;
pub(super) mod paths;
pub(super) mod quarantine;
pub(super) mod texts;
pub(super) mod usages;
pub(super) mod walks;
mod words;

/// A number of rows for `LIMIT` and `OFFSET`.
fn rows_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
