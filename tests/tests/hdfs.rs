//! A real NameNode's images, and a real metastore whose tables lie in it: what becomes of
//! directories is found out, and tables are joined to theirs.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use sextant_tests::{Cluster, Hadoop, Hdfs, Server};
use tempfile::TempDir;

/// A server with an extractor of the file system and, if there is one, of the metastore.
async fn server(hdfs: &Hdfs, cluster: Option<&Cluster>, more: &str) -> Result<Server> {
    let metastore = cluster
        .map(|cluster| format!("[[extractor]]\nname = \"hive\"\nkind = \"hms\"\nuri = \"{}\"\n", cluster.uri()))
        .unwrap_or_default();
    let file_system = format!(
        "[[extractor]]\nname = \"hdfs\"\nkind = \"hdfs\"\nuri = \"{}\"\naddresses = [\"{}\"]\n{more}\n",
        hdfs.http(),
        hdfs.rpc()
    );
    Server::start(&format!("\n{metastore}\n{file_system}")).await
}

/// Makes a file of so many bytes.
fn put(hdfs: &Hdfs, path: &str, bytes: usize) -> Result<()> {
    let folder = TempDir::new()?;
    let file = folder.path().join("content");
    std::fs::write(&file, vec![b'x'; bytes])?;
    hdfs.fs(&["-put", file.to_str().context("a folder whose name is no UTF-8")?, path]).map(drop)
}

/// Has the NameNode write an image.
fn checkpoint(hdfs: &Hdfs) -> Result<()> {
    let folder = TempDir::new()?;
    hdfs.save_image(&folder.path().join("image"))
}

/// Runs an extractor and answers how it ended.
async fn extract(server: &Server, name: &str) -> Result<Value> {
    let run = server.api().post(&format!("/api/v1/extractors/{name}/run"), &Value::Null).await?;
    ensure!(run["outcome"] == "complete", "{run}");
    Ok(run)
}

/// The entity at a path.
async fn at(server: &Server, path: &str) -> Result<Value> {
    server.api().get("/api/v1/entities", &[("name", path)]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_are_followed_from_image_to_image() -> Result<()> {
    for hadoop in [Hadoop::V2_7, Hadoop::V3_5] {
        let Some(hdfs) = Hdfs::start(hadoop)? else { continue };
        hdfs.fs(&["-mkdir", "-p", "/w/t/p=1", "/w/gone"])?;
        put(&hdfs, "/w/t/p=1/data", 1_000)?;
        checkpoint(&hdfs)?;
        let server = server(&hdfs, None, "files = \"all\"").await?;
        let first = extract(&server, "hdfs").await?;
        let before = at(&server, "/w/t").await?;
        assert_eq!(before["type"], "DIRECTORY", "{before}");
        assert_eq!((&before["totalSize"], &before["fileCount"]), (&1_000.into(), &1.into()), "{before}");
        assert_eq!(at(&server, "/w/t/p=1/data").await?["size"], 1_000);

        let again = extract(&server, "hdfs").await?;
        assert_eq!(again["counts"]["seen"], 0, "{again}");
        assert!(again["inWords"].as_str().unwrap_or_default().starts_with("unchanged"), "{again}");

        hdfs.fs(&["-mv", "/w/t", "/w/renamed"])?;
        hdfs.fs(&["-rm", "-r", "/w/gone"])?;
        hdfs.fs(&["-mkdir", "/w/gone"])?;
        checkpoint(&hdfs)?;
        let second = extract(&server, "hdfs").await?;
        assert!(second["counts"]["deleted"].as_u64() >= Some(1), "{first} {second}");
        let after = at(&server, "/w/renamed").await?;
        assert_eq!(after["id"], before["id"], "a rename keeps the entity");
        let status = server.api().get("/api/v1/extractors", &[]).await?;
        let state = &status["results"][0]["state"];
        assert!(state["inWords"].as_str().unwrap_or_default().starts_with("image of transaction "), "{status}");
        let images = server.data_dir().join("images");
        let left = std::fs::read_dir(&images).map(Iterator::count).unwrap_or_default();
        assert_eq!(left, 0, "no image is left in {}", images.display());
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_joined_to_their_directories() -> Result<()> {
    let Some(hdfs) = Hdfs::start(Hadoop::V2_7)? else { return Ok(()) };
    let cluster = Cluster::start()?;
    let location = format!("{}/w/orders", hdfs.rpc());
    hdfs.fs(&["-mkdir", "-p", "/w/orders", "/w/other"])?;
    put(&hdfs, "/w/orders/data", 2_000)?;
    put(&hdfs, "/w/other/data", 3_000)?;
    checkpoint(&hdfs)?;
    cluster.hive_statements(&format!("create external table orders (id int) location '{location}';"))?;
    let server = server(&hdfs, Some(&cluster), "").await?;
    extract(&server, "hive").await?;
    // The files of a new table show with the next image.
    put(&hdfs, "/w/orders/more", 100)?;
    checkpoint(&hdfs)?;
    extract(&server, "hdfs").await?;

    let table = at(&server, "default.orders").await?;
    let directory = at(&server, "/w/orders").await?;
    assert_eq!(table["location"]["path"], "/w/orders", "{table}");
    assert_eq!(table["location"]["directory"]["id"], directory["id"], "{table}");
    assert_eq!(directory["totalSize"], 2_100, "{directory}");
    at(&server, "/w/orders/more").await?;
    let other = at(&server, "/w/other/data").await;
    assert!(other.is_err(), "only files in places that something names are shown: {other:?}");

    // Moved into the trash as `hdfs dfs -rm` does, with everything in it.
    hdfs.fs(&["-mkdir", "-p", "/user/joe/.Trash/Current"])?;
    hdfs.fs(&["-mv", "/w", "/user/joe/.Trash/Current/w"])?;
    checkpoint(&hdfs)?;
    extract(&server, "hdfs").await?;
    let trashed = at(&server, directory["id"].as_str().context("no id")?).await?;
    assert_eq!(trashed["qualifiedName"], "/user/joe/.Trash/Current/w/orders", "{trashed}");
    assert_eq!((&trashed["deleted"], &trashed["movedToTrash"]), (&false.into(), &true.into()), "{trashed}");
    let table = at(&server, "default.orders").await?;
    assert_eq!(table["location"]["directory"]["id"], directory["id"], "it is led to where its data went: {table}");

    // The trash is emptied, and the directory made again: another one of the same name.
    hdfs.fs(&["-rm", "-r", "-skipTrash", "/user/joe/.Trash"])?;
    hdfs.fs(&["-mkdir", "-p", "/w/orders"])?;
    checkpoint(&hdfs)?;
    let run = extract(&server, "hdfs").await?;
    assert!(run["counts"]["deleted"].as_u64() >= Some(4), "{run}");
    let gone = at(&server, directory["id"].as_str().context("no id")?).await?;
    assert_eq!(gone["deleted"], true, "{gone}");
    let table = at(&server, "default.orders").await?;
    let again = at(&server, "/w/orders").await?;
    assert_ne!(again["id"], directory["id"]);
    assert_eq!(table["location"]["directory"]["id"], again["id"], "{table}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_and_inode_numbers_are_fetched_by_https() -> Result<()> {
    let Some(hdfs) = Hdfs::start_with_tls(Hadoop::V3_5)? else { return Ok(()) };
    hdfs.fs(&["-mkdir", "-p", "/w/t"])?;
    checkpoint(&hdfs)?;
    let (rpc, https, authority) = (hdfs.rpc(), hdfs.http(), hdfs.authority());
    let extractor = |name: &str, more: &str| {
        format!(
            "\n[[extractor]]\nname = \"{name}\"\nkind = \"hdfs\"\ncluster = \"{name}\"\nretries = 0\n\
             addresses = [\"hdfs://{name}\"]\n{more}\n"
        )
    };
    let ca_file = format!("ca_file = \"{}\"", authority.display());
    let image = extractor("image", &format!("uri = \"{https}\"\n{ca_file}"));
    let listing = extractor("listing", &format!("uri = \"{rpc}\"\nwebhdfs = \"{https}\"\n{ca_file}"));
    let mistrusting = extractor("mistrusting", &format!("uri = \"{https}\""));
    let server = Server::start(&format!("{image}{listing}{mistrusting}")).await?;

    for name in ["image", "listing"] {
        extract(&server, name).await?;
    }
    let shown =
        async |cluster: &str| server.api().get("/api/v1/entities", &[("name", "/w/t"), ("cluster", cluster)]).await;
    shown("image").await?;
    shown("listing").await?;
    let extractors = server.api().get("/api/v1/extractors", &[]).await?;
    let states = extractors["results"].as_array().context("no list of extractors")?.iter();
    let by_inode = states.filter(|extractor| extractor["state"]["identity"] == "inode").count();
    ensure!(by_inode == 2, "WebHDFS told no inode numbers: {extractors}");

    let run = server.api().post("/api/v1/extractors/mistrusting/run", &Value::Null).await?;
    ensure!(run["outcome"] == "failed", "{run}");
    ensure!(run["inWords"].as_str().is_some_and(|words| words.contains("certificate")), "{run}");
    Ok(())
}
