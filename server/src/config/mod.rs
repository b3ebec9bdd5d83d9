//! The server's configuration: a TOML file, `SEXTANT_…` variables, and flags.
//!
//! Flags win over variables, variables over the file, the file over the defaults. Everything that
//! is wrong is found before anything starts, and each finding is one line that says where it is
//! and what is allowed. An unknown key is an error: a mistyped setting must not be ignored.

mod environment;
mod extractor;
mod file;
#[cfg(test)]
mod tests;
mod value;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sextant_model::location::{FileSystem, FileSystems};

use crate::clusters::Clusters;
pub use environment::unknown_variables;
pub use extractor::{ExtractorKind, ExtractorSettings, HdfsSettings, HmsSettings, ListingSettings, ShownFiles};
pub use file::read;

/// The address that is used when none is configured: Navigator's port, loopback only.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:7187";
/// Every ten minutes.
pub const DEFAULT_SCHEDULE: &str = "0 */10 * * * *";
/// The cluster of everything for which none is named.
pub const DEFAULT_CLUSTER: &str = "default";

/// The whole configuration, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `[server]`.
    pub server: ServerSettings,
    /// Every `[[extractor]]`.
    pub extractors: Vec<ExtractorSettings>,
}

/// The `[server]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The address to listen on. Port 0 takes any free port.
    pub listen: SocketAddr,
    /// The origins that a proxy shows the server under (`https://sextant.example.com`).
    pub public_urls: Vec<String>,
    /// Where the database and the search index live.
    pub data_dir: PathBuf,
    /// Agents wait while more bytes than this are received and not linked; `None` is no limit.
    pub max_unlinked: Option<u64>,
    /// Agents wait while the disk of `data_dir` has fewer bytes left; `None` is no limit.
    pub min_free_disk: Option<u64>,
    /// How many bytes in formats that this version does not read are kept for a later one; `None`
    /// is no limit.
    pub max_waiting: Option<u64>,
    /// Which log lines are written (`info`, or per module `sextant=debug,info`).
    pub log_level: String,
    /// A file to log into as well, rotated at 50 MiB.
    pub log_file: Option<PathBuf>,
    /// An agent that was not heard for longer is shown as silent.
    pub silent_after: Duration,
    /// Whether an address that others can reach is accepted although nobody has to log in.
    pub unsafe_listen_without_authentication: bool,
}

impl Config {
    /// The file systems that extractors show, with the names by which `clusters` knows their clusters.
    pub fn file_systems(&self, clusters: &Clusters) -> FileSystems {
        let mut systems = Vec::new();
        for extractor in &self.extractors {
            if let ExtractorKind::Hdfs(hdfs) = &extractor.kind {
                systems.push(FileSystem {
                    source: extractor.name.clone(),
                    cluster: clusters.canonical(&extractor.clusters[0]).to_owned(),
                    addresses: hdfs.addresses.clone(),
                });
            }
        }
        FileSystems(systems)
    }
}

/// What the command line says; `None` leaves the setting to the environment and the file.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--listen`.
    pub listen: Option<String>,
    /// `--data`.
    pub data: Option<PathBuf>,
    /// `--log-level`.
    pub log_level: Option<String>,
    /// `--log-file`.
    pub log_file: Option<PathBuf>,
    /// `--unsafe-listen-without-authentication`.
    pub unsafe_listen_without_authentication: bool,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: cannot read the configuration: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Settings that are wrong, one line each.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Finding>),
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// `FILE:LINE`, `environment`, or `command line`.
    pub place: String,
    /// The setting, as it is written (`server.listen`, `SEXTANT_LISTEN`, `--listen`).
    pub key: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.key.is_empty() {
            write!(f, "{}: {}", self.place, self.message)
        } else {
            write!(f, "{}: key {}: {}", self.place, self.key, self.message)
        }
    }
}

/// Reads the file (if there is one), then lets the environment and the flags win.
pub fn load(
    file: Option<&Path>,
    environment: &dyn Fn(&str) -> Option<String>,
    flags: &Flags,
) -> Result<Config, ConfigError> {
    let mut config = match file {
        Some(path) => file::read(path)?,
        None => Config { server: ServerSettings::default(), extractors: Vec::new() },
    };
    let mut findings = Vec::new();
    environment::apply(&mut config.server, environment, &mut findings);
    apply_flags(&mut config.server, flags, &mut findings);
    if findings.is_empty() {
        check_address(&config.server, &mut findings);
    }
    if findings.is_empty() { Ok(config) } else { Err(ConfigError::Wrong(findings)) }
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7187)),
            public_urls: Vec::new(),
            data_dir: PathBuf::from("/var/lib/sextant"),
            max_unlinked: Some(2 << 30),
            min_free_disk: Some(512 << 20),
            max_waiting: Some(1 << 30),
            log_level: "info".to_owned(),
            log_file: None,
            silent_after: Duration::from_mins(15),
            unsafe_listen_without_authentication: false,
        }
    }
}

fn apply_flags(server: &mut ServerSettings, flags: &Flags, findings: &mut Vec<Finding>) {
    let mut wrong = |key: &str, message: String| {
        findings.push(Finding { place: "command line".to_owned(), key: key.to_owned(), message });
    };
    if let Some(listen) = &flags.listen {
        match value::address(listen) {
            Ok(address) => server.listen = address,
            Err(message) => wrong("--listen", message),
        }
    }
    if let Some(level) = &flags.log_level {
        match value::log_level(level) {
            Ok(level) => server.log_level = level,
            Err(message) => wrong("--log-level", message),
        }
    }
    if let Some(data) = &flags.data {
        server.data_dir.clone_from(data);
    }
    if let Some(log_file) = &flags.log_file {
        server.log_file = Some(log_file.clone());
    }
    server.unsafe_listen_without_authentication |= flags.unsafe_listen_without_authentication;
}

fn check_address(server: &ServerSettings, findings: &mut Vec<Finding>) {
    if server.listen.ip().is_loopback() || server.unsafe_listen_without_authentication {
        return;
    }
    findings.push(Finding {
        place: "configuration".to_owned(),
        key: "server.listen".to_owned(),
        message: format!(
            "{} can be reached from other hosts, and nobody has to log in yet; listen on 127.0.0.1 or [::1], \
             or start with --unsafe-listen-without-authentication",
            server.listen
        ),
    });
}
