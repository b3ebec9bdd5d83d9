//! The real services that other tests stand on: does the ground bear?

use std::net::TcpStream;

use sextant_extractors::pull::PullExtractor;
use sextant_extractors::pull::hms::{HmsConfig, HmsExtractor};
use sextant_model::ObjectName;
use sextant_model::snapshot::{Existence, PassStep};
use sextant_tests::{Cluster, independent_reading, project_path};

#[test]
fn hive_writes_lineage_of_what_it_ran_and_the_metastore_keeps_its_address() {
    let cluster = Cluster::start().unwrap();
    let address = cluster.uri().strip_prefix("thrift://").unwrap();
    TcpStream::connect(address).unwrap();

    let log = cluster.hive(&[&project_path("tests/realcluster/samples/walkthrough-1-merge.sql")]).unwrap();
    assert_eq!(independent_reading(&[&log]).unwrap().len(), 4);

    // Nobody else is asked to have left the port alone meanwhile: only that it can be had again.
    cluster.stop_metastore().unwrap();
    cluster.start_metastore().unwrap();
    let log = cluster.hive_statements("select count(*) from sample_merge").unwrap();
    let count = independent_reading(&[&log]).unwrap().pop().unwrap();
    assert_eq!(count.query_text, "select count(*) from sample_merge");
    assert_eq!(count.inputs, ["default.sample_merge"]);
}

#[tokio::test]
async fn the_extractor_reads_a_real_metastore() {
    let cluster = Cluster::start().unwrap();
    cluster.hive_statements("create table sample_07 (code string, salary int) partitioned by (dt string);").unwrap();

    let uris = vec![cluster.uri().to_owned()];
    let extractor = HmsExtractor::new(&HmsConfig { uris, ..HmsConfig::default() }).unwrap();
    // Larger than what a pass over one table sends, so that nobody has to receive meanwhile.
    let (sender, mut steps) = tokio::sync::mpsc::channel(100);
    let summary = extractor.pass(sender).await.unwrap();
    assert_eq!(summary.incomplete_databases, Vec::<String>::new());

    let mut columns = Vec::new();
    while let Some(step) = steps.recv().await {
        match step {
            PassStep::Listed(_) => {}
            PassStep::Problem(problem) => panic!("{problem:?}"),
            PassStep::Objects(objects) => {
                for object in objects {
                    for field in object.fields {
                        columns.push((object.name.qualified(), field.name, field.partition_key));
                    }
                }
            }
        }
    }
    let column = |name: &str, partition_key| ("default.sample_07".to_owned(), name.to_owned(), partition_key);
    assert_eq!(columns, [column("code", false), column("salary", false), column("dt", true)]);

    let names = vec![ObjectName::relation("default", "sample_07"), ObjectName::relation("default", "sample_08")];
    assert_eq!(extractor.confirm(names).await.unwrap(), [Existence::There, Existence::Gone]);
}
