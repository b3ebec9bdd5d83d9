//! Keeps pages of other sites away while nobody has to log in.
//!
//! A browser lets any page send requests to an address of this computer. On a loopback address
//! the host must therefore be this computer by name or number (a foreign name that resolves to it
//! is refused), and a request that a page of another origin sends is refused everywhere. The
//! addresses under which a proxy shows this server (`public_url`) are excepted from both.

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{ApiError, Shared};

/// The longest foreign name that a refusal repeats, in characters.
const MAX_SHOWN: usize = 200;

pub(super) async fn check(State(server): Shared, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let public_urls = &server.public_urls;
    if server.address.ip().is_loopback() && !is_this_computer(headers) && !is_public_host(headers, public_urls) {
        return ApiError::new(
            StatusCode::FORBIDDEN,
            format!("this server does not answer to {}", shown(headers, &HOST)),
        )
        .hint(
            "ask for http://127.0.0.1:PORT, through a tunnel if need be; if it is the name of a proxy in front of \
                 this server, the server's configuration names it: public_url under [server]",
        )
        .into_response();
    }
    if !is_same_origin(headers) && !is_public_origin(headers, public_urls) {
        return ApiError::new(
            StatusCode::FORBIDDEN,
            format!("pages of {} may not ask this server", shown(headers, &ORIGIN)),
        )
        .hint(
            "if it is the address of a proxy in front of this server, the server's configuration names it: \
                 public_url under [server]",
        )
        .into_response();
    }
    next.run(request).await
}

/// A header of the request, for a message.
fn shown(headers: &HeaderMap, name: &HeaderName) -> String {
    let value = headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes())).unwrap_or_default();
    let value: String = value.chars().take(MAX_SHOWN).collect();
    format!("{value:?}")
}

fn is_this_computer(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else {
        return true;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let number = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || number.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn is_same_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(ORIGIN) else {
        return true;
    };
    let (Ok(origin), Some(Ok(host))) = (origin.to_str(), headers.get(HOST).map(|host| host.to_str())) else {
        return false;
    };
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) == Some(host)
}

/// Proxies pass on the host as the browser wrote it, or without its port.
fn is_public_host(headers: &HeaderMap, public_urls: &[String]) -> bool {
    let Some(Ok(host)) = headers.get(HOST).map(|host| host.to_str()) else {
        return false;
    };
    public_urls.iter().filter_map(|origin| origin.split_once("://")).any(|(_, authority)| {
        let name = authority.rsplit_once(':').map_or(authority, |(name, _)| name);
        host.eq_ignore_ascii_case(authority) || host.eq_ignore_ascii_case(name)
    })
}

fn is_public_origin(headers: &HeaderMap, public_urls: &[String]) -> bool {
    let Some(origin) = headers.get(ORIGIN) else {
        return false;
    };
    public_urls.iter().any(|public| public.as_bytes().eq_ignore_ascii_case(origin.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        headers
    }

    #[test]
    fn only_names_of_this_computer_are_answered() {
        for (host, here) in [
            ("127.0.0.1:7187", true),
            ("localhost", true),
            ("LOCALHOST:1", true),
            ("[::1]:7187", true),
            ("rebound.example:7187", false),
            ("127.0.0.1.example", false),
            ("", false),
        ] {
            assert_eq!(is_this_computer(&headers(host, None)), here, "{host}");
        }
    }

    #[test]
    fn only_pages_of_this_origin_may_ask() {
        assert!(is_same_origin(&headers("localhost:7187", None)));
        assert!(is_same_origin(&headers("localhost:7187", Some("http://localhost:7187"))));
        assert!(!is_same_origin(&headers("localhost:7187", Some("http://evil.example"))));
        assert!(!is_same_origin(&headers("localhost:7187", Some("null"))));
    }
    #[test]
    fn a_proxy_in_front_is_known_by_its_addresses() {
        let public_urls = ["https://sextant.example".to_owned(), "http://other.example:8080".to_owned()];
        for (host, known) in [
            ("sextant.example", true),
            ("Sextant.Example", true),
            ("other.example:8080", true),
            ("other.example", true),
            ("other.example:8081", false),
            ("evil.example", false),
            ("example", false),
            ("", false),
        ] {
            assert_eq!(is_public_host(&headers(host, None), &public_urls), known, "{host}");
        }
        for (origin, known) in [
            ("https://sextant.example", true),
            ("http://other.example:8080", true),
            ("http://sextant.example", false),
            ("https://evil.example", false),
            ("null", false),
        ] {
            assert_eq!(is_public_origin(&headers("127.0.0.1:7187", Some(origin)), &public_urls), known, "{origin}");
        }
    }
}
