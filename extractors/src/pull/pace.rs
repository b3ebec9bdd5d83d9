//! No more than so many questions a second.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// Hands out turns at even distances.
#[derive(Debug)]
pub(super) struct Pace {
    /// From one turn to the next; `None` for no limit.
    distance: Option<Duration>,
    next_turn: Mutex<Option<Instant>>,
}

impl Pace {
    pub(super) fn new(max_per_second: Option<u32>) -> Self {
        let distance = max_per_second.map(|count| Duration::from_secs(1) / count.max(1));
        Self { distance, next_turn: Mutex::new(None) }
    }

    /// Waits for a turn.
    pub(super) async fn wait(&self) {
        let Some(distance) = self.distance else {
            return;
        };
        let turn = {
            let mut next_turn = self.next_turn.lock().await;
            let turn = next_turn.map_or_else(Instant::now, |next| next.max(Instant::now()));
            *next_turn = Some(turn + distance);
            turn
        };
        tokio::time::sleep_until(turn).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_keep_their_distance() {
        let pace = Pace::new(Some(200));
        let started = Instant::now();
        for _ in 0..5 {
            pace.wait().await;
        }
        assert!(started.elapsed() >= Duration::from_millis(20), "four distances of 5 ms");
    }
}
