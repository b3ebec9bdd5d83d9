//! A few connections to one metastore, which may be reached by several addresses.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tracing::{debug, warn};

use super::client::{Client, Dial, Endpoint};
use super::question::Question;
use super::thrift::Value;
use crate::pull::ExtractError;
use crate::pull::pace::Pace;

/// The first wait before asking again; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Connections, opened when needed and kept until [`Pool::close_idle`].
#[derive(Debug)]
pub(super) struct Pool {
    endpoints: Vec<Endpoint>,
    /// Where to connect first: the address that worked last.
    preferred: AtomicUsize,
    dial: Dial,
    retries: u32,
    idle: Mutex<Vec<Client>>,
    /// One for each question that may be under way.
    slots: Semaphore,
    pace: Pace,
    asked: AtomicU64,
}

impl Pool {
    /// At most `connections` connections, `max_per_second` questions a second, and `retries` further
    /// attempts at a question that fails.
    pub(super) fn new(
        endpoints: Vec<Endpoint>,
        dial: Dial,
        connections: usize,
        max_per_second: Option<u32>,
        retries: u32,
    ) -> Self {
        Self {
            endpoints,
            preferred: AtomicUsize::new(0),
            dial,
            retries,
            idle: Mutex::new(Vec::new()),
            slots: Semaphore::new(connections.max(1)),
            pace: Pace::new(max_per_second),
            asked: AtomicU64::new(0),
        }
    }

    /// Asks, and asks again after a failure that may pass.
    pub(super) async fn ask(&self, question: &Question) -> Result<Value, ExtractError> {
        let mut attempt = 0;
        loop {
            match self.ask_once(question).await {
                Err(error) if error.may_pass() && attempt < self.retries => {
                    let wait = wait_before_retry(attempt);
                    attempt += 1;
                    debug!(
                        attempt,
                        wait_ms = wait.as_millis() as u64,
                        error = error.in_words(),
                        "asking the metastore again"
                    );
                    tokio::time::sleep(wait).await;
                }
                answered => return answered,
            }
        }
    }

    /// Asks once.
    pub(super) async fn ask_once(&self, question: &Question) -> Result<Value, ExtractError> {
        let _slot = self.slots.acquire().await.expect("the semaphore is never closed");
        self.pace.wait().await;
        let kept = self.idle().pop();
        let mut client = match kept {
            Some(client) => client,
            None => self.connect().await?,
        };
        self.asked.fetch_add(1, Ordering::Relaxed);
        let answered = client.ask(question).await;
        match &answered {
            Err(error) if error.is_transport() => {
                // The other connections were made to the same metastore and are as old.
                self.close_idle();
                self.prefer_after(client.endpoint());
            }
            _ => self.idle().push(client),
        }
        answered
    }

    /// After an `error`: does nothing if the metastore answers other questions, and returns an error
    /// if it is out of reach. Tells a failing question from a failing metastore.
    pub(super) async fn end_if_unreachable(&self, error: &ExtractError) -> Result<(), ExtractError> {
        if !error.is_transport() {
            return Ok(());
        }
        match self.ask(&Question::status()).await {
            Err(error) if error.is_transport() => Err(error),
            _ => Ok(()),
        }
    }

    /// Closes the connections that are not in use: between passes a metastore's threads are its
    /// own.
    pub(super) fn close_idle(&self) {
        self.idle().clear();
    }

    /// How many questions were asked so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Tries every address, the preferred one first. The error is the first one's.
    async fn connect(&self) -> Result<Client, ExtractError> {
        let first = self.preferred.load(Ordering::Relaxed);
        let mut first_error = None;
        for step in 0..self.endpoints.len() {
            let index = (first + step) % self.endpoints.len();
            match Client::connect(&self.endpoints[index], self.dial).await {
                Ok(client) => {
                    self.preferred.store(index, Ordering::Relaxed);
                    return Ok(client);
                }
                Err(error) => {
                    warn!(error = error.in_words(), "no connection to the metastore");
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.unwrap_or(ExtractError::NoUri))
    }

    /// Makes the address behind `failed` the preferred one.
    fn prefer_after(&self, failed: &Endpoint) {
        if let Some(index) = self.endpoints.iter().position(|endpoint| endpoint == failed) {
            self.preferred.store((index + 1) % self.endpoints.len(), Ordering::Relaxed);
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Client>> {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Half of the wait is left to chance, so that clients that failed together do not return together.
fn wait_before_retry(attempt: u32) -> Duration {
    let longest = FIRST_WAIT.saturating_mul(1 << attempt.min(16)).min(LONGEST_WAIT);
    longest.mul_f64(0.5 + fastrand::f64() / 2.0)
}
