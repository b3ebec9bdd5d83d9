//! The `SEXTANT_…` variables of the server.

use std::path::PathBuf;

use super::{Finding, ServerSettings, value};

/// Variables that mean something to the server or to the client commands.
const KNOWN: &[&str] = &[
    "SEXTANT_CONFIG",
    "SEXTANT_LISTEN",
    "SEXTANT_PUBLIC_URL",
    "SEXTANT_DATA_DIR",
    "SEXTANT_LOG_LEVEL",
    "SEXTANT_LOG_FILE",
    "SEXTANT_SILENT_AFTER",
    "SEXTANT_SERVER",
    "SEXTANT_TOKEN_FILE",
];
/// The agent's own variables begin so; it says itself which of them mean nothing.
const OF_THE_AGENT: &str = "SEXTANT_AGENT_";

/// Lets the variables win over what stands in `server`.
pub(super) fn apply(
    server: &mut ServerSettings,
    environment: &dyn Fn(&str) -> Option<String>,
    findings: &mut Vec<Finding>,
) {
    let mut wrong = |key: &str, message: String| {
        findings.push(Finding { place: "environment".to_owned(), key: key.to_owned(), message });
    };
    if let Some(listen) = environment("SEXTANT_LISTEN") {
        match value::address(&listen) {
            Ok(address) => server.listen = address,
            Err(message) => wrong("SEXTANT_LISTEN", message),
        }
    }
    if let Some(urls) = environment("SEXTANT_PUBLIC_URL") {
        match value::public_urls(&urls) {
            Ok(urls) => server.public_urls = urls,
            Err(message) => wrong("SEXTANT_PUBLIC_URL", message),
        }
    }
    if let Some(level) = environment("SEXTANT_LOG_LEVEL") {
        match value::log_level(&level) {
            Ok(level) => server.log_level = level,
            Err(message) => wrong("SEXTANT_LOG_LEVEL", message),
        }
    }
    if let Some(silent_after) = environment("SEXTANT_SILENT_AFTER") {
        match value::duration(&silent_after) {
            Ok(silent_after) => server.silent_after = silent_after,
            Err(message) => wrong("SEXTANT_SILENT_AFTER", message),
        }
    }
    if let Some(data_dir) = environment("SEXTANT_DATA_DIR") {
        server.data_dir = PathBuf::from(data_dir);
    }
    if let Some(log_file) = environment("SEXTANT_LOG_FILE") {
        server.log_file = Some(PathBuf::from(log_file));
    }
}

/// Variables that begin with `SEXTANT_` and mean nothing: most likely mistyped.
pub fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    names
        .filter(|name| name.starts_with("SEXTANT_") && !name.starts_with(OF_THE_AGENT))
        .filter(|name| !KNOWN.contains(&name.as_str()))
        .collect()
}
