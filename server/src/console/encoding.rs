//! Which content codings a client takes.

/// Whether `Accept-Encoding` names this coding and does not refuse it with a weight of zero.
pub(super) fn is_accepted(header: &str, coding: &str) -> bool {
    header.split(',').any(|part| {
        let mut words = part.split(';').map(str::trim);
        let is_named = words.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        let is_refused = words.any(|word| {
            word.strip_prefix("q=").is_some_and(|weight| weight.parse::<f32>().is_ok_and(|weight| weight <= 0.0))
        });
        is_named && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coding_is_taken_when_it_is_named_and_not_refused() {
        assert!(is_accepted("gzip, deflate, br, zstd", "br"));
        assert!(is_accepted("GZIP;q=0.5", "gzip"));
        assert!(!is_accepted("gzip, br;q=0", "br"));
        assert!(!is_accepted("brotli", "br"));
        assert!(!is_accepted("", "gzip"));
    }
}
