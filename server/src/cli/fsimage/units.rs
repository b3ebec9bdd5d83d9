//! Sizes and ages as people write and read them.

const SIZE_UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// `512`, `64K`, `1.5G`: bytes by powers of 1024.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_uppercase();
    let power = match unit.trim_end_matches("IB").trim_end_matches('B') {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        _ => return Err(format!("{unit} is no unit of sizes; known are K, M, G, T and P")),
    };
    let number: f64 = digits.parse().map_err(|_| "a size is a number and a unit, such as 64M".to_owned())?;
    let bytes = number * 1024_f64.powi(power);
    if bytes.is_finite() && (0.0..9e18).contains(&bytes) {
        Ok(bytes as u64)
    } else {
        Err("a size is at least 0 and below 8192P".to_owned())
    }
}

/// `90d`, `12h`, `2w`, `1y`: milliseconds.
pub(super) fn parse_age(text: &str) -> Result<i64, String> {
    const HOUR_MS: i64 = 60 * 60 * 1000;
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit_ms = match &text[digits.len()..] {
        "h" => HOUR_MS,
        "d" => 24 * HOUR_MS,
        "w" => 7 * 24 * HOUR_MS,
        "y" => 365 * 24 * HOUR_MS,
        _ => return Err("an age is a number and h, d, w or y, such as 90d".to_owned()),
    };
    let number: u32 = digits.parse().map_err(|_| "an age is a whole number and h, d, w or y".to_owned())?;
    i64::from(number).checked_mul(unit_ms).ok_or_else(|| "that is before there were computers".to_owned())
}

/// `1.5 GiB`.
pub(super) fn size(bytes: u64) -> String {
    let mut number = bytes as f64;
    let mut unit = 0;
    while number >= 1023.95 && unit + 1 < SIZE_UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{number:.1} {}", SIZE_UNITS[unit]) }
}

/// A share of a whole as a bar of twenty places, with the number: the bar is not alone.
pub(super) fn bar(part: u64, whole: u64) -> String {
    const PLACES: usize = 20;
    let share = if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let filled = ((share * PLACES as f64).round() as usize).min(PLACES);
    format!("{}{} {:5.1} %", "█".repeat(filled), "░".repeat(PLACES - filled), share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        assert_eq!(parse_size("512"), Ok(512));
        assert_eq!(parse_size("1.5K"), Ok(1536));
        assert_eq!(parse_size("64MiB"), Ok(64 << 20));
        assert!(parse_size("64X").is_err());
        assert!(parse_size("-1").is_err());
        assert_eq!(size(0), "0 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(1 << 40), "1.0 TiB");
    }

    #[test]
    fn ages_are_read() {
        assert_eq!(parse_age("2d"), Ok(172_800_000));
        assert!(parse_age("2").is_err());
        assert!(parse_age("d").is_err());
    }

    #[test]
    fn a_bar_has_twenty_places() {
        assert_eq!(bar(1, 2), "██████████░░░░░░░░░░  50.0 %");
        assert_eq!(bar(0, 0), "░░░░░░░░░░░░░░░░░░░░   0.0 %");
    }
}
