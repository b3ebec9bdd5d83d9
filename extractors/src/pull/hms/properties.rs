//! Collects the properties of one object, within limits and without secrets.

use std::borrow::Cow;

use serde_json::Value as Json;
use sextant_model::{Properties, Timestamp};

use super::thrift::Value;

/// A longer text is cut, and the cut is remarked: 1 MiB. View texts and schemas are far shorter.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// What takes the place of a password in a table's parameters.
const HIDDEN: &str = "(hidden)";

/// Properties in the making.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) properties: Properties,
    /// What could not be kept as it is, in words.
    pub(super) remarks: Vec<String>,
}

impl Collected {
    /// A text, if there is one.
    pub(super) fn text(&mut self, name: &str, text: Option<Cow<'_, str>>) {
        if let Some(text) = text {
            let text = self.within_limit(name, text);
            self.properties.insert(name.to_owned(), Json::String(text));
        }
    }

    /// A number of seconds since 1970, as a time; 0 and negative numbers mean unknown.
    pub(super) fn seconds(&mut self, name: &str, seconds: Option<i64>) {
        if let Some(time) = time_of(seconds) {
            self.properties.insert(name.to_owned(), Json::String(time.to_string()));
        }
    }

    /// A list of texts, if it is not empty.
    pub(super) fn texts(&mut self, name: &str, texts: Vec<String>) {
        if !texts.is_empty() {
            self.properties.insert(name.to_owned(), Json::from(texts));
        }
    }

    /// A map of texts, if it is not empty; the values of keys that name a secret are hidden.
    pub(super) fn pairs(&mut self, name: &str, pairs: Vec<(Cow<'_, str>, Cow<'_, str>)>) {
        if pairs.is_empty() {
            return;
        }
        let mut map = Properties::new();
        for (key, value) in pairs {
            let kept = if names_a_secret(&key) { HIDDEN.to_owned() } else { self.within_limit(&key, value) };
            map.insert(key.into_owned(), Json::String(kept));
        }
        self.properties.insert(name.to_owned(), Json::Object(map));
    }

    /// A value that needs no care.
    pub(super) fn plain(&mut self, name: &str, value: impl Into<Json>) {
        self.properties.insert(name.to_owned(), value.into());
    }

    fn within_limit(&mut self, name: &str, text: Cow<'_, str>) -> String {
        if text.len() <= MAX_TEXT_BYTES {
            return text.into_owned();
        }
        let kept = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        let name: String = name.chars().take(100).collect();
        self.remarks.push(format!("`{name}` is {} bytes long and was cut to {}", text.len(), kept.len()));
        kept.to_owned()
    }
}

/// A number of seconds since 1970 as a time; 0 and negative numbers mean unknown.
pub(super) fn time_of(seconds: Option<i64>) -> Option<Timestamp> {
    seconds.filter(|seconds| *seconds > 0).map(Timestamp::from_seconds)
}

/// The value of a parameter, if the struct's map in that field has it.
pub(super) fn parameter<'a>(record: &'a Value, map_field: i16, key: &str) -> Option<Cow<'a, str>> {
    record.text_pairs(map_field).into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// Tables over JDBC or object stores may carry credentials in their parameters
/// (`hive.sql.dbcp.password`, `fs.s3a.secret.key`).
fn names_a_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["password", "passwd", "secret", "access.key", "accesskey"].iter().any(|word| key.contains(word))
}
