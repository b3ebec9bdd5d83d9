//! What is written in the file and the environment, each value with its place.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::settings::{self, SECTIONS, SETTINGS, Setting};
use crate::error::Error;

/// Where a value of the configuration comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of the file, counted from 1.
    Line(PathBuf, usize),
    /// The file as a whole: something is missing in it.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(path, line) => write!(f, "{}:{line}", path.display()),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => write!(f, "environment variable {name}"),
        }
    }
}

/// A value as the user wrote it.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) place: Place,
    pub(crate) text: String,
    /// It was a bare number in the file.
    pub(crate) is_number: bool,
}

/// The values of one table, by key.
pub(crate) type Table = BTreeMap<&'static str, Written>;

/// Everything that was written.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    sections: BTreeMap<&'static str, Table>,
    pub(crate) spools: Vec<(usize, Table)>,
}

impl Document {
    /// Reads the text of the file at `path`; unknown sections and keys are errors.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let source = Source { path, text };
        let root = DeTable::parse(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            source.error(offset, format!("this is not TOML: {}", one_line(error.message())))
        })?;
        let mut document = Self { path: path.to_owned(), sections: BTreeMap::new(), spools: Vec::new() };
        for (name, value) in root.get_ref() {
            let offset = name.span().start;
            let Some(section) = SECTIONS.into_iter().find(|section| *section == name.get_ref().as_ref()) else {
                let problem = format!(
                    "[{}] is not a section; there are [server], [agent], [[spool]] and [log]",
                    one_line(name.get_ref())
                );
                return Err(source.error(offset, problem));
            };
            if section == "spool" {
                let Some(list) = value.get_ref().as_array() else {
                    return Err(source.error(offset, "spool must be written [[spool]], once for each spool".to_owned()));
                };
                for spool in list {
                    let line = source.line(spool.span().start);
                    document.spools.push((line, source.table(section, spool.span().start, spool.get_ref())?));
                }
            } else {
                document.sections.insert(section, source.table(section, offset, value.get_ref())?);
            }
        }
        Ok(document)
    }

    /// Lets environment variables win over the file. Gives back the variables with the agent's
    /// prefix that are no setting; they are not an error because orchestrators add their own
    /// (`SEXTANT_AGENT_SERVICE_HOST`).
    pub(crate) fn override_from(&mut self, variables: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
        let mut unknown = Vec::new();
        for (name, text) in variables {
            if !name.starts_with("SEXTANT_AGENT_") || name == "SEXTANT_AGENT_CONFIG" {
                continue;
            }
            let setting = SETTINGS.iter().find(|setting| setting.variable().as_deref() == Some(&name));
            match setting {
                Some(setting) => {
                    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                    let written = Written { place: Place::Environment(name), text, is_number };
                    self.sections.entry(setting.section).or_default().insert(setting.key, written);
                }
                None => unknown.push(name),
            }
        }
        unknown
    }

    /// The values of a section; empty when it is not written.
    pub(crate) fn section(&self, section: &'static str) -> Table {
        self.sections.get(section).cloned().unwrap_or_default()
    }
}

/// The file being read, for places.
struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        memchr::memchr_iter(b'\n', before).count() + 1
    }

    fn error(&self, offset: usize, problem: String) -> Error {
        Error::Configuration { place: Place::Line(self.path.to_owned(), self.line(offset)), problem }
    }

    fn table(&self, section: &'static str, offset: usize, value: &DeValue<'_>) -> Result<Table, Error> {
        let Some(entries) = value.as_table() else {
            return Err(self.error(offset, format!("{section} must be a section, written [{section}]")));
        };
        let mut table = Table::new();
        for (key, value) in entries {
            let place_of_key = key.span().start;
            let Some(setting) = settings::find(section, key.get_ref()) else {
                return Err(self.error(place_of_key, unknown_key(section, key.get_ref())));
            };
            let (text, is_number) = match value.get_ref() {
                DeValue::String(text) => (text.to_string(), false),
                DeValue::Integer(number) => (number.to_string(), true),
                other => {
                    let problem = format!(
                        "[{section}] {} is a {}; allowed is {}",
                        setting.key,
                        other.type_str(),
                        setting.allowed
                    );
                    return Err(self.error(place_of_key, problem));
                }
            };
            let place = Place::Line(self.path.to_owned(), self.line(place_of_key));
            table.insert(setting.key, Written { place, text, is_number });
        }
        Ok(table)
    }
}

fn unknown_key(section: &str, key: &str) -> String {
    let key = one_line(key);
    let elsewhere: Option<&Setting> = SETTINGS.iter().find(|setting| setting.key == key);
    match elsewhere {
        Some(setting) => format!("[{section}] has no key {key}; it belongs into [{}]", setting.section),
        None => format!("[{section}] has no key {key}; there are {}", settings::keys_of(section)),
    }
}

/// Foreign text fit for a one-line message.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut line: String =
        text.chars().take(LONGEST).map(|character| if character.is_control() { ' ' } else { character }).collect();
    if text.chars().count() > LONGEST {
        line.push('…');
    }
    line
}
