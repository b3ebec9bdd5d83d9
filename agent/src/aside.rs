//! What a file is called while retention clears it away.

const ENDING: &str = ".sextant-retention";

/// The hidden name for a file of this name.
pub(crate) fn name_of(name: &str) -> String {
    format!(".{name}{ENDING}")
}

/// The name that a file had before it was put aside, by an agent that did not come to its end.
pub(crate) fn name_before(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(ENDING)
}
