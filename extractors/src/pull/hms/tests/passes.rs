//! What a pass asks of a metastore, and what it leaves alone.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};

use super::stand_in::{Answer, StandIn, old_metastore};
use super::{HmsExtractor, impatient, pass};
use crate::pull::PullExtractor;
use crate::pull::hms::HmsConfig;
use crate::pull::hms::thrift::Value;
use crate::pull::hms::thrift::transport::Framing;
use sextant_model::ObjectName;

#[tokio::test]
async fn what_is_out_of_scope_is_not_asked_for() {
    let answer = old_metastore(&["a", "tmp_a"], || Answer::Failed);
    let server = StandIn::answering(Framing::Buffered, move |method, arguments| {
        if method == "get_all_databases" {
            return Answer::Success(Value::list_of_texts(&["db", "other"]));
        }
        let asked = arguments.text(1).into_iter().map(Cow::into_owned);
        let asked: Vec<_> = asked.chain(arguments.texts(2)).collect();
        assert!(!asked.iter().any(|name| name == "other" || name == "tmp_a"), "{method} {asked:?}");
        answer(method, arguments)
    })
    .await;
    let config = HmsConfig {
        include: vec!["db".to_owned(), "nowhere".to_owned()],
        exclude: vec!["*.tmp_*".to_owned(), "db.old_*".to_owned()],
        ..impatient(&server.uri)
    };
    let extractor = HmsExtractor::new(&config).unwrap();
    let (shown, summary) = pass(&extractor).await;
    assert_eq!(shown.names(), ["db", "db.a"]);
    assert_eq!(summary.unwrap().idle_patterns, ["nowhere", "db.old_*"]);
    assert!(!extractor.in_scope(&ObjectName::relation("db", "tmp_a")));
}

#[tokio::test]
async fn a_failure_that_passes_leaves_no_trace() {
    let answer = old_metastore(&["a"], || Answer::Failed);
    let calls = AtomicU32::new(0);
    let server =
        StandIn::answering(Framing::Buffered, move |method, arguments| match calls.fetch_add(1, Ordering::SeqCst) {
            0 => Answer::Failed,
            2 => Answer::CloseConnection,
            _ => answer(method, arguments),
        })
        .await;
    let (shown, summary) = pass(&HmsExtractor::new(&impatient(&server.uri)).unwrap()).await;
    summary.unwrap();
    assert_eq!(shown.names(), ["db", "db.a"]);
    assert_eq!(shown.problems, []);
}

#[tokio::test]
async fn connections_are_bounded_and_closed_after_the_pass() {
    let answer = old_metastore(&["a", "b", "c", "d", "e", "f"], || Answer::Failed);
    let server = StandIn::answering(Framing::Buffered, move |method, arguments| match method {
        "get_all_databases" => Answer::Success(Value::list_of_texts(&["x", "y", "z"])),
        _ => answer(method, arguments),
    })
    .await;
    let config = HmsConfig { connections: 2, batch_size: 1, max_requests_per_second: None, ..impatient(&server.uri) };
    let extractor = HmsExtractor::new(&config).unwrap();
    let (shown, summary) = pass(&extractor).await;
    summary.unwrap();
    assert_eq!(shown.objects.len(), 21);
    assert_eq!(server.most_connections(), 2);
    server.all_closed().await;
}

#[tokio::test]
async fn partitions_are_counted_by_name_where_they_cannot_be_counted_otherwise() {
    let answer = old_metastore(&["t"], || Answer::Failed);
    let server = StandIn::answering(Framing::Buffered, move |method, arguments| match method {
        "get_table_objects_by_name" => {
            let day = Value::Struct(vec![(1, Value::text_of("dt")), (2, Value::text_of("string"))]);
            let table = vec![(1, Value::text_of("t")), (8, Value::List(vec![day]))];
            Answer::Success(Value::List(vec![Value::Struct(table)]))
        }
        "get_partition_names" => Answer::Success(Value::list_of_texts(&["dt=1", "dt=2"])),
        _ => answer(method, arguments),
    })
    .await;
    let (shown, summary) = pass(&HmsExtractor::new(&impatient(&server.uri)).unwrap()).await;
    summary.unwrap();
    assert_eq!(shown.object("db.t").properties["partitionCount"], 2);
}
