//! Times to the minute, as Hadoop's tools write them: `2026-11-30 16:02`.

use chrono::{Local, Offset, TimeZone};

/// The zone in which times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zone {
    /// The machine's, or that of the variable `TZ`: as Java does.
    #[default]
    Local,
    /// Coordinated universal time.
    Utc,
}

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;
/// A power of two. A file's two times, and those of its neighbours, are mostly alike.
const PLACES: usize = 1 << 12;
/// Room for a year of nine digits and the rest.
const MAX_TEXT: usize = 26;
/// The length of the text for a year of four digits.
const USUAL_TEXT: usize = 16;

/// Writes times, and keeps the texts of the last ones.
pub(crate) struct Minutes {
    zone: Zone,
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    minute: i64,
    length: u8,
    text: [u8; MAX_TEXT],
}

impl Minutes {
    pub(crate) fn new(zone: Zone) -> Self {
        Self { zone, places: vec![Place { minute: i64::MIN, length: 0, text: [0; MAX_TEXT] }; PLACES] }
    }

    /// Appends a time given in milliseconds since 1970.
    #[inline]
    pub(crate) fn append(&mut self, out: &mut Vec<u8>, time_ms: i64) {
        let minute = time_ms.div_euclid(MINUTE_MS);
        let place = minute as usize & (PLACES - 1);
        if self.places[place].minute != minute {
            self.places[place] = self.make(minute);
        }
        let place = &self.places[place];
        match place.text.first_chunk::<USUAL_TEXT>() {
            // A copy of a constant length, which is but one instruction.
            Some(text) if usize::from(place.length) == USUAL_TEXT => out.extend_from_slice(text),
            _ => out.extend_from_slice(&place.text[..usize::from(place.length)]),
        }
    }

    #[cold]
    fn make(&self, minute: i64) -> Place {
        let local = minute + self.offset_minutes(minute);
        let (year, month, day) = civil(local.div_euclid(DAY_MINUTES));
        let within_day = local.rem_euclid(DAY_MINUTES);
        let text = format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", within_day / 60, within_day % 60);
        let mut place = Place { minute, length: text.len() as u8, text: [0; MAX_TEXT] };
        place.text[..text.len()].copy_from_slice(text.as_bytes());
        place
    }

    /// How far the zone is ahead of UTC. Times that no calendar reaches are written in UTC.
    fn offset_minutes(&self, minute: i64) -> i64 {
        match self.zone {
            Zone::Utc => 0,
            Zone::Local => {
                let moment = minute.checked_mul(60).and_then(|seconds| Local.timestamp_opt(seconds, 0).single());
                moment.map_or(0, |moment| i64::from(moment.offset().fix().local_minus_utc()).div_euclid(60))
            }
        }
    }
}

/// The Gregorian date of a day counted from 1970, by eras of 400 years that begin in March.
const fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let day_of_era = day.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use proptest::prelude::*;

    fn utc(time_ms: i64) -> String {
        let mut out = Vec::new();
        Minutes::new(Zone::Utc).append(&mut out, time_ms);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn no_time_is_too_far() {
        assert_eq!(utc(0), "1970-01-01 00:00");
        assert_eq!(utc(i64::MAX), "292278994-08-17 07:12");
        assert!(utc(i64::MIN).starts_with('-'));
    }

    proptest! {
        #[test]
        fn times_are_those_of_the_calendar(seconds in -2_000_000_000_i64..8_000_000_000) {
            let expected = DateTime::from_timestamp(seconds, 0).unwrap().format("%Y-%m-%d %H:%M").to_string();
            prop_assert_eq!(utc(seconds * 1000), expected);
        }
    }
}
