//! A file system of a few lines beside the metastore.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sextant_linker::SourceInstance;
use sextant_linker::namespace::{NamespaceEnd, NamespacePass};
use sextant_model::namespace::{DirectoryTotals, IdentityMode, NamespaceStamp, NamespaceSummary, ObservedPath};
use sextant_model::{EntityType, Timestamp};

use crate::support::{House, table};

/// An extractor whose image nobody has put there: what it shows is told by [`House::state`].
const HDFS: &str = r#"
[[extractor]]
name = "hdfs"
kind = "hdfs"
cluster = "prod"
uri = "file:///nowhere/sextant/images"
addresses = ["hdfs://prod", "viewfs://c"]
"#;

/// A table with the place where its data lies.
pub(crate) fn table_at(database: &str, name: &str, location: &str) -> Value {
    let mut table = table(database, name);
    table["properties"]["fileSystemPath"] = json!(location);
    table
}

impl House {
    /// With a metastore and a file system.
    pub(crate) async fn with_file_system(objects: &[Value]) -> Self {
        Self::with_more(objects, HDFS).await
    }

    /// The file system is now so: inode and path, of a directory with `/` at its end. Waits until
    /// it is searchable.
    pub(crate) async fn state(&self, transaction: u64, tree: &[(u64, &str)]) {
        let server = self.running.server();
        let facts = server.facts();
        let taken = Timestamp::from_seconds(1_796_068_800 + i64::try_from(transaction).unwrap());
        let source = SourceInstance { name: "hdfs".to_owned(), cluster: "prod".to_owned() };
        let mut pass = NamespacePass::begin(facts, source, &server.file_systems, taken).unwrap();
        let stamp = NamespaceStamp {
            namespace_id: Some(7),
            transaction: Some(transaction),
            taken,
            identity: IdentityMode::Inode,
            origin: "test".to_owned(),
        };
        pass.opened(facts, stamp).unwrap();
        let changes = pass.paths(facts, observed(tree)).unwrap();
        facts.commit(&changes).unwrap();
        let end = NamespaceEnd {
            summary: NamespaceSummary::default(),
            problems: Vec::new(),
            accept_deletions: true,
            finished: taken,
        };
        let changes = pass.finish(facts, &|_| true, end).unwrap();
        facts.commit(&changes).unwrap();
        self.extract().await;
    }
}

fn observed(tree: &[(u64, &str)]) -> Vec<ObservedPath> {
    let inodes: BTreeMap<&str, u64> =
        tree.iter().map(|(inode, path)| (path.trim_end_matches('/'), *inode)).chain([("", 1)]).collect();
    let mut all = vec![(1, "/")];
    all.extend(tree);
    all.into_iter()
        .map(|(inode, written)| {
            let path = if written == "/" { written } else { written.trim_end_matches('/') };
            let parent = path.rsplit_once('/').filter(|_| written != "/").map(|(parent, _)| inodes[parent]);
            let is_directory = written.ends_with('/');
            let entity_type = if is_directory { EntityType::Directory } else { EntityType::File };
            let totals = DirectoryTotals {
                files: 3,
                directories: 1,
                bytes: 3_000,
                bytes_with_copies: 9_000,
                small_files: 2,
                bytes_by_quarter: BTreeMap::from([("2026Q3".to_owned(), 2_000), ("2026Q4".to_owned(), 1_000)]),
            };
            ObservedPath {
                inode: Some(inode),
                parent_inode: parent,
                owner: "joe".to_owned(),
                group: "staff".to_owned(),
                mode: 0o750,
                modified: Some(Timestamp::from_seconds(1_790_000_000)),
                size: (!is_directory).then_some(1_000),
                replication: (!is_directory).then_some(3),
                block_size: (!is_directory).then_some(1 << 27),
                totals: is_directory.then_some(totals),
                ..ObservedPath::new(path.to_owned(), entity_type)
            }
        })
        .collect()
}
