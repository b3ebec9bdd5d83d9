//! How long to wait before asking again.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);

/// The wait after `failures` failures in a row: doubling from half a second to half a minute,
/// shortened by up to a half at random so that the agents of a cluster do not come all at once.
pub(crate) fn wait_after(failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(10);
    let whole = (FIRST * 2_u32.pow(doublings)).min(LONGEST);
    shortened(whole)
}

/// The wait when only someone's hand can help.
pub(crate) fn wait_for_a_change() -> Duration {
    shortened(LONGEST)
}

/// By up to a half, in whole milliseconds: it is read in logs.
fn shortened(wait: Duration) -> Duration {
    Duration::from_millis(wait.mul_f64(0.5 + fastrand::f64() / 2.0).as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_half_a_minute() {
        for (failures, most) in [(0, 500), (1, 500), (2, 1_000), (4, 4_000), (7, 30_000), (u32::MAX, 30_000)] {
            for _ in 0..50 {
                let wait = wait_after(failures);
                assert_eq!(wait.subsec_nanos() % 1_000_000, 0, "{wait:?} is not in whole milliseconds");
                let wait = wait.as_millis();
                assert!(wait * 2 >= most && wait <= most, "{failures} failures: {wait} ms");
            }
        }
    }
}
