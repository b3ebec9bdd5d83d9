//! Images on this host.

use std::fs;

use sextant_model::{EntityType, Timestamp};

use super::*;

fn wanted(paths: &[&str]) -> WantedFiles {
    WantedFiles::Below(paths.iter().map(ToString::to_string).collect())
}

async fn shown(files: WantedFiles) -> Shown {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(IMAGE_NAME), IMAGE).unwrap();
    let uri = format!("file://{}", directory.path().display());
    let (shown, ended) = pass(config(&uri, directory.path()), None, files).await;
    assert_eq!(ended.unwrap(), NamespaceSummary::default());
    shown
}

#[tokio::test]
async fn every_directory_comes_once_and_before_what_lies_in_it() {
    let shown = shown(WantedFiles::All).await;
    let mut seen = Vec::new();
    for path in &shown.paths {
        assert!(path.parent_inode.is_none_or(|parent| seen.contains(&parent)), "{}", path.path);
        assert!(!seen.contains(&path.inode.unwrap()), "{}", path.path);
        seen.push(path.inode.unwrap());
    }
    let paths: Vec<&str> = shown.by_path().into_keys().collect();
    let expected = [
        "/",
        "/landing",
        "/landing/in.csv",
        "/tmp",
        "/warehouse",
        "/warehouse/sales.db",
        "/warehouse/sales.db/customers",
        "/warehouse/sales.db/customers/moved",
        "/warehouse/sales.db/customers/moved/ü b.csv",
        "/warehouse/sales.db/orders",
        "/warehouse/sales.db/orders/dt=2026-01-01",
        "/warehouse/sales.db/orders/dt=2026-01-01/big.bin",
        "/warehouse/sales.db/orders/dt=2026-01-01/small.csv",
    ];
    assert_eq!(paths, expected);
    let stamp = shown.stamp.unwrap();
    assert_eq!((stamp.namespace_id, stamp.transaction), (Some(2_108_724_221), Some(IMAGE_TRANSACTION)));
    assert!(matches!(shown.problems.as_slice(), [unchecked] if unchecked.contains("no MD5")), "{:?}", shown.problems);
}

#[tokio::test]
async fn directories_carry_what_lies_below_them_whatever_files_are_shown() {
    let shown = shown(WantedFiles::None).await;
    let by_path = shown.by_path();
    assert!(by_path.values().all(|path| path.entity_type == EntityType::Directory));
    let root = by_path["/"].totals.clone().unwrap();
    assert_eq!((root.files, root.directories, root.small_files), (4, 8, 3));
    assert_eq!((root.bytes, root.bytes_with_copies), (2_000_012, 2_000_012));
    assert_eq!(root.bytes_by_quarter, BTreeMap::from([("2026Q4".to_owned(), 2_000_012)]));
    let orders = by_path["/warehouse/sales.db/orders"].totals.clone().unwrap();
    assert_eq!((orders.files, orders.directories, orders.bytes), (2, 1, 2_000_004));
    let tmp = by_path["/tmp"];
    assert_eq!((tmp.mode, tmp.owner.as_str(), tmp.totals.clone().unwrap().files), (0o1777, "root", 0));
    assert!(by_path["/warehouse/sales.db"].has_acl && !tmp.has_acl);
    assert_eq!((by_path["/landing"].name_quota, by_path["/"].name_quota), (Some(100), None));
}

#[tokio::test]
async fn only_wanted_files_are_shown() {
    let shown = shown(wanted(&["/landing/in.csv", "/warehouse/sales.db/orders"])).await;
    let files: Vec<&ObservedPath> = shown.paths.iter().filter(|path| path.entity_type == EntityType::File).collect();
    let mut paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "/landing/in.csv",
            "/warehouse/sales.db/orders/dt=2026-01-01/big.bin",
            "/warehouse/sales.db/orders/dt=2026-01-01/small.csv"
        ]
    );
    let big = shown.by_path()["/warehouse/sales.db/orders/dt=2026-01-01/big.bin"];
    assert_eq!((big.size, big.replication, big.block_size), (Some(2_000_000), Some(1), Some(128 << 20)));
}

#[tokio::test]
async fn what_was_applied_before_is_not_read_again_and_nothing_older_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("fetched-by-a-job");
    fs::write(&path, IMAGE).unwrap();
    let uri = format!("file://{}", path.display());
    let (first, ended) = pass(config(&uri, directory.path()), None, WantedFiles::None).await;
    ended.unwrap();
    let stamp = first.stamp.unwrap();
    assert!(stamp.taken > Timestamp::from_seconds(0));
    let (again, ended) = pass(config(&uri, directory.path()), Some(stamp.clone()), WantedFiles::None).await;
    assert!(ended.unwrap().unchanged && again.stamp.is_none());
    let newer = NamespaceStamp { transaction: Some(39), ..stamp.clone() };
    let (older, ended) = pass(config(&uri, directory.path()), Some(newer), WantedFiles::None).await;
    assert!(matches!(ended, Err(NamespaceError::Older { found: 38, applied: 39, .. })) && older.paths.is_empty());
    let other = NamespaceStamp { namespace_id: Some(1), ..stamp };
    let (_, ended) = pass(config(&uri, directory.path()), Some(other), WantedFiles::None).await;
    assert!(matches!(ended, Err(NamespaceError::OtherNamespace { .. })));
}

#[tokio::test]
async fn a_damaged_image_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let uri = format!("file://{}", directory.path().display());
    fs::write(directory.path().join(IMAGE_NAME), &IMAGE[..IMAGE.len() / 2]).unwrap();
    let (_, ended) = pass(config(&uri, directory.path()), None, WantedFiles::None).await;
    assert!(matches!(ended, Err(NamespaceError::Image { .. })));
    fs::write(directory.path().join(format!("{IMAGE_NAME}.md5")), format!("{IMAGE_DIGEST} *{IMAGE_NAME}\n")).unwrap();
    let (_, ended) = pass(config(&uri, directory.path()), None, WantedFiles::None).await;
    assert!(matches!(ended, Err(NamespaceError::WrongDigest { .. })));
}
