//! Which paths are listed.

use globset::{GlobBuilder, GlobMatcher};

use super::super::NamespaceError;

/// Include and exclude patterns for paths.
///
/// A pattern is a path from the root; each name in it may have the wildcards `*`, `?`, `[a-z]` and
/// `{a,b}`. It covers the paths that it matches and everything below them. Without include patterns
/// everything is included; exclude wins. The directories above what is included are shown too.
#[derive(Debug, Clone, Default)]
pub struct PathScope {
    include: Vec<PathPattern>,
    exclude: Vec<PathPattern>,
}

/// One pattern, name by name.
#[derive(Debug, Clone)]
struct PathPattern(Vec<GlobMatcher>);

/// Where a path lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Outside,
    /// Something below it may be included, it itself is not.
    Above,
    Inside,
}

impl PathScope {
    /// Reads the patterns.
    pub fn new<T: AsRef<str>>(include: &[T], exclude: &[T]) -> Result<Self, NamespaceError> {
        let read = |patterns: &[T]| -> Result<Vec<PathPattern>, NamespaceError> {
            patterns.iter().map(|text| PathPattern::read(text.as_ref())).collect()
        };
        Ok(Self { include: read(include)?, exclude: read(exclude)? })
    }

    /// Whether only a part is listed.
    pub(super) fn has_includes(&self) -> bool {
        !self.include.is_empty()
    }

    pub(super) fn place(&self, path: &str) -> Place {
        if self.exclude.iter().any(|pattern| pattern.covers(path)) {
            return Place::Outside;
        }
        if self.include.is_empty() || self.include.iter().any(|pattern| pattern.covers(path)) {
            return Place::Inside;
        }
        if self.include.iter().any(|pattern| pattern.is_below(path)) { Place::Above } else { Place::Outside }
    }
}

impl PathPattern {
    fn read(text: &str) -> Result<Self, NamespaceError> {
        let bad = |reason: String| NamespaceError::BadPattern { pattern: text.to_owned(), reason };
        let names = text.trim().strip_prefix('/').ok_or_else(|| bad("it does not begin with /".to_owned()))?;
        let mut matchers = Vec::new();
        for name in names.split('/').filter(|name| !name.is_empty()) {
            let glob = GlobBuilder::new(name).literal_separator(true).backslash_escape(true).build();
            matchers.push(glob.map_err(|error| bad(error.kind().to_string()))?.compile_matcher());
        }
        if matchers.is_empty() {
            return Err(bad("it is the root, which covers everything: leave it out".to_owned()));
        }
        Ok(Self(matchers))
    }

    /// Whether the path, or one above it, matches.
    fn covers(&self, path: &str) -> bool {
        let mut names = names(path);
        self.0.iter().all(|matcher| names.next().is_some_and(|name| matcher.is_match(name)))
    }

    /// Whether something below the path may match.
    fn is_below(&self, path: &str) -> bool {
        let mut matchers = self.0.iter();
        names(path).all(|name| matchers.next().is_some_and(|matcher| matcher.is_match(name)))
    }
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_paths_and_what_lies_below() {
        let scope = PathScope::new(&["/data", "/user/*/out"], &["/data/tmp*", "/user/eve"]).unwrap();
        for (path, expected) in [
            ("/", Place::Above),
            ("/data", Place::Inside),
            ("/data/a/b", Place::Inside),
            ("/data2", Place::Outside),
            ("/data/tmp1", Place::Outside),
            ("/data/tmp1/x", Place::Outside),
            ("/user", Place::Above),
            ("/user/ann", Place::Above),
            ("/user/ann/in", Place::Outside),
            ("/user/ann/out/x", Place::Inside),
            ("/user/eve", Place::Outside),
            ("/user/eve/out", Place::Outside),
        ] {
            assert_eq!(scope.place(path), expected, "{path}");
        }
        assert_eq!(PathScope::default().place("/anything"), Place::Inside);
    }

    #[test]
    fn patterns_that_cannot_be_read_are_named() {
        for wrong in ["", "data", "/", "/a/[", "/{a"] {
            let error = PathScope::new(&[wrong], &[]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{wrong}`")), "{error}");
        }
    }
}
