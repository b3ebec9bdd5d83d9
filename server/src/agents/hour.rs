//! Counts of the last hour, in memory that does not grow.

use std::collections::{BTreeMap, VecDeque};

use sextant_model::Timestamp;

const MINUTES: i64 = 60;

/// What happened in the last hour, minute by minute.
#[derive(Debug, Default)]
pub(super) struct LastHour {
    /// Minute since the epoch, and how often in it. Oldest first.
    minutes: VecDeque<(i64, u64)>,
}

impl LastHour {
    /// Something happened `times` times.
    pub(super) fn add(&mut self, times: u64, at: Timestamp) {
        if times == 0 {
            return;
        }
        let minute = minute_of(at);
        while self.minutes.front().is_some_and(|(oldest, _)| *oldest <= minute - MINUTES) {
            self.minutes.pop_front();
        }
        match self.minutes.back_mut() {
            // A clock that was put back counts into the newest minute.
            Some((newest, count)) if *newest >= minute => *count += times,
            _ => self.minutes.push_back((minute, times)),
        }
    }

    /// What another one counted happened here.
    pub(super) fn absorb(&mut self, other: &Self) {
        let mut minutes: BTreeMap<i64, u64> = self.minutes.iter().copied().collect();
        for (minute, times) in &other.minutes {
            *minutes.entry(*minute).or_default() += times;
        }
        self.minutes = minutes.into_iter().collect();
    }

    /// How often in the hour before `now`, to the minute.
    pub(super) fn total(&self, now: Timestamp) -> u64 {
        let oldest = minute_of(now) - MINUTES;
        self.minutes.iter().filter(|(minute, _)| *minute > oldest).map(|(_, count)| count).sum()
    }
}

fn minute_of(time: Timestamp) -> i64 {
    time.as_millis().div_euclid(60_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_than_an_hour_does_not_count() {
        let minute = |minute: i64| Timestamp::from_seconds(1_790_000_000 + minute * 60);
        let mut hour = LastHour::default();
        for passed in 0..200 {
            hour.add(2, minute(passed));
        }
        assert_eq!(hour.total(minute(199)), 120);
        assert_eq!(hour.total(minute(229)), 60);
        assert_eq!(hour.total(minute(259)), 0);
        assert!(hour.minutes.len() <= 60);
        hour.add(5, minute(100));
        assert_eq!(hour.total(minute(199)), 125, "the clock was put back");
    }
}
