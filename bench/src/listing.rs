//! A real NameNode, listed directory by directory, beside `hdfs dfs -ls -R`.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sextant_extractors::pull::hdfs::listing::{ListingConfig, ListingExtractor, WebHdfs};
use sextant_extractors::pull::hdfs::{NamespaceExtractor, WantedFiles};
use sextant_model::namespace::NamespaceStep;
use sextant_tests::{Edition, GeneratedImage, Hadoop, Hdfs, Layout};
use tokio::sync::mpsc::channel;

use crate::report::Report;

const ENTRIES: u32 = 200_000;
const TIMES: u32 = 3;

/// Has a NameNode load an image and lists all of it.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let written = folder.path().join("image");
    let generated =
        GeneratedImage { inodes: ENTRIES, layout: Layout::Hadoop3, edition: Edition::First }.write(&written)?;
    let image = folder.path().join(format!("fsimage_{:019}", generated.transaction));
    std::fs::rename(&written, &image)?;
    let hdfs = Hdfs::start_on_image(Hadoop::V3_5, &image)?.context("Hadoop 3.5.0 cannot be had")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // The root is in no listing.
    let entries = generated.inodes - 1;
    let web = || WebHdfs::At(vec![hdfs.http().to_owned()]);
    let listed = |connections: usize, webhdfs: WebHdfs, wanted: WantedFiles| -> Result<Duration> {
        let shown = if wanted == WantedFiles::All { generated.inodes } else { generated.directories };
        best(|| runtime.block_on(list(&hdfs, connections, webhdfs.clone(), wanted.clone(), shown)))
    };
    runtime.block_on(list(&hdfs, 16, WebHdfs::Off, WantedFiles::None, generated.directories))?;

    let java = best(|| time(&mut hdfs.fs_command(&["-ls", "-d", "/"])))?;
    let peer = best(|| time(&mut hdfs.fs_command(&["-ls", "-R", "/"])))?.saturating_sub(java);
    let figure = |taken: Duration| {
        let (seconds, ratio) = (taken.as_secs_f64(), peer.as_secs_f64() / taken.as_secs_f64());
        let rate = entries as f64 / seconds;
        format!("{seconds:.2} s, {rate:.0} entries/s; {ratio:.1} times as many as `hdfs dfs -ls -R`")
    };
    report.row(
        "`hdfs dfs -ls -R /`",
        format!(
            "{:.2} s, {:.0} entries/s, without the {:.2} s in which Java starts",
            peer.as_secs_f64(),
            entries as f64 / peer.as_secs_f64(),
            java.as_secs_f64()
        ),
    );
    let rows = [
        ("directories with their sums, by path, 1 at a time", 1, WebHdfs::Off, WantedFiles::None),
        ("directories with their sums, by path, 8 at a time (default)", 8, WebHdfs::Off, WantedFiles::None),
        ("directories with their sums, by path, 16 at a time", 16, WebHdfs::Off, WantedFiles::None),
        ("the same with every file, 16 at a time", 16, WebHdfs::Off, WantedFiles::All),
        ("directories with their sums, by inode (WebHDFS), 16 at a time", 16, web(), WantedFiles::None),
    ];
    for (what, connections, webhdfs, wanted) in rows {
        report.row(what, figure(listed(connections, webhdfs, wanted)?));
    }
    Ok(())
}

/// A pass without the limit on requests a second; fails unless it shows so many paths.
async fn list(
    hdfs: &Hdfs,
    connections: usize,
    webhdfs: WebHdfs,
    wanted: WantedFiles,
    expected: u64,
) -> Result<Duration> {
    let extractor = ListingExtractor::new(ListingConfig { connections, ..hdfs.listing(webhdfs)? });
    let begin = Instant::now();
    let (steps, mut arriving) = channel(2);
    let counting = async {
        let mut paths = 0;
        while let Some(step) = arriving.recv().await {
            if let NamespaceStep::Paths(shown) = step {
                paths += shown.len() as u64;
            }
        }
        paths
    };
    let (summary, paths) = tokio::join!(extractor.pass(None, wanted, steps), counting);
    ensure!(summary?.unread.is_empty(), "not everything could be listed");
    ensure!(paths == expected, "{paths} paths were shown and there are {expected}");
    Ok(begin.elapsed())
}

fn time(command: &mut Command) -> Result<Duration> {
    let begin = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit()).status()?;
    ensure!(status.success(), "{command:?} failed with {status}");
    Ok(begin.elapsed())
}

fn best(mut measure: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut best = measure()?;
    for _ in 1..TIMES {
        best = best.min(measure()?);
    }
    Ok(best)
}
