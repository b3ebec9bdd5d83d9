//! The `[[extractor]]` tables: what all extractors have in common, and what only one kind has.

mod hdfs;
mod hms;

use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file::Reader;
use super::value::{self, shown};
use super::{DEFAULT_CLUSTER, DEFAULT_SCHEDULE};
pub use hdfs::{HdfsSettings, ListingSettings, ShownFiles};
pub use hms::HmsSettings;

const COMMON_KEYS: &[&str] =
    &["name", "kind", "cluster", "uri", "schedule", "connect_timeout", "call_timeout", "retries"];

/// One `[[extractor]]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractorSettings {
    /// Also the name of its source instance.
    pub name: String,
    /// The clusters whose names it explains; at least one. The first stands for all of them.
    pub clusters: Vec<String>,
    /// The source.
    pub uri: String,
    /// When it runs: seconds minutes hours days months weekdays, in UTC.
    pub schedule: String,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long to wait for an answer.
    pub call_timeout: Duration,
    /// How often a failed call is tried again.
    pub retries: u32,
    /// What it visits, with the settings of that kind.
    pub kind: ExtractorKind,
}

/// What an extractor visits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtractorKind {
    /// A Hive Metastore.
    Hms(HmsSettings),
    /// An HDFS namespace.
    Hdfs(HdfsSettings),
}

impl ExtractorKind {
    /// The word for it in the configuration.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Hms(_) => "hms",
            Self::Hdfs(_) => "hdfs",
        }
    }

    const fn keys(&self) -> &'static [&'static str] {
        match self {
            Self::Hms(_) => hms::KEYS,
            Self::Hdfs(_) => hdfs::KEYS,
        }
    }

    /// The kind of that name, with its defaults.
    fn of_word(text: &str) -> Result<Self, String> {
        match text {
            "hms" => Ok(Self::Hms(HmsSettings::default())),
            "hdfs" => Ok(Self::Hdfs(HdfsSettings::default())),
            _ => Err(format!("hms or hdfs (found {})", shown(text))),
        }
    }

    /// Reads a key of this kind. False when it has no such key.
    fn read(&mut self, reader: &mut Reader<'_>, key: &str, full: &str, item: &Spanned<DeValue<'_>>) -> bool {
        match self {
            Self::Hms(settings) => settings.read(reader, key, full, item),
            Self::Hdfs(settings) => settings.read(reader, key, full, item),
        }
    }

    fn check_uri(&self, text: &str) -> Result<String, String> {
        match self {
            Self::Hms(_) => hms::source_uri(text),
            Self::Hdfs(_) => hdfs::source_uri(text),
        }
    }
}

/// Reads one table that begins at `start`. Nothing when a required key is missing or wrong.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, start: usize) -> Option<ExtractorSettings> {
    for required in ["name", "kind", "uri"] {
        if !has(table, required) {
            reader.wrong(start, &format!("extractor.{required}"), "missing; every extractor has one".to_owned());
        }
    }
    // What the other keys may be depends on the kind.
    let (_, kind) = table.iter().find(|(key, _)| key.get_ref() == "kind")?;
    let mut settings = ExtractorSettings {
        name: String::new(),
        clusters: vec![DEFAULT_CLUSTER.to_owned()],
        uri: String::new(),
        schedule: DEFAULT_SCHEDULE.to_owned(),
        connect_timeout: Duration::from_secs(10),
        call_timeout: Duration::from_mins(2),
        retries: 3,
        kind: reader.text_as("extractor.kind", kind, ExtractorKind::of_word)?,
    };
    for (key, item) in table {
        let full = format!("extractor.{}", key.get_ref());
        match key.get_ref().as_ref() {
            "kind" => {}
            "name" => keep(&mut settings.name, reader.text_as(&full, item, extractor_name)),
            "uri" => keep(&mut settings.uri, reader.text_as(&full, item, |text| settings.kind.check_uri(text))),
            "cluster" => keep(&mut settings.clusters, reader.texts_as(&full, item, |text| Ok(text.to_owned()))),
            "schedule" => keep(&mut settings.schedule, reader.text_as(&full, item, schedule)),
            "connect_timeout" => keep(&mut settings.connect_timeout, reader.text_as(&full, item, value::duration)),
            "call_timeout" => keep(&mut settings.call_timeout, reader.text_as(&full, item, value::duration)),
            "retries" => keep(&mut settings.retries, reader.number(&full, item, 0..=20)),
            other => {
                if !settings.kind.read(reader, other, &full, item) {
                    refuse_key(reader, key.span().start, other, &settings.kind);
                }
            }
        }
    }
    if let ExtractorKind::Hdfs(_) = settings.kind
        && !has(table, "addresses")
    {
        let message = "missing; what the locations of tables in this file system begin with, such as \"hdfs://prod\"";
        reader.wrong(start, "extractor.addresses", message.to_owned());
    }
    if settings.clusters.is_empty() {
        reader.wrong(start, "extractor.cluster", "a list of at least one cluster".to_owned());
        return None;
    }
    // Both are empty only when they are missing or wrong, which is said already.
    if settings.name.is_empty() || settings.uri.is_empty() { None } else { Some(settings) }
}

fn has(table: &DeTable<'_>, name: &str) -> bool {
    table.keys().any(|key| key.get_ref() == name)
}

/// A key that this kind does not have: mistyped, or of another kind.
fn refuse_key(reader: &mut Reader<'_>, offset: usize, key: &str, kind: &ExtractorKind) {
    let allowed = [COMMON_KEYS, kind.keys()].concat();
    let owners: [(&str, &[&str]); 2] = [("hms", hms::KEYS), ("hdfs", hdfs::KEYS)];
    match owners.iter().find(|(_, keys)| keys.contains(&key)) {
        Some((owner, _)) => {
            let message = format!(
                "belongs to kind {owner}, and this extractor is of kind {}; allowed are {}",
                kind.word(),
                allowed.join(", ")
            );
            reader.wrong(offset, &format!("extractor.{key}"), message);
        }
        None => reader.unknown(offset, "extractor.", key, &allowed),
    }
}

fn keep<T>(setting: &mut T, read: Option<T>) {
    if let Some(value) = read {
        *setting = value;
    }
}

/// The name appears in addresses, log lines and file names, so it is a plain word.
fn extractor_name(text: &str) -> Result<String, String> {
    let plain = text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    if plain && !text.starts_with('.') {
        Ok(text.to_owned())
    } else {
        Err(format!("letters, digits, - _ and ., at most 64 of them (found {})", shown(text)))
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
