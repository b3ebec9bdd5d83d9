//! Push formats: the lineage records that engines write into files of their own hosts.
//!
//! Guaranteed:
//! - Reading never fails and never panics. A stretch of bytes that claims to be a record and is
//!   none becomes a [`Problem`](sextant_model::problem::Problem) with its exact place; the records
//!   around it are read.
//! - A stream may be handed in by pieces that are cut at line ends, each beginning with what the
//!   piece before left unconsumed: the records are the same for all ways to cut it.
//! - Names are taken as written, in lower case. What is not surely a table or column is a result
//!   label, never an object.
//!
//! Never done: looking up names, folding literals, deciding which life of a table is meant.

mod formats;
mod graph;
mod hive;
mod impala;
mod lines;
mod markers;
mod resemblance;
mod wire;

use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

use sextant_model::EntityId;
use sextant_model::record::{Parsed, PushRecord};

pub use formats::Formats;

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Hive's `LineageLogger`: of its own file, or among other lines of a Hive log.
    Hive,
    /// The lineage log of Impala's coordinators.
    Impala,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] = &[Self::Hive, Self::Impala];

    /// The word used in configurations and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hive => "hive",
            Self::Impala => "impala",
        }
    }

    /// The engine's name as people write it.
    const fn engine(self) -> &'static str {
        match self {
            Self::Hive => "Hive",
            Self::Impala => "Impala",
        }
    }

    /// Reads one record from the bytes of its JSON object.
    fn read(self, bytes: &[u8]) -> Result<PushRecord, Refusal> {
        // The check alone is much faster than the repair, which is hardly ever needed.
        let json = std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        unless_it_panics(|| match self {
            Self::Hive => hive::read(&json, bytes),
            Self::Impala => impala::read(&json, bytes),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names no format that is read.
#[derive(Debug, thiserror::Error)]
#[error("unknown format (hive or impala expected): {0}")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let format = Self::ALL.iter().copied().find(|format| format.as_str().eq_ignore_ascii_case(text));
        format.ok_or_else(|| UnknownFormat(text.chars().take(64).collect()))
    }
}

/// Reads a stretch of a spool file that begins and ends at line ends.
///
/// A record may span lines. One that is not complete at the end of `input` is left: `consumed`
/// stops in front of it, and it is to be handed in again with what follows. With `at_end` nothing
/// will follow: everything is consumed, and what is unfinished is a problem. Without it, a last
/// line that has no line end yet is left as well.
pub fn parse(format: Format, input: &[u8], at_end: bool) -> Parsed {
    lines::read(format, input, at_end)
}

/// Why the bytes of an object are not a record that can be used.
#[derive(Debug)]
enum Refusal {
    /// Not JSON, or not of the format's form.
    Form(serde_json::Error),
    /// Of another format's form, in words.
    OtherFormat(&'static str),
    /// Edges and vertices do not fit together, in words.
    Inconsistent(String),
    /// The edges make more relations than any statement does, in words.
    TooWide(String),
    /// The reader panicked.
    Failed,
}

/// A fault in a reader costs the one record that met it, never those around it.
fn unless_it_panics(read: impl FnOnce() -> Result<PushRecord, Refusal>) -> Result<PushRecord, Refusal> {
    // What a reader works on is its own or only read, so nothing half changed is seen afterwards.
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(Refusal::Failed))
}

/// What tells a record apart that has no id of its own: a second copy of it is the same record.
fn hash_of_record(bytes: &[u8]) -> String {
    EntityId::derive("line", &[bytes]).to_string()
}

#[cfg(test)]
mod tests;
