//! A real NameNode, listed: what a listing shows is what the NameNode's image shows, in the fields that both have.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use sextant_extractors::pull::hdfs::listing::{ListingConfig, ListingExtractor, WebHdfs};
use sextant_extractors::pull::hdfs::{ImageConfig, ImageExtractor, ImagePlace, NamespaceExtractor, WantedFiles};
use sextant_model::namespace::{IdentityMode, NamespaceStep, ObservedPath};
use sextant_tests::{Hadoop, Hdfs, Server};
use tempfile::TempDir;
use tokio::sync::mpsc::channel;

/// What a pass showed, by path, and what it could not read.
struct Shown {
    identity: IdentityMode,
    paths: BTreeMap<String, ObservedPath>,
    unread: Vec<String>,
}

async fn shown(extractor: &dyn NamespaceExtractor) -> Result<Shown> {
    let (steps, mut arriving) = channel(2);
    let collecting = async {
        let (mut stamp, mut paths) = (None, BTreeMap::new());
        while let Some(step) = arriving.recv().await {
            match step {
                NamespaceStep::Opened(opened) => stamp = Some(opened),
                NamespaceStep::Paths(shown) => paths.extend(shown.into_iter().map(|path| (path.path.clone(), path))),
                NamespaceStep::Problem(_) => {}
            }
        }
        (stamp, paths)
    };
    let (summary, (stamp, paths)) = tokio::join!(extractor.pass(None, WantedFiles::All, steps), collecting);
    Ok(Shown { unread: summary?.unread, identity: stamp.context("nothing was opened")?.identity, paths })
}

fn listing(hdfs: &Hdfs, webhdfs: WebHdfs, user: Option<&str>) -> Result<ListingExtractor> {
    Ok(ListingExtractor::new(ListingConfig { user: user.map(str::to_owned), ..hdfs.listing(webhdfs)? }))
}

/// The image of the namespace, with the fields that no listing has taken out.
async fn image(hdfs: &Hdfs) -> Result<BTreeMap<String, ObservedPath>> {
    let folder = TempDir::new()?;
    let file = folder.path().join("fsimage");
    hdfs.save_image(&file)?;
    let extractor = ImageExtractor::new(ImageConfig {
        place: ImagePlace::Local(file),
        kept_as: folder.path().join("kept"),
        bytes_per_second: None,
        allow_active: false,
        ca_file: None,
        connect_timeout: Duration::from_secs(10),
        call_timeout: Duration::from_mins(1),
        retries: 0,
        small_file_bytes: 1 << 20,
        refused: Arc::default(),
    })?;
    let mut paths = shown(&extractor).await?.paths;
    for path in paths.values_mut() {
        path.storage_policy = None;
        path.erasure_coding = None;
        path.encryption_key = None;
        path.name_quota = None;
        path.space_quota = None;
    }
    Ok(paths)
}

/// Whether WebHDFS is there: for 2.7.3 it takes packages of Debian.
async fn has_webhdfs(hdfs: &Hdfs) -> Result<bool> {
    let answer = reqwest::get(format!("{}/webhdfs/v1/?op=GETFILESTATUS", hdfs.http())).await?;
    Ok(answer.text().await?.contains("fileId"))
}

fn make_tree(hdfs: &Hdfs) -> Result<()> {
    let folder = TempDir::new()?;
    let file = folder.path().join("content");
    std::fs::write(&file, vec![b'x'; 3_000])?;
    let file = file.to_str().context("a folder whose name is no UTF-8")?;
    hdfs.fs(&["-mkdir", "-p", "/w/t/p=1/deep", "/w/t/p=2", "/w/50% off & more", "/w/secret/inside"])?;
    hdfs.fs(&["-put", file, "/w/t/p=1/one"])?;
    hdfs.fs(&["-put", file, "/w/t/p=1/deep/two words"])?;
    hdfs.fs(&["-touchz", "/w/top", "/w/50% off & more/empty"])?;
    hdfs.fs(&["-chmod", "1777", "/w/t"])?;
    hdfs.fs(&["-chmod", "700", "/w/secret"])?;
    hdfs.fs(&["-chown", "ann:staff", "/w/t/p=2"]).map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listing_shows_what_the_image_shows() -> Result<()> {
    let Some(hdfs) = Hdfs::start(Hadoop::V2_7)? else { return Ok(()) };
    make_tree(&hdfs)?;
    let mut expected = image(&hdfs).await?;

    if has_webhdfs(&hdfs).await? {
        let at = WebHdfs::At(vec![hdfs.http().to_owned()]);
        let listed = shown(&listing(&hdfs, at, None)?).await?;
        ensure!(listed.identity == IdentityMode::Inode && listed.unread.is_empty());
        assert_eq!(listed.paths, expected);
    }

    let listed = shown(&listing(&hdfs, WebHdfs::Off, None)?).await?;
    ensure!(listed.identity == IdentityMode::Path && listed.unread.is_empty());
    for path in expected.values_mut() {
        (path.inode, path.parent_inode) = (None, None);
    }
    assert_eq!(listed.paths, expected);

    let stranger = shown(&listing(&hdfs, WebHdfs::Off, Some("stranger"))?).await?;
    ensure!(stranger.unread == ["/w/secret"], "{:?}", stranger.unread);
    ensure!(stranger.paths.contains_key("/w/secret") && !stranger.paths.contains_key("/w/secret/inside"));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_lists_follows_renames_by_inode() -> Result<()> {
    let Some(hdfs) = Hdfs::start(Hadoop::V2_7)? else { return Ok(()) };
    let by_inode = has_webhdfs(&hdfs).await?;
    make_tree(&hdfs)?;
    let (rpc, http) = (hdfs.rpc(), hdfs.http());
    let server = Server::start(&format!(
        "\n[[extractor]]\nname = \"hdfs\"\nkind = \"hdfs\"\nuri = \"{rpc}\"\naddresses = [\"{rpc}\"]\nfiles = \"all\"\n\
         webhdfs = \"{http}\"\n"
    ))
    .await?;
    let run = async || -> Result<()> {
        let run = server.api().post("/api/v1/extractors/hdfs/run", &Value::Null).await?;
        ensure!(run["outcome"] == "complete", "{run}");
        Ok(())
    };
    let at = async |path: &str| server.api().get("/api/v1/entities", &[("name", path)]).await;
    run().await?;
    let before = at("/w/t/p=1").await?;
    ensure!(before["fileCount"] == 2 && before["totalSize"] == 6_000, "{before}");
    hdfs.fs(&["-mv", "/w/t", "/w/renamed"])?;
    run().await?;
    let after = at("/w/renamed/p=1").await?;
    ensure!((after["id"] == before["id"]) == by_inode, "{before} {after}");
    at("/w/renamed/p=1/deep/two words").await?;
    if at("/w/t/p=1").await.is_ok_and(|entity| entity["deleted"].is_null()) {
        bail!("the old place is still shown");
    }
    Ok(())
}
