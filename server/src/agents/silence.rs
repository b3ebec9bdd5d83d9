//! When an agent counts as silent.

use std::time::Duration;

use sextant_model::Timestamp;

use super::IMPORTER;

/// An agent that is silent for so long is not missed any more: its host was taken away.
const FORGIVEN_AFTER: Duration = Duration::from_hours(30 * 24);

/// Whether anybody should look after an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// It was heard lately, or is none that would speak by itself.
    None,
    /// It said that it stops, and was not heard since.
    Stopped,
    /// It should have been heard.
    Silent,
    /// It was silent for so long that nobody expects it.
    GivenUp,
}

impl Silence {
    /// Of the agent `id`, heard last at `last_contact`, when it said that it stops if that was its last word.
    pub fn of(
        id: &str,
        last_contact: Timestamp,
        stopped: Option<Timestamp>,
        now: Timestamp,
        silent_after: Duration,
    ) -> Self {
        let silent_for = Duration::from_millis(now.as_millis().saturating_sub(last_contact.as_millis()).max(0) as u64);
        if id.starts_with(IMPORTER) {
            Self::None
        } else if silent_for > FORGIVEN_AFTER {
            Self::GivenUp
        } else if stopped.is_some() {
            Self::Stopped
        } else if silent_for > silent_after {
            Self::Silent
        } else {
            Self::None
        }
    }
}
