//! A snapshot of a real metastore with 10,000 tables of 20 columns, and one after 1 % changed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sextant_extractors::pull::PullExtractor;
use sextant_extractors::pull::hms::{HmsConfig, HmsExtractor};
use sextant_linker::SourceInstance;
use sextant_linker::snapshot::{Pass, PassEnd};
use sextant_model::Timestamp;
use sextant_model::snapshot::PassStep;
use sextant_store::{Facts, PassCounts, SqliteStore};

use crate::report::Report;

const TABLES: u32 = 10_000;

/// Starts a metastore, fills it, and snapshots it.
pub(crate) fn run(report: &mut Report) -> Result<()> {
    let work = tempfile::tempdir()?;
    let metastore = Metastore::start(work.path())?;
    let location = work.path().join("location");
    std::fs::create_dir(&location)?;
    let location = format!("file:{}", location.display());
    script("python.sh", &["hms_load.py", &metastore.uri, &TABLES.to_string(), &location])?;

    let runtime = tokio::runtime::Runtime::new()?;
    let data = tempfile::tempdir()?;
    let store = SqliteStore::open(data.path())?;
    let extractor = HmsExtractor::new(&HmsConfig { uris: vec![metastore.uri.clone()], ..HmsConfig::default() })?;
    // The metastore's own caches are warm for whoever comes second.
    let peer = fetch_as_peer(&metastore.uri)?;
    let first = runtime.block_on(snapshot(&extractor, &store, 0))?;
    ensure!(first.counts.created >= u64::from(TABLES), "only {} tables were new", first.counts.created);
    report.row(
        format!("first snapshot of {TABLES} tables"),
        format!(
            "{:.0} tables/s ({:.1} s); {:.0} % of it waiting for the metastore, {:.1} s linking and storing",
            f64::from(TABLES) / first.total.as_secs_f64(),
            first.total.as_secs_f64(),
            first.waiting_percent(),
            first.own.as_secs_f64(),
        ),
    );
    script("python.sh", &["hms_change.py", &metastore.uri, &(TABLES / 100).to_string()])?;
    let second = runtime.block_on(snapshot(&extractor, &store, 1))?;
    ensure!(second.counts.changed == u64::from(TABLES / 100), "{} tables changed", second.counts.changed);
    report.row(
        format!("second snapshot, {} tables changed", second.counts.changed),
        format!(
            "{:.1} s; {:.0} % of it waiting for the metastore, {:.2} s linking and storing",
            second.total.as_secs_f64(),
            second.waiting_percent(),
            second.own.as_secs_f64(),
        ),
    );
    report.row(
        "peer: the Python client fetches the same objects, keeps nothing",
        format!("{:.0} tables/s ({:.1} s)", f64::from(TABLES) / peer.as_secs_f64(), peer.as_secs_f64()),
    );
    Ok(())
}

struct Measured {
    total: Duration,
    own: Duration,
    counts: PassCounts,
}

impl Measured {
    fn waiting_percent(&self) -> f64 {
        (1.0 - self.own.as_secs_f64() / self.total.as_secs_f64()) * 100.0
    }
}

async fn snapshot(extractor: &HmsExtractor, store: &SqliteStore, number: i64) -> Result<Measured> {
    let started = Timestamp::from_seconds(1_796_000_000 + number * 600);
    let source = SourceInstance { name: "hive".to_owned(), cluster: "default".to_owned() };
    let begin = Instant::now();
    let mut own = Duration::ZERO;
    let mut pass = Pass::begin(store, source, started)?;
    let (sender, mut steps) = tokio::sync::mpsc::channel(16);
    let take_steps = async {
        while let Some(step) = steps.recv().await {
            let own_begin = Instant::now();
            match step {
                PassStep::Listed(names) => pass.listed(names),
                PassStep::Objects(objects) => {
                    let changes = pass.objects(store, objects)?;
                    store.commit(&changes)?;
                }
                PassStep::Problem(_) => {}
            }
            own += own_begin.elapsed();
        }
        Ok::<(), sextant_store::StoreError>(())
    };
    let (summary, taken) = tokio::join!(extractor.pass(sender), take_steps);
    taken?;
    let end = PassEnd {
        summary: summary?,
        problems: Vec::new(),
        confirmed: Vec::new(),
        accept_deletions: false,
        finished: started,
    };
    let changes = pass.finish(store, &|name| extractor.in_scope(name), end)?;
    store.commit(&changes)?;
    let counts = changes.run.context("a pass ends with its run")?.counts;
    Ok(Measured { total: begin.elapsed(), own, counts })
}

fn fetch_as_peer(uri: &str) -> Result<Duration> {
    let begin = Instant::now();
    script("python.sh", &["hms_dump.py", uri])?;
    Ok(begin.elapsed())
}

struct Metastore {
    work: PathBuf,
    uri: String,
}

impl Metastore {
    fn start(work: &Path) -> Result<Self> {
        let uri = script("hms.sh", &["start", &work.to_string_lossy(), "0"])?;
        Ok(Self { work: work.to_owned(), uri: uri.trim().to_owned() })
    }
}

impl Drop for Metastore {
    fn drop(&mut self) {
        let _ = script("hms.sh", &["stop", &self.work.to_string_lossy()]);
    }
}

fn script(name: &str, arguments: &[&str]) -> Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/realcluster").join(name);
    let output = Command::new(&path).args(arguments).stderr(std::process::Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{} {arguments:?} failed", path.display());
    Ok(String::from_utf8(output.stdout)?)
}
