//! A real metastore, at the address in `SEXTANT_TEST_HMS` (`thrift://127.0.0.1:19083`).

use sextant_model::snapshot::Existence::{Gone, There};
use sextant_model::{EntityType, ObjectName};
use tokio::sync::{Mutex, MutexGuard};

use super::workbench::{Workbench, column, text};
use super::{HmsExtractor, Shown, pass};
use crate::pull::hms::thrift::Value;
use crate::pull::hms::{HmsConfig, PartitionDetail};
use crate::pull::recorded::{RecordedMetastore, record};
use crate::pull::scope::Scope;
use crate::pull::{ExtractError, PullExtractor};

/// Derby locks whole tables: the tests that write take turns.
static TURN: Mutex<()> = Mutex::const_new(());

#[expect(clippy::print_stderr, reason = "a test that steps aside says so")]
async fn real_metastore() -> Option<(String, MutexGuard<'static, ()>)> {
    let Ok(uri) = std::env::var("SEXTANT_TEST_HMS") else {
        eprintln!("SEXTANT_TEST_HMS is not set: the real metastore is left out");
        return None;
    };
    Some((uri, TURN.lock().await))
}

fn extractor(uri: &str, include: &[&str], partitions: PartitionDetail) -> HmsExtractor {
    let config = HmsConfig {
        uris: vec![uri.to_owned()],
        include: include.iter().map(ToString::to_string).collect(),
        partitions,
        batch_size: 3,
        ..HmsConfig::default()
    };
    HmsExtractor::new(&config).unwrap()
}

async fn complete_pass(extractor: &HmsExtractor) -> Shown {
    let (mut shown, summary) = pass(extractor).await;
    assert_eq!(summary.unwrap(), sextant_model::snapshot::PassSummary::default());
    assert_eq!(shown.problems, []);
    shown.objects.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    shown
}

/// A database with tables of every kind.
async fn make_objects(workbench: &mut Workbench, database: &str) {
    let managed = || vec![(3, text("etl")), (12, text("MANAGED_TABLE"))];
    let by_day = vec![(8, Value::List(vec![column("dt", "string")]))];
    let external_flag = Value::Map(vec![(text("EXTERNAL"), text("TRUE"))]);
    let external = vec![(12, text("EXTERNAL_TABLE")), (9, external_flag)];
    let view = vec![
        (10, text("select id from orders")),
        (11, text("select `orders`.`id` from `orders`")),
        (12, text("VIRTUAL_VIEW")),
    ];
    let odd = vec![column("A b.c`,é", "map<string,int>")];
    let id = || vec![column("id", "bigint")];
    // Derby has no room for the creation event of a wider table.
    let wide = (0..200).map(|index| column(&format!("c{index}"), "int"));

    workbench.fresh_database(database).await;
    workbench.create_table(database, "orders", id(), [managed(), by_day].concat()).await;
    let days = ["2026-01-01", "a/b=c", "100%", "x y:z"];
    workbench.add_partitions(database, "orders", &days).await;
    workbench.create_table(database, "MixedCase", odd, managed()).await;
    workbench.create_table(database, "outside", id(), external).await;
    workbench.create_table(database, "a_view", id(), view).await;
    workbench.create_table(database, "no_columns", vec![], managed()).await;
    workbench.create_table(database, "wide", wide.collect(), managed()).await;
}

#[tokio::test]
async fn objects_of_every_kind_are_shown() {
    const DB: &str = "sextant_objects";
    let Some((uri, _turn)) = real_metastore().await else {
        return;
    };
    let mut workbench = Workbench::at(&uri).await;
    make_objects(&mut workbench, DB).await;

    let extractor = extractor(&uri, &[DB], PartitionDetail::All);
    let shown = complete_pass(&extractor).await;
    let tables = ["a_view", "mixedcase", "no_columns", "orders", "outside", "wide"];
    let names: Vec<_> = tables.iter().map(|table| format!("{DB}.{table}")).collect();
    assert_eq!(shown.names(), [vec![DB.to_owned()], names].concat());

    let database = shown.object(DB);
    assert_eq!(database.entity_type, EntityType::Database);
    assert_eq!(database.properties["originalDescription"], "made by a test");
    assert_eq!(database.properties["params"]["team"], "etl");
    assert!(database.properties["fileSystemPath"].as_str().unwrap().ends_with("sextant_objects.db"));

    let orders = shown.object("sextant_objects.orders");
    let days: Vec<_> = orders.partitions.as_ref().unwrap().iter().map(|partition| partition.name.as_str()).collect();
    assert_eq!(days, ["dt=100%25", "dt=2026-01-01", "dt=a%2Fb%3Dc", "dt=x y%3Az"]);
    assert_eq!(orders.properties["partitionCount"], 4);
    assert_eq!(orders.properties["partColNames"][0], "dt");
    assert_eq!(orders.properties["serdeProps"]["field.delim"], ",");
    assert!(orders.created.and_then(sextant_model::Timestamp::plausible).is_some());
    assert!(orders.fields[1].partition_key);

    assert_eq!(shown.object("sextant_objects.mixedcase").fields[0].name, "a b.c`,é");
    assert_eq!(shown.object("sextant_objects.mixedcase").properties["owner"], "etl");
    assert_eq!(shown.object("sextant_objects.outside").properties["tableType"], "EXTERNAL_TABLE");
    assert_eq!(shown.object("sextant_objects.no_columns").fields, []);
    assert_eq!(shown.object("sextant_objects.wide").fields.len(), 200);
    let view = shown.object("sextant_objects.a_view");
    assert_eq!(view.entity_type, EntityType::View);
    assert_eq!(view.properties["queryText"], "select id from orders");
    assert!(!view.properties.contains_key("fileSystemPath"));

    let again = complete_pass(&extractor).await;
    assert_eq!(again.objects, shown.objects, "a second pass over the same state shows the same");
    let counting = complete_pass(&self::extractor(&uri, &[DB], PartitionDetail::Count)).await;
    assert_eq!(counting.object("sextant_objects.orders").properties["partitionCount"], 4);
    assert_eq!(counting.object("sextant_objects.orders").partitions, None);
    workbench.drop_database(DB).await;
}

#[tokio::test]
async fn what_was_dropped_is_gone() {
    const DB: &str = "sextant_confirm";
    let Some((uri, _turn)) = real_metastore().await else {
        return;
    };
    let mut workbench = Workbench::at(&uri).await;
    workbench.fresh_database(DB).await;
    workbench.create_table(DB, "stays", vec![], vec![]).await;
    workbench.create_table(DB, "goes", vec![], vec![]).await;
    workbench.drop_table(DB, "goes").await;
    let names = vec![
        ObjectName::database(DB),
        ObjectName::relation(DB, "stays"),
        ObjectName::relation(DB, "goes"),
        ObjectName::database("sextant_never_was"),
        ObjectName::relation("sextant_never_was", "t"),
    ];
    let answers = extractor(&uri, &[], PartitionDetail::None).confirm(names).await.unwrap();
    assert_eq!(answers, [There, There, Gone, Gone, Gone]);
    workbench.drop_database(DB).await;
}

#[tokio::test]
async fn a_recording_shows_what_the_metastore_showed() {
    const DB: &str = "sextant_recorded";
    let Some((uri, _turn)) = real_metastore().await else {
        return;
    };
    let mut workbench = Workbench::at(&uri).await;
    workbench.fresh_database(DB).await;
    for table in ["a", "b", "c", "d"] {
        workbench.create_table(DB, table, vec![column("id", "bigint")], vec![]).await;
    }
    let extractor = extractor(&uri, &[DB], PartitionDetail::None);
    let mut bytes = Vec::new();
    let recording = record(&extractor, &mut bytes).await.unwrap();
    assert_eq!((recording.objects, recording.problems.len()), (5, 0));
    workbench.drop_database(DB).await;

    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let no_patterns: [&str; 0] = [];
    let scope = Scope::new(&no_patterns, &no_patterns).unwrap();
    let recorded = RecordedMetastore::new(&format!("file://{}", file.path().display()), scope).unwrap();
    let mut bytes_again = Vec::new();
    record(&recorded, &mut bytes_again).await.unwrap();
    assert_eq!(String::from_utf8(bytes_again).unwrap(), String::from_utf8(bytes).unwrap());
}

#[tokio::test]
async fn a_framed_client_is_told_of_the_mismatch() {
    let Some((uri, _turn)) = real_metastore().await else {
        return;
    };
    let config = HmsConfig {
        uris: vec![uri],
        framed: true,
        retries: 0,
        call_timeout: std::time::Duration::from_secs(2),
        ..HmsConfig::default()
    };
    let error = pass(&HmsExtractor::new(&config).unwrap()).await.1.unwrap_err();
    assert!(matches!(error, ExtractError::NoAnswer { .. } | ExtractError::Broken { .. }), "{error}");
    assert!(error.to_string().contains("framed/SASL mismatch?"), "{error}");
}
