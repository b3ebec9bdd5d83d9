//! All directories, some at a time, and what becomes of those that do not answer.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures::FutureExt;
use tokio::task::JoinSet;

use super::super::NamespaceError;
use super::lister::ListFailure;

const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// How many are asked for at the same time, and how long is waited for what went away.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub(super) at_once: usize,
    /// How often in a row nothing may come.
    pub(super) retries: u32,
    /// The first wait for something that went away; it doubles with each failure.
    pub(super) first_pause: Duration,
    /// What is asked, for people.
    pub(super) address: String,
}

/// Directories that are asked for at the same time.
pub(super) struct InFlight<T> {
    limits: Limits,
    to_do: VecDeque<usize>,
    tasks: JoinSet<Ended<T>>,
    /// Counts the pauses: a failure of something that began before the last one is not a new failure.
    round: u32,
    failures: u32,
    asked_from: Instant,
}

struct Ended<T> {
    number: usize,
    round: u32,
    outcome: Result<T, ListFailure>,
}

/// What became of one directory.
#[derive(Debug)]
pub(super) enum Outcome<T> {
    Done(T),
    Gone,
    Unreadable(String),
}

impl<T: Send + 'static> InFlight<T> {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            to_do: VecDeque::new(),
            tasks: JoinSet::new(),
            round: 0,
            failures: 0,
            asked_from: Instant::now(),
        }
    }

    pub(super) fn push(&mut self, number: usize) {
        self.to_do.push_back(number);
    }

    /// Directories that still wait.
    pub(super) fn waiting(&self) -> usize {
        self.to_do.len() + self.tasks.len()
    }

    /// The next directory that is done with; `None` when all are. `ask` begins to ask for one.
    pub(super) async fn next<F>(
        &mut self,
        mut ask: impl FnMut(usize) -> F,
    ) -> Result<Option<(usize, Outcome<T>)>, NamespaceError>
    where
        F: Future<Output = Result<T, ListFailure>> + Send + 'static,
    {
        loop {
            while self.tasks.len() < self.limits.at_once
                && let Some(number) = self.to_do.pop_front()
            {
                tokio::time::sleep_until(self.asked_from.into()).await;
                let (round, asking) = (self.round, ask(number));
                self.tasks.spawn(async move {
                    // The client takes some promises of Hadoop's protocol for granted and panics otherwise.
                    let outcome = AssertUnwindSafe(asking)
                        .catch_unwind()
                        .await
                        .unwrap_or_else(|_| Err(ListFailure::Unreadable("the answer cannot be understood".to_owned())));
                    Ended { number, round, outcome }
                });
            }
            let Some(joined) = self.tasks.join_next().await else {
                return Ok(None);
            };
            let Ok(ended) = joined else {
                return Err(NamespaceError::Abandoned);
            };
            let outcome = match ended.outcome {
                Ok(found) => Outcome::Done(found),
                Err(ListFailure::Gone) => Outcome::Gone,
                Err(ListFailure::Unreadable(reason)) => Outcome::Unreadable(reason),
                Err(ListFailure::Ended(error)) => return Err(error),
                Err(ListFailure::Passing(reason)) => {
                    self.to_do.push_front(ended.number);
                    self.failed(ended.round, &reason)?;
                    continue;
                }
            };
            self.failures = 0;
            return Ok(Some((ended.number, outcome)));
        }
    }

    fn failed(&mut self, round: u32, reason: &str) -> Result<(), NamespaceError> {
        if round != self.round {
            return Ok(());
        }
        self.failures += 1;
        if self.failures > self.limits.retries {
            let reason = format!("no answer after asking {} times, at last: {reason}", self.failures);
            return Err(NamespaceError::Listing { address: self.limits.address.clone(), reason });
        }
        let pause = self.limits.first_pause.saturating_mul(1 << (self.failures - 1).min(16)).min(LONGEST_PAUSE);
        let (address, pause_ms) = (&self.limits.address, pause.as_millis() as u64);
        let waiting = self.waiting();
        tracing::warn!(phase = "read", address, waiting, pause_ms, "the listing waits: {reason}");
        self.round += 1;
        self.asked_from = Instant::now() + pause;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn limits(retries: u32) -> Limits {
        Limits { at_once: 2, retries, first_pause: Duration::from_millis(1), address: "hdfs://test".to_owned() }
    }

    #[tokio::test]
    async fn what_went_away_is_asked_again_and_the_rest_is_told() {
        let mut all = InFlight::new(limits(2));
        for number in 0..5 {
            all.push(number);
        }
        let asked = Arc::new(AtomicUsize::new(0));
        let mut outcomes = BTreeMap::new();
        loop {
            let asked = Arc::clone(&asked);
            let next = all.next(move |number| {
                let asked = Arc::clone(&asked);
                async move {
                    let nth = asked.fetch_add(1, Ordering::Relaxed);
                    match number {
                        0 if nth < 2 => Err(ListFailure::Passing("down".to_owned())),
                        2 => Err(ListFailure::Gone),
                        3 => Err(ListFailure::Unreadable("denied".to_owned())),
                        4 => panic!("an answer nobody expected"),
                        _ => Ok(number * 10),
                    }
                }
            });
            let Some((number, outcome)) = next.await.unwrap() else { break };
            outcomes.insert(number, format!("{outcome:?}"));
        }
        let told: Vec<&str> = outcomes.values().map(String::as_str).collect();
        let panicked = "Unreadable(\"the answer cannot be understood\")";
        assert_eq!(told, ["Done(0)", "Done(10)", "Gone", "Unreadable(\"denied\")", panicked]);
    }

    #[tokio::test]
    async fn what_stays_away_ends_the_walk() {
        let mut all = InFlight::<()>::new(limits(3));
        all.push(0);
        let ended = all.next(|_| async { Err(ListFailure::Passing("down".to_owned())) }).await;
        let words = ended.unwrap_err().to_string();
        assert!(words.ends_with("no answer after asking 4 times, at last: down"), "{words}");
    }
}
