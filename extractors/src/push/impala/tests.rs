use sextant_model::ObjectName;
use sextant_model::record::{Flows, Vertex as ModelVertex};

use super::*;

fn read_text(json: &str) -> PushRecord {
    read(json, json.as_bytes()).expect("the record is a good one")
}

fn record(fields: &str, text: &str, edges: &str, vertices: &str) -> String {
    format!(r#"{{"queryText":"{text}",{fields}"edges":[{edges}],"vertices":[{vertices}]}}"#)
}

fn flows_of(text: &str, edges: &str, vertices: &str) -> Flows {
    match read_text(&record("", text, edges, vertices)).lineage {
        RecordLineage::Known(flows) => flows,
        RecordLineage::Unknown => panic!("the record has flows"),
    }
}

fn vertex(id: u32, name: &str) -> String {
    format!(r#"{{"id":{id},"vertexType":"COLUMN","vertexId":"{name}"}}"#)
}

fn vertex_of(id: u32, name: &str, table: &str, created: i64) -> String {
    format!(
        r#"{{"id":{id},"vertexType":"COLUMN","vertexId":"{name}","metadata":{{"tableName":"{table}","tableType":"hive","tableCreateTime":{created}}}}}"#
    )
}

fn column(table: u32, column: &str) -> ModelVertex {
    ModelVertex::Column { table, column: column.to_owned() }
}

fn label(label: &str) -> ModelVertex {
    ModelVertex::Result { label: label.to_owned() }
}

const ONE_TO_ZERO: &str = r#"{"sources":[1],"targets":[0],"edgeType":"PROJECTION"}"#;

#[test]
fn a_record_is_read_in_full() {
    let fields = r#""operationType":"INSERT","queryId":"8240ff9777868c61:9bde95c300000000","hash":"h","user":"joe@REALM","timestamp":1571508467,"endTime":1571508470,"#;
    let record = read_text(&record(fields, "insert into d.t select a from d.s", "", ""));
    assert_eq!(record.query_id.as_deref(), Some("8240ff9777868c61:9bde95c300000000"));
    assert_eq!(record.execution_key, ["impala", "8240ff9777868c61:9bde95c300000000"]);
    assert_eq!(record.user.as_deref(), Some("joe@REALM"));
    assert_eq!(record.operation_type.as_deref(), Some("INSERT"));
    assert_eq!(record.started, Some(Timestamp::from_seconds(1_571_508_467)));
    assert_eq!(record.ended, Some(Timestamp::from_seconds(1_571_508_470)));
}

#[test]
fn without_a_usable_id_the_record_itself_is_the_key() {
    for fields in [r#""queryId":"0:0","#, r#""queryId":"","#, ""] {
        let one = read_text(&record(fields, "select 1", "", ""));
        let other = read_text(&record(fields, "select 2", "", ""));
        assert_eq!((one.query_id, one.execution_key[0].as_str()), (None, "impala-line"));
        assert_ne!(one.execution_key, other.execution_key);
    }
}

#[test]
fn an_end_before_the_start_is_the_start() {
    let record = read_text(&record(r#""timestamp":1571508467,"endTime":1571500000,"#, "select 1", "", ""));
    assert_eq!(record.ended, record.started);
}

#[test]
fn created_tables_have_no_lineage_but_a_location() {
    let fields = r#""tableLocation":"hdfs://ns/warehouse/t","#;
    let record = read_text(&record(fields, "create external table d.t (a int)", "", ""));
    assert_eq!(record.lineage, RecordLineage::Unknown);
    assert_eq!(record.table_location.as_deref(), Some("hdfs://ns/warehouse/t"));
}

#[test]
fn before_metadata_targets_of_an_insert_are_qualified() {
    let vertices = format!("{},{}", vertex(0, "d.T.Total"), vertex(1, "d.s.col.f2.item.f12"));
    let flows = flows_of("insert into d.t select 1", ONE_TO_ZERO, &vertices);
    assert_eq!(flows.vertices, [column(0, "total"), column(1, "col.f2.item.f12")]);
    assert_eq!(flows.tables[0].name, ObjectName::relation("d", "t"));
}

#[test]
fn before_metadata_labels_may_look_like_columns() {
    for (text, target) in [
        ("select a.b.c from d.s", "a.b.c"),
        ("with x as (select 1) select sum(t1.a) + t2.b + t3.c", "sum(t1.a) + t2.b + t3.c"),
        ("with x as (select 1) select id", "Id"),
        ("with x as (select 1) select b.id", "b.id"),
    ] {
        let vertices = format!("{},{}", vertex(0, target), vertex(1, "d.s.a"));
        assert_eq!(flows_of(text, ONE_TO_ZERO, &vertices).vertices, [label(target), column(0, "a")], "{text}");
    }
    let edges = r#"{"sources":[2],"targets":[0,1],"edgeType":"PROJECTION"}"#;
    let vertices = format!("{},{},{}", vertex(0, "a.b.c"), vertex(1, "a.x.c"), vertex(2, "d.s.a"));
    let flows = flows_of("with x as (select 1) select *", edges, &vertices);
    assert_eq!(flows.vertices, [label("a.b.c"), label("a.x.c"), column(0, "a")]);
}

#[test]
fn with_metadata_the_table_is_told() {
    let vertices =
        [vertex_of(0, "Id", "D.T", -1), vertex_of(1, "d.s.col.item", "d.s", 1_559_151_317), vertex(2, "a.b.c")]
            .join(",");
    let edges = r#"{"sources":[1],"targets":[0,2],"edgeType":"PREDICATE"}"#;
    let flows = flows_of("insert into d.t select 1", edges, &vertices);
    assert_eq!(flows.vertices, [column(0, "id"), column(1, "col.item"), label("a.b.c")]);
    assert_eq!(flows.tables[0].created, None);
    assert_eq!(flows.tables[1].created, Some(Timestamp::from_seconds(1_559_151_317)));
}

#[test]
fn a_bare_target_and_a_qualified_source_of_one_table_are_one_vertex() {
    let vertices = [vertex_of(0, "c", "d.t", -1), vertex_of(1, "d.t.c", "d.t", 1_559_151_317)].join(",");
    let flows = flows_of("insert into d.t select c from d.t", ONE_TO_ZERO, &vertices);
    assert_eq!(flows.vertices, [column(0, "c")]);
    assert_eq!(flows.tables.len(), 1);
    assert_eq!(flows.tables[0].created, Some(Timestamp::from_seconds(1_559_151_317)));
}

#[test]
fn elements_may_be_strings() {
    let json = r#"{"queryText":"insert into d.t select a from d.s","timestamp":1446159271,"edges":["{\"sources\":[1],\"targets\":[0],\"edgeType\":\"PROJECTION\"}"],"vertices":["{\"id\":0,\"vertexType\":\"COLUMN\",\"vertexId\":\"d.t.a\"}","{\"id\":1,\"vertexType\":\"COLUMN\",\"vertexId\":\"d.s.\\\"a\"}"]}"#;
    let RecordLineage::Known(flows) = read_text(json).lineage else { panic!("the record has flows") };
    assert_eq!(flows.vertices, [column(0, "a"), column(1, "\"a")]);
}

#[test]
fn a_record_of_hive_is_refused() {
    let json = r#"{"version":"1.0","queryText":"x","edges":[],"vertices":[]}"#;
    assert!(matches!(read(json, json.as_bytes()), Err(Refusal::OtherFormat(_))));
}
