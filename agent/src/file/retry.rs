//! What keeps a file from being delivered, and when it is tried again.

use tokio::time::Instant;

use super::FollowedFile;
use crate::backoff;

impl FollowedFile {
    /// When a refused batch is tried again.
    pub(crate) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// The server will not have this batch; it is tried again later.
    pub(crate) fn fail(&mut self, trouble: String) {
        self.postpone();
        self.complain(trouble);
    }

    /// The server broke, perhaps over this file: others go first.
    pub(crate) fn postpone(&mut self) {
        self.failures = self.failures.saturating_add(1);
        self.retry_at = Some(Instant::now() + backoff::wait_after(self.failures));
    }

    /// Need not wait any longer.
    pub(crate) fn retry_now(&mut self) {
        self.retry_at = None;
    }

    /// Keeps and logs what is wrong, once for each change.
    pub(crate) fn complain(&mut self, trouble: String) {
        if self.trouble.as_ref() != Some(&trouble) {
            tracing::error!(file = %self.path.display(), position = self.position, "{trouble}");
            self.trouble = Some(trouble);
        }
    }

    /// It works again.
    pub(crate) fn recover(&mut self) {
        self.failures = 0;
        self.retry_at = None;
        if self.trouble.take().is_some() {
            tracing::info!(file = %self.path.display(), "the file can be read and delivered again");
        }
    }
}
