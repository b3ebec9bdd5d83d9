//! The metastore's databases and tables as [`ObservedObject`]s, under Navigator's property names.
//!
//! Whatever of a record is absent, null or of another type is left out; only a table without a
//! name cannot be shown. Times are RFC 3339 text. Maps and sets are in the order of their keys, so
//! that the same object gives the same properties at each pass.
//!
//! Field numbers: `hive_metastore.thrift`. Field 16 of a table is its catalog in some builds of
//! Hive 2.3 and the creation metadata of a materialized view in Hive 3 and 4, where the catalog is
//! field 17; the wire type tells.

use std::borrow::Cow;

use sextant_model::snapshot::{ObservedField, ObservedObject};
use sextant_model::{EntityType, ObjectName, SourceType};

use super::properties::{Collected, parameter, time_of};
use super::thrift::Value;

/// The catalog that goes without saying.
const DEFAULT_CATALOG: &str = "hive";

/// An object, and what of it could not be kept as it is.
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) object: ObservedObject,
    pub(super) remarks: Vec<String>,
}

/// A `Database`. `asked` is the name it was asked for by.
pub(super) fn observe_database(record: &Value, asked: &str) -> Observation {
    let mut collected = Collected::default();
    collected.text("originalDescription", record.text(2));
    collected.text("fileSystemPath", record.text(3));
    collected.pairs("params", record.text_pairs(4));
    collected.text("owner", record.text(6));
    collected.text("ownerType", principal_type(record.i32(7)));
    collected.text("catalog", record.text(8).filter(|catalog| catalog != DEFAULT_CATALOG));
    collected.text("managedFileSystemPath", record.text(10));
    let created = time_of(record.i32(9).map(i64::from));
    collected.seconds("created", record.i32(9).map(i64::from));
    let object = ObservedObject {
        name: ObjectName::database(asked),
        entity_type: EntityType::Database,
        source_type: SourceType::Hive,
        created,
        properties: collected.properties,
        fields: Vec::new(),
        partitions: None,
    };
    Observation { object, remarks: collected.remarks }
}

/// A `Table` of `database`; nothing if it has no name where one belongs.
pub(super) fn observe_table(record: &Value, database: &str) -> Option<Observation> {
    let name = ObjectName::relation(database, &record.text(1)?);
    let mut collected = Collected::default();
    collected.text("owner", record.text(3));
    let created_seconds = record.i32(4).map(i64::from);
    collected.seconds("created", created_seconds);
    collected.seconds("lastAccessed", record.i32(5).map(i64::from));
    let last_ddl_time = parameter(record, 9, "transient_lastDdlTime").and_then(|text| text.parse().ok());
    collected.seconds("lastModified", last_ddl_time);
    collected.text("originalDescription", parameter(record, 9, "comment").filter(|text| !text.is_empty()));
    collected.pairs("params", record.text_pairs(9));
    collected.text("queryText", record.text(10));
    collected.text("expandedQueryText", record.text(11));
    collected.text("tableType", record.text(12));
    collected.text("catalog", catalog(record).filter(|catalog| catalog != DEFAULT_CATALOG));
    collected.text("ownerType", principal_type(record.i32(18)));
    if let Some(creation) = record.field(16) {
        let mut tables_used = creation.texts(4);
        tables_used.sort_unstable();
        collected.texts("tablesUsed", tables_used);
    }
    if let Some(storage) = record.field(7) {
        collect_storage(storage, &mut collected);
    }
    let mut fields = Vec::new();
    let columns = record.field(7).map(|storage| storage.list(1)).unwrap_or_default();
    observe_fields(columns, false, &mut fields, &mut collected.remarks);
    observe_fields(record.list(8), true, &mut fields, &mut collected.remarks);
    let partition_keys = fields.iter().filter(|field| field.partition_key);
    let partition_key_names = partition_keys.map(|field| field.name.clone()).collect();
    collected.texts("partColNames", partition_key_names);
    let object = ObservedObject {
        name,
        entity_type: entity_type(record),
        source_type: SourceType::Hive,
        created: time_of(created_seconds),
        properties: collected.properties,
        fields,
        partitions: None,
    };
    Some(Observation { object, remarks: collected.remarks })
}

/// Whether a `Table` has partitions of its own.
pub(super) fn is_partitioned(object: &ObservedObject) -> bool {
    object.entity_type == EntityType::Table && object.fields.iter().any(|field| field.partition_key)
}

fn collect_storage(storage: &Value, collected: &mut Collected) {
    collected.text("fileSystemPath", storage.text(2));
    collected.text("inputFormat", storage.text(3));
    collected.text("outputFormat", storage.text(4));
    if let Some(compressed) = storage.bool(5) {
        collected.plain("compressed", compressed);
    }
    if let Some(serde) = storage.field(7) {
        collected.text("serdeName", serde.text(1));
        collected.text("serdeLibName", serde.text(2));
        collected.pairs("serdeProps", serde.text_pairs(3));
    }
    collected.texts("clusteredByColNames", storage.texts(8));
    let sort_columns = storage.list(9).iter().filter_map(|order| order.text(1));
    collected.texts("sortByColNames", sort_columns.map(Cow::into_owned).collect());
}

fn observe_fields(columns: &[Value], partition_key: bool, fields: &mut Vec<ObservedField>, remarks: &mut Vec<String>) {
    let mut nameless = 0;
    for column in columns {
        let Some(name) = column.text(1) else {
            nameless += 1;
            continue;
        };
        fields.push(ObservedField {
            name: name.to_lowercase(),
            data_type: column.text(2).unwrap_or_default().into_owned(),
            comment: column.text(3).map(Cow::into_owned),
            partition_key,
        });
    }
    if nameless > 0 {
        remarks.push(format!("{nameless} of its columns have no name and were left out"));
    }
}

/// A view is what says so; in old metastores, which may keep no type, what has a view's text.
fn entity_type(record: &Value) -> EntityType {
    let is_view = match record.text(12) {
        Some(table_type) => table_type.ends_with("VIEW"),
        None => record.text(11).is_some(),
    };
    if is_view { EntityType::View } else { EntityType::Table }
}

fn catalog(record: &Value) -> Option<Cow<'_, str>> {
    record.text(17).or_else(|| record.text(16))
}

/// The words of the enumeration `PrincipalType`.
fn principal_type(number: Option<i32>) -> Option<Cow<'static, str>> {
    match number? {
        1 => Some("USER".into()),
        2 => Some("ROLE".into()),
        3 => Some("GROUP".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> Value {
        Value::text_of(text)
    }

    fn column(name: &str, data_type: &str) -> Value {
        Value::Struct(vec![(1, text(name)), (2, text(data_type))])
    }

    fn map(pairs: &[(&str, &str)]) -> Value {
        Value::Map(pairs.iter().map(|(key, value)| (text(key), text(value))).collect())
    }

    fn observed(fields: Vec<(i16, Value)>) -> Observation {
        observe_table(&Value::Struct(fields), "Raw").unwrap()
    }

    #[test]
    fn a_table_is_shown_under_navigators_names() {
        let serde =
            Value::Struct(vec![(1, text("s")), (2, text("LazySimpleSerDe")), (3, map(&[("field.delim", ",")]))]);
        let storage = Value::Struct(vec![
            (1, Value::List(vec![column("ID", "bigint"), Value::Struct(vec![])])),
            (2, text("hdfs://ns/raw/orders")),
            (3, text("TextInputFormat")),
            (4, text("IgnoreKeyTextOutputFormat")),
            (5, Value::Bool(false)),
            (7, serde),
            (8, Value::List(vec![text("id")])),
            (9, Value::List(vec![Value::Struct(vec![(1, text("id")), (2, Value::I32(1))])])),
        ]);
        let parameters =
            map(&[("transient_lastDdlTime", "1700000060"), ("comment", "all orders"), ("hive.sql.dbcp.password", "x")]);
        let observation = observed(vec![
            (1, text("Orders")),
            (3, text("etl")),
            (4, Value::I32(1_700_000_000)),
            (5, Value::I32(0)),
            (7, storage),
            (8, Value::List(vec![column("dt", "string")])),
            (9, parameters),
            (12, text("MANAGED_TABLE")),
            (17, text("hive")),
            (18, Value::I32(2)),
        ]);
        let object = observation.object;
        assert_eq!(object.name, ObjectName::relation("raw", "orders"));
        assert_eq!(object.entity_type, EntityType::Table);
        assert_eq!(object.created, time_of(Some(1_700_000_000)));
        let columns: Vec<_> = object.fields.iter().map(|field| (field.name.as_str(), field.partition_key)).collect();
        assert_eq!(columns, [("id", false), ("dt", true)]);
        assert_eq!(observation.remarks, ["1 of its columns have no name and were left out"]);
        let expected = json!({
            "owner": "etl",
            "ownerType": "ROLE",
            "created": "2023-11-14T22:13:20.000Z",
            "lastModified": "2023-11-14T22:14:20.000Z",
            "originalDescription": "all orders",
            "tableType": "MANAGED_TABLE",
            "fileSystemPath": "hdfs://ns/raw/orders",
            "inputFormat": "TextInputFormat",
            "outputFormat": "IgnoreKeyTextOutputFormat",
            "compressed": false,
            "serdeName": "s",
            "serdeLibName": "LazySimpleSerDe",
            "serdeProps": {"field.delim": ","},
            "partColNames": ["dt"],
            "clusteredByColNames": ["id"],
            "sortByColNames": ["id"],
            "params": {
                "comment": "all orders",
                "hive.sql.dbcp.password": "(hidden)",
                "transient_lastDdlTime": "1700000060",
            },
        });
        assert_eq!(serde_json::Value::Object(object.properties), expected);
    }

    #[test]
    fn a_table_of_nothing_but_a_name_is_shown() {
        let object = observed(vec![(1, text("t"))]).object;
        assert_eq!(object.entity_type, EntityType::Table);
        assert!(object.properties.is_empty());
        assert!(object.fields.is_empty());
        assert_eq!(object.created, None);
    }

    #[test]
    fn a_table_whose_fields_are_shifted_is_not_shown() {
        let shifted = Value::Struct(vec![(1, Value::I64(7)), (2, text("t")), (3, text("db"))]);
        assert!(observe_table(&shifted, "db").is_none());
    }

    #[test]
    fn views_are_known_by_type_or_text() {
        let of = |fields: Vec<(i16, Value)>| observed([vec![(1, text("v"))], fields].concat()).object;
        let view = of(vec![(10, text("select 1")), (11, text("select 1 as c")), (12, text("VIRTUAL_VIEW"))]);
        assert_eq!(view.entity_type, EntityType::View);
        assert_eq!(view.properties["queryText"], "select 1");
        assert_eq!(view.properties["expandedQueryText"], "select 1 as c");
        assert_eq!(of(vec![(12, text("MATERIALIZED_VIEW"))]).entity_type, EntityType::View);
        assert_eq!(of(vec![(11, text("select 1"))]).entity_type, EntityType::View);
        assert_eq!(of(vec![(11, text("select 1")), (12, text("EXTERNAL_TABLE"))]).entity_type, EntityType::Table);
    }

    #[test]
    fn field_16_is_a_catalog_or_the_creation_of_a_materialized_view() {
        let of = |field: i16, value: Value| observed(vec![(1, text("t")), (field, value)]).object.properties;
        assert_eq!(of(16, text("spark"))["catalog"], "spark");
        assert_eq!(of(17, text("spark"))["catalog"], "spark");
        let creation = Value::Struct(vec![(4, Value::List(vec![text("hive.b.t"), text("hive.a.t")]))]);
        let properties = of(16, creation);
        assert_eq!(properties["tablesUsed"], json!(["hive.a.t", "hive.b.t"]));
        assert!(!properties.contains_key("catalog"));
    }

    #[test]
    fn a_text_beyond_the_limit_is_cut_and_said() {
        let observation = observed(vec![(1, text("t")), (10, text(&"é".repeat(600_000)))]);
        assert_eq!(observation.object.properties["queryText"].as_str().map(str::len), Some(1 << 20));
        assert_eq!(observation.remarks, ["`queryText` is 1200000 bytes long and was cut to 1048576"]);
    }

    #[test]
    fn ten_thousand_columns_keep_their_order() {
        let columns = (0..10_000).map(|index| column(&format!("c{index}"), "int")).collect();
        let storage = Value::Struct(vec![(1, Value::List(columns))]);
        let object = observed(vec![(1, text("wide")), (7, storage)]).object;
        assert_eq!(object.fields.len(), 10_000);
        assert_eq!(object.fields[9_999].name, "c9999");
    }

    #[test]
    fn a_database_is_shown() {
        let record = Value::Struct(vec![
            (1, text("raw")),
            (2, text("landing zone")),
            (3, text("hdfs://ns/raw")),
            (4, map(&[("team", "etl")])),
            (6, text("root")),
            (7, Value::I32(1)),
            (8, text("hive")),
        ]);
        let object = observe_database(&record, "raw").object;
        assert_eq!(object.name, ObjectName::database("raw"));
        let expected = json!({
            "originalDescription": "landing zone",
            "fileSystemPath": "hdfs://ns/raw",
            "params": {"team": "etl"},
            "owner": "root",
            "ownerType": "USER",
        });
        assert_eq!(serde_json::Value::Object(object.properties), expected);
    }
}
