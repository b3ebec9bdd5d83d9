//! Keeps pages of other sites away while nobody has to log in.
//!
//! A browser lets any page send requests to an address of this computer. On a loopback address
//! the host must therefore be this computer by name or number (a foreign name that resolves to it
//! is refused), and a request that a page of another origin sends is refused everywhere.

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{ApiError, Shared};

pub(super) async fn check(State(server): Shared, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if server.address.ip().is_loopback() && !is_this_computer(headers) {
        return ApiError::new(StatusCode::FORBIDDEN, "this server answers to localhost only")
            .hint("ask for http://127.0.0.1:PORT, through a tunnel if need be")
            .into_response();
    }
    if !is_same_origin(headers) {
        return ApiError::new(StatusCode::FORBIDDEN, "pages of other origins may not ask this server").into_response();
    }
    next.run(request).await
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
}
