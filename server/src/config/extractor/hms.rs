//! What only an extractor of kind `hms` has.

use sextant_extractors::pull::hms::PartitionDetail;
use sextant_extractors::pull::scope::Scope;
use toml::Spanned;
use toml::de::DeValue;

use super::keep;
use crate::config::file::Reader;
use crate::config::value::shown;

pub(super) const KEYS: &[&str] =
    &["include", "exclude", "partitions", "batch_size", "connections", "requests_per_second", "framed"];

/// How a metastore is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HmsSettings {
    /// Only what one of these patterns covers is read; empty means everything.
    pub include: Vec<String>,
    /// What one of these patterns covers is not read.
    pub exclude: Vec<String>,
    /// How much is asked about partitions.
    pub partitions: PartitionDetail,
    /// Objects asked for in one call.
    pub batch_size: u32,
    /// Connections at the same time.
    pub connections: u32,
    /// Requests per second at most.
    pub requests_per_second: u32,
    /// Whether the metastore wants framed transport.
    pub framed: bool,
}

impl Default for HmsSettings {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            partitions: PartitionDetail::Count,
            batch_size: 300,
            connections: 4,
            requests_per_second: 200,
            framed: false,
        }
    }
}

impl HmsSettings {
    /// Reads a key. False when there is no such key.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, key: &str, full: &str, item: &Spanned<DeValue<'_>>) -> bool {
        match key {
            "include" => keep(&mut self.include, reader.texts_as(full, item, pattern)),
            "exclude" => keep(&mut self.exclude, reader.texts_as(full, item, pattern)),
            "partitions" => keep(&mut self.partitions, reader.text_as(full, item, partition_detail)),
            "batch_size" => keep(&mut self.batch_size, reader.number(full, item, 1..=5_000)),
            "connections" => keep(&mut self.connections, reader.number(full, item, 1..=32)),
            "requests_per_second" => keep(&mut self.requests_per_second, reader.number(full, item, 1..=10_000)),
            "framed" => keep(&mut self.framed, reader.switch(full, item)),
            _ => return false,
        }
        true
    }
}

pub(super) fn source_uri(text: &str) -> Result<String, String> {
    let allowed =
        || format!("thrift://HOST:PORT, several separated by commas, or file:///RECORDING (found {})", shown(text));
    if let Some(path) = text.strip_prefix("file://") {
        return if path.starts_with('/') { Ok(text.to_owned()) } else { Err(allowed()) };
    }
    for part in text.split(',') {
        let authority = part.trim().strip_prefix("thrift://").ok_or_else(allowed)?;
        let authority = authority.trim_end_matches('/');
        let (host, port) = authority.rsplit_once(':').unwrap_or((authority, "9083"));
        if host.is_empty() || host.contains(['/', '@', ' ']) || port.parse::<u16>().is_err() {
            return Err(allowed());
        }
    }
    Ok(text.to_owned())
}

fn pattern(text: &str) -> Result<String, String> {
    let nothing: [&str; 0] = [];
    match Scope::new(&[text], &nothing) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn partition_detail(text: &str) -> Result<PartitionDetail, String> {
    match text {
        "none" => Ok(PartitionDetail::None),
        "count" => Ok(PartitionDetail::Count),
        "all" => Ok(PartitionDetail::All),
        _ => Err(format!("none, count (their number) or all (each of them) (found {})", shown(text))),
    }
}
