//! The agent's configuration: read once at start, every mistake said with its file, line and key.

mod settings;
mod spool;
mod written;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sextant_model::delivery::MAX_BATCH_BYTES;

pub use settings::reference;
pub use written::Place;

pub(crate) use written::one_line;

use crate::error::Error;
use crate::spool::SpoolPattern;
use settings::LEVELS;
use written::{Document, Table, Written};

/// What the agent was told to do.
#[derive(Debug, Clone)]
pub struct Config {
    /// The server to deliver to.
    pub server: ServerConfig,
    /// The agent itself.
    pub agent: AgentConfig,
    /// What to follow, in the order of the file.
    pub spools: Vec<SpoolConfig>,
    /// Where to log.
    pub log: LogConfig,
    /// Environment variables that look like settings and are none.
    pub unknown_variables: Vec<String>,
}

/// `[server]`
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Base address without a slash at its end.
    pub url: String,
    /// File with the token.
    pub token_file: Option<PathBuf>,
    /// File with certificate authorities.
    pub ca_file: Option<PathBuf>,
    /// Longest time for a connection.
    pub connect_timeout: Duration,
    /// Longest time for a request with its answer.
    pub request_timeout: Duration,
}

/// `[agent]`
#[derive(Debug, Clone)]
pub struct AgentConfig {
    /// Directory of id, lock and positions.
    pub state_dir: PathBuf,
    /// Time between two looks at the spools.
    pub poll_interval: Duration,
    /// The name of this host.
    pub host: String,
    /// Largest payload of a batch in bytes, unless one line is longer.
    pub batch_bytes: u64,
    /// Files read and sent side by side.
    pub parallel_files: usize,
    /// How long a deleted file with undelivered bytes is kept open.
    pub hold_deleted: Duration,
}

/// `[[spool]]`
#[derive(Debug, Clone)]
pub struct SpoolConfig {
    /// Which files.
    pub pattern: SpoolPattern,
    /// Handed on to the server.
    pub format: String,
    /// Handed on to the server.
    pub cluster: String,
    /// What is done with `.gz` and `.zst` files.
    pub compressed: CompressedCopies,
    /// What is done with files that are wholly delivered; nothing when left out.
    pub retention: Option<RetentionConfig>,
}

/// What is done with `.gz` and `.zst` files of a spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompressedCopies {
    /// What is missing of a file that was followed is read, and what was never read from its start.
    All,
    /// Only what is missing of a file that was followed.
    Known,
    /// They are left alone.
    None,
}

/// When and how spool files are cleared away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionConfig {
    /// Time since the last change of a file.
    pub age: Duration,
    /// Where files are moved to; nothing: they are deleted.
    pub move_to: Option<PathBuf>,
}

/// `[log]`
#[derive(Debug, Clone)]
pub struct LogConfig {
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// Standard error when left out.
    pub file: Option<PathBuf>,
    /// Size in bytes at which a new file is started.
    pub rotate_size: u64,
    /// Number of former files kept.
    pub keep: u64,
}

impl Config {
    /// Reads the file and lets the process's environment win over it.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| Error::ReadConfiguration { path: path.to_owned(), source })?;
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self::parse(path, &text, variables)
    }

    /// Reads the text of a file at `path` with the given environment.
    pub fn parse(
        path: &Path,
        text: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Error> {
        let mut document = Document::parse(path, text)?;
        let unknown_variables = document.override_from(variables);
        let server = server_config(&document)?;
        let agent = agent_config(&document)?;
        let log = log_config(&document)?;
        let mut spools = Vec::new();
        for (line, table) in &document.spools {
            spools.push(spool::read(&Values::new(path, "spool", table.clone(), Some(*line)))?);
        }
        if spools.is_empty() {
            return Err(Error::Configuration {
                place: Place::File(document.path),
                problem: "there is no [[spool]]; write at least one with path and format".to_owned(),
            });
        }
        Ok(Self { server, agent, spools, log, unknown_variables })
    }
}

fn server_config(document: &Document) -> Result<ServerConfig, Error> {
    let values = Values::of(document, "server");
    let url = values.required("url")?;
    check_url(&url)?;
    Ok(ServerConfig {
        url: url.text.trim_end_matches('/').to_owned(),
        token_file: values.path("token_file")?,
        ca_file: values.path("ca_file")?,
        connect_timeout: values.duration("connect_timeout", Duration::from_millis(10), Duration::from_hours(1))?,
        request_timeout: values.duration("request_timeout", Duration::from_millis(10), Duration::from_hours(1))?,
    })
}

fn check_url(written: &Written) -> Result<(), Error> {
    let wrong = |why: &str| {
        // The text is not repeated: it may hold a password.
        let problem = format!("[server] url {why}; allowed is {}", allowed("server", "url"));
        Err(Error::Configuration { place: written.place.clone(), problem })
    };
    let Ok(url) = reqwest::Url::parse(&written.text) else {
        return wrong("is not an address");
    };
    if url.scheme() != "http" && url.scheme() != "https" {
        return wrong("is neither http nor https");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("holds a user or password (use token_file)");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return wrong("has a part after ? or #");
    }
    Ok(())
}

fn agent_config(document: &Document) -> Result<AgentConfig, Error> {
    let values = Values::of(document, "agent");
    let batch_bytes = values.size("batch_bytes", 1 << 10, MAX_BATCH_BYTES as u64)?;
    let host = match values.text("host") {
        Some(written) if written.text.is_empty() || written.text.len() > 255 => {
            return Err(values.wrong("host", &written));
        }
        Some(written) => written.text,
        None => system_host_name(),
    };
    let state_dir = values.path("state_dir")?.unwrap_or_default();
    Ok(AgentConfig {
        state_dir,
        poll_interval: values.duration("poll_interval", Duration::from_millis(10), Duration::from_hours(1))?,
        host,
        batch_bytes,
        parallel_files: values.count("parallel_files", 1, 64)? as usize,
        hold_deleted: values.duration("hold_deleted", Duration::ZERO, Duration::from_hours(24 * 365))?,
    })
}

fn log_config(document: &Document) -> Result<LogConfig, Error> {
    let values = Values::of(document, "log");
    Ok(LogConfig {
        level: values.word("level", &LEVELS)?,
        file: values.path("file")?,
        rotate_size: values.size("rotate_size", 4 << 10, 1 << 40)?,
        keep: values.count("keep", 1, 1000)?,
    })
}

/// As it would be written: `1h`, `3650d`.
fn in_words(duration: Duration) -> String {
    const DAY: u64 = 24 * 60 * 60;
    match duration.as_secs() {
        seconds if seconds == 0 || duration.subsec_nanos() > 0 => format!("{duration:?}"),
        seconds if seconds % DAY == 0 => format!("{}d", seconds / DAY),
        seconds if seconds % 3_600 == 0 => format!("{}h", seconds / 3_600),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

/// The values of one section with their defaults, read as what they should be.
struct Values {
    section: &'static str,
    table: Table,
    place: Place,
}

impl Values {
    fn of(document: &Document, section: &'static str) -> Self {
        Self::new(&document.path, section, document.section(section), None)
    }

    fn new(path: &Path, section: &'static str, table: Table, line: Option<usize>) -> Self {
        let place = match line {
            Some(line) => Place::Line(path.to_owned(), line),
            None => Place::File(path.to_owned()),
        };
        Self { section, table, place }
    }

    /// The value as written, or its default.
    fn text(&self, key: &'static str) -> Option<Written> {
        if let Some(written) = self.table.get(key) {
            return Some(written.clone());
        }
        let default = settings::find(self.section, key)?.default?;
        Some(Written { place: self.place.clone(), text: default.to_owned(), is_number: true })
    }

    fn required(&self, key: &'static str) -> Result<Written, Error> {
        self.text(key).ok_or_else(|| Error::Configuration {
            place: self.place.clone(),
            problem: format!("[{}] {key} is missing; write {}", self.section, allowed(self.section, key)),
        })
    }

    fn wrong(&self, key: &str, written: &Written) -> Error {
        let problem = format!(
            "[{}] {key} = \"{}\" is not allowed; allowed is {}",
            self.section,
            one_line(&written.text),
            allowed(self.section, key)
        );
        Error::Configuration { place: written.place.clone(), problem }
    }

    fn out_of_range(&self, key: &str, written: &Written, least: &str, most: &str) -> Error {
        let problem = format!(
            "[{}] {key} = \"{}\" is out of range; allowed is from {least} to {most}",
            self.section,
            one_line(&written.text)
        );
        Error::Configuration { place: written.place.clone(), problem }
    }

    fn path(&self, key: &'static str) -> Result<Option<PathBuf>, Error> {
        let Some(written) = self.text(key) else {
            return Ok(None);
        };
        if written.text.is_empty() {
            return Err(self.wrong(key, &written));
        }
        Ok(Some(PathBuf::from(absolute(&written.text))))
    }

    fn word(&self, key: &'static str, words: &[&str]) -> Result<String, Error> {
        let written = self.required(key)?;
        if words.contains(&written.text.as_str()) { Ok(written.text) } else { Err(self.wrong(key, &written)) }
    }

    fn duration(&self, key: &'static str, least: Duration, most: Duration) -> Result<Duration, Error> {
        let written = self.required(key)?;
        let duration = parse_duration(&written.text).ok_or_else(|| self.wrong(key, &written))?;
        if duration < least || duration > most {
            return Err(self.out_of_range(key, &written, &in_words(least), &in_words(most)));
        }
        Ok(duration)
    }

    fn size(&self, key: &'static str, least: u64, most: u64) -> Result<u64, Error> {
        let written = self.required(key)?;
        let size = parse_size(&written.text).ok_or_else(|| self.wrong(key, &written))?;
        if size < least || size > most {
            return Err(self.out_of_range(key, &written, &format!("{least} bytes"), &format!("{most} bytes")));
        }
        Ok(size)
    }

    fn count(&self, key: &'static str, least: u64, most: u64) -> Result<u64, Error> {
        let written = self.required(key)?;
        let count = written.text.parse().ok().filter(|count| (least..=most).contains(count));
        match count {
            Some(count) if written.is_number => Ok(count),
            _ => Err(self.wrong(key, &written)),
        }
    }
}

fn allowed(section: &str, key: &str) -> &'static str {
    settings::find(section, key).map_or("nothing", |setting| setting.allowed)
}

/// A relative path means: from the directory the agent was started in.
fn absolute(text: &str) -> String {
    let Ok(path) = std::path::absolute(text) else {
        return text.to_owned();
    };
    path.to_str().map_or_else(|| text.to_owned(), ToOwned::to_owned)
}

/// `<number><ms|s|m|h|d>`
fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = number_and_unit(text)?;
    let milliseconds_per_unit = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.checked_mul(milliseconds_per_unit).map(Duration::from_millis)
}

/// `<number>[KiB|MiB|GiB|KB|MB|GB|B]`
fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = number_and_unit(text)?;
    let bytes_per_unit = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return None,
    };
    number.checked_mul(bytes_per_unit)
}

fn number_and_unit(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit.trim_start()))
}

fn system_host_name() -> String {
    // The kernel's name without a foreign call.
    for file in ["/proc/sys/kernel/hostname", "/etc/hostname"] {
        if let Ok(name) = std::fs::read_to_string(file) {
            let name = name.trim();
            if !name.is_empty() {
                return name.to_owned();
            }
        }
    }
    "localhost".to_owned()
}

#[cfg(test)]
mod tests;
