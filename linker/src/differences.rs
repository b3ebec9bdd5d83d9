//! What is different of an entity that was known, for people to read in its history.
//!
//! Only what somebody decided is told: an owner, a column, a location, a parameter. What changes
//! as data comes (sizes, statistics, times of access, partitions) is not, however much of the
//! fingerprint it is. Which properties are told is listed here by name, so that a version that
//! shows more of a source tells no change of it.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use sextant_model::history::{Difference, DifferenceKind, Differences};
use sextant_model::snapshot::ObservedField;
use sextant_model::{Entity, EntityState, EntityType, Properties};

/// Properties that are told, of tables and of paths.
const TOLD: &[&str] = &[
    "owner",
    "ownerType",
    "group",
    "permissions",
    "originalDescription",
    "fileSystemPath",
    "managedFileSystemPath",
    "linkTarget",
    "queryText",
    "tableType",
    "tablesUsed",
    "partColNames",
    "clusteredByColNames",
    "sortByColNames",
    "inputFormat",
    "outputFormat",
    "compressed",
    "serdeLibName",
    "storagePolicy",
    "erasureCodingPolicy",
    "encryptionKey",
    "replication",
    "nameQuota",
    "spaceQuota",
];
/// Properties that are maps, of which each key is told.
const TOLD_MAPS: &[&str] = &["params", "serdeProps"];
/// Parameters that follow the data, or that are told under another name: Hive's and Spark's
/// statistics, the marks that Impala and Iceberg leave with every write.
const UNTOLD_PARAMETERS: &[&str] = &[
    "comment",
    "transient_lastDdlTime",
    "last_modified_time",
    "numRows",
    "numFiles",
    "numFilesErasureCoded",
    "numPartitions",
    "rawDataSize",
    "totalSize",
    "COLUMN_STATS_ACCURATE",
    "STATS_GENERATED",
    "STATS_GENERATED_VIA_STATS_TASK",
    "DO_NOT_UPDATE_STATS",
    "metadata_location",
    "previous_metadata_location",
    "snapshot-count",
];
const UNTOLD_PREFIXES: &[&str] = &["impala.", "spark.sql.statistics.", "current-snapshot-"];

/// Adds what is different of the entity itself. A path's own place is told as a move.
pub(crate) fn compare_properties(before: &Entity, after: &Entity, differences: &mut Differences) {
    if before.entity_type != after.entity_type {
        let (was, is) = (before.entity_type.as_str(), after.entity_type.as_str());
        differences.add(property("type").with_values(Some(was), Some(is)));
    }
    for name in TOLD {
        let (was, is) = (before.properties.get(*name), after.properties.get(*name));
        if was == is {
            continue;
        }
        let difference = if *name == "fileSystemPath" && is_path(after) {
            Difference::plain(DifferenceKind::Moved)
        } else {
            property(name)
        };
        differences.add(difference.with_values(text(was).as_deref(), text(is).as_deref()));
    }
    for name in TOLD_MAPS {
        let (was, is) = (before.properties.get(*name), after.properties.get(*name));
        compare_maps(name, was.and_then(Value::as_object), is.and_then(Value::as_object), differences);
    }
}

fn compare_maps(name: &str, before: Option<&Properties>, after: Option<&Properties>, differences: &mut Differences) {
    let keys: BTreeSet<&String> = before.into_iter().chain(after).flat_map(Properties::keys).collect();
    for key in keys.into_iter().filter(|key| is_told_parameter(key)) {
        let (was, is) = (before.and_then(|map| map.get(key)), after.and_then(|map| map.get(key)));
        if was != is {
            let difference = property(&format!("{name}.{key}"));
            differences.add(difference.with_values(text(was).as_deref(), text(is).as_deref()));
        }
    }
}

fn is_told_parameter(key: &str) -> bool {
    !UNTOLD_PARAMETERS.contains(&key) && !UNTOLD_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}

/// Adds which columns came, went, or are other than before. `stored` are the parts of `before`.
pub(crate) fn compare_columns(
    before: &Entity,
    stored: &[Entity],
    fields: &[ObservedField],
    differences: &mut Differences,
) {
    // The columns of a deleted table went with it: those are the ones that it had.
    let was_there = |part: &Entity| {
        part.state == EntityState::Living || (part.state == before.state && part.delete_time == before.delete_time)
    };
    let mut columns: HashMap<&str, &Entity> = stored
        .iter()
        .filter(|part| part.entity_type == EntityType::Field && was_there(part))
        .map(|part| (part.original_name.as_str(), part))
        .collect();
    for field in fields {
        let column = |kind| Difference::plain(kind).of_column(&field.name);
        let Some(stored) = columns.remove(field.name.as_str()) else {
            differences.add(column(DifferenceKind::ColumnAdded).with_values(None, Some(&field.data_type)));
            continue;
        };
        let (was, is) = (data_type(stored), Some(field.data_type.as_str()));
        if was != is {
            differences.add(column(DifferenceKind::Column).of_property("dataType").with_values(was, is));
        }
        let was = stored.properties.get("originalDescription").and_then(Value::as_str);
        let is = field.comment.as_deref();
        if was != is {
            differences.add(column(DifferenceKind::Column).of_property("originalDescription").with_values(was, is));
        }
    }
    let mut gone: Vec<&Entity> = columns.into_values().collect();
    gone.sort_unstable_by_key(|column| column.position);
    for column in gone {
        let difference = Difference::plain(DifferenceKind::ColumnRemoved).of_column(&column.original_name);
        differences.add(difference.with_values(data_type(column), None));
    }
}

fn data_type(column: &Entity) -> Option<&str> {
    column.properties.get("dataType").and_then(Value::as_str)
}

fn property(name: &str) -> Difference {
    Difference::plain(DifferenceKind::Property).of_property(name)
}

fn is_path(entity: &Entity) -> bool {
    matches!(entity.entity_type, EntityType::Directory | EntityType::File)
}

/// A value as people write it.
fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(|item| text(Some(item))).collect();
            Some(items.join(", "))
        }
        other => Some(other.to_string()),
    }
}
