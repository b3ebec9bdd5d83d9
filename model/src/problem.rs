//! What could not be read, said with evidence.

use serde::{Deserialize, Serialize};

/// Why a stretch of input was not understood. The kinds are counted; the detail is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// Not JSON, or JSON that ends early.
    Malformed,
    /// JSON, but not a lineage record of the named format.
    NotARecord,
    /// A lineage record whose edges name vertices that it does not have.
    Inconsistent,
    /// Longer than the limit, or with more relations than the limit.
    TooLong,
    /// A record that never ended before another one began, or before its file was over.
    CutOff,
    /// The server does not know the format.
    UnknownFormat,
    /// Sextant itself failed over it, again and again, while reading, linking or storing it.
    Failed,
}

impl ProblemKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Malformed,
        Self::NotARecord,
        Self::Inconsistent,
        Self::TooLong,
        Self::CutOff,
        Self::UnknownFormat,
        Self::Failed,
    ];

    /// The word used in the API and the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NotARecord => "not-a-record",
            Self::Inconsistent => "inconsistent",
            Self::TooLong => "too-long",
            Self::CutOff => "cut-off",
            Self::UnknownFormat => "unknown-format",
            Self::Failed => "failed",
        }
    }

    /// The kind of a stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }
}

/// A stretch of input that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Byte offset of its first byte, relative to the input that was parsed.
    pub offset: u64,
    /// How many bytes it covers.
    pub length: u64,
    /// What kind.
    pub kind: ProblemKind,
    /// What was wrong, in words, with the position inside the record where it is known.
    pub reason: String,
}
