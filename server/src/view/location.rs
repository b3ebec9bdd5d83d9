//! What a location means, and by which rule.

use serde::Serialize;
use sextant_model::location::{FileSystems, LocationRule, Place};
use utoipa::ToSchema;

/// What a location means, and by which rule.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocationMeaning {
    /// As the metastore writes it.
    written: String,
    /// The path that is meant.
    path: String,
    /// The cluster of the path.
    cluster: String,
    /// `default file system`, `address` or `unknown address`.
    rule: String,
    /// The extractor that shows the file system, if one does.
    #[schema(required)]
    pub(super) file_system: Option<String>,
    /// The rule in words.
    rule_in_words: String,
}

/// What `written` means when an entity of `cluster` says that its data lies there.
pub fn location(file_systems: &FileSystems, cluster: &str, written: &str) -> (LocationMeaning, Place) {
    let place = file_systems.place(cluster, written);
    let meaning = LocationMeaning {
        written: written.to_owned(),
        path: place.name.qualified.clone(),
        cluster: place.name.cluster.clone(),
        rule: rule_word(&place.rule).to_owned(),
        file_system: shown_by(&place.rule).map(str::to_owned),
        rule_in_words: rule_in_words(&place.rule),
    };
    (meaning, place)
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
