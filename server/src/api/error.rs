//! Refusals, as `{"error": …, "hint": …}`.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use sextant_store::StoreError;

use crate::resolve::ResolveError;
use crate::view;

/// An answer that is not what was asked for.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    retry_after_seconds: Option<u64>,
    body: Map<String, Value>,
}

impl ApiError {
    /// With one sentence, in lower case, without a full stop.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        let mut body = Map::new();
        body.insert("error".to_owned(), Value::String(error.into()));
        Self { status, retry_after_seconds: None, body }
    }

    /// A request that says something impossible.
    pub fn bad_request(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    /// A fault of sextant's own.
    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the answer failed inside sextant")
            .hint("the server's log tells more; please report it")
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.with("hint", Value::String(hint.into()))
    }

    /// Says when it is worth asking again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }

    /// Adds something for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.body.insert(key.to_owned(), value);
        self
    }
}

/// The longest text of a refusal that is kept: 8 KiB.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// Turns a refusal that the HTTP library writes as text (a body over its limit, a broken path, an
/// answer that took too long) into one of ours.
pub(super) async fn in_our_form(response: Response) -> Response {
    let status = response.status();
    let is_ours =
        response.headers().get(CONTENT_TYPE).is_some_and(|media| media.as_bytes().starts_with(b"application/json"));
    if is_ours || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let text = axum::body::to_bytes(response.into_body(), MAX_TEXT_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let reason = match (text.trim(), status) {
        ("", StatusCode::SERVICE_UNAVAILABLE) => "the answer took too long",
        ("", _) => status.canonical_reason().unwrap_or("refused"),
        (text, _) => text,
    };
    ApiError::new(status, reason).into_response()
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Value::Object(self.body))).into_response();
        if let Some(seconds) = self.retry_after_seconds {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull { .. } => Self::new(StatusCode::INSUFFICIENT_STORAGE, error.to_string()),
            StoreError::DamagedBatch(_) => Self::bad_request(error.to_string()),
            _ => {
                tracing::error!(error = %error, "the store refused");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
            }
        }
    }
}

impl From<ResolveError> for ApiError {
    fn from(error: ResolveError) -> Self {
        let message = error.to_string();
        match error {
            ResolveError::Store(error) => error.into(),
            ResolveError::NotFound(_) => Self::new(StatusCode::NOT_FOUND, message)
                .hint("names are db.table, db.table.column, /path or an id; `sextant search` finds parts of names"),
            ResolveError::Ambiguous { candidates, unlinked, .. } => {
                let mut shown: Vec<Value> =
                    candidates.iter().map(|entity| Value::Object(view::entity::entity(entity))).collect();
                shown.extend(unlinked.iter().map(|name| Value::Object(view::entity::unlinked_name(name))));
                Self::new(StatusCode::CONFLICT, message)
                    .hint("give the whole name (db.table), the cluster, the type, or the id")
                    .with("candidates", Value::Array(shown))
            }
        }
    }
}
