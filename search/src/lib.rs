//! The query language, and the index that follows the change feed.
//!
//! The caller gives [`Document`]s and deletions together with the feed position they come from;
//! this crate never knows where documents come from. [`parse`] turns what a user wrote into a
//! [`Query`]; [`Index::search`] answers it for a viewer.
//!
//! What is guaranteed:
//!
//! - Every hit truly matches, and pages follow one total order without repeats or gaps: a
//!   wildcard is checked against the true value, never only against the index's terms.
//! - A total is exact, or says that it is not. It is an estimate only where a wildcard leaves
//!   more candidates than can be checked quickly.
//! - The position that [`Index::open`] tells is never ahead of the documents. An index that is
//!   damaged, or of another version, begins anew at position 0 and says so in the log.
//! - Parsing never panics, and tells the place of what it does not understand.
//!
//! What is never done: no text is given back (hits are ids), no clock is read (`NOW` is an
//! argument), no search runs without a viewer.
//!
//! | module | idea |
//! |---|---|
//! | `fields` | the one table of fields |
//! | `query` | the language: text to [`Query`] |
//! | `pattern`, `words` | wildcards, words, case: the same for queries and documents |
//! | `document`, `schema`, `tokenizers` | what is indexed, and how |
//! | `values` | the true values, a component of every segment |
//! | `plan`, `dictionary`, `excluded` | from a query to what the index can do |
//! | `walk`, `evaluate` | the documents of a plan; whether one truly matches |
//! | `search`, `sampling` | total and facets: counted, or estimated |
//! | `page`, `hits`, `order` | one page: the first hits, their order, its cursors |
//! | `bits`, `tally`, `entities` | sets of documents; the counts; each entity counted once |
//! | `index`, `snapshot` | the index on disk; one state of it, held open |
//!
//! Memory: 4 bytes a document (the order of pages); 4 more, and 20 to 40 bytes an entity, for
//! entities that have several documents. Everything else is read from mapped files. Opening a
//! segment sorts its documents, which takes 24 bytes a document for a moment.

mod bits;
mod dictionary;
mod document;
mod entities;
mod error;
mod evaluate;
mod excluded;
mod fields;
mod hits;
mod index;
#[cfg(test)]
mod naive_tests;
mod order;
mod page;
mod pattern;
mod plan;
mod query;
mod sampling;
mod schema;
mod search;
mod snapshot;
mod tally;
mod tokenizers;
mod values;
mod walk;
mod words;

pub use document::{Document, MAX_TEXT_BYTES, Value};
pub use error::Error;
pub use fields::{FIELDS, Field, Kind, TABLE_PARAMETERS};
pub use index::{Index, Opened};
pub use order::{Sort, SortField, UnknownSort};
pub use query::{
    MAX_CLAUSES, MAX_DEPTH, MAX_PATTERN_CHARACTERS, MAX_QUERY_BYTES, QUERY_HELP, Query, QueryError, parse,
};
pub use search::{Found, Hit, MAX_LIMIT, Options};
pub use tally::Facets;
