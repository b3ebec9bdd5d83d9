//! The query language: Navigator's (Solr's) syntax, with an own reading where that one surprises.
//!
//! [`parse`] turns text into a [`Query`] or into a [`QueryError`] that points at the place. It
//! never panics and is bounded in length, depth and number of clauses. `NOW` is an argument, so
//! a parsed query holds no relative times. What the language means is written for users in
//! [`QUERY_HELP`]; the decisions behind it:
//!
//! - **Clauses side by side** must all match (Navigator: any). Where a clause of the same list
//!   carries a `+`, the unsigned ones are optional, as in Lucene: they raise the order only.
//! - **Operators** bind as in arithmetic: `NOT`, then `AND` (written or not), then `OR`. Lucene's
//!   left-to-right reading of mixed operators is not followed.
//! - **Lower-case** `and`, `or`, `not` are operators where the upper-case word could stand, and
//!   words elsewhere (`owner:and`, `"and"`).
//! - **A wildcard pattern** for a name or a text begins at the beginning of a word, unless it
//!   begins with `*`, and ends at the end of a word, unless it ends with `*`; parts between
//!   underscores count as words. So `x*` finds everything that `x` finds. For keywords and for
//!   paths with a slash it covers the whole value.
//! - **Quotes** around a name or path ask for the whole of it, around other text for a phrase.
//! - **A date without time** is the whole day, at either end of a range too.
//! - The query is answered **per document**: `NOT queryText:*x*` finds an operation that has at
//!   least one true text without `x`.

mod dates;
mod display;
mod error;
mod help;
mod parser;
mod scanner;

use sextant_model::Timestamp;

pub(crate) use display::escaped;
pub use error::QueryError;
pub use help::QUERY_HELP;

use crate::fields::FieldId;
use crate::pattern::Pattern;

/// The longest query: 64 KiB.
pub const MAX_QUERY_BYTES: usize = 64 << 10;
/// How deep parentheses may be nested.
pub const MAX_DEPTH: usize = 64;
/// How many clauses a query may have.
pub const MAX_CLAUSES: usize = 1024;
/// The longest value with wildcards, in characters.
pub const MAX_PATTERN_CHARACTERS: usize = 1024;

/// A parsed query. Its text form (`Display`) parses to the same query again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub(crate) root: Node,
}

impl Query {
    /// The query that finds everything.
    pub const fn everything() -> Self {
        Self { root: Node::All }
    }
}

/// Parses `text`; `NOW` means `now`.
pub fn parse(text: &str, now: Timestamp) -> Result<Query, QueryError> {
    parser::parse(text, now)
}

/// A condition on a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// Every document.
    All,
    /// All of `required`; `optional` ones raise the score. Two or more in total.
    And { required: Vec<Self>, optional: Vec<Self> },
    /// At least one of two or more.
    Or(Vec<Self>),
    /// Not this one.
    Not(Box<Self>),
    /// A test of a field.
    Leaf(Leaf),
}

impl Node {
    /// The conjunction of `nodes`, of which there is at least one.
    pub(crate) fn all_of(mut nodes: Vec<Self>) -> Self {
        if nodes.len() == 1 {
            return nodes.swap_remove(0);
        }
        let mut required = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Self::And { required: inner, optional } if optional.is_empty() => required.extend(inner),
                other => required.push(other),
            }
        }
        Self::And { required, optional: Vec::new() }
    }

    /// The disjunction of `nodes`, of which there is at least one.
    pub(crate) fn any_of(mut nodes: Vec<Self>) -> Self {
        if nodes.len() == 1 {
            return nodes.swap_remove(0);
        }
        let mut alternatives = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Self::Or(inner) => alternatives.extend(inner),
                other => alternatives.push(other),
            }
        }
        Self::Or(alternatives)
    }
}

/// A test of one field, or of the default fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) place: Place,
    pub(crate) test: Test,
}

/// Where a test looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the fields that are searched by default.
    Default,
    /// In one field.
    Field(FieldId),
    /// In the table parameter of this name, in folded case.
    Parameter(String),
}

/// What a test asks for. Texts are in folded case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Test {
    /// The field is there.
    Exists,
    /// A value without quotes or wildcards.
    Word(String),
    /// A value in quotes.
    Quoted(String),
    /// A value with wildcards.
    Pattern(Pattern),
    /// A number, or a time in milliseconds: from `low` on, and below `high`.
    Range { low: Option<i64>, high: Option<i64> },
}
