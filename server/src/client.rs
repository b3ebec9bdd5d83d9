//! The command line's side of the HTTP API.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::Value;

/// Speaks to one server.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    token: Option<String>,
}

/// Why a request has no answer that can be used.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address is none.
    #[error("{0:?} is no server address; give one such as http://127.0.0.1:7187 with --server")]
    Address(String),
    /// The token file cannot be read.
    #[error("{path}: cannot read the token: {source}")]
    Token {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Nothing answers there.
    #[error("no server answers at {base}: {reason}")]
    Unreachable {
        /// The server's address.
        base: String,
        /// Why.
        reason: String,
    },
    /// The server refuses.
    #[error("{}", message(.body))]
    Refused {
        /// The answer's status.
        status: StatusCode,
        /// The answer.
        body: Box<Value>,
    },
    /// The answer is not what a sextant server says.
    #[error("{base} answers, but not as a sextant server does: {reason}")]
    Strange {
        /// The server's address.
        base: String,
        /// What is strange.
        reason: String,
    },
}

fn message(body: &Value) -> String {
    body.get("error").and_then(Value::as_str).unwrap_or("the server refused without a reason").to_owned()
}

impl Client {
    /// For the server at `base`, with the token in a file if there is one.
    pub fn new(base: &str, token_file: Option<&PathBuf>) -> Result<Self, ClientError> {
        let base = base.trim_end_matches('/').to_owned();
        let url = reqwest::Url::parse(&base).map_err(|_| ClientError::Address(base.clone()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(ClientError::Address(base));
        }
        let token = match token_file {
            None => None,
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|source| ClientError::Token { path: path.clone(), source })?;
                Some(text.trim().to_owned())
            }
        };
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(5))
            .build()
            .map_err(|error| ClientError::Unreachable { base: base.clone(), reason: chain(&error) })?;
        Ok(Self { http, base, token })
    }

    /// Asks with `GET`. `path` holds percent-encoded segments.
    pub async fn get(&self, path: &str, parameters: &[(&str, String)]) -> Result<Value, ClientError> {
        self.send(Method::GET, path, parameters, None).await
    }

    /// Asks with `POST`.
    pub async fn post(
        &self,
        path: &str,
        parameters: &[(&str, String)],
        body: Option<Vec<u8>>,
    ) -> Result<Value, ClientError> {
        self.send(Method::POST, path, parameters, body).await
    }

    /// Asks with `DELETE`.
    pub async fn delete(&self, path: &str, parameters: &[(&str, String)]) -> Result<Value, ClientError> {
        self.send(Method::DELETE, path, parameters, None).await
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        parameters: &[(&str, String)],
        body: Option<Vec<u8>>,
    ) -> Result<Value, ClientError> {
        let mut request = self.http.request(method, format!("{}{path}", self.base)).query(parameters);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        let unreachable = |error: reqwest::Error| ClientError::Unreachable {
            base: self.base.clone(),
            reason: chain(&error.without_url()),
        };
        let response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(unreachable)?;
        let answer: Result<Value, _> = serde_json::from_slice(&bytes);
        match answer {
            Ok(body) if status.is_success() => Ok(body),
            Ok(body) if body.is_object() => Err(ClientError::Refused { status, body: Box::new(body) }),
            Ok(_) | Err(_) => {
                let reason = format!("status {status}, {} bytes that are no JSON object", bytes.len());
                Err(ClientError::Strange { base: self.base.clone(), reason })
            }
        }
    }
}

/// A text as one segment of a path.
pub fn segment(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    // A segment of dots alone means a directory.
    if encoded.chars().all(|character| character == '.') { encoded.replace('.', "%2E") } else { encoded }
}

/// An error with its causes, each said once.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !words.contains(&said) {
            words = format!("{words}: {said}");
        }
        cause = error.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_survive_odd_names() {
        assert_eq!(segment("db.t"), "db.t");
        assert_eq!(segment("/a b/ü"), "%2Fa%20b%2F%C3%BC");
        assert_eq!(segment(".."), "%2E%2E");
    }
}
