//! Quarters of a year, found quickly for millions of times.

use std::fmt;

const FIRST_YEAR: u16 = 1970;
const LAST_YEAR: u16 = 2199;
const MILLIS_PER_DAY: i64 = 86_400_000;
const MONTHS_PER_QUARTER: usize = 3;

/// A quarter of a year in UTC; written as `2026Q4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Quarter(u16);

impl fmt::Display for Quarter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}Q{}", FIRST_YEAR + self.0 / 4, self.0 % 4 + 1)
    }
}

/// When each quarter begins.
#[derive(Debug)]
pub(super) struct Quarters {
    /// Milliseconds since 1970, from the first quarter of 1970 on.
    begins_ms: Vec<i64>,
}

impl Quarters {
    pub(super) fn new() -> Self {
        let mut begins_ms = Vec::new();
        let mut days = 0;
        for year in FIRST_YEAR..=LAST_YEAR {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for quarter in months.chunks_exact(MONTHS_PER_QUARTER) {
                begins_ms.push(days * MILLIS_PER_DAY);
                days += quarter.iter().sum::<i64>();
            }
        }
        Self { begins_ms }
    }

    /// The quarter of a time; the first or last one for times outside the calendar.
    pub(super) fn of_millis(&self, millis: i64) -> Quarter {
        let after = self.begins_ms.partition_point(|begin| *begin <= millis);
        Quarter(after.saturating_sub(1) as u16)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sextant_model::Timestamp;

    use super::*;

    proptest! {
        #[test]
        fn quarters_agree_with_the_calendar(millis in 0..7_226_582_400_000_i64) {
            let written = Timestamp::from_millis(millis).to_string();
            let month: u16 = written[5..7].parse().unwrap();
            let expected = format!("{}Q{}", &written[..4], (month - 1) / 3 + 1);
            prop_assert_eq!(Quarters::new().of_millis(millis).to_string(), expected);
        }
    }

    #[test]
    fn times_outside_the_calendar_are_in_its_first_or_last_quarter() {
        let quarters = Quarters::new();
        assert_eq!(quarters.of_millis(i64::MIN).to_string(), "1970Q1");
        assert_eq!(quarters.of_millis(i64::MAX).to_string(), "2199Q4");
    }
}
