//! The web console: the built files of `console/`, which are part of this program.
//!
//! - Every address that is not the API's gives the console, so that each of its pages can be
//!   reloaded and sent to somebody.
//! - Nothing from outside this server is loaded: the content security policy forbids it.
//! - A program that was built without the console says how to build it.

mod encoding;

use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use crate::api::ApiError;

/// `blob:` is for pictures that the console itself draws for export.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; \
     connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// The names of these files change with their content.
const KEPT_FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASKED_FOR_EACH_TIME: HeaderValue = HeaderValue::from_static("no-cache");

const NOT_BUILT: &str = include_str!("not_built.html");

/// A file of the console.
struct Asset {
    path: &'static str,
    plain: &'static [u8],
    brotli: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
}

static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/console_assets.rs"));

/// Answers what no other route does.
pub(crate) async fn fallback(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_of_the_api = path == "api" || path.starts_with("api/");
    if is_of_the_api || !matches!(method, Method::GET | Method::HEAD) {
        return no_such_path();
    }
    if let Some(asset) = ASSETS.iter().find(|asset| asset.path == path) {
        return shown(asset, &headers);
    }
    if path.starts_with("assets/") {
        return no_such_path();
    }
    match ASSETS.iter().find(|asset| asset.path == "index.html") {
        Some(page) => shown(page, &headers),
        None => not_built(),
    }
}

fn shown(asset: &Asset, request: &HeaderMap) -> Response {
    let accepted = request.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (coding, bytes) = match (asset.brotli, asset.gzip) {
        (Some(bytes), _) if encoding::is_accepted(accepted, "br") => (Some("br"), bytes),
        (_, Some(bytes)) if encoding::is_accepted(accepted, "gzip") => (Some("gzip"), bytes),
        _ => (None, asset.plain),
    };
    let kept = if asset.path.starts_with("assets/") { KEPT_FOR_EVER } else { ASKED_FOR_EACH_TIME };
    let mut response = ([(CONTENT_TYPE, media_type(asset.path)), (CACHE_CONTROL, kept)], bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    response
}

fn media_type(path: &str) -> HeaderValue {
    HeaderValue::from_static(match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        "json" => "application/json",
        _ => "application/octet-stream",
    })
}

fn not_built() -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, ASKED_FOR_EACH_TIME),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (headers, NOT_BUILT).into_response()
}

fn no_such_path() -> Response {
    ApiError::new(StatusCode::NOT_FOUND, "there is nothing at this address")
        .hint("the addresses are listed at /api/openapi.json")
        .into_response()
}
