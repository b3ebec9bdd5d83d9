//! A real pair of NameNodes: what the extractors do when one of them dies.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use sextant_tests::NameNode::{Nn1, Nn2};
use sextant_tests::{HdfsPair, Server, wait_for};

/// Directories that the slow listing below has to ask for.
const DIRECTORIES: usize = 40;

/// Requests for all listings of a whole run: each directory by RPC, and `/` and `/w`, which hold directories, once more
/// by WebHDFS for the inode numbers.
const LISTINGS: usize = DIRECTORIES + 2 + 2;

/// A server that reads the same file system twice, as two clusters: by image and by listing. The listing runs once, when
/// the server starts.
async fn server(pair: &HdfsPair) -> Result<Server> {
    let (first, second) = (pair.http(Nn1), pair.http(Nn2));
    let hadoop_conf = pair.hadoop_conf();
    Server::start(&format!(
        "\n[[extractor]]\nname = \"image\"\nkind = \"hdfs\"\ncluster = \"by-image\"\naddresses = [\"hdfs://of-image\"]\n\
         uri = \"{first},{second}\"\nretries = 0\n\
         \n[[extractor]]\nname = \"listing\"\nkind = \"hdfs\"\ncluster = \"by-listing\"\naddresses = [\"hdfs://pair\"]\n\
         uri = \"hdfs://pair\"\nhadoop_conf = \"{}\"\nrequests_per_second = 8\nconnections = 2\n\
         retries = 20\nschedule = \"0 0 0 1 1 *\"\n",
        hadoop_conf.display()
    ))
    .await
}

async fn extract(server: &Server, name: &str) -> Result<Value> {
    server.api().post(&format!("/api/v1/extractors/{name}/run"), &Value::Null).await
}

/// Runs an extractor that has to fail; gives its reason.
async fn refused(server: &Server, name: &str) -> Result<String> {
    let run = extract(server, name).await?;
    ensure!(run["outcome"] == "failed", "{run}");
    Ok(run["inWords"].as_str().context("a failed run says why")?.to_owned())
}

async fn complete(server: &Server, name: &str) -> Result<Value> {
    let run = extract(server, name).await?;
    ensure!(run["outcome"] == "complete", "{run}");
    Ok(run)
}

async fn is_shown(server: &Server, cluster: &str, path: &str) -> bool {
    server.api().get("/api/v1/entities", &[("name", path), ("cluster", cluster)]).await.is_ok()
}

fn listings(audit_log: &str) -> usize {
    audit_log.matches("cmd=listStatus").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn extractors_go_on_when_the_active_namenode_dies() -> Result<()> {
    let Some(pair) = HdfsPair::start()? else { return Ok(()) };
    let directories: Vec<String> = (0..DIRECTORIES).map(|number| format!("/w/d{number}")).collect();
    let mkdir: Vec<&str> = ["-mkdir", "-p"].into_iter().chain(directories.iter().map(String::as_str)).collect();
    pair.fs(&mkdir)?;
    pair.wait_until_even().await?;
    // Only the standby has an image with these directories in it.
    pair.checkpoint(Nn2)?;
    let server = server(&pair).await?;
    complete(&server, "image").await?;
    ensure!(is_shown(&server, "by-image", "/w/d39").await);

    // The active NameNode dies in the middle of a listing, which ends all the same, with every directory.
    wait_for("the listing to be on its way", async || {
        ensure!(listings(&pair.audit_log(Nn1)?) >= 4, "it has not begun");
        Ok(())
    })
    .await?;
    pair.kill(Nn1)?;
    pair.activate(Nn2)?;
    let run = wait_for("the listing to end", async || {
        let extractors = server.api().get("/api/v1/extractors", &[]).await?;
        let results = extractors["results"].as_array().context("no list of extractors")?;
        let listing = results.iter().find(|extractor| extractor["name"] == "listing").context("no listing")?;
        ensure!(listing["lastRun"].is_object(), "{listing}");
        Ok(listing["lastRun"].clone())
    })
    .await?;
    ensure!(run["outcome"] == "complete" && run["counts"]["seen"] == DIRECTORIES + 2, "{run}");
    let [before, after] = [listings(&pair.audit_log(Nn1)?), listings(&pair.audit_log(Nn2)?)];
    // What was under way at the moment of death is asked for again.
    ensure!(before < LISTINGS && before + after >= LISTINGS, "listings: {before} by nn1 and {after} by nn2");

    // The only one that is left is the active one.
    let reason = refused(&server, "image").await?;
    ensure!(reason.contains("`allow_active = true`") && reason.contains("cannot be reached"), "{reason}");

    // The dead one comes back with an image from before the failover.
    pair.fs(&["-mkdir", "/w/since"])?;
    pair.start_again(Nn1, &[])?;
    let reason = refused(&server, "image").await?;
    ensure!(reason.contains("shows transaction 0, and transaction "), "{reason}");
    ensure!(reason.contains("was applied before"), "{reason}");
    ensure!(is_shown(&server, "by-image", "/w/d39").await);

    // A standby that makes checkpoints, as most do, catches up by itself.
    pair.kill(Nn1)?;
    pair.start_again(Nn1, &["-Ddfs.namenode.checkpoint.period=1", "-Ddfs.namenode.checkpoint.check.period=1"])?;
    wait_for("the standby to catch up", async || {
        complete(&server, "image").await?;
        ensure!(is_shown(&server, "by-image", "/w/since").await, "the newest directory is not shown");
        Ok(())
    })
    .await
}
