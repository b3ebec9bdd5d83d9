//! Waiting for something to become true, with a deadline.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

/// How long [`wait_for`] waits: far longer than anything takes on a busy machine, so that only a
/// fault reaches it.
pub const PATIENCE: Duration = Duration::from_secs(90);

const PAUSE: Duration = Duration::from_millis(50);

/// Tries `attempt` until it succeeds. An error of an attempt means "not yet"; the last one is part
/// of the error that tells that [`PATIENCE`] is over.
pub async fn wait_for<T>(what: &str, mut attempt: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    let begin = Instant::now();
    loop {
        let not_yet = match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if begin.elapsed() > PATIENCE {
            return Err(anyhow!("waited {} s for {what}; at last: {not_yet:#}", PATIENCE.as_secs()));
        }
        tokio::time::sleep(PAUSE).await;
    }
}
