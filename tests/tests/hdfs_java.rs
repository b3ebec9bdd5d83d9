//! A server that lists a real NameNode by Hadoop's own client.

use anyhow::{Result, ensure};
use serde_json::Value;
use sextant_tests::{Hadoop, Hdfs, JavaClient, Server};
use tempfile::TempDir;

#[tokio::test(flavor = "multi_thread")]
async fn a_server_lists_by_hadoops_own_client() -> Result<()> {
    let Some(client) = JavaClient::build()? else { return Ok(()) };
    let Some(hdfs) = Hdfs::start(Hadoop::V3_5)? else { return Ok(()) };
    let folder = TempDir::new()?;
    let content = folder.path().join("content");
    std::fs::write(&content, vec![b'x'; 3_000])?;
    let content = content.display().to_string();
    hdfs.fs(&["-mkdir", "-p", "/w/t/p=1/deep", "/w/50% off & more ü", "/w/secret/inside"])?;
    hdfs.fs(&["-put", &content, "/w/t/p=1/two words"])?;
    hdfs.fs(&["-put", &content, "/w/50% off & more ü/file"])?;
    hdfs.fs(&["-chmod", "1755", "/w/t"])?;
    hdfs.fs(&["-chmod", "700", "/w/secret"])?;
    let (rpc, program) = (hdfs.rpc(), client.program.display());
    let extractor = |name: &str, address: &str, more: &str| {
        format!(
            "\n[[extractor]]\nname = \"{name}\"\nkind = \"hdfs\"\ncluster = \"{name}\"\naddresses = [\"{address}\"]\n\
             uri = \"jni+{rpc}\"\nprogram = \"{program}\"\nfiles = \"all\"\n{more}\n"
        )
    };
    let superuser = extractor("superuser", rpc, "retries = 0");
    let stranger = extractor("stranger", "hdfs://of-stranger", "user = \"stranger\"");
    let server = Server::start_with_environment(&format!("{superuser}{stranger}"), client.environment).await?;
    let run = async |name: &str| server.api().post(&format!("/api/v1/extractors/{name}/run"), &Value::Null).await;
    let at = async |cluster: &str, path: &str| {
        server.api().get("/api/v1/entities", &[("name", path), ("cluster", cluster)]).await
    };

    let first = run("superuser").await?;
    ensure!(first["outcome"] == "complete", "{first}");
    let table = at("superuser", "/w/t").await?;
    ensure!(table["type"] == "DIRECTORY" && table["totalSize"] == 3_000 && table["fileCount"] == 1, "{table}");
    ensure!(table["permissions"] == "rwxr-xr-t", "{table}");
    ensure!(at("superuser", "/w/t/p=1/two words").await?["size"] == 3_000);
    ensure!(at("superuser", "/w/50% off & more ü").await?["fileCount"] == 1);
    at("superuser", "/w/secret/inside").await?;

    let refused = run("stranger").await?;
    ensure!(refused["outcome"] == "incomplete", "{refused}");
    ensure!(refused["problems"].to_string().contains("/w/secret could not be listed"), "{refused}");
    at("stranger", "/w/t/p=1/deep").await?;
    ensure!(at("stranger", "/w/secret/inside").await.is_err());

    // A NameNode that is gone is said in words.
    drop(hdfs);
    let failed = run("superuser").await?;
    ensure!(failed["outcome"] == "failed", "{failed}");
    ensure!(failed["inWords"].as_str().is_some_and(|words| words.contains("ConnectException")), "{failed}");
    Ok(())
}
