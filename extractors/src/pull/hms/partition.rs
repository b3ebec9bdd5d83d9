//! Partitions of a table.

use std::collections::HashMap;

use sextant_model::snapshot::ObservedPartition;

use super::properties::{Collected, parameter, time_of};
use super::thrift::Value;

/// The partitions of these records, in the order of their names; the records do not hold a name,
/// so `names` has to cover them. A record that none of the names fits is left out.
pub(super) fn observe_partitions(records: &[Value], names: &[String]) -> Vec<ObservedPartition> {
    let mut name_of_values = HashMap::new();
    for name in names {
        name_of_values.insert(values_in(name), name);
    }
    let mut partitions = Vec::with_capacity(records.len());
    for record in records {
        if let Some(name) = name_of_values.get(&record.texts(1)) {
            partitions.push(observe_partition(record, name));
        }
    }
    partitions.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    partitions
}

/// A `Partition`.
fn observe_partition(record: &Value, name: &str) -> ObservedPartition {
    let mut collected = Collected::default();
    collected.texts("partColValues", record.texts(1));
    let created_seconds = record.i32(4).map(i64::from);
    collected.seconds("created", created_seconds);
    collected.seconds("lastAccessed", record.i32(5).map(i64::from));
    let last_ddl_time = parameter(record, 7, "transient_lastDdlTime").and_then(|text| text.parse().ok());
    collected.seconds("lastModified", last_ddl_time);
    collected.pairs("params", record.text_pairs(7));
    if let Some(storage) = record.field(6) {
        collected.text("fileSystemPath", storage.text(2));
        collected.text("inputFormat", storage.text(3));
    }
    ObservedPartition { name: name.to_owned(), created: time_of(created_seconds), properties: collected.properties }
}

/// The values in a partition's name: `dt=2026-01-01/city=a%2Fb` has `2026-01-01` and `a/b`.
/// Hive escapes as a percent sign and two hexadecimal digits.
fn values_in(name: &str) -> Vec<String> {
    name.split('/').map(|part| unescaped(part.split_once('=').map_or(part, |(_, value)| value))).collect()
}

fn unescaped(text: &str) -> String {
    let mut characters = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('%') {
        characters.push_str(before);
        let code = escape.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if let Some(code) = code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            characters.push(char::from(code));
            rest = &escape[2..];
        } else {
            characters.push('%');
            rest = escape;
        }
    }
    characters + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_escaped_values() {
        assert_eq!(values_in("dt=2026-01-01/city=a%2Fb%3D%25"), ["2026-01-01", "a/b=%"]);
        assert_eq!(values_in("x=100%/y=%é/z="), ["100%", "%é", ""]);
    }

    #[test]
    fn records_find_their_names() {
        let record = |value: &str| {
            let location = Value::Struct(vec![(2, Value::text_of(&format!("/w/{value}")))]);
            Value::Struct(vec![(1, Value::list_of_texts(&[value])), (4, Value::I32(0)), (6, location)])
        };
        let names = ["p=b".to_owned(), "p=a%3A".to_owned()];
        let partitions = observe_partitions(&[record("b"), record("a:"), record("new")], &names);
        let shown: Vec<_> = partitions.iter().map(|partition| partition.name.as_str()).collect();
        assert_eq!(shown, ["p=a%3A", "p=b"]);
        assert_eq!(partitions[1].properties["fileSystemPath"], "/w/b");
        assert_eq!(partitions[1].created, None);
    }
}
