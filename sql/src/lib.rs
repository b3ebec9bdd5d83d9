//! Hive and Impala statements as text: one shape for all statements that differ only in their
//! literals, and the kind of a statement from its leading words.
//!
//! Guaranteed: nothing here fails or panics on any text, the time taken is linear in its length,
//! nothing recurses, and the answers depend on nothing but the text. A shape is its own shape:
//! normalising it again changes nothing.
//!
//! Never done: parsing. Which tables a statement reads is not answered here. The scanner is our
//! own, because folding needs to tell apart only words, literals, comments and quoted names: a
//! tokenizer of a full SQL dialect refuses unfinished strings and odd bytes (which logs hold), so
//! that a second scanner would be needed beside it, and makes owned tokens that nobody asks for, on
//! a path that every record takes.

mod kind;
mod shape;
mod tokens;

pub use kind::statement_kind;
pub use shape::{NORMALISER_VERSION, fold_literals, normalise};
