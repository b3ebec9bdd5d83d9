//! A pass: walks the directories, shows them with their sums, and then the files that are wanted.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use sextant_model::namespace::{IdentityMode, NamespaceStamp, NamespaceStep, NamespaceSummary};
use sextant_model::snapshot::PassProblem;
use tokio::sync::mpsc::Sender;

use super::super::extractor::now;
use super::super::steps::PATHS_PER_STEP;
use super::super::totals::{FileCounter, Sum, Totals};
use super::super::wanted::WantedDirectories;
use super::super::{Applied, NamespaceError, NamespaceExtractor, WantedFiles};
use super::hadoop_conf;
use super::java::{JavaLister, ProgramStart};
use super::listed::{ListedTree, ROOT};
use super::lister::{ListedEntry, Lister};
use super::native::NativeLister;
use super::reading::{OwnFiles, Reading};
use super::scope::Place;
use super::walk::{InFlight, Limits, Outcome};
use super::webhdfs::{NoInodes, WebNameNodes};
use super::{ListingAddress, PathScope};
use crate::pull::pace::Pace;

/// How often a long walk says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);
/// How long is waited first for a NameNode that went away.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// Unread directories that are told one by one.
const MAX_TOLD: usize = 1_000;

/// How a file system is listed.
#[derive(Debug, Clone)]
pub struct ListingConfig {
    /// What is listed.
    pub address: ListingAddress,
    /// The directory of `core-site.xml` and `hdfs-site.xml`; `None` for the one of the environment.
    pub hadoop_conf: Option<PathBuf>,
    /// Where inode numbers are asked for.
    pub webhdfs: WebHdfs,
    /// The user towards a cluster without Kerberos; `None` for the one of the environment.
    pub user: Option<String>,
    /// Which paths are listed.
    pub scope: PathScope,
    /// Directories asked for at the same time; at least one.
    pub connections: usize,
    /// Requests a second at most.
    pub requests_per_second: Option<u32>,
    /// The program with Hadoop's Java client: a path, or a name to look for.
    pub program: PathBuf,
    /// Authorities for `https` besides the system's (PEM).
    pub ca_file: Option<PathBuf>,
    /// How long to wait for a connection by HTTP.
    pub connect_timeout: Duration,
    /// How long an answer may take.
    pub call_timeout: Duration,
    /// How often in a row nothing may come before the pass fails.
    pub retries: u32,
    /// Files below this size count as small, in bytes.
    pub small_file_bytes: u64,
}

/// Where inode numbers are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebHdfs {
    /// At the web addresses that `hdfs-site.xml` names, if it does.
    FromHadoopConf,
    /// Nowhere: identity is by path.
    Off,
    /// At these web addresses of NameNodes.
    At(Vec<String>),
}

/// Visits a file system by listing its directories.
#[derive(Debug)]
pub struct ListingExtractor {
    config: ListingConfig,
}

/// What could not be read, as it is found.
struct Unread<'s> {
    paths: Vec<String>,
    steps: &'s Sender<NamespaceStep>,
}

impl ListingExtractor {
    /// Connects to nothing yet.
    pub fn new(config: ListingConfig) -> Self {
        Self { config }
    }

    async fn run(
        &self,
        applied: Option<NamespaceStamp>,
        wanted: WantedFiles,
        steps: Sender<NamespaceStep>,
    ) -> Result<NamespaceSummary, NamespaceError> {
        let taken = now();
        let inodes = self.inodes(applied.as_ref()).await?;
        let identity = if inodes.is_some() { IdentityMode::Inode } else { IdentityMode::Path };
        let reading = Arc::new(self.reading(inodes)?);
        let address = self.config.address.uri();
        let mut tree = ListedTree::default();
        let root = self.asked_patiently(&reading).await?;
        tree.push(ROOT, root);
        let origin = address.to_owned();
        let stamp = NamespaceStamp { namespace_id: None, transaction: None, taken, identity, origin };
        send(&steps, NamespaceStep::Opened(stamp)).await?;

        let mut unread = Unread { paths: Vec::new(), steps: &steps };
        let mut totals = self.walk(&reading, &mut tree, &mut unread).await?;
        let bottom_up = (1..tree.len()).rev().filter(|number| !tree.is_gone(*number));
        totals.sum_up(bottom_up.filter_map(|number| Some((number, tree.parent(number)?))));
        let holders = show_directories(&tree, &totals, &wanted, &steps).await?;
        drop(totals);
        self.show_files(&reading, &tree, &holders, &wanted, &mut unread).await?;
        unread.sum_up().await
    }

    /// Asks for the root until it comes; without it there is nothing.
    async fn asked_patiently(&self, reading: &Arc<Reading>) -> Result<ListedEntry, NamespaceError> {
        let mut asking = InFlight::new(Limits { at_once: 1, ..self.limits() });
        asking.push(ROOT);
        let asked = asking.next(|_| {
            let reading = Arc::clone(reading);
            async move { reading.root().await }
        });
        let reason = match asked.await? {
            Some((_, Outcome::Done(root))) => return Ok(root),
            Some((_, Outcome::Unreadable(reason))) => reason,
            Some((_, Outcome::Gone)) | None => "it has no root".to_owned(),
        };
        Err(NamespaceError::Listing { address: self.config.address.uri().to_owned(), reason })
    }

    /// Finds every directory, breadth first, and counts the files of each.
    async fn walk(
        &self,
        reading: &Arc<Reading>,
        tree: &mut ListedTree,
        unread: &mut Unread<'_>,
    ) -> Result<Totals, NamespaceError> {
        let mut totals = Totals::of(1);
        let mut in_flight = InFlight::new(self.limits());
        in_flight.push(ROOT);
        let mut entries = 0;
        let mut is_any_inside = false;
        let mut last_told = Instant::now();
        loop {
            let next = in_flight.next(|number| {
                let (reading, path) = (Arc::clone(reading), tree.path(number));
                async move { reading.content(&path).await }
            });
            let Some((number, outcome)) = next.await? else { break };
            match outcome {
                Outcome::Done(content) => {
                    entries += content.entries;
                    is_any_inside |= reading.scope.place(&tree.path(number)) == Place::Inside;
                    tree.set_own_files(number, content.own.files());
                    *totals.sum(number) = content.own;
                    for directory in content.directories {
                        let found = tree.push(number, directory);
                        totals.push(Sum::default());
                        in_flight.push(found);
                    }
                }
                Outcome::Gone => tree.set_gone(number),
                Outcome::Unreadable(reason) => {
                    is_any_inside |= reading.scope.place(&tree.path(number)) == Place::Inside;
                    unread.note(tree.path(number), &reason).await?;
                }
            }
            if last_told.elapsed() >= PROGRESS_EVERY {
                last_told = Instant::now();
                let (directories, waiting) = (tree.len(), in_flight.waiting());
                tracing::info!(phase = "read", directories, waiting, entries, "the file system is listed");
            }
        }
        if reading.scope.has_includes() && !is_any_inside {
            return Err(NamespaceError::NothingIncluded { address: self.config.address.uri().to_owned() });
        }
        tree.spread_gone();
        tracing::info!(phase = "read", directories = tree.len(), entries, "all directories are listed");
        Ok(totals)
    }

    /// Lists the directories whose files are wanted once more: keeping files would take too much memory.
    async fn show_files(
        &self,
        reading: &Arc<Reading>,
        tree: &ListedTree,
        holders: &WantedDirectories<'_>,
        wanted: &WantedFiles,
        unread: &mut Unread<'_>,
    ) -> Result<(), NamespaceError> {
        let paths = match wanted {
            WantedFiles::Below(paths) => Arc::new(paths.clone()),
            WantedFiles::None | WantedFiles::All => Arc::default(),
        };
        let mut in_flight = InFlight::new(self.limits());
        for number in 0..tree.len() {
            if holders.may_hold(number) && tree.own_files(number) > 0 && !tree.is_gone(number) {
                in_flight.push(number);
            }
        }
        loop {
            let next = in_flight.next(|number| {
                let (reading, steps, path) = (Arc::clone(reading), unread.steps.clone(), tree.path(number));
                let (inode, own_files) = (tree.inode(number), tree.own_files(number));
                let files = if holders.wants_all(number) { OwnFiles::All } else { OwnFiles::At(Arc::clone(&paths)) };
                async move { reading.show_files(&path, inode, own_files, files, &steps).await }
            });
            let Some((number, outcome)) = next.await? else { return Ok(()) };
            if let Outcome::Unreadable(reason) = outcome {
                unread.note(tree.path(number), &reason).await?;
            }
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            at_once: self.config.connections.max(1),
            retries: self.config.retries,
            first_pause: FIRST_PAUSE,
            address: self.config.address.uri().to_owned(),
        }
    }

    fn reading(&self, inodes: Option<WebNameNodes>) -> Result<Reading, NamespaceError> {
        let config = &self.config;
        let lister: Box<dyn Lister> = match &config.address {
            ListingAddress::Native(uri) => {
                let (conf, user) = (config.hadoop_conf.as_deref(), config.user.as_deref());
                Box::new(NativeLister::new(uri, conf, user, config.call_timeout)?)
            }
            ListingAddress::Java(uri) => {
                let start = ProgramStart {
                    program: config.program.clone(),
                    address: uri.clone(),
                    hadoop_conf: config.hadoop_conf.clone(),
                    user: config.user.clone(),
                };
                Box::new(JavaLister::new(start, config.call_timeout))
            }
        };
        Ok(Reading {
            lister,
            inodes,
            pace: Pace::new(config.requests_per_second),
            scope: config.scope.clone(),
            counter: FileCounter::new(config.small_file_bytes),
        })
    }

    /// Finds out whether inode numbers are told.
    async fn inodes(&self, applied: Option<&NamespaceStamp>) -> Result<Option<WebNameNodes>, NamespaceError> {
        let config = &self.config;
        let address = config.address.uri();
        let by_path = |reason: &str| {
            tracing::warn!(phase = "read", address, "identity: path, a rename appears as delete and create ({reason})");
        };
        let addresses = match (&config.webhdfs, &config.address) {
            (WebHdfs::Off, _) => {
                by_path("`webhdfs` is off");
                return Ok(None);
            }
            (WebHdfs::At(addresses), _) => addresses.clone(),
            (WebHdfs::FromHadoopConf, ListingAddress::Java(_)) => Vec::new(),
            (WebHdfs::FromHadoopConf, ListingAddress::Native(uri)) => {
                match config.hadoop_conf.clone().or_else(hadoop_conf::usual_directory) {
                    Some(directory) => hadoop_conf::web_addresses(&directory, uri)?,
                    None => Vec::new(),
                }
            }
        };
        if addresses.is_empty() {
            by_path("no web address of a NameNode is known; `webhdfs` names it");
            return Ok(None);
        }
        // The one that the RPC client takes; without a name WebHDFS takes everybody for `dr.who`.
        let user = config.user.clone().or_else(|| std::env::var("HADOOP_USER_NAME").ok());
        let user = user.or_else(|| whoami::username().ok());
        let (connect, call) = (config.connect_timeout, config.call_timeout);
        let web = WebNameNodes::new(&addresses, user, connect, call, config.ca_file.as_deref())?;
        match web.probe().await {
            Ok(()) => Ok(Some(web)),
            Err(NoInodes::NotReached(reason)) if applied.is_some_and(told_inodes) => {
                Err(NamespaceError::InodesLost { address: address.to_owned(), reason })
            }
            Err(NoInodes::NotTold(reason) | NoInodes::NotReached(reason)) => {
                by_path(&reason);
                Ok(None)
            }
        }
    }
}

impl NamespaceExtractor for ListingExtractor {
    fn pass(
        &self,
        applied: Option<Applied>,
        wanted: WantedFiles,
        steps: Sender<NamespaceStep>,
    ) -> BoxFuture<'_, Result<NamespaceSummary, NamespaceError>> {
        Box::pin(self.run(applied.map(|applied| applied.stamp), wanted, steps))
    }
}

impl Unread<'_> {
    async fn note(&mut self, path: String, reason: &str) -> Result<(), NamespaceError> {
        if self.paths.len() < MAX_TOLD {
            let reason = format!("{path} could not be listed, and nothing below it is taken as deleted: {reason}");
            send(self.steps, NamespaceStep::Problem(PassProblem { object: None, reason })).await?;
        }
        self.paths.push(path);
        Ok(())
    }

    async fn sum_up(self) -> Result<NamespaceSummary, NamespaceError> {
        let more = self.paths.len().saturating_sub(MAX_TOLD);
        if more > 0 {
            let reason = format!("{more} more directories could not be listed");
            send(self.steps, NamespaceStep::Problem(PassProblem { object: None, reason })).await?;
        }
        Ok(NamespaceSummary { unchanged: false, unread: self.paths })
    }
}

/// Shows every directory, and notes which ones hold files that are wanted.
async fn show_directories<'w>(
    tree: &ListedTree,
    totals: &Totals,
    wanted: &'w WantedFiles,
    steps: &Sender<NamespaceStep>,
) -> Result<WantedDirectories<'w>, NamespaceError> {
    let mut holders = WantedDirectories::new(wanted, tree.len());
    let mut batch = Vec::new();
    for number in (0..tree.len()).filter(|number| !tree.is_gone(*number)) {
        let path = tree.path(number);
        holders.note(number, &path);
        batch.push(tree.observed(number, path, totals.directory(number)));
        if batch.len() == PATHS_PER_STEP {
            send(steps, NamespaceStep::Paths(std::mem::take(&mut batch))).await?;
        }
    }
    if !batch.is_empty() {
        send(steps, NamespaceStep::Paths(batch)).await?;
    }
    Ok(holders)
}

/// Whether a state before was a listing with inode numbers. An image has another identity anyway.
fn told_inodes(applied: &NamespaceStamp) -> bool {
    applied.identity == IdentityMode::Inode && applied.transaction.is_none()
}

async fn send(steps: &Sender<NamespaceStep>, step: NamespaceStep) -> Result<(), NamespaceError> {
    steps.send(step).await.map_err(|_| NamespaceError::Abandoned)
}
