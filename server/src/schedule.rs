//! Cron expressions: seconds minutes hours days months weekdays, in UTC.

use tokio_cron_scheduler::Job;

/// Says what is wrong with an expression.
pub fn check(expression: &str) -> Result<(), String> {
    Job::new(expression, |_, _| {}).map(|_| ()).map_err(|error| error.to_string())
}
