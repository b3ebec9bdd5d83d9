//! The `[[extractor]]` tables.

use std::time::Duration;

use sextant_extractors::pull::hms::PartitionDetail;
use sextant_extractors::pull::scope::Scope;
use toml::de::DeTable;

use super::file::Reader;
use super::value::{self, shown};
use super::{DEFAULT_CLUSTER, DEFAULT_SCHEDULE, ExtractorSettings};

const KEYS: &[&str] = &[
    "name",
    "kind",
    "cluster",
    "uri",
    "schedule",
    "include",
    "exclude",
    "partitions",
    "batch_size",
    "connections",
    "requests_per_second",
    "connect_timeout",
    "call_timeout",
    "retries",
    "framed",
];

/// Reads one table that begins at `start`. Nothing when a required key is missing or wrong.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, start: usize) -> Option<ExtractorSettings> {
    let mut name = None;
    let mut kind = None;
    let mut uri = None;
    let mut settings = ExtractorSettings {
        name: String::new(),
        clusters: vec![DEFAULT_CLUSTER.to_owned()],
        uri: String::new(),
        schedule: DEFAULT_SCHEDULE.to_owned(),
        include: Vec::new(),
        exclude: Vec::new(),
        partitions: PartitionDetail::Count,
        batch_size: 300,
        connections: 4,
        requests_per_second: 200,
        connect_timeout: Duration::from_secs(10),
        call_timeout: Duration::from_mins(2),
        retries: 3,
        framed: false,
    };
    for (key, item) in table {
        let full = format!("extractor.{}", key.get_ref());
        match key.get_ref().as_ref() {
            "name" => name = reader.text_as(&full, item, extractor_name),
            "kind" => kind = reader.text_as(&full, item, extractor_kind),
            "uri" => uri = reader.text_as(&full, item, source_uri),
            "cluster" => keep(&mut settings.clusters, reader.texts_as(&full, item, |text| Ok(text.to_owned()))),
            "schedule" => keep(&mut settings.schedule, reader.text_as(&full, item, schedule)),
            "include" => keep(&mut settings.include, reader.texts_as(&full, item, pattern)),
            "exclude" => keep(&mut settings.exclude, reader.texts_as(&full, item, pattern)),
            "partitions" => keep(&mut settings.partitions, reader.text_as(&full, item, partition_detail)),
            "batch_size" => keep(&mut settings.batch_size, reader.number(&full, item, 1..=5_000)),
            "connections" => keep(&mut settings.connections, reader.number(&full, item, 1..=32)),
            "requests_per_second" => {
                keep(&mut settings.requests_per_second, reader.number(&full, item, 1..=10_000));
            }
            "connect_timeout" => keep(&mut settings.connect_timeout, reader.text_as(&full, item, value::duration)),
            "call_timeout" => keep(&mut settings.call_timeout, reader.text_as(&full, item, value::duration)),
            "retries" => keep(&mut settings.retries, reader.number(&full, item, 0..=20)),
            "framed" => keep(&mut settings.framed, reader.switch(&full, item)),
            other => reader.unknown(key.span().start, "extractor.", other, KEYS),
        }
    }
    for required in ["name", "kind", "uri"] {
        if !table.keys().any(|key| key.get_ref() == required) {
            reader.wrong(start, &format!("extractor.{required}"), "missing; every extractor has one".to_owned());
        }
    }
    if settings.clusters.is_empty() {
        reader.wrong(start, "extractor.cluster", "a list of at least one cluster".to_owned());
        return None;
    }
    kind?;
    settings.name = name?;
    settings.uri = uri?;
    Some(settings)
}

fn keep<T>(setting: &mut T, read: Option<T>) {
    if let Some(value) = read {
        *setting = value;
    }
}

/// The name appears in addresses and log lines, so it is a plain word.
fn extractor_name(text: &str) -> Result<String, String> {
    let plain = text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    if plain && !text.starts_with('.') {
        Ok(text.to_owned())
    } else {
        Err(format!("letters, digits, - _ and ., at most 64 of them (found {})", shown(text)))
    }
}

fn extractor_kind(text: &str) -> Result<(), String> {
    if text == "hms" { Ok(()) } else { Err(format!("hms (found {})", shown(text))) }
}

fn source_uri(text: &str) -> Result<String, String> {
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

fn schedule(text: &str) -> Result<String, String> {
    crate::schedule::check(text).map_err(|reason| {
        format!(
            "seconds minutes hours days months weekdays in UTC, such as \"0 */10 * * * *\" for every ten minutes \
             (found {}: {reason})",
            shown(text)
        )
    })?;
    Ok(text.to_owned())
}
