//! Which spool a file belongs to, by the spool's path as the agent's configuration has it.

use std::path::Path;

use glob::{MatchOptions, Pattern};

/// As the agent matches: `*` does not cross a `/`.
const MATCHING: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The files of a spool.
#[derive(Debug, Clone)]
pub(super) enum SpoolPaths {
    /// A directory or one file, which of them only the agent's host knows.
    Exactly(String),
    /// Every file in directories that match.
    All(Vec<Pattern>),
    /// Files that match.
    Matching(Vec<Pattern>),
}

/// A longer path, or one with more stars in a name, is taken literally: matching takes time that
/// grows with each star, and agents are not believed to be kind.
const LONGEST_PATTERN: usize = 512;
const MOST_STARS: usize = 3;

impl SpoolPaths {
    /// From a directory, file or pattern. What is no pattern is taken literally.
    pub(super) fn of(configured: &str) -> Self {
        let without_slash = configured.trim_end_matches('/');
        let directories = without_slash.strip_suffix("/**").unwrap_or(without_slash);
        let is_pattern = configured.contains(['*', '?', '[']) && configured.len() <= LONGEST_PATTERN;
        match patterns_of(directories) {
            Some(patterns) if is_pattern && directories.len() < configured.len() => Self::All(patterns),
            Some(patterns) if is_pattern => Self::Matching(patterns),
            _ => Self::Exactly(without_slash.to_owned()),
        }
    }

    /// Whether a file of that path is one of them.
    pub(super) fn cover(&self, file: &str) -> bool {
        let directory = Path::new(file).parent().and_then(Path::to_str).unwrap_or_default();
        match self {
            Self::Exactly(path) => file == path || directory == path,
            Self::All(directories) => fits(directories, directory),
            Self::Matching(files) => fits(files, file),
        }
    }
}

/// Name by name: no star reaches beyond a `/`, so none needs to be tried there.
fn patterns_of(path: &str) -> Option<Vec<Pattern>> {
    let names = path.split('/');
    names.map(|name| Pattern::new(name).ok().filter(|_| name.matches('*').count() <= MOST_STARS)).collect()
}

fn fits(patterns: &[Pattern], path: &str) -> bool {
    let mut names = path.split('/');
    let all_fit = patterns.iter().all(|pattern| names.next().is_some_and(|name| pattern.matches_with(name, MATCHING)));
    all_fit && names.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_as_the_agent_does() {
        for (configured, file, expected) in [
            ("/var/log/hive/lineage", "/var/log/hive/lineage/hive-lineage.log.1", true),
            ("/var/log/hive/lineage/", "/var/log/hive/lineage/hive-lineage.log.1", true),
            ("/var/log/hive/lineage", "/var/log/hive/lineage/old/x.log", false),
            ("/var/log/x.log", "/var/log/x.log", true),
            ("/var/log/x.log", "/var/log/x.log2", false),
            ("/l/impala_lineage_log_1.0-*", "/l/impala_lineage_log_1.0-17", true),
            ("/l/impala_lineage_log_1.0-*", "/l/impala_lineage_log_1.0-17/x", false),
            ("/var/log/*/lineage/", "/var/log/hive/lineage/x.log", true),
            ("/var/log/*/lineage/**", "/var/log/hive/lineage/x.log", true),
            ("/var/log/*/lineage/", "/var/log/hive/x.log", false),
            ("/var/log/[", "/var/log/[", true),
            ("/*a*a*a*a*a*a*a*a*a*a*a*a*b/x", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/x", false),
        ] {
            assert_eq!(SpoolPaths::of(configured).cover(file), expected, "{configured} {file}");
        }
    }
}
