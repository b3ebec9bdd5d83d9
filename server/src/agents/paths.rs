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
    All(Pattern),
    /// Files that match.
    Matching(Pattern),
}

impl SpoolPaths {
    /// From a directory, file or pattern. What is no pattern is taken literally.
    pub(super) fn of(configured: &str) -> Self {
        let without_slash = configured.trim_end_matches('/');
        let directories = without_slash.strip_suffix("/**").unwrap_or(without_slash);
        let is_pattern = configured.contains(['*', '?', '[']);
        match Pattern::new(directories) {
            Ok(pattern) if is_pattern && directories.len() < configured.len() => Self::All(pattern),
            Ok(pattern) if is_pattern => Self::Matching(pattern),
            _ => Self::Exactly(without_slash.to_owned()),
        }
    }

    /// Whether a file of that path is one of them.
    pub(super) fn cover(&self, file: &str) -> bool {
        let directory = Path::new(file).parent().and_then(Path::to_str).unwrap_or_default();
        match self {
            Self::Exactly(path) => file == path || directory == path,
            Self::All(directories) => directories.matches_with(directory, MATCHING),
            Self::Matching(files) => files.matches_with(file, MATCHING),
        }
    }
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
        ] {
            assert_eq!(SpoolPaths::of(configured).cover(file), expected, "{configured} {file}");
        }
    }
}
