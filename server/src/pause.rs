//! How long to wait before something that failed is tried again: longer each time.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);

/// The next wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl Pause {
    pub(crate) fn length(self) -> Duration {
        self.0
    }

    /// It failed again.
    pub(crate) fn lengthen(&mut self) {
        self.0 = (self.0 * 2).min(LONGEST);
    }
}
