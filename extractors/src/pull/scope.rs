//! Which databases and tables a source is asked for.

use globset::{Glob, GlobMatcher};
use sextant_model::ObjectName;

use super::ExtractError;

/// Include and exclude patterns.
///
/// A pattern is `db` or `db.table`, each part with the wildcards `*`, `?`, `[a-z]` and `{a,b}`, in any
/// case. One without a dot covers a database and everything in it; one with a dot covers tables.
/// A database is in scope when an include pattern can match something in it and no exclude pattern
/// covers it whole. Without include patterns everything is included; exclude wins.
#[derive(Debug, Clone)]
pub struct Scope {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

#[derive(Debug, Clone)]
struct Pattern {
    /// As configured.
    text: String,
    database: GlobMatcher,
    /// `None`: the whole database.
    relation: Option<GlobMatcher>,
}

impl Scope {
    /// Reads the patterns.
    pub fn new<T: AsRef<str>>(include: &[T], exclude: &[T]) -> Result<Self, ExtractError> {
        let read = |patterns: &[T]| -> Result<Vec<Pattern>, ExtractError> {
            patterns.iter().map(|text| Pattern::read(text.as_ref())).collect()
        };
        Ok(Self { include: read(include)?, exclude: read(exclude)? })
    }

    /// Whether the patterns cover this name.
    pub fn contains(&self, name: &ObjectName) -> bool {
        let included = self.include.is_empty() || self.include.iter().any(|pattern| pattern.reaches(name));
        included && !self.exclude.iter().any(|pattern| pattern.covers(name))
    }
}

impl Pattern {
    fn read(text: &str) -> Result<Self, ExtractError> {
        let bad = |reason: String| ExtractError::BadPattern { pattern: text.to_owned(), reason };
        let glob = |part: &str| {
            if part.is_empty() {
                return Err(bad("a part is empty".to_owned()));
            }
            // Names are in lower case, see `ObjectName`.
            let glob = Glob::new(&part.to_lowercase()).map_err(|error| bad(error.kind().to_string()))?;
            Ok(glob.compile_matcher())
        };
        let (database, relation) = match text.trim().split_once('.') {
            Some((database, relation)) => (glob(database)?, Some(glob(relation)?)),
            None => (glob(text.trim())?, None),
        };
        Ok(Self { text: text.to_owned(), database, relation })
    }

    /// Whether the pattern covers the name, or, for a database, something that could be in it.
    fn reaches(&self, name: &ObjectName) -> bool {
        self.database.is_match(&name.database)
            && match (&self.relation, &name.relation) {
                (Some(pattern), Some(relation)) => pattern.is_match(relation),
                (None, _) | (_, None) => true,
            }
    }

    /// Whether the pattern covers the name itself; a database as a whole.
    fn covers(&self, name: &ObjectName) -> bool {
        self.reaches(name) && (self.relation.is_none() || name.relation.is_some())
    }
}

/// Notes during a pass which patterns match something.
#[derive(Debug)]
pub struct Tally<'a> {
    scope: &'a Scope,
    include_used: Vec<bool>,
    exclude_used: Vec<bool>,
}

impl<'a> Tally<'a> {
    /// Nothing has matched yet.
    pub fn new(scope: &'a Scope) -> Self {
        Self { scope, include_used: vec![false; scope.include.len()], exclude_used: vec![false; scope.exclude.len()] }
    }

    /// Whether the patterns cover this name, which the source has; notes which ones do.
    pub fn contains(&mut self, name: &ObjectName) -> bool {
        for (pattern, used) in self.scope.include.iter().zip(&mut self.include_used) {
            *used |= pattern.covers(name);
        }
        for (pattern, used) in self.scope.exclude.iter().zip(&mut self.exclude_used) {
            *used |= pattern.covers(name);
        }
        self.scope.contains(name)
    }

    /// The patterns that matched nothing, as configured.
    pub fn idle_patterns(self) -> Vec<String> {
        let include = self.scope.include.iter().zip(self.include_used);
        let exclude = self.scope.exclude.iter().zip(self.exclude_used);
        include.chain(exclude).filter(|(_, used)| !used).map(|(pattern, _)| pattern.text.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(include: &[&str], exclude: &[&str]) -> Scope {
        Scope::new(include, exclude).unwrap()
    }

    fn name(text: &str) -> ObjectName {
        match text.split_once('.') {
            Some((database, relation)) => ObjectName::relation(database, relation),
            None => ObjectName::database(text),
        }
    }

    fn covered(scope: &Scope, names: &[&'static str]) -> Vec<&'static str> {
        names.iter().copied().filter(|text| scope.contains(&name(text))).collect()
    }

    #[test]
    fn without_patterns_everything_is_included() {
        assert_eq!(covered(&scope(&[], &[]), &["a", "a.b"]), ["a", "a.b"]);
    }

    #[test]
    fn a_pattern_without_a_dot_is_a_database_with_all_that_is_in_it() {
        let names = ["sales", "sales.orders", "salesforce", "salesforce.x"];
        assert_eq!(covered(&scope(&["Sales"], &[]), &names), ["sales", "sales.orders"]);
        assert_eq!(covered(&scope(&[], &["sales*"]), &names), [""; 0]);
    }

    #[test]
    fn a_pattern_with_a_dot_covers_tables_and_brings_their_database() {
        let names = ["raw", "raw.tmp_1", "raw.orders", "other", "other.tmp_1"];
        assert_eq!(covered(&scope(&["raw.TMP_?"], &[]), &names), ["raw", "raw.tmp_1"]);
        assert_eq!(covered(&scope(&[], &["*.tmp_*"]), &names), ["raw", "raw.orders", "other"]);
    }

    #[test]
    fn exclude_wins() {
        let scope = scope(&["raw", "x"], &["raw.tmp_*", "x"]);
        assert_eq!(covered(&scope, &["raw.a", "raw.tmp_a", "x", "x.a"]), ["raw.a"]);
    }

    #[test]
    fn patterns_that_match_nothing_are_named() {
        let scope = scope(&["raw.*", "gone", "raw.gone_*"], &["raw.tmp_*", "nowhere"]);
        let mut tally = Tally::new(&scope);
        for text in ["raw", "raw.a", "raw.tmp_a"] {
            tally.contains(&name(text));
        }
        assert_eq!(tally.idle_patterns(), ["gone", "raw.gone_*", "nowhere"]);
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_named() {
        for bad in ["", "a.", ".b", "a.[", "{a"] {
            let error = Scope::new(&[bad], &[]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
    }
}
