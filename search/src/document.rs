//! What callers give to the index.

use sextant_model::{EntityId, Timestamp};

/// A document. An entity has one, or several where it has several texts.
///
/// Documents of one entity should agree in what results are ordered by (name, type, times, and the
/// default fields, which give the scores): these belong to the entity. One that is scored less than
/// another of its entity may come again on a later page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Unique; a document replaces the one with the same key.
    pub key: EntityId,
    /// The entity that a hit counts as. Equal to `key` where the entity has only this document.
    pub entity: EntityId,
    /// Names from [`crate::FIELDS`] with values. A field may have several values: any of them
    /// may match. `identity` is not among them: it is the entity.
    pub fields: Vec<(&'static str, Value)>,
}

/// A value of a document's field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// For keywords, names, paths and texts.
    Text(String),
    /// For numbers.
    Number(i64),
    /// For dates.
    Time(Timestamp),
    /// For flags.
    Bool(bool),
}

/// The longest text that is indexed: 1 MiB. Of a longer one the beginning is.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// The beginning of `text` that is indexed.
pub(crate) fn indexed_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}
