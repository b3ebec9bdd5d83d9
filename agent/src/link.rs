//! How it stands with the server.

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use sextant_model::Timestamp;

use crate::backoff;
use crate::delivery::Trouble;
use crate::state::now_ms;

/// A server that was restored from a backup does not say so: its positions are asked for again
/// after this time even when all goes well.
const ASK_AGAIN_AFTER: Duration = Duration::from_mins(5);

/// The connection to the server, as the agent sees it.
#[derive(Debug)]
pub(crate) struct Link {
    phase: Phase,
    /// Failures since the last batch that was kept.
    failures: u32,
    trouble: Option<Trouble>,
    since_ms: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The server's positions are to be asked for at that time.
    Away { ask_at: Instant },
    /// They are being asked for.
    Asking,
    /// They are known until then.
    Connected { ask_at: Instant },
}

impl Link {
    pub(crate) fn new() -> Self {
        Self { phase: Phase::Away { ask_at: Instant::now() }, failures: 0, trouble: None, since_ms: now_ms() }
    }

    /// Whether the server's positions should be asked for now.
    pub(crate) fn wants_positions(&self, now: Instant) -> bool {
        self.ask_at().is_some_and(|ask_at| ask_at <= now)
    }

    /// When to ask for the positions next; nothing while that is under way.
    pub(crate) fn ask_at(&self) -> Option<Instant> {
        match self.phase {
            Phase::Away { ask_at } | Phase::Connected { ask_at } => Some(ask_at),
            Phase::Asking => None,
        }
    }

    /// Whether batches may be sent.
    pub(crate) fn is_connected(&self) -> bool {
        matches!(self.phase, Phase::Connected { .. })
    }

    /// The question is under way.
    pub(crate) fn asking(&mut self) {
        self.phase = Phase::Asking;
    }

    /// The next question is due at once, whatever the backoff says.
    pub(crate) fn ask_now(&mut self) {
        let ask_at = Instant::now();
        self.phase = match self.phase {
            Phase::Connected { .. } => Phase::Connected { ask_at },
            Phase::Away { .. } | Phase::Asking => Phase::Away { ask_at },
        };
    }

    /// The server told its positions.
    pub(crate) fn connected(&mut self) {
        self.phase = Phase::Connected { ask_at: Instant::now() + ASK_AGAIN_AFTER };
        if let Some(trouble) = self.trouble.take() {
            tracing::info!(former = %trouble, "the server answers again");
            self.since_ms = now_ms();
        }
    }

    /// A batch was kept.
    pub(crate) fn kept(&mut self) {
        self.failures = 0;
    }

    /// The server did not answer as it should.
    pub(crate) fn failed(&mut self, trouble: Trouble) {
        if matches!(self.phase, Phase::Away { .. }) {
            // Several batches were under way; the first failure counted.
            return;
        }
        self.failures = self.failures.saturating_add(1);
        let wait = match &trouble {
            Trouble::Unreachable { .. } | Trouble::Broken { .. } | Trouble::Busy { wait: None, .. } => {
                backoff::wait_after(self.failures)
            }
            Trouble::Busy { wait: Some(told), .. } => (*told).max(backoff::wait_after(self.failures)),
            Trouble::Refused { .. } | Trouble::BatchRefused { .. } | Trouble::Strange { .. } | Trouble::Token(_) => {
                backoff::wait_for_a_change()
            }
        };
        self.phase = Phase::Away { ask_at: Instant::now() + wait };
        let is_known = self.trouble.as_ref().is_some_and(|known| known.to_string() == trouble.to_string());
        if is_known {
            tracing::debug!(failures = self.failures, ?wait, "{trouble}");
            return;
        }
        if self.trouble.is_none() {
            self.since_ms = now_ms();
        }
        match &trouble {
            Trouble::Unreachable { .. } | Trouble::Broken { .. } | Trouble::Busy { .. } => {
                tracing::warn!(?wait, "{trouble}; nothing is lost, the files wait on disk");
            }
            _ => tracing::error!(?wait, "{trouble}"),
        }
        self.trouble = Some(trouble);
    }

    /// What is wrong, if anything is.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.as_ref().map(ToString::to_string)
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = Timestamp::from_millis(self.since_ms as i64);
        match &self.trouble {
            Some(trouble) => write!(f, "away since {since}: {trouble}"),
            None if self.is_connected() => write!(f, "connected since {since}"),
            None => f.write_str("not connected yet"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_server_is_not_asked_before_it_said() {
        let wait = Duration::from_mins(2);
        let mut link = Link::new();
        link.asking();
        let before = Instant::now();
        link.failed(Trouble::Busy { url: String::new(), answer: "429".to_owned(), wait: Some(wait) });
        assert!(!link.is_connected() && !link.wants_positions(before + wait - Duration::from_millis(1)));
        assert!(link.wants_positions(Instant::now() + wait));
    }
}
