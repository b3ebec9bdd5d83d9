//! stub
pub mod document;
mod dictionary;
mod error;
mod evaluate;
pub mod fields;
mod hits;
pub mod index;
mod order;
mod pattern;
mod plan;
pub mod query;
mod sampling;
mod schema;
pub mod search;
mod tally;
mod tokenizers;
mod values;
mod words;

pub use document::{Document, Value};
pub use error::Error;
pub use fields::{FIELDS, Field, Kind};
pub use index::{Index, Opened};
pub use order::{Sort, SortField};
pub use query::{QUERY_HELP, Query, QueryError, parse};
pub use search::{Found, Hit, Options};

#[cfg(test)]
mod naive_tests;
