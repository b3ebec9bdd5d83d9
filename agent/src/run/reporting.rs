//! When the server is told how the spools stand.

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::{Agent, Done};
use crate::report;
use crate::turn::Surroundings;

/// After a look, but not more often than this.
const REPORT_GAP: Duration = Duration::from_secs(10);
/// How long the server may take to note that the agent stops.
const LONGEST_GOODBYE: Duration = Duration::from_secs(2);

impl Agent {
    /// Tells the server how the spools stand.
    pub(super) fn report(&mut self) {
        if !self.link.is_connected() || self.report_at > Instant::now() {
            return;
        }
        self.report_at = Instant::now() + REPORT_GAP;
        let Surroundings { agent, host, server, .. } = self.surroundings.clone();
        let report = report::report(&agent, &host, &self.config.spools, &self.followed, false);
        self.work.spawn(async move { Done::Reported(server.report(&report).await) });
    }

    /// Tells the server how the spools stand at the end, and that nobody has to wait for this agent.
    pub(super) async fn say_goodbye(&mut self) {
        if !self.link.is_connected() {
            return;
        }
        let Surroundings { agent, host, server, .. } = &self.surroundings;
        let report = report::report(agent, host, &self.config.spools, &self.followed, true);
        match timeout(LONGEST_GOODBYE, server.report(&report)).await {
            Ok(Ok(())) => {}
            Ok(Err(trouble)) => tracing::debug!(%trouble, "the server did not take the last report"),
            Err(_) => tracing::debug!("the server did not take the last report in time"),
        }
    }
}
