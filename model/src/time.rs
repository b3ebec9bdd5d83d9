//! Points in time, in milliseconds since the Unix epoch.

use std::fmt;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
///
/// In JSON it is written as RFC 3339 text in UTC (`2026-11-30T17:22:40.000Z`); both that and a
/// number of milliseconds are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// 2005-01-01: no Hadoop ran before it.
const EARLIEST_PLAUSIBLE_MS: i64 = 1_104_537_600_000;
/// 2100-01-01.
const LATEST_PLAUSIBLE_MS: i64 = 4_102_444_800_000;

impl Timestamp {
    /// From milliseconds since the epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// From seconds since the epoch; saturates far outside any calendar.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This point moved by `millis` (negative: earlier).
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// The time itself when it lies between 2005 and 2100, else nothing: records with
    /// nanosecond counts or zeroes in a seconds field exist in the wild.
    pub const fn plausible(self) -> Option<Self> {
        if self.0 >= EARLIEST_PLAUSIBLE_MS && self.0 < LATEST_PLAUSIBLE_MS { Some(self) } else { None }
    }

    /// Reads RFC 3339 text, a date (`2026-11-30`, midnight UTC), or a number of milliseconds.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Some(Self(time.timestamp_millis()));
        }
        if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
            return Some(Self(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis()));
        }
        text.parse().ok().map(Self)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DateTime::<Utc>::from_timestamp_millis(self.0) {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true)),
            None => write!(f, "{} ms", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Millis(i64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Millis(millis) => Ok(Self(millis)),
            Written::Text(text) => Self::parse(&text)
                .ok_or_else(|| serde::de::Error::custom(format!("not a time (RFC 3339 expected): {text}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_number_are_read_back() {
        let time = Timestamp::from_seconds(1_796_059_360);
        assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        assert_eq!(Timestamp::parse("1796059360000"), Some(time));
        assert_eq!(Timestamp::parse("2026-11-30").map(|t| t.to_string()).as_deref(), Some("2026-11-30T00:00:00.000Z"));
        assert_eq!(Timestamp::parse("yesterday"), None);
    }

    #[test]
    fn absurd_times_are_not_plausible() {
        assert_eq!(Timestamp::from_seconds(0).plausible(), None);
        assert_eq!(Timestamp::from_seconds(170_475_521_788).plausible(), None);
        assert_eq!(Timestamp::from_seconds(i64::MAX).plausible(), None);
        assert!(Timestamp::from_seconds(1_510_308_124).plausible().is_some());
    }
}
