//! Every setting there is, once: names, allowed values, defaults and meaning.
//!
//! The reading of the file, the environment's names and the help text all come from this list.

use std::fmt::Write as _;

/// One key of the configuration.
pub(crate) struct Setting {
    /// The table it stands in.
    pub(crate) section: &'static str,
    /// Its name.
    pub(crate) key: &'static str,
    /// What may stand there, in words.
    pub(crate) allowed: &'static str,
    /// What holds when it is not written; nothing means it must be written or is off.
    pub(crate) default: Option<&'static str>,
    /// What it does.
    pub(crate) meaning: &'static str,
}

impl Setting {
    /// The environment variable that wins over the file. Spools have none: there are several.
    pub(crate) fn variable(&self) -> Option<String> {
        let key = self.key.to_uppercase();
        match self.section {
            "spool" => None,
            "agent" => Some(format!("SEXTANT_AGENT_{key}")),
            section => Some(format!("SEXTANT_AGENT_{}_{key}", section.to_uppercase())),
        }
    }
}

/// The sections in the order of the help text.
pub(crate) const SECTIONS: [&str; 4] = ["server", "agent", "spool", "log"];

/// The words a spool's `format` may be. The agent hands them on and does nothing else with them.
pub(crate) const FORMATS: [&str; 4] = ["hive", "impala", "spark", "openlineage"];

/// The words of a spool's `compressed`.
pub(crate) const COMPRESSED: [&str; 3] = ["all", "known", "none"];

/// The words of a spool's `retention_action`.
pub(crate) const RETENTION_ACTIONS: [&str; 2] = ["delete", "move"];

/// The words of `[log] level`.
pub(crate) const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

const DURATION: &str = "a duration such as \"500ms\", \"5s\", \"2m\" or \"1h\"";
const SIZE: &str = "a size such as \"64KiB\" or \"1MiB\", or a number of bytes";

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        section: "server",
        key: "url",
        allowed: "an http:// or https:// address without user or password",
        default: None,
        meaning: "where the Sextant server listens; data goes nowhere else (no redirect, no proxy)",
    },
    Setting {
        section: "server",
        key: "token_file",
        allowed: "a path",
        default: None,
        meaning: "file with the token that is sent to the server; read again at each connect",
    },
    Setting {
        section: "server",
        key: "ca_file",
        allowed: "a path",
        default: None,
        meaning: "PEM file of certificate authorities to trust besides the system's",
    },
    Setting {
        section: "server",
        key: "connect_timeout",
        allowed: DURATION,
        default: Some("10s"),
        meaning: "how long a connection may take",
    },
    Setting {
        section: "server",
        key: "request_timeout",
        allowed: DURATION,
        default: Some("60s"),
        meaning: "how long one request with its answer may take",
    },
    Setting {
        section: "agent",
        key: "state_dir",
        allowed: "a path",
        default: Some("/var/lib/sextant-agent"),
        meaning: "directory for the agent's id and positions; one agent per directory",
    },
    Setting {
        section: "agent",
        key: "poll_interval",
        allowed: DURATION,
        default: Some("5s"),
        meaning: "how often to look at the spools (a file system event makes it earlier)",
    },
    Setting {
        section: "agent",
        key: "host",
        allowed: "a host name of at most 255 characters",
        default: None,
        meaning: "the name this host is known by; the system's host name when left out",
    },
    Setting {
        section: "agent",
        key: "batch_bytes",
        allowed: SIZE,
        default: Some("1MiB"),
        meaning: "how much is sent at once, before compression, up to 8MiB; a longer line goes alone",
    },
    Setting {
        section: "agent",
        key: "parallel_files",
        allowed: "a number from 1 to 64",
        default: Some("4"),
        meaning: "how many files are read and sent side by side",
    },
    Setting {
        section: "agent",
        key: "hold_deleted",
        allowed: DURATION,
        default: Some("1h"),
        meaning: "how long a deleted file that is not delivered yet is kept open, and its disk space in use",
    },
    Setting {
        section: "spool",
        key: "path",
        allowed: "a directory, a file, or a pattern with * ? [ ]",
        default: None,
        meaning: "which files to follow",
    },
    Setting {
        section: "spool",
        key: "format",
        allowed: "hive, impala, spark or openlineage",
        default: None,
        meaning: "what writes these files; the server reads them by it",
    },
    Setting {
        section: "spool",
        key: "cluster",
        allowed: "a name",
        default: Some("default"),
        meaning: "the cluster the records belong to",
    },
    Setting {
        section: "spool",
        key: "compressed",
        allowed: "all, known or none",
        default: Some("all"),
        meaning: "of .gz and .zst files: known: what is missing of a file that was followed; all: also those never read",
    },
    Setting {
        section: "spool",
        key: "retention",
        allowed: "a duration such as \"12h\" or \"30d\", from 1h on",
        default: None,
        meaning: "clear away files that the server has wholly, that have a successor, and whose last change is longer ago; off when left out",
    },
    Setting {
        section: "spool",
        key: "retention_action",
        allowed: "delete or move",
        default: Some("delete"),
        meaning: "what retention does with them",
    },
    Setting {
        section: "spool",
        key: "retention_directory",
        allowed: "a path on the same file system",
        default: None,
        meaning: "where retention_action = \"move\" puts them",
    },
    Setting {
        section: "log",
        key: "level",
        allowed: "error, warn, info, debug or trace",
        default: Some("info"),
        meaning: "how much is logged",
    },
    Setting {
        section: "log",
        key: "file",
        allowed: "a path",
        default: None,
        meaning: "log to this file instead of standard error",
    },
    Setting {
        section: "log",
        key: "rotate_size",
        allowed: SIZE,
        default: Some("10MiB"),
        meaning: "start a new log file at this size, from 4KiB on",
    },
    Setting {
        section: "log",
        key: "keep",
        allowed: "a number from 1 to 1000",
        default: Some("5"),
        meaning: "how many former log files are kept",
    },
];

/// The setting of that name in that section.
pub(crate) fn find(section: &str, key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.section == section && setting.key == key)
}

/// All keys of a section, for messages.
pub(crate) fn keys_of(section: &str) -> String {
    let keys: Vec<&str> =
        SETTINGS.iter().filter(|setting| setting.section == section).map(|setting| setting.key).collect();
    keys.join(", ")
}

/// The reference of all settings, for `--help`.
pub fn reference() -> String {
    let mut text = String::new();
    for section in SECTIONS {
        let title = if section == "spool" { "[[spool]]   (one or more)".to_owned() } else { format!("[{section}]") };
        let _ = writeln!(text, "{title}");
        for setting in SETTINGS.iter().filter(|setting| setting.section == section) {
            let default = setting.default.map_or_else(String::new, |value| format!(" (default {value})"));
            let _ = writeln!(text, "  {:<19} {}{default}", setting.key, setting.meaning);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_names_every_setting() {
        let text = reference();
        for setting in SETTINGS {
            assert!(text.contains(setting.key), "{} is missing", setting.key);
        }
    }

    #[test]
    fn variables_are_distinct() {
        let mut variables: Vec<String> = SETTINGS.iter().filter_map(Setting::variable).collect();
        let count = variables.len();
        variables.sort();
        variables.dedup();
        assert_eq!(variables.len(), count);
    }
}
