//! Reads the TOML file, with the line of everything that is wrong.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use sextant_model::location::{FileSystem, FileSystems, LocationRule};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::value::{self, shown};
use super::{Config, ConfigError, ExtractorKind, Finding, ServerSettings, extractor};

/// Reads and checks a configuration file.
pub fn read(path: &Path) -> Result<Config, ConfigError> {
    let text =
        std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    parse(path, &text)
}

/// Checks the text of a configuration file.
pub(super) fn parse(path: &Path, text: &str) -> Result<Config, ConfigError> {
    let mut reader = Reader { path: path.display().to_string(), text, findings: Vec::new() };
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let place = reader.place(error.span().map_or(0, |span| span.start));
            let message = format!("not TOML: {}", error.message().replace('\n', " "));
            return Err(ConfigError::Wrong(vec![Finding { place, key: String::new(), message }]));
        }
    };
    let mut config = Config { server: ServerSettings::default(), extractors: Vec::new() };
    for (key, item) in document.get_ref() {
        match key.get_ref().as_ref() {
            "server" => {
                if let Some(table) = reader.table("server", item) {
                    read_server(&mut reader, table, &mut config.server);
                }
            }
            "extractor" => read_extractors(&mut reader, item, &mut config),
            other => reader.unknown(key.span().start, "", other, &["server", "extractor"]),
        }
    }
    if reader.findings.is_empty() { Ok(config) } else { Err(ConfigError::Wrong(reader.findings)) }
}

const SERVER_KEYS: &[&str] = &[
    "listen",
    "public_url",
    "data_dir",
    "max_unlinked",
    "min_free_disk",
    "max_waiting",
    "silent_after",
    "log_level",
    "log_file",
];

fn read_server(reader: &mut Reader<'_>, table: &DeTable<'_>, server: &mut ServerSettings) {
    for (key, item) in table {
        let name = format!("server.{}", key.get_ref());
        match key.get_ref().as_ref() {
            "listen" => reader.text_as(&name, item, value::address).into_iter().for_each(|read| server.listen = read),
            "public_url" => {
                reader.text_as(&name, item, value::public_urls).into_iter().for_each(|read| server.public_urls = read);
            }
            "data_dir" => reader.text(&name, item).into_iter().for_each(|read| server.data_dir = PathBuf::from(read)),
            "max_unlinked" => {
                reader.text_as(&name, item, value::limit).into_iter().for_each(|read| server.max_unlinked = read);
            }
            "min_free_disk" => {
                reader.text_as(&name, item, value::limit).into_iter().for_each(|read| server.min_free_disk = read);
            }
            "max_waiting" => {
                reader.text_as(&name, item, value::limit).into_iter().for_each(|read| server.max_waiting = read);
            }
            "log_level" => {
                reader.text_as(&name, item, value::log_level).into_iter().for_each(|read| server.log_level = read);
            }
            "log_file" => {
                reader.text(&name, item).into_iter().for_each(|read| server.log_file = Some(PathBuf::from(read)));
            }
            "silent_after" => {
                reader.text_as(&name, item, value::duration).into_iter().for_each(|read| server.silent_after = read);
            }
            other => reader.unknown(key.span().start, "server.", other, SERVER_KEYS),
        }
    }
}

fn read_extractors(reader: &mut Reader<'_>, item: &Spanned<DeValue<'_>>, config: &mut Config) {
    let Some(list) = item.get_ref().as_array() else {
        reader.wrong(item.span().start, "extractor", "written as [[extractor]], once for each extractor".to_owned());
        return;
    };
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut served: HashMap<String, String> = HashMap::new();
    let mut file_systems = FileSystems::default();
    for entry in list {
        let Some(table) = reader.table("extractor", entry) else {
            continue;
        };
        let start = entry.span().start;
        let Some(settings) = extractor::read(reader, table, start) else {
            continue;
        };
        if let Some(first) = names.insert(settings.name.clone(), start) {
            let message = format!("already used in line {}; every extractor has a name of its own", reader.line(first));
            reader.wrong(start, "extractor.name", format!("{} is {message}", shown(&settings.name)));
        }
        match &settings.kind {
            ExtractorKind::Hms(_) => {
                for cluster in &settings.clusters {
                    if let Some(other) = served.insert(cluster.clone(), settings.name.clone()) {
                        let message = format!(
                            "cluster {} is served by extractor {} already; a cluster has one metastore (list several \
                             clusters of one metastore in one extractor)",
                            shown(cluster),
                            shown(&other)
                        );
                        reader.wrong(start, "extractor.cluster", message);
                    }
                }
            }
            ExtractorKind::Hdfs(hdfs) => {
                for address in &hdfs.addresses {
                    // However it is spelled: the same address leads to the same file system.
                    if let LocationRule::Address { source: other, .. } = file_systems.place("", address).rule {
                        let message = format!(
                            "{} belongs to the file system of extractor {} already",
                            shown(address),
                            shown(&other)
                        );
                        reader.wrong(start, "extractor.addresses", message);
                    }
                }
                file_systems.0.push(FileSystem {
                    source: settings.name.clone(),
                    cluster: String::new(),
                    addresses: hdfs.addresses.clone(),
                });
            }
        }
        config.extractors.push(settings);
    }
}

/// The file being read and what was found wrong in it.
pub(super) struct Reader<'a> {
    path: String,
    text: &'a str,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        before.split(|byte| *byte == b'\n').count()
    }

    fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.path, self.line(offset))
    }

    pub(super) fn wrong(&mut self, offset: usize, key: &str, message: String) {
        let place = self.place(offset);
        self.findings.push(Finding { place, key: key.to_owned(), message });
    }

    pub(super) fn unknown(&mut self, offset: usize, prefix: &str, key: &str, allowed: &[&str]) {
        let key: String = key.chars().take(80).collect();
        let message = format!("unknown; allowed are {}", allowed.join(", "));
        self.wrong(offset, &format!("{prefix}{key}"), message);
    }

    fn table<'v, 'i>(&mut self, key: &str, item: &'v Spanned<DeValue<'i>>) -> Option<&'v DeTable<'i>> {
        let table = item.get_ref().as_table();
        if table.is_none() {
            self.wrong(item.span().start, key, format!("a table, written as [{key}]"));
        }
        table
    }

    /// A text that is not empty.
    pub(super) fn text(&mut self, key: &str, item: &Spanned<DeValue<'_>>) -> Option<String> {
        match item.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            Some(_) => {
                self.wrong(item.span().start, key, "a text that is not empty".to_owned());
                None
            }
            None => {
                let found = item.get_ref().type_str();
                self.wrong(item.span().start, key, format!("a text in quotes (found {found})"));
                None
            }
        }
    }

    pub(super) fn text_as<T>(
        &mut self,
        key: &str,
        item: &Spanned<DeValue<'_>>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.text(key, item)?;
        match read(&text) {
            Ok(value) => Some(value),
            Err(message) => {
                self.wrong(item.span().start, key, message);
                None
            }
        }
    }

    /// A list of texts; a single text counts as a list of one.
    pub(super) fn texts_as(
        &mut self,
        key: &str,
        item: &Spanned<DeValue<'_>>,
        read: impl Fn(&str) -> Result<String, String>,
    ) -> Option<Vec<String>> {
        if item.get_ref().is_str() {
            return self.text_as(key, item, read).map(|text| vec![text]);
        }
        let Some(list) = item.get_ref().as_array() else {
            let found = item.get_ref().type_str();
            self.wrong(item.span().start, key, format!("a text or a list of texts (found {found})"));
            return None;
        };
        let mut texts = Vec::new();
        for entry in list {
            texts.push(self.text_as(key, entry, &read)?);
        }
        Some(texts)
    }

    pub(super) fn switch(&mut self, key: &str, item: &Spanned<DeValue<'_>>) -> Option<bool> {
        let switch = item.get_ref().as_bool();
        if switch.is_none() {
            self.wrong(item.span().start, key, format!("true or false (found {})", item.get_ref().type_str()));
        }
        switch
    }

    pub(super) fn number(
        &mut self,
        key: &str,
        item: &Spanned<DeValue<'_>>,
        allowed: std::ops::RangeInclusive<u32>,
    ) -> Option<u32> {
        let number = item
            .get_ref()
            .as_integer()
            .and_then(|integer| u32::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok())
            .filter(|number| allowed.contains(number));
        if number.is_none() {
            let message = format!("a whole number from {} to {}", allowed.start(), allowed.end());
            self.wrong(item.span().start, key, message);
        }
        number
    }
}
