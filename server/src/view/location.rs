//! What a location means, and by which rule.

use serde_json::Value;
use sextant_model::location::{FileSystems, LocationRule, Place};

use super::{Object, json};

/// What `written` means when an entity of `cluster` says that its data lies there.
pub fn location(file_systems: &FileSystems, cluster: &str, written: &str) -> (Object, Place) {
    let place = file_systems.place(cluster, written);
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("written", written.into());
    put("path", json(&place.name.qualified));
    put("cluster", json(&place.name.cluster));
    put("rule", rule_word(&place.rule).into());
    put("fileSystem", json(shown_by(&place.rule)));
    put("ruleInWords", rule_in_words(&place.rule).into());
    (object, place)
}

/// The extractor whose file system is meant.
pub fn shown_by(rule: &LocationRule) -> Option<&str> {
    match rule {
        LocationRule::DefaultFileSystem { source } => source.as_deref(),
        LocationRule::Address { source, .. } => Some(source),
        LocationRule::UnknownAddress => None,
    }
}

const fn rule_word(rule: &LocationRule) -> &'static str {
    match rule {
        LocationRule::DefaultFileSystem { .. } => "default file system",
        LocationRule::Address { .. } => "address",
        LocationRule::UnknownAddress => "unknown address",
    }
}

fn rule_in_words(rule: &LocationRule) -> String {
    match rule {
        LocationRule::DefaultFileSystem { source: Some(source) } => {
            format!("it has no address: the cluster's first file system is meant, which extractor {source} shows")
        }
        LocationRule::DefaultFileSystem { source: None } => {
            "it has no address, and no extractor shows a file system of its cluster".to_owned()
        }
        LocationRule::Address { address, source } => {
            format!("{address} is an address of the file system that extractor {source} shows")
        }
        LocationRule::UnknownAddress => "no configured file system has its address".to_owned(),
    }
}
