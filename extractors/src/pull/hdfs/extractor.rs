//! A pass: finds the image, or a NameNode that gives one, and shows what is in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::BoxFuture;
use sextant_model::Timestamp;
use sextant_model::namespace::{NamespaceStep, NamespaceSummary};
use tokio::sync::mpsc::Sender;

use super::directory::{self, LocalImage};
use super::download::{self, FetchedImage};
use super::namenode::{Role, Standing, WebClient};
use super::offer::{Verdict, judge};
use super::steps::{self, ImageFile};
use super::{Applied, ImagePlace, NamespaceError, NamespaceExtractor, RefusedImages, WantedFiles};

/// The first wait before a NameNode is asked again; it doubles with each attempt.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// How a file system is visited by the image of its NameNode.
#[derive(Debug, Clone)]
pub struct ImageConfig {
    /// From where the image is taken.
    pub place: ImagePlace,
    /// The file under which a fetched image lies during the pass.
    pub kept_as: PathBuf,
    /// Bytes a second of a transfer at most.
    pub bytes_per_second: Option<u64>,
    /// Whether an active NameNode may be asked where several are configured.
    pub allow_active: bool,
    /// Authorities for `https` besides the system's (PEM).
    pub ca_file: Option<PathBuf>,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long a NameNode may be silent.
    pub call_timeout: Duration,
    /// How often a transfer that failed is tried again.
    pub retries: u32,
    /// Images that could not be used and are not fetched again.
    pub refused: Arc<RefusedImages>,
    /// Files below this size count as small, in bytes.
    pub small_file_bytes: u64,
}

/// Visits a file system by the image of its NameNode.
#[derive(Debug)]
pub struct ImageExtractor {
    config: ImageConfig,
    client: WebClient,
}

/// What came of asking the NameNodes.
enum Answer {
    /// The image that was applied before is still the newest.
    Unchanged,
    Fetched(FetchedImage, ImageFile),
}

impl ImageExtractor {
    /// Prepares connections; makes none.
    pub fn new(config: ImageConfig) -> Result<Self, NamespaceError> {
        let client = WebClient::new(config.connect_timeout, config.call_timeout, config.ca_file.as_deref())?;
        Ok(Self { config, client })
    }

    async fn run(
        &self,
        applied: Option<Applied>,
        wanted: WantedFiles,
        steps: Sender<NamespaceStep>,
    ) -> Result<NamespaceSummary, NamespaceError> {
        match &self.config.place {
            ImagePlace::Local(place) => {
                let place = place.clone();
                let before = applied.clone();
                match blocking(move || find_local(&place, before.as_ref())).await? {
                    None => Ok(unchanged()),
                    Some(file) => self.show(file, applied, wanted, steps).await,
                }
            }
            ImagePlace::NameNodes(addresses) => match self.fetch_from_any(addresses, applied.as_ref()).await? {
                Answer::Unchanged => Ok(unchanged()),
                // The fetched file goes when the pass is over, however it ends.
                Answer::Fetched(_fetched, file) => self.show(file, applied, wanted, steps).await,
            },
        }
    }

    async fn show(
        &self,
        file: ImageFile,
        applied: Option<Applied>,
        wanted: WantedFiles,
        steps: Sender<NamespaceStep>,
    ) -> Result<NamespaceSummary, NamespaceError> {
        let small_file_bytes = self.config.small_file_bytes;
        blocking(move || steps::show(&file, applied.as_ref(), &wanted, small_file_bytes, &steps)).await
    }

    /// Asks the NameNodes until one gives its image, several times if that may help.
    async fn fetch_from_any(&self, addresses: &[String], applied: Option<&Applied>) -> Result<Answer, NamespaceError> {
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            match self.fetch_once(addresses, applied).await {
                Err(error) if attempt <= self.config.retries && error.may_pass() => {
                    let pause_ms = pause.as_millis() as u64;
                    tracing::warn!(phase = "fetch", attempt, pause_ms, "trying again: {}", error.in_words());
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                ended => return ended,
            }
        }
        unreachable!("attempts are counted without end")
    }

    /// Asks every NameNode once: those that serve no clients first.
    async fn fetch_once(&self, addresses: &[String], applied: Option<&Applied>) -> Result<Answer, NamespaceError> {
        let mut failures: Vec<NamespaceError> = Vec::new();
        let mut candidates: Vec<(&String, Standing)> = Vec::new();
        for address in addresses {
            match self.client.standing(address).await {
                Ok(standing) => candidates.push((address, standing)),
                Err(error) => failures.push(error),
            }
        }
        candidates.sort_by_key(|(_, standing)| standing.role);
        for (address, standing) in candidates {
            if standing.role == Role::Active && addresses.len() > 1 && !self.config.allow_active {
                let others = told(&failures);
                failures.push(NamespaceError::OnlyActive { address: address.clone(), others });
                break;
            }
            match self.fetch_from(address, &standing, applied).await {
                Ok(answer) => return Ok(answer),
                Err(error) => failures.push(error),
            }
        }
        Err(summed_up(failures))
    }

    async fn fetch_from(
        &self,
        address: &str,
        standing: &Standing,
        applied: Option<&Applied>,
    ) -> Result<Answer, NamespaceError> {
        if judge(applied, None, standing.checkpoint, address)? == Verdict::Unchanged {
            return Ok(Answer::Unchanged);
        }
        self.config.refused.check(address, standing.checkpoint)?;
        let offered = self.client.image(address).await?;
        if judge(applied, None, offered.transaction, address)? == Verdict::Unchanged {
            return Ok(Answer::Unchanged);
        }
        self.config.refused.check(address, offered.transaction)?;
        tracing::info!(
            phase = "fetch",
            address,
            role = ?standing.role,
            transaction = offered.transaction,
            bytes = offered.length_bytes,
            "fetching the image"
        );
        let told_time = standing.checkpoint_time.filter(|_| standing.checkpoint == offered.transaction);
        let file = ImageFile {
            path: self.config.kept_as.clone(),
            origin: address.to_owned(),
            // Without a time from the NameNode the image is at most as new as this moment.
            taken: told_time.unwrap_or_else(now),
            is_checked: offered.digest.is_some(),
        };
        let transaction = offered.transaction;
        let kept_as = self.config.kept_as.clone();
        let fetched = download::fetch(&self.client, offered, kept_as, self.config.bytes_per_second).await;
        if matches!(fetched, Ok(_) | Err(NamespaceError::WrongDigest { .. })) {
            self.config.refused.fetched(address, transaction);
        }
        Ok(Answer::Fetched(fetched?, file))
    }
}

impl NamespaceExtractor for ImageExtractor {
    fn pass(
        &self,
        applied: Option<Applied>,
        wanted: WantedFiles,
        steps: Sender<NamespaceStep>,
    ) -> BoxFuture<'_, Result<NamespaceSummary, NamespaceError>> {
        Box::pin(self.run(applied, wanted, steps))
    }
}

/// The image at a place of this host, checked; `None` when it is the one applied before.
fn find_local(place: &Path, applied: Option<&Applied>) -> Result<Option<ImageFile>, NamespaceError> {
    let LocalImage { path, transaction, namespace_id, digest, written } = directory::find(place)?;
    let origin = path.display().to_string();
    if judge(applied, namespace_id, transaction, &origin)? == Verdict::Unchanged {
        return Ok(None);
    }
    if let Some(expected) = &digest {
        directory::check_digest(&path, expected)?;
    }
    Ok(Some(ImageFile { path, origin, taken: written, is_checked: digest.is_some() }))
}

fn unchanged() -> NamespaceSummary {
    NamespaceSummary { unchanged: true, unread: Vec::new() }
}

/// One failure as it is; of several, one that may pass decides whether it is tried again.
fn summed_up(mut failures: Vec<NamespaceError>) -> NamespaceError {
    if failures.len() == 1 {
        return failures.remove(0);
    }
    let may_pass = failures.iter().any(NamespaceError::may_pass);
    NamespaceError::NoneAnswered { told: told(&failures), may_pass }
}

fn told(failures: &[NamespaceError]) -> String {
    if failures.is_empty() {
        return "no other one is configured".to_owned();
    }
    failures.iter().map(NamespaceError::in_words).collect::<Vec<_>>().join("; ")
}

pub(super) fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(since_epoch.as_millis() as i64)
}

/// Runs what reads a disk, off the threads that answer requests.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NamespaceError> + Send + 'static,
) -> Result<T, NamespaceError> {
    let span = tracing::Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(work)).await {
        Ok(ended) => ended,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime ends: nobody waits any more.
        Err(_) => Err(NamespaceError::Abandoned),
    }
}
