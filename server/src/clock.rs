//! The one place that reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use sextant_model::Timestamp;

/// The present time.
pub(crate) fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(since_epoch.as_millis() as i64)
}
