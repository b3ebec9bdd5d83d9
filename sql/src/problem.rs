//! What could not be read, where, and why.

use serde::Serialize;
use sqlparser::tokenizer::Location;

/// What kind of thing could not be resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// The statement or a part of it could not be parsed: its names were only scanned for.
    NotParsed,
    /// A `*` over a table whose columns are not known.
    StarWithoutSchema,
    /// A column that no table in reach has.
    UnknownColumn,
    /// A column that may be of more than one table in reach.
    AmbiguousColumn,
    /// A name that holds a variable (`${hiveconf:x}`) which was not replaced.
    UnresolvedVariable,
    /// Columns that the target has and the query has are not as many, or the target's are not known.
    UnknownTarget,
    /// Working it out would take too long.
    TooLarge,
}

/// One thing that could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Problem {
    /// What kind of thing it is.
    pub kind: ProblemKind,
    /// The line of the text, from 1, or 0 where it has no place in it.
    pub line: u64,
    /// The character in the line, from 1, or 0 where it has no place in it.
    pub column: u64,
    /// The rest in words.
    pub message: String,
}

impl Problem {
    pub(crate) fn at(kind: ProblemKind, place: Location, message: impl Into<String>) -> Self {
        Self { kind, line: place.line, column: place.column, message: message.into() }
    }
}
