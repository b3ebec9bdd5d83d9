//! What is wrong with a query, and where.

use std::fmt;

/// A query that could not be understood. Its text form shows the query with a mark under the
/// place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    query: String,
    /// Where, in characters from the beginning of the query.
    pub position: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
}

/// How many characters are shown before and behind the place.
const SHOWN_AROUND: usize = 60;

impl QueryError {
    pub(super) fn new(query: &str, position: usize, message: impl Into<String>) -> Self {
        Self { query: query.to_owned(), position, message: message.into(), hint: None }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.position.saturating_sub(SHOWN_AROUND);
        let shown = self.query.chars().skip(from).take(2 * SHOWN_AROUND);
        let line: String = shown.map(|character| if character.is_control() { ' ' } else { character }).collect();
        writeln!(f, "{}", self.message)?;
        writeln!(f, "  {line}")?;
        write!(f, "  {}^", " ".repeat(self.position - from))?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for QueryError {}
