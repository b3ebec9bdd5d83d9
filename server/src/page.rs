//! The first page, `/`: how extractors and agents stand, what could not be read, what is known, what ran last, and a
//! search box.
//!
//! It is static and reads the API from the browser. Names are hostile text: the script only ever
//! sets text, and the content security policy allows nothing but these three files.

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::server::Server;

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

/// The page's three files.
pub(crate) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/", get(|| async { file("text/html; charset=utf-8", include_str!("page/index.html")) }))
        .route("/page.css", get(|| async { file("text/css; charset=utf-8", include_str!("page/page.css")) }))
        .route("/page.js", get(|| async { file("text/javascript; charset=utf-8", include_str!("page/page.js")) }))
}

fn file(media_type: &'static str, content: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (headers, content).into_response()
}
