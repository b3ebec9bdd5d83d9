use sextant_model::ObjectName;
use sextant_model::record::{FlowEdge, FlowKind, Flows, Vertex as ModelVertex};

use super::*;

fn record(fields: &str, text: &str, edges: &str, vertices: &str) -> String {
    format!(r#"{{"version":"1.0",{fields}"hash":"h","queryText":"{text}","edges":[{edges}],"vertices":[{vertices}]}}"#)
}

fn read_text(json: &str) -> PushRecord {
    read(json, json.as_bytes()).expect("the record is a good one")
}

fn flows_of(text: &str, edges: &str, vertices: &str) -> Flows {
    match read_text(&record("", text, edges, vertices)).lineage {
        RecordLineage::Known(flows) => flows,
        RecordLineage::Unknown => panic!("the record has flows"),
    }
}

fn column(table: u32, column: &str) -> ModelVertex {
    ModelVertex::Column { table, column: column.to_owned() }
}

fn label(label: &str) -> ModelVertex {
    ModelVertex::Result { label: label.to_owned() }
}

const A_TO_B: &str = r#"{"sources":[1],"targets":[0],"edgeType":"PROJECTION"}"#;

#[test]
fn a_production_record_is_read_in_full() {
    let fields = r#""user":"hive/host@REALM","timestamp":1510308124,"duration":45959,"jobIds":["job_1_2","job_1_3"],"engine":"mr","database":"dw","#;
    let json = record(
        fields,
        "insert into dw.b select x from dw.a",
        A_TO_B,
        r#"{"id":0,"vertexType":"COLUMN","vertexId":"DW.B.Total"},{"id":1,"vertexType":"COLUMN","vertexId":"dw.a.x"}"#,
    );
    let record = read_text(&json);
    assert_eq!(record.user.as_deref(), Some("hive/host@REALM"));
    assert_eq!(record.started, Some(Timestamp::from_seconds(1_510_308_124)));
    assert_eq!(record.ended, Some(Timestamp::from_millis(1_510_308_169_959)));
    assert_eq!(record.database.as_deref(), Some("dw"));
    assert_eq!(record.engine.as_deref(), Some("mr"));
    assert_eq!(record.job_ids, ["job_1_2", "job_1_3"]);
    assert_eq!(
        record.execution_key,
        ["hive", "hive/host@REALM", "1510308124", "45959", "h", "mr", "job_1_2", "job_1_3"]
    );
    let RecordLineage::Known(flows) = record.lineage else { panic!("the record has flows") };
    assert_eq!(flows.tables[0].name, ObjectName::relation("dw", "b"));
    assert_eq!(flows.tables[1].name, ObjectName::relation("dw", "a"));
    assert_eq!(flows.vertices, [column(0, "total"), column(1, "x")]);
    let edge = FlowEdge { kind: FlowKind::Data, sources: vec![1], targets: vec![0], expression: None };
    assert_eq!(flows.edges, [edge]);
}

#[test]
fn absurd_times_do_not_cost_the_record() {
    for (fields, started, ended) in [
        (r#""timestamp":170475521788,"duration":-5,"#, None, None),
        (r#""timestamp":1510308124,"duration":-5,"#, Some(1_510_308_124_000), Some(1_510_308_124_000)),
        (r#""timestamp":1510308124,"duration":9223372036854775807,"#, Some(1_510_308_124_000), None),
        (r#""timestamp":1510308124,"#, Some(1_510_308_124_000), None),
        (r#""timestamp":1e300,"duration":"12","#, None, None),
        (r#""timestamp":null,"duration":18446744073709551615,"#, None, None),
    ] {
        let record = read_text(&record(fields, "select 1", "", ""));
        assert_eq!(record.started.map(Timestamp::as_millis), started, "{fields}");
        assert_eq!(record.ended.map(Timestamp::as_millis), ended, "{fields}");
    }
}

#[test]
fn runs_without_a_time_are_told_apart_by_the_whole_record() {
    let one = read_text(&record("", "select 1", "", ""));
    let same = read_text(&record("", "select 1", "", ""));
    let other = read_text(&record("", "select 2", "", ""));
    assert_eq!(one.execution_key, same.execution_key);
    assert_ne!(one.execution_key, other.execution_key);
}

#[test]
fn an_empty_record_is_unknown_lineage() {
    assert_eq!(read_text(&record("", "select 1", "", "")).lineage, RecordLineage::Unknown);
    let dropped = record("", "select a", "", r#"{"id":0,"vertexType":"COLUMN","vertexId":"a"}"#);
    assert!(matches!(read_text(&dropped).lineage, RecordLineage::Known(_)));
}

#[test]
fn labels_never_become_tables() {
    let flows = flows_of(
        "insert overwrite directory '/x' select src1.key, _c1 from src1",
        r#"{"sources":[2],"targets":[0,1],"edgeType":"PROJECTION"},{"sources":[3],"targets":[0],"expression":"count(1)","edgeType":"PROJECTION"}"#,
        r#"{"id":0,"vertexType":"COLUMN","vertexId":"Src1.key"},{"id":1,"vertexType":"COLUMN","vertexId":"_c1"},
           {"id":2,"vertexType":"COLUMN","vertexId":"default.src1.key"},{"id":3,"vertexType":"TABLE","vertexId":"default.SRC1"}"#,
    );
    assert_eq!(flows.vertices, [label("Src1.key"), label("_c1"), column(0, "key"), ModelVertex::Table { table: 0 }]);
    assert_eq!(flows.tables.len(), 1);
}

#[test]
fn an_alias_with_dots_is_still_a_label() {
    let vertices =
        r#"{"id":0,"vertexType":"COLUMN","vertexId":"a.b.c"},{"id":1,"vertexType":"COLUMN","vertexId":"d.t.x"}"#;
    assert_eq!(flows_of("SELECT x as `a.b.c` from d.t", A_TO_B, vertices).vertices, [label("a.b.c"), column(0, "x")]);
    assert_eq!(flows_of("insert into a.b select x", A_TO_B, vertices).vertices, [column(0, "c"), column(1, "x")]);
}

#[test]
fn a_table_that_feeds_itself_is_one_vertex() {
    let flows = flows_of(
        "insert into d.t select a from d.t",
        A_TO_B,
        r#"{"id":0,"vertexType":"COLUMN","vertexId":"d.t.a"},{"id":1,"vertexType":"COLUMN","vertexId":"D.T.A"}"#,
    );
    assert_eq!(flows.vertices, [column(0, "a")]);
    assert_eq!((flows.edges[0].sources.as_slice(), flows.edges[0].targets.as_slice()), (&[0][..], &[0][..]));
}

#[test]
fn a_multi_insert_writes_several_tables() {
    let flows = flows_of(
        "from d.s insert into d.a select x insert into d.b select x",
        r#"{"sources":[2],"targets":[1,0,1],"edgeType":"PROJECTION"}"#,
        r#"{"id":0,"vertexType":"COLUMN","vertexId":"d.a.x"},{"id":1,"vertexType":"COLUMN","vertexId":"d.b.x"},{"id":2,"vertexType":"COLUMN","vertexId":"d.s.x"}"#,
    );
    assert_eq!(flows.edges[0].targets, [0, 1]);
    assert_eq!(flows.tables.len(), 3);
}

#[test]
fn edges_between_the_same_vertices_are_one() {
    let edge =
        |kind: &str, expression: &str| format!(r#"{{"sources":[1],"targets":[0],{expression}"edgeType":"{kind}"}}"#);
    let edges = [
        edge("PROJECTION", ""),
        edge("PREDICATE", r#""expression":"(a > 1)","#),
        edge("PROJECTION", r#""expression":"f(a)","#),
        edge("PREDICATE", r#""expression":"(a > 1)","#),
        edge("PROJECTION", r#""expression":"g(a)","#),
    ];
    let vertices =
        r#"{"id":0,"vertexType":"COLUMN","vertexId":"d.t.a"},{"id":1,"vertexType":"COLUMN","vertexId":"d.s.a"}"#;
    let flows = flows_of("insert into d.t select a", &edges.join(","), vertices);
    let told: Vec<_> = flows.edges.iter().map(|edge| (edge.kind, edge.expression.as_deref())).collect();
    assert_eq!(told, [(FlowKind::Data, Some("f(a); g(a)")), (FlowKind::Control, Some("(a > 1)"))]);
}

#[test]
fn column_statistics_are_no_flow() {
    let edges = r#"{"sources":[2],"targets":[0],"edgeType":"PROJECTION"},
        {"sources":[2],"targets":[1],"expression":"compute_stats(d.s.a, 'hll')","edgeType":"PROJECTION"}"#;
    let vertices = r#"{"id":0,"vertexType":"COLUMN","vertexId":"d.t.a"},{"id":1,"vertexType":"COLUMN","vertexId":"a"},
        {"id":2,"vertexType":"COLUMN","vertexId":"d.s.a"}"#;
    let flows = flows_of("insert into d.t select a from d.s", edges, vertices);
    assert_eq!(flows.edges.len(), 1);
    assert_eq!(flows.vertices, [column(0, "a"), column(1, "a")]);
    let called = flows_of("insert into d.t select a, Compute_Stats(a, 'hll') from d.s", edges, vertices);
    assert_eq!(called.edges.len(), 2);
}

#[test]
fn edges_that_name_no_vertex_are_refused() {
    let vertices = r#"{"id":0,"vertexType":"COLUMN","vertexId":"d.t.a"}"#;
    for json in [
        record("", "insert", A_TO_B, vertices),
        record("", "insert", A_TO_B, ""),
        record("", "insert", "", &format!("{vertices},{}", vertices.replace("d.t.a", "d.t.b"))),
        record("", "insert", r#"{"sources":[-1],"targets":[0],"edgeType":"PROJECTION"}"#, vertices),
    ] {
        assert!(matches!(read(&json, json.as_bytes()), Err(Refusal::Inconsistent(_))), "{json}");
    }
    let twice = record("", "insert", "", &format!("{vertices},{vertices}"));
    assert!(read(&twice, twice.as_bytes()).is_ok());
}

#[test]
fn ids_need_be_neither_dense_nor_in_order() {
    let flows = flows_of(
        "insert",
        r#"{"sources":[900],"targets":[7],"edgeType":"PROJECTION"}"#,
        r#"{"id":900,"vertexType":"COLUMN","vertexId":"d.s.a"},{"id":7,"vertexType":"COLUMN","vertexId":"d.t.a"}"#,
    );
    assert_eq!((flows.edges[0].sources.as_slice(), flows.edges[0].targets.as_slice()), (&[0][..], &[1][..]));
}

#[test]
fn unknown_keys_and_string_elements_are_read() {
    let json = r#"{"version":"1.0","inputs":["a"],"outputs":[{"deep":[1]}],"queryText":"insert",
        "edges":["{\"sources\":[],\"targets\":[0],\"expression\":\"'a\\tb'\",\"edgeType\":\"PROJECTION\"}"],
        "vertices":[{"id":0,"vertexType":"COLUMN","vertexId":"d.t.a","more":1}]}"#;
    let RecordLineage::Known(flows) = read_text(json).lineage else { panic!("the record has flows") };
    assert_eq!(flows.edges[0].expression.as_deref(), Some("'a\tb'"));
}
