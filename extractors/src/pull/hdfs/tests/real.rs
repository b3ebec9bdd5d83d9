//! A real NameNode, at the address in `SEXTANT_TEST_NAMENODE` (`http://127.0.0.1:18021`).

use super::*;

#[tokio::test]
#[expect(clippy::print_stderr, reason = "a test that steps aside says so")]
async fn the_newest_image_is_fetched_once() {
    let Ok(uri) = std::env::var("SEXTANT_TEST_NAMENODE") else {
        eprintln!("SEXTANT_TEST_NAMENODE is not set: the real NameNode is left out");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (shown, ended) = pass(config(&uri, directory.path()), None, WantedFiles::All).await;
    assert_eq!(ended.unwrap(), NamespaceSummary::default());
    let root = shown.by_path()["/"];
    assert_eq!(root.parent_inode, None);
    let files = shown.paths.iter().filter(|path| path.size.is_some()).count();
    assert_eq!(root.totals.clone().unwrap().files, files as u64);
    let (again, ended) = pass(config(&uri, directory.path()), shown.stamp, WantedFiles::All).await;
    assert!(ended.unwrap().unchanged && again.paths.is_empty());
}
