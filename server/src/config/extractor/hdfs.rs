//! What only an extractor of kind `hdfs` has.

use std::path::PathBuf;

use sextant_extractors::pull::hdfs::ImagePlace;
use sextant_extractors::pull::hdfs::listing::{ListingAddress, PathScope, WebHdfs};
use toml::Spanned;
use toml::de::DeValue;

use super::keep;
use crate::config::file::Reader;
use crate::config::value::{self, shown};

pub(super) const KEYS: &[&str] = &[
    "addresses",
    "files",
    "small_file",
    "bandwidth",
    "allow_active",
    "ca_file",
    "include",
    "exclude",
    "connections",
    "requests_per_second",
    "hadoop_conf",
    "webhdfs",
    "user",
    "program",
];

/// How a file system is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HdfsSettings {
    /// What its paths may begin with (`hdfs://prod`, `hdfs://nn1:8020`), without a slash at the end.
    /// The first is the one by which paths are named where that is needed.
    pub addresses: Vec<String>,
    /// Which files are shown; directories are always.
    pub files: ShownFiles,
    /// Files below this size count as small, in bytes.
    pub small_file: u64,
    /// Bytes a second of a transfer at most; `None` for no limit.
    pub bandwidth: Option<u64>,
    /// Whether an active NameNode may be asked where several are configured.
    pub allow_active: bool,
    /// Authorities for `https` besides the system's (PEM).
    pub ca_file: Option<PathBuf>,
    /// How it is listed where `uri` names no image.
    pub listing: ListingSettings,
}

/// How a file system is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingSettings {
    /// Only what one of these patterns covers is listed; empty means everything.
    pub include: Vec<String>,
    /// What one of these patterns covers is not listed.
    pub exclude: Vec<String>,
    /// Directories asked for at the same time.
    pub connections: u32,
    /// Requests per second at most.
    pub requests_per_second: u32,
    /// The directory of `core-site.xml` and `hdfs-site.xml`.
    pub hadoop_conf: Option<PathBuf>,
    /// Where inode numbers are asked for.
    pub webhdfs: WebHdfs,
    /// The user towards a cluster without Kerberos.
    pub user: Option<String>,
    /// The program with Hadoop's Java client.
    pub program: PathBuf,
}

/// Which files of a file system are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownFiles {
    /// None; they are counted all the same.
    None,
    /// Those in places that tables, partitions or operations name.
    Referenced,
    /// Every file.
    All,
}

impl Default for HdfsSettings {
    fn default() -> Self {
        Self {
            addresses: Vec::new(),
            files: ShownFiles::Referenced,
            small_file: 1 << 20,
            bandwidth: Some(50 << 20),
            allow_active: false,
            ca_file: None,
            listing: ListingSettings::default(),
        }
    }
}

impl Default for ListingSettings {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            connections: 8,
            requests_per_second: 1_000,
            hadoop_conf: None,
            webhdfs: WebHdfs::FromHadoopConf,
            user: None,
            program: PathBuf::from("sextant-hdfs-jni"),
        }
    }
}

impl HdfsSettings {
    /// Reads a key. False when there is no such key.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, key: &str, full: &str, item: &Spanned<DeValue<'_>>) -> bool {
        match key {
            "addresses" => {
                keep(&mut self.addresses, reader.texts_as(full, item, address));
                if item.get_ref().as_array().is_some_and(|list| list.is_empty()) {
                    reader.wrong(item.span().start, full, "a list of at least one address".to_owned());
                }
            }
            "files" => keep(&mut self.files, reader.text_as(full, item, shown_files)),
            "small_file" => keep(&mut self.small_file, reader.text_as(full, item, value::size)),
            "bandwidth" => keep(&mut self.bandwidth, reader.text_as(full, item, value::bandwidth)),
            "allow_active" => keep(&mut self.allow_active, reader.switch(full, item)),
            "ca_file" => keep(&mut self.ca_file, reader.text(full, item).map(|path| Some(PathBuf::from(path)))),
            _ => return self.listing.read(reader, key, full, item),
        }
        true
    }
}

impl ListingSettings {
    fn read(&mut self, reader: &mut Reader<'_>, key: &str, full: &str, item: &Spanned<DeValue<'_>>) -> bool {
        match key {
            "include" => keep(&mut self.include, reader.texts_as(full, item, path_pattern)),
            "exclude" => keep(&mut self.exclude, reader.texts_as(full, item, path_pattern)),
            "connections" => keep(&mut self.connections, reader.number(full, item, 1..=64)),
            "requests_per_second" => keep(&mut self.requests_per_second, reader.number(full, item, 1..=100_000)),
            "hadoop_conf" => keep(&mut self.hadoop_conf, reader.text(full, item).map(|path| Some(PathBuf::from(path)))),
            "webhdfs" => keep(&mut self.webhdfs, reader.text_as(full, item, webhdfs)),
            "user" => keep(&mut self.user, reader.text(full, item).map(Some)),
            "program" => keep(&mut self.program, reader.text(full, item).map(PathBuf::from)),
            _ => return false,
        }
        true
    }
}

pub(super) fn source_uri(text: &str) -> Result<String, String> {
    if ListingAddress::is_meant(text) {
        return match ListingAddress::read(text) {
            Ok(_) => Ok(text.to_owned()),
            Err(error) => Err(error.to_string()),
        };
    }
    match ImagePlace::read(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// `scheme://authority`, as locations of tables begin.
fn address(text: &str) -> Result<String, String> {
    let allowed =
        || format!("an address without a path, such as hdfs://prod or hdfs://nn1:8020 (found {})", shown(text));
    let address = text.trim().trim_end_matches('/');
    let (scheme, authority) = address.split_once("://").ok_or_else(allowed)?;
    let scheme_is_plain = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !scheme_is_plain || authority.is_empty() || authority.contains(['/', '@', ' ', '?', '#', ',']) {
        return Err(allowed());
    }
    Ok(address.to_owned())
}

fn shown_files(text: &str) -> Result<ShownFiles, String> {
    match text {
        "none" => Ok(ShownFiles::None),
        "referenced" => Ok(ShownFiles::Referenced),
        "all" => Ok(ShownFiles::All),
        _ => Err(format!(
            "none, referenced (those in places that tables or operations name) or all (found {})",
            shown(text)
        )),
    }
}

fn path_pattern(text: &str) -> Result<String, String> {
    match PathScope::new(&[text], &[]) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn webhdfs(text: &str) -> Result<WebHdfs, String> {
    if text == "off" {
        return Ok(WebHdfs::Off);
    }
    match ImagePlace::read(text) {
        Ok(ImagePlace::NameNodes(addresses)) => Ok(WebHdfs::At(addresses)),
        _ => Err(format!("off, or http://HOST:PORT, several separated by commas (found {})", shown(text))),
    }
}
