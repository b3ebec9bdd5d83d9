//! What runs found changed of an entity, with every difference in words.

use serde::Serialize;
use sextant_model::Timestamp;
use sextant_model::history::{Difference, DifferenceKind, EntityChange};
use utoipa::ToSchema;

use super::one_line;
use super::words::DifferenceKindWord;

/// A value in a sentence is shortened to so many characters.
const VALUE_IN_WORDS: usize = 120;

/// What one run found changed of an entity that was known before.
#[derive(Debug, Serialize, ToSchema)]
pub struct EntityChangeAnswer {
    /// The extractor.
    extractor: String,
    /// When its run began, as in the list of its runs.
    #[schema(value_type = String, format = DateTime)]
    run: Timestamp,
    /// The time of the state that the run read: the change was made before it, and after the
    /// state of the run before.
    #[schema(value_type = String, format = DateTime)]
    time: Timestamp,
    /// What is different, at most 50.
    differences: Vec<DifferenceAnswer>,
    /// How many more differences there were.
    more: u64,
}

/// One difference.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceAnswer {
    #[schema(value_type = DifferenceKindWord)]
    kind: DifferenceKind,
    /// The column, where it is about one.
    #[schema(required)]
    column: Option<String>,
    /// Which property (`owner`, `dataType`, `params.KEY`), where it is about one.
    #[schema(required)]
    property: Option<String>,
    /// The value before; null when there was none.
    #[schema(required)]
    before: Option<String>,
    /// The value after; null when there is none.
    #[schema(required)]
    after: Option<String>,
    /// Whether a value was longer than it is kept here (400 bytes).
    cut: bool,
    /// The same, for people.
    in_words: String,
}

/// A change as the API shows it.
pub fn change(change: &EntityChange) -> EntityChangeAnswer {
    EntityChangeAnswer {
        extractor: change.source.clone(),
        run: change.run,
        time: change.at,
        differences: change.differences.told.iter().map(difference).collect(),
        more: change.differences.untold,
    }
}

/// Of the changes of a table those of one of its columns.
pub fn of_column(changes: Vec<EntityChange>, column: &str) -> Vec<EntityChange> {
    changes
        .into_iter()
        .filter_map(|mut change| {
            change.differences.told.retain(|difference| difference.column.as_deref() == Some(column));
            (!change.differences.is_empty()).then_some(change)
        })
        .collect()
}

fn difference(difference: &Difference) -> DifferenceAnswer {
    let Difference { kind, column, property, before, after, cut } = difference.clone();
    DifferenceAnswer { kind, column, property, before, after, cut, in_words: in_words(difference) }
}

fn in_words(difference: &Difference) -> String {
    let short = |value: &Option<String>| value.as_deref().map(|value| one_line(value, VALUE_IN_WORDS));
    let (before, after) = (short(&difference.before), short(&difference.after));
    let column = short(&difference.column).unwrap_or_default();
    let or_unknown = |value: Option<String>| value.filter(|value| !value.is_empty()).unwrap_or("unknown".to_owned());
    match difference.kind {
        DifferenceKind::Deleted => "deleted".to_owned(),
        DifferenceKind::OutOfScope => "left the configured patterns".to_owned(),
        DifferenceKind::SeenAgain => "seen again, in the life that it had".to_owned(),
        DifferenceKind::CreatedAgain => "dropped and created again".to_owned(),
        DifferenceKind::Moved => format!("moved from {} to {}", or_unknown(before), or_unknown(after)),
        DifferenceKind::ColumnAdded => format!("column {column} added, type {}", or_unknown(after)),
        DifferenceKind::ColumnRemoved => format!("column {column} removed, type {}", or_unknown(before)),
        DifferenceKind::Property => values_in_words(&property_in_words(difference), before, after),
        DifferenceKind::Column => {
            values_in_words(&format!("column {column}, {}", property_in_words(difference)), before, after)
        }
    }
}

fn values_in_words(of: &str, before: Option<String>, after: Option<String>) -> String {
    match (before, after) {
        (Some(before), Some(after)) => format!("{of}: {before} → {after}"),
        (None, Some(after)) => format!("{of} set: {after}"),
        (Some(before), None) => format!("{of} removed, was {before}"),
        (None, None) => of.to_owned(),
    }
}

fn property_in_words(difference: &Difference) -> String {
    let property = one_line(difference.property.as_deref().unwrap_or_default(), VALUE_IN_WORDS);
    if let Some(parameter) = property.strip_prefix("params.") {
        return format!("parameter {parameter}");
    }
    if let Some(parameter) = property.strip_prefix("serdeProps.") {
        return format!("SerDe parameter {parameter}");
    }
    let words = match property.as_str() {
        "dataType" => "type",
        "originalDescription" => "comment",
        "ownerType" => "kind of owner",
        "fileSystemPath" => "location",
        "managedFileSystemPath" => "location of managed tables",
        "linkTarget" => "target of the link",
        "queryText" => "query text",
        "tableType" => "table type",
        "tablesUsed" => "tables used",
        "partColNames" => "partition keys",
        "clusteredByColNames" => "clustered by",
        "sortByColNames" => "sorted by",
        "inputFormat" => "input format",
        "outputFormat" => "output format",
        "serdeLibName" => "SerDe",
        "storagePolicy" => "storage policy",
        "erasureCodingPolicy" => "erasure coding policy",
        "encryptionKey" => "encryption key",
        "nameQuota" => "quota of names",
        "spaceQuota" => "quota of space",
        _ => &property,
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_a_sentence() {
        let property = |name: &str, before, after| {
            in_words(&Difference::plain(DifferenceKind::Property).of_property(name).with_values(before, after))
        };
        assert_eq!(property("owner", Some("etl"), Some("joe")), "owner: etl → joe");
        assert_eq!(property("params.retention", None, Some("30")), "parameter retention set: 30");
        assert_eq!(property("originalDescription", Some("as\nsold"), None), "comment removed, was as sold");
        let column = |kind| Difference::plain(kind).of_column("amount");
        let retyped = column(DifferenceKind::Column).of_property("dataType").with_values(Some("int"), Some("bigint"));
        assert_eq!(in_words(&retyped), "column amount, type: int → bigint");
        let added = column(DifferenceKind::ColumnAdded).with_values(None, Some("int"));
        assert_eq!(in_words(&added), "column amount added, type int");
        let moved = Difference::plain(DifferenceKind::Moved).with_values(Some("/a"), Some("/b"));
        assert_eq!(in_words(&moved), "moved from /a to /b");
    }
}
