//! Dates in queries: literals, `NOW`, and Solr's date arithmetic.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, TimeDelta, Timelike, Utc};
use sextant_model::Timestamp;

/// The milliseconds that a date stands for: `2026-11-30` is a whole day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    /// The first millisecond.
    pub(super) start: i64,
    /// The first millisecond behind it.
    pub(super) end: i64,
}

/// Reads a date. The error is a sentence about `text`.
pub(super) fn interval(text: &str, now: Timestamp) -> Result<Interval, String> {
    let not_a_date = || format!("not a date: `{text}`");
    let (literal_length, base) = if text.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("now")) {
        let now = DateTime::from_timestamp_millis(now.as_millis()).ok_or_else(not_a_date)?;
        (3, (now, None))
    } else {
        literal(text).ok_or_else(not_a_date)?
    };
    let (start, end) = base;
    let outside = || format!("outside of the calendar: `{text}`");
    let arithmetic = &text[literal_length..];
    if arithmetic.is_empty() {
        let start = start.timestamp_millis();
        return Ok(Interval { start, end: end.map_or(start.saturating_add(1), |end| end.timestamp_millis()) });
    }
    let start = computed(start, arithmetic)?.ok_or_else(outside)?.timestamp_millis();
    Ok(Interval { start, end: start.saturating_add(1) })
}

type Span = (DateTime<Utc>, Option<DateTime<Utc>>);

/// The date at the beginning of `text`: its length in bytes, its first moment, and the first
/// moment behind it unless it is a moment itself. Arithmetic may follow.
fn literal(text: &str) -> Option<(usize, Span)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 4 {
        // Milliseconds since the epoch, as the API gives them.
        let millis = (digits > 8 && digits == text.len()).then(|| text.parse().ok())??;
        return Some((digits, (DateTime::from_timestamp_millis(millis)?, None)));
    }
    let behind = |at: usize| text.get(at..).unwrap_or_default();
    let year = NaiveDate::from_ymd_opt(text[..4].parse().ok()?, 1, 1)?;
    let Some(month) = two_digits(behind(4), '-') else {
        return Some((4, (midnight(year)?, Some(midnight(year.checked_add_months(Months::new(12))?)?))));
    };
    let month = year.with_month(month)?;
    let Some(day) = two_digits(behind(7), '-') else {
        return Some((7, (midnight(month)?, Some(midnight(month.checked_add_months(Months::new(1))?)?))));
    };
    let day = month.with_day(day)?;
    if !behind(10).starts_with(['T', 't']) {
        return Some((10, (midnight(day)?, Some(midnight(day.checked_add_days(Days::new(1))?)?))));
    }
    let (length, second, is_second) = moment(text, day)?;
    // A time without a fraction stands for its whole second.
    Some((length, (second, if is_second { second.checked_add_signed(TimeDelta::seconds(1)) } else { None })))
}

/// `-11` at the beginning of `text`, unless more digits follow.
fn two_digits(text: &str, separator: char) -> Option<u32> {
    let rest = text.strip_prefix(separator)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    // `2026-11-30-7DAY` is a date with arithmetic, `2026-7DAY` a year with arithmetic.
    if digits != 2 || rest[2..].starts_with(|next: char| next.is_ascii_alphabetic() && next != 'T' && next != 't') {
        return None;
    }
    rest[..2].parse().ok()
}

fn midnight(date: NaiveDate) -> Option<DateTime<Utc>> {
    Some(date.and_hms_opt(0, 0, 0)?.and_utc())
}

/// RFC 3339 at the beginning of `text`; seconds and zone (UTC) may be left out. The answer is
/// the length, the moment, and whether it was given to the second only.
fn moment(text: &str, day: NaiveDate) -> Option<(usize, DateTime<Utc>, bool)> {
    let number = |at: usize| text.get(at..at + 2)?.parse::<u32>().ok();
    let (hour, minute) = (number(11)?, number(14)?);
    if text.as_bytes().get(13) != Some(&b':') {
        return None;
    }
    let mut length = 16;
    let mut second = 0;
    let mut nanoseconds = 0;
    let mut is_second = false;
    if text[length..].starts_with(':') {
        second = number(17)?;
        length = 19;
        is_second = true;
        if text[length..].starts_with('.') {
            let digits = text[length + 1..].bytes().take_while(u8::is_ascii_digit).count();
            let kept: String = text[length + 1..].chars().take(digits.min(9)).collect();
            nanoseconds = format!("{kept:0<9}").parse().ok()?;
            is_second = false;
            length += 1 + digits;
        }
    }
    let mut time = day.and_hms_nano_opt(hour, minute, second, nanoseconds)?.and_utc();
    let zone = &text[length..];
    if zone.starts_with(['Z', 'z']) {
        length += 1;
    } else if let (Some(sign), Some(b':')) =
        (zone.chars().next().filter(|sign| "+-".contains(*sign)), zone.as_bytes().get(3))
    {
        let offset = TimeDelta::minutes(i64::from(number(length + 1)? * 60 + number(length + 4)?));
        time = if sign == '+' { time.checked_sub_signed(offset)? } else { time.checked_add_signed(offset)? };
        length += 6;
    }
    Some((length, time, is_second))
}

#[derive(Clone, Copy)]
enum Unit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
}

impl Unit {
    fn named(word: &str) -> Option<Self> {
        let word = word.to_ascii_uppercase();
        Some(match word.strip_suffix('S').unwrap_or(&word) {
            "YEAR" => Self::Year,
            "MONTH" => Self::Month,
            "WEEK" => Self::Week,
            "DAY" | "DATE" => Self::Day,
            "HOUR" => Self::Hour,
            "MINUTE" => Self::Minute,
            "SECOND" => Self::Second,
            _ => return None,
        })
    }

    fn added(self, time: DateTime<Utc>, count: i64) -> Option<DateTime<Utc>> {
        let months = |factor: i64| {
            let months = Months::new(count.unsigned_abs().checked_mul(factor.unsigned_abs())?.try_into().ok()?);
            if count < 0 { time.checked_sub_months(months) } else { time.checked_add_months(months) }
        };
        let seconds = |factor: i64| time.checked_add_signed(TimeDelta::try_seconds(count.checked_mul(factor)?)?);
        match self {
            Self::Year => months(12),
            Self::Month => months(1),
            Self::Week => seconds(7 * 86_400),
            Self::Day => seconds(86_400),
            Self::Hour => seconds(3600),
            Self::Minute => seconds(60),
            Self::Second => seconds(1),
        }
    }

    fn rounded_down(self, time: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let date = time.date_naive();
        match self {
            Self::Year => midnight(date.with_ordinal(1)?),
            Self::Month => midnight(date.with_day(1)?),
            Self::Week => midnight(date.checked_sub_days(Days::new(u64::from(date.weekday().num_days_from_monday())))?),
            Self::Day => midnight(date),
            Self::Hour => time.with_nanosecond(0)?.with_second(0)?.with_minute(0),
            Self::Minute => time.with_nanosecond(0)?.with_second(0),
            Self::Second => time.with_nanosecond(0),
        }
    }
}

/// `time` after the steps of `arithmetic`; `None` outside of the calendar.
fn computed(mut time: DateTime<Utc>, arithmetic: &str) -> Result<Option<DateTime<Utc>>, String> {
    let mut rest = arithmetic;
    while let Some(sign) = rest.chars().next() {
        let wrong = || format!("not a step of date arithmetic (`+1DAY`, `-3MONTHS`, `/DAY`): `{rest}`");
        if !"+-/".contains(sign) {
            return Err(wrong());
        }
        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
        let letters = rest[1 + digits..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit = Unit::named(&rest[1 + digits..1 + digits + letters]).ok_or_else(wrong)?;
        let next = match sign {
            '/' if digits == 0 => unit.rounded_down(time),
            '/' => return Err(wrong()),
            _ => {
                let count: i64 = rest[1..=digits].parse().map_err(|_| wrong())?;
                unit.added(time, if sign == '-' { -count } else { count })
            }
        };
        match next {
            Some(next) => time = next,
            None => return Ok(None),
        }
        rest = &rest[1 + digits + letters..];
    }
    Ok(Some(time))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-30T17:22:40.500Z").expect("a time")
    }

    #[test]
    fn dates_stand_for_what_they_leave_open() {
        for (text, start, end) in [
            ("2026", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
            ("2026-11", "2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"),
            ("2026-11-30", "2026-11-30T00:00:00.000Z", "2026-12-01T00:00:00.000Z"),
            ("2026-11-30T17:22:40Z", "2026-11-30T17:22:40.000Z", "2026-11-30T17:22:41.000Z"),
            ("2026-11-30T17:22:40.250Z", "2026-11-30T17:22:40.250Z", "2026-11-30T17:22:40.251Z"),
            ("2026-11-30T17:22:40+01:00", "2026-11-30T16:22:40.000Z", "2026-11-30T16:22:41.000Z"),
            ("1796059360000", "2026-11-30T17:22:40.000Z", "2026-11-30T17:22:40.001Z"),
            ("NOW", "2026-11-30T17:22:40.500Z", "2026-11-30T17:22:40.501Z"),
            ("NOW-7DAY", "2026-11-23T17:22:40.500Z", "2026-11-23T17:22:40.501Z"),
            ("NOW-1YEAR/DAY", "2025-11-30T00:00:00.000Z", "2025-11-30T00:00:00.001Z"),
            ("NOW/DAY+1DAY", "2026-12-01T00:00:00.000Z", "2026-12-01T00:00:00.001Z"),
            ("now/hour-2minutes", "2026-11-30T16:58:00.000Z", "2026-11-30T16:58:00.001Z"),
            ("2024-02-29+1YEAR", "2025-02-28T00:00:00.000Z", "2025-02-28T00:00:00.001Z"),
            ("2026-11-30T00:00:00Z-3MONTHS", "2026-08-30T00:00:00.000Z", "2026-08-30T00:00:00.001Z"),
            ("2026-11-30-01DAY", "2026-11-29T00:00:00.000Z", "2026-11-29T00:00:00.001Z"),
        ] {
            let interval = interval(text, now()).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(Timestamp::from_millis(interval.start).to_string(), start, "{text}");
            assert_eq!(Timestamp::from_millis(interval.end).to_string(), end, "{text}");
        }
    }

    #[test]
    fn what_is_no_date_says_so() {
        for text in
            ["", "yesterday", "2026-13-01", "2026-02-30", "NOW+1", "NOW/3DAY", "NOW+1FORTNIGHT", "NOWHERE", "20261130"]
        {
            assert!(interval(text, now()).is_err(), "{text}");
        }
        assert!(interval("NOW+999999999YEAR", now()).unwrap_err().contains("calendar"));
    }

    proptest! {
        #[test]
        fn never_panics(text in "(NOW|[0-9]{0,5}-?[0-9]{0,3})[-+/0-9A-Zé:T.]{0,20}") {
            let _ = interval(&text, now());
        }
    }
}
