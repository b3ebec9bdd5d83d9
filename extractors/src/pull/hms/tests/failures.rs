//! What becomes of a pass when the metastore does what it should not.

use sextant_model::ObjectName;
use sextant_model::snapshot::Existence;

use super::stand_in::{Answer, StandIn, old_metastore};
use super::{HmsExtractor, impatient, pass};
use crate::pull::hms::HmsConfig;
use crate::pull::hms::thrift::Value;
use crate::pull::hms::thrift::transport::Framing;
use crate::pull::{ExtractError, PullExtractor};

fn extractor(server: &StandIn) -> HmsExtractor {
    HmsExtractor::new(&impatient(&server.uri)).unwrap()
}

async fn failure(server: &StandIn, framed: bool) -> ExtractError {
    let config = HmsConfig { framed, ..impatient(&server.uri) };
    let (shown, summary) = pass(&HmsExtractor::new(&config).unwrap()).await;
    assert!(shown.listed.is_empty());
    summary.unwrap_err()
}

/// The error says where, in which call, and what may be wrong.
fn assert_names_mismatch(error: &ExtractError, server: &StandIn) {
    let words = error.to_string();
    assert!(words.contains(&server.uri), "{words}");
    assert!(words.contains("`get_all_databases`"), "{words}");
    assert!(words.contains("framed/SASL mismatch?"), "{words}");
}

#[tokio::test]
async fn garbage_is_unreadable() {
    for garbage in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"\x00\x00\x00\x09not thrift", b"\xff\xff\xff\xff\xff"] {
        let server = StandIn::saying(garbage).await;
        let error = failure(&server, false).await;
        assert!(matches!(error, ExtractError::Unreadable { .. }), "{error}");
        assert_names_mismatch(&error, &server);
    }
}

#[tokio::test]
async fn a_huge_length_is_unreadable_at_once() {
    let in_text = b"\x80\x01\x00\x02\x7f\xff\xff\xff";
    let error = failure(&StandIn::saying(in_text).await, false).await;
    assert!(matches!(error, ExtractError::Unreadable { .. }), "{error}");
    let error = failure(&StandIn::saying(b"\x7f\xff\xff\xff").await, true).await;
    assert!(matches!(error, ExtractError::Unreadable { .. }), "{error}");
}

#[tokio::test]
async fn a_frame_that_never_comes_whole_times_out() {
    let error = failure(&StandIn::saying(b"\x0f\xff\xff\xff and then nothing").await, true).await;
    assert!(matches!(error, ExtractError::NoAnswer { .. }), "{error}");
}

#[tokio::test]
async fn silence_times_out() {
    let server = StandIn::answering(Framing::Buffered, |_, _| Answer::Silence).await;
    let error = failure(&server, false).await;
    assert!(matches!(error, ExtractError::NoAnswer { .. }), "{error}");
    assert_names_mismatch(&error, &server);
}

#[tokio::test]
async fn a_closed_connection_is_said() {
    let server = StandIn::answering(Framing::Buffered, |_, _| Answer::CloseConnection).await;
    let error = failure(&server, false).await;
    assert!(matches!(error, ExtractError::Broken { .. }), "{error}");
    assert_names_mismatch(&error, &server);
}

#[tokio::test]
async fn the_other_framing_is_suspected() {
    for framed in [true, false] {
        let other = if framed { Framing::Buffered } else { Framing::Framed };
        let server = StandIn::answering(other, old_metastore(&["a"], || Answer::Failed)).await;
        assert_names_mismatch(&failure(&server, framed).await, &server);
    }
}

#[tokio::test]
async fn framed_transport_is_spoken() {
    let server = StandIn::answering(Framing::Framed, old_metastore(&["a"], || Answer::Failed)).await;
    let config = HmsConfig { framed: true, ..impatient(&server.uri) };
    let (shown, summary) = pass(&HmsExtractor::new(&config).unwrap()).await;
    summary.unwrap();
    assert_eq!(shown.names(), ["db", "db.a"]);
}

#[tokio::test]
async fn no_metastore_is_said_with_its_address() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("thrift://{}", listener.local_addr().unwrap());
    drop(listener);
    let extractor = HmsExtractor::new(&impatient(&uri)).unwrap();
    let error = pass(&extractor).await.1.unwrap_err();
    assert!(matches!(error, ExtractError::Connect { .. }), "{error}");
    assert!(error.in_words().contains(&uri), "{}", error.in_words());
    let unknown = extractor.confirm(vec![ObjectName::relation("db", "a")]).await;
    assert!(unknown.is_err(), "an unreachable metastore says nothing about what is gone");
}

#[tokio::test]
async fn the_addresses_are_tried_in_turn() {
    let deaf = StandIn::answering(Framing::Buffered, |_, _| Answer::CloseConnection).await;
    let server = StandIn::answering(Framing::Buffered, old_metastore(&["a"], || Answer::Failed)).await;
    let uris = vec![format!("thrift://127.0.0.1:1, {}", deaf.uri), server.uri.clone()];
    let config = HmsConfig { retries: 3, uris, ..impatient("") };
    let (shown, summary) = pass(&HmsExtractor::new(&config).unwrap()).await;
    summary.unwrap();
    assert_eq!(shown.names(), ["db", "db.a"]);
}

#[tokio::test]
async fn one_poisonous_table_is_one_problem() {
    const TABLES: &[&str] = &["a", "b", "c", "d", "poison", "x", "y", "z", "zz"];
    for poisoned in [|| Answer::Failed, || Answer::CloseConnection, || Answer::Silence, || Answer::Declared(1)] {
        let server = StandIn::answering(Framing::Buffered, old_metastore(TABLES, poisoned)).await;
        let (shown, summary) = pass(&extractor(&server)).await;
        assert_eq!(summary.unwrap().incomplete_databases, [""; 0]);
        assert_eq!(shown.listed.len(), 1 + TABLES.len());
        assert_eq!(shown.objects.len(), TABLES.len());
        let troubled: Vec<_> = shown.problems.iter().filter_map(|problem| problem.object.clone()).collect();
        assert_eq!(troubled, [ObjectName::relation("db", "poison")]);
    }
}

#[tokio::test]
async fn a_table_missing_from_a_batch_is_asked_for_by_itself() {
    const TABLES: &[&str] = &["a", "gone", "hidden", "refused_hidden"];
    let answer = old_metastore(TABLES, || Answer::Failed);
    let server = StandIn::answering(Framing::Buffered, move |method, arguments| match (method, arguments.texts(2)) {
        ("get_table_objects_by_name", names) => {
            let there = names.iter().filter(|name| *name == "a");
            let table = |name: &String| Value::Struct(vec![(1, Value::text_of(name))]);
            Answer::Success(Value::List(there.map(table).collect()))
        }
        _ => answer(method, arguments),
    })
    .await;
    let (shown, summary) = pass(&extractor(&server)).await;
    summary.unwrap();
    assert_eq!(shown.names(), ["db", "db.a", "db.hidden"]);
    let reason_for = |table: &str| {
        let name = ObjectName::relation("db", table);
        let found = shown.problems.iter().find(|problem| problem.object.as_ref() == Some(&name));
        found.map(|problem| problem.reason.clone()).unwrap_or_default()
    };
    assert!(reason_for("gone").starts_with("vanished during the pass"), "{:?}", shown.problems);
    assert!(reason_for("refused_hidden").contains("MetaException"), "{:?}", shown.problems);
    assert_eq!(shown.problems.len(), 2);
}

#[tokio::test]
async fn a_database_whose_list_fails_is_incomplete_and_the_others_go_on() {
    let answer = old_metastore(&["a"], || Answer::Failed);
    let server =
        StandIn::answering(Framing::Buffered, move |method, arguments| match (method, arguments.text(1).as_deref()) {
            ("get_all_databases", _) => Answer::Success(Value::list_of_texts(&["bad", "db", "lost"])),
            ("get_all_tables", Some("bad")) => Answer::Silence,
            ("get_database", Some("lost")) => Answer::Declared(1),
            _ => answer(method, arguments),
        })
        .await;
    let (shown, summary) = pass(&extractor(&server)).await;
    assert_eq!(summary.unwrap().incomplete_databases, ["bad"]);
    assert_eq!(shown.names(), ["bad", "db", "db.a"]);
    let mut troubled: Vec<_> = shown.problems.iter().filter_map(|problem| problem.object.clone()).collect();
    troubled.sort_unstable();
    assert_eq!(troubled, [ObjectName::database("bad"), ObjectName::database("lost")]);
}

#[tokio::test]
async fn a_metastore_that_dies_during_the_pass_ends_it() {
    let answer = old_metastore(&["a", "b"], || Answer::Failed);
    let server = StandIn::answering(Framing::Buffered, move |method, arguments| match method {
        "get_table_objects_by_name" | "getStatus" => Answer::CloseConnection,
        _ => answer(method, arguments),
    })
    .await;
    let (shown, summary) = pass(&extractor(&server)).await;
    assert!(summary.unwrap_err().is_transport());
    assert!(shown.problems.is_empty(), "{:?}", shown.problems);
}

#[tokio::test]
async fn only_no_such_object_is_gone() {
    let server = StandIn::answering(Framing::Buffered, old_metastore(&[], || Answer::Failed)).await;
    let names = ["gone", "there", "refused"].map(|table| ObjectName::relation("db", table)).to_vec();
    let answers = extractor(&server).confirm(names).await.unwrap();
    assert_eq!(answers, [Existence::Gone, Existence::There, Existence::Unknown]);
}

#[tokio::test]
async fn an_abandoned_pass_ends() {
    let server = StandIn::answering(Framing::Buffered, old_metastore(&["a"], || Answer::Failed)).await;
    let (sender, steps) = tokio::sync::mpsc::channel(1);
    drop(steps);
    assert!(matches!(extractor(&server).pass(sender).await, Err(ExtractError::Abandoned)));
}
