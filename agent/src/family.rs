//! Which files follow each other.
//!
//! Writers start a new file beside the old one (`<base>.<epoch ms>`, `<base>-<epoch ms>`,
//! `<base>.2026-11-30`) or rename the old one away (`<base>.1`, `<base>.2`). Files with one base
//! in one directory are a family; all but its newest get no more lines.

use std::cmp::Reverse;

/// The place of a file within its family; a greater rank is newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Renamed away: a greater number is older.
    Numbered(Reverse<u128>),
    /// Named after the time of its creation or of its rotation.
    Stamped(u128),
    /// Without a suffix: the one being written.
    Plain,
}

/// Longer numbers are rotation counts no more but points in time.
const MOST_DIGITS_OF_A_COUNT: usize = 3;
/// A 128-bit number holds as many digits whatever they are.
const MOST_DIGITS: usize = 38;
const EXTENSIONS: [&str; 5] = [".log", ".json", ".jsonl", ".ndjson", ".txt"];

/// The base of a file name and its rank.
pub(crate) fn family(name: &str) -> (&str, Rank) {
    let stem = without_extension(name);
    let date_length = date_suffix_length(stem);
    let digits_length = stem.bytes().rev().take_while(u8::is_ascii_digit).count();
    let suffix_length = date_length.max(digits_length);
    let (base, suffix) = stem.split_at(stem.len() - suffix_length);
    let digits: String = suffix.chars().filter(char::is_ascii_digit).collect();
    let base_without_separator = base.strip_suffix(['.', '-']).filter(|base| !base.is_empty());
    let (Some(base), Ok(number)) = (base_without_separator, digits.parse::<u128>()) else {
        return (stem, Rank::Plain);
    };
    if digits.len() > MOST_DIGITS {
        return (stem, Rank::Plain);
    }
    let rank =
        if digits.len() <= MOST_DIGITS_OF_A_COUNT { Rank::Numbered(Reverse(number)) } else { Rank::Stamped(number) };
    (without_extension(base), rank)
}

fn without_extension(name: &str) -> &str {
    let without = EXTENSIONS.into_iter().find_map(|extension| name.strip_suffix(extension));
    without.filter(|name| !name.is_empty()).unwrap_or(name)
}

/// The length of `yyyy-mm-dd`, perhaps with `-hh` and `-mm`, at the end.
fn date_suffix_length(stem: &str) -> usize {
    const SHAPES: [&str; 3] = ["0000-00-00-00-00", "0000-00-00-00", "0000-00-00"];
    for shape in SHAPES {
        let Some(start) = stem.len().checked_sub(shape.len()) else {
            continue;
        };
        let suffix = &stem.as_bytes()[start..];
        let fits = suffix.iter().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            separator => *byte == separator,
        });
        if fits {
            return shape.len();
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newer(newer: &str, older: &str) {
        let ((newer_base, newer_rank), (older_base, older_rank)) = (family(newer), family(older));
        assert_eq!(newer_base, older_base, "{newer} and {older} are one family");
        assert!(newer_rank > older_rank, "{newer} is newer than {older}");
    }

    fn strangers(one: &str, other: &str) {
        assert_ne!(family(one).0, family(other).0, "{one} and {other} have nothing in common");
    }

    #[test]
    fn new_files_beside_old_ones() {
        newer("hive_lineage.log.1690000000001", "hive_lineage.log.1690000000000");
        newer("impala_lineage_log_1.0-1690000000001", "impala_lineage_log_1.0-1690000000000");
        newer("lineage.log", "lineage.log.2026-11-30");
        newer("lineage.log.2026-12-01-03", "lineage.log.2026-11-30-23");
        newer("events-1690000000001.json", "events-1690000000000.json");
    }

    #[test]
    fn renamed_files() {
        newer("lineage.log", "lineage.log.1");
        newer("lineage.log.1", "lineage.log.2");
        newer("lineage.log.9", "lineage.log.10");
    }

    #[test]
    fn one_file_per_application_is_no_family() {
        strangers(
            "spark_lineage_log_application_1518448085895_0005-1518448100000.log",
            "spark_lineage_log_application_1518448085895_0006-1518448200000.log",
        );
        strangers(
            "spark_lineage_log_application_1518448085895_0005.log",
            "spark_lineage_log_application_1518448085895_0006.log",
        );
        strangers("a.log", "b.log");
    }

    #[test]
    fn odd_names_are_families_of_their_own() {
        for name in ["", "1", ".log", "-1", "a.", "2026-11-30", "ä1", &"9".repeat(60), &format!("a.{}", "9".repeat(60))]
        {
            assert_eq!(family(name).1, Rank::Plain, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_name_has_a_family(name in "\\PC{0,60}", digits in "[0-9.-]{0,50}") {
            family(&name);
            family(&format!("{name}{digits}"));
        }
    }
}
