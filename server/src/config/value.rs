//! What single settings look like as text. Every refusal says what is allowed.

use std::net::SocketAddr;
use std::time::Duration;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// An address and port; `localhost` is understood without asking a name server.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    numeric.parse().map_err(|_| format!("an IP address and a port, such as 127.0.0.1:7187 (found {})", shown(text)))
}

/// The addresses that a proxy shows the server under, separated by commas, each as a browser names
/// an origin (`https://sextant.example.com`).
pub(super) fn public_urls(text: &str) -> Result<Vec<String>, String> {
    text.split(',').map(|part| origin(part.trim())).collect()
}

fn origin(text: &str) -> Result<String, String> {
    let allowed = || {
        format!(
            "http:// or https:// with a host, without user or path, such as https://sextant.example.com; several \
             separated by commas (found {})",
            shown(text)
        )
    };
    let url = reqwest::Url::parse(text).map_err(|_| allowed())?;
    let is_web = matches!(url.scheme(), "http" | "https");
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    if is_web && is_bare && is_anonymous { Ok(url.origin().ascii_serialization()) } else { Err(allowed()) }
}

/// A filter for log lines.
pub(super) fn log_level(text: &str) -> Result<String, String> {
    // A word that is no level would be taken for a module, and everything else be silent.
    let has_levels = text.split(',').all(|part| {
        let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
        level.trim().parse::<LevelFilter>().is_ok()
    });
    match EnvFilter::try_new(text) {
        Ok(_) if has_levels => Ok(text.to_owned()),
        _ => Err(format!(
            "error, warn, info, debug or trace, also per module as in sextant=debug,info (found {})",
            shown(text)
        )),
    }
}

/// A length of time: a whole number followed by `ms`, `s`, `m` or `h`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let allowed = || format!("a length of time such as 500ms, 30s, 10m or 1h (found {})", shown(text));
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| allowed())?;
    let milliseconds_per_unit = match unit.trim() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err(allowed()),
    };
    let milliseconds = number.checked_mul(milliseconds_per_unit).ok_or_else(allowed)?;
    if milliseconds == 0 || milliseconds > 24 * 3_600_000 {
        return Err(format!("more than 0 and at most 24h (found {})", shown(text)));
    }
    Ok(Duration::from_millis(milliseconds))
}

/// A number of bytes: a whole number followed by `B`, `KiB`, `MiB`, `GiB` (or `KB`, `MB`, `GB`).
pub(super) fn size(text: &str) -> Result<u64, String> {
    let allowed = || format!("a size such as 64KiB, 1MiB or 2GiB (found {})", shown(text));
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| allowed())?;
    let bytes_per_unit = match unit.trim() {
        "B" => 1,
        "KB" => 1_000,
        "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "GiB" => 1 << 30,
        _ => return Err(allowed()),
    };
    number.checked_mul(bytes_per_unit).filter(|bytes| *bytes > 0).ok_or_else(allowed)
}

/// A size that is a limit; `off` is `None`.
pub(super) fn limit(text: &str) -> Result<Option<u64>, String> {
    if text == "off" {
        return Ok(None);
    }
    size(text).map(Some).map_err(|_| format!("a size such as 512MiB or 2GiB, or off (found {})", shown(text)))
}

/// Bytes a second: a size followed by `/s`; `unlimited` is `None`.
pub(super) fn bandwidth(text: &str) -> Result<Option<u64>, String> {
    if text == "unlimited" {
        return Ok(None);
    }
    let size_text = text.trim_end().strip_suffix("/s").map(str::trim_end);
    let bytes = size_text.and_then(|text| size(text).ok());
    bytes.map(Some).ok_or_else(|| format!("a size a second such as 50MiB/s, or unlimited (found {})", shown(text)))
}

/// A foreign text, quoted and shortened, for a message.
pub(super) fn shown(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    format!("{short:?}")
}
