//! What only an extractor of kind `hdfs` has.

use std::path::PathBuf;

use sextant_extractors::pull::hdfs::ImagePlace;
use toml::Spanned;
use toml::de::DeValue;

use super::keep;
use crate::config::file::Reader;
use crate::config::value::{self, shown};

pub(super) const KEYS: &[&str] = &["addresses", "files", "small_file", "bandwidth", "allow_active", "ca_file"];

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
            _ => return false,
        }
        true
    }
}

pub(super) fn source_uri(text: &str) -> Result<String, String> {
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
