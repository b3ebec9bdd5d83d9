//! The HTTP client of the delivery protocol.
//!
//! It talks to the configured server and to nobody else: redirects are not followed and no proxy
//! is taken from the environment, so neither records nor the token go elsewhere.

use std::error::Error as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Certificate, Client, RequestBuilder, Response, StatusCode, redirect};
use serde::de::DeserializeOwned;

use sextant_model::delivery::{Hello, Positions, Receipt, SpoolsReport};

use crate::config::{ServerConfig, one_line};
use crate::error::Error;

/// The longest answer with positions: about half a million files.
const MAX_POSITIONS_BYTES: usize = 64 << 20;
/// The longest other answer, and how much of an error's text is read.
const MAX_ANSWER_BYTES: usize = 16 << 10;
/// A server does not make an agent wait longer.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Why the server did not take something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    /// No answer.
    #[error("cannot reach the server at {url}: {reason}")]
    Unreachable { url: String, reason: String },
    /// It answers and cannot work now.
    #[error("the server at {url} cannot take records now: {answer}")]
    Busy { url: String, answer: String, wait: Option<Duration> },
    /// It broke over something, perhaps over this batch.
    #[error("the server at {url} failed: {answer}")]
    Broken { url: String, answer: String },
    /// It will not take anything until someone changes a configuration.
    #[error("the server at {url} refuses this agent: {answer}; check {hint}")]
    Refused { url: String, answer: String, hint: &'static str },
    /// It will not take this batch.
    #[error("the server at {url} refuses this batch: {answer}")]
    BatchRefused { url: String, answer: String },
    /// The answer is not one of this protocol.
    #[error("the server at {url} answers something else than a Sextant server: {answer}; check [server] url")]
    Strange { url: String, answer: String },
    /// The token cannot be read.
    #[error("{0}")]
    Token(String),
}

/// What the server said to a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Everything before this offset is kept.
    Kept(u64),
    /// The batch starts behind what is kept; this is where to go on.
    GoTo(u64),
}

/// A client of one server.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    client: Client,
    url: String,
    token_file: Option<PathBuf>,
    authorization: Option<HeaderValue>,
}

impl Server {
    /// Reads the token and prepares connections; makes none.
    pub(crate) fn new(config: &ServerConfig) -> Result<Self, Error> {
        let mut builder = Client::builder()
            .user_agent(concat!("sextant-agent/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(config.connect_timeout)
            .timeout(config.request_timeout);
        let is_plain = config.url.starts_with("http:");
        if let Some(path) = &config.ca_file {
            builder = builder.tls_certs_merge(certificates(path)?);
        } else if is_plain {
            // Without TLS a host that has no system certificates is no obstacle.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(Error::Client)?;
        let mut server =
            Self { client, url: config.url.clone(), token_file: config.token_file.clone(), authorization: None };
        server.authorization = server.read_token()?;
        Ok(server)
    }

    /// Reads the token again: it may have been replaced since the last connect.
    pub(crate) fn renew_token(&mut self) -> Result<(), Trouble> {
        self.authorization = self.read_token().map_err(|error| Trouble::Token(error.to_string()))?;
        Ok(())
    }

    fn read_token(&self) -> Result<Option<HeaderValue>, Error> {
        let Some(path) = &self.token_file else {
            return Ok(None);
        };
        let unusable = |problem: String| Error::Token { path: path.clone(), problem };
        let text = fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
        let token = text.trim();
        if token.is_empty() {
            return Err(unusable("it is empty".to_owned()));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unusable("it holds more than one word of ASCII characters".to_owned()));
        }
        let mut value =
            HeaderValue::from_str(&format!("Bearer {token}")).map_err(|error| unusable(error.to_string()))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// Says who the agent is and asks what the server holds of it.
    pub(crate) async fn positions(&self, hello: &Hello) -> Result<Positions, Trouble> {
        let body = serde_json::to_vec(hello).map_err(|error| self.strange(&error.to_string()))?;
        let request = self.post("/api/v1/agent/positions").header(CONTENT_TYPE, "application/json").body(body);
        let response = self.send(request).await?;
        if response.status() != StatusCode::OK {
            return Err(self.trouble(response, true).await);
        }
        self.read(response, MAX_POSITIONS_BYTES).await
    }

    /// Tells how the spools stand. A server that does not know the request is no trouble.
    pub(crate) async fn report(&self, report: &SpoolsReport) -> Result<(), Trouble> {
        let body = serde_json::to_vec(report).map_err(|error| self.strange(&error.to_string()))?;
        let request = self.post("/api/v1/agent/spools").header(CONTENT_TYPE, "application/json").body(body);
        let response = self.send(request).await?;
        if response.status().is_success() || response.status() == StatusCode::NOT_FOUND {
            return Ok(());
        }
        Err(self.trouble(response, true).await)
    }

    /// Asks whether the server is there and can work, without saying who asks.
    pub(crate) async fn health(&self) -> Result<(), Trouble> {
        for path in ["/healthz", "/readyz"] {
            let response = self.send(self.client.get(format!("{}{path}", self.url))).await?;
            if response.status() != StatusCode::OK {
                return Err(self.trouble(response, true).await);
            }
        }
        Ok(())
    }

    /// Delivers a packed batch.
    pub(crate) async fn deliver(&self, body: Vec<u8>) -> Result<Answer, Trouble> {
        let request = self.post("/api/v1/agent/batches").header(CONTENT_TYPE, "application/octet-stream").body(body);
        let response = self.send(request).await?;
        match response.status() {
            StatusCode::OK => {
                let receipt: Receipt = self.read(response, MAX_ANSWER_BYTES).await?;
                Ok(Answer::Kept(receipt.offset))
            }
            StatusCode::CONFLICT => {
                let receipt: Receipt = self.read(response, MAX_ANSWER_BYTES).await?;
                Ok(Answer::GoTo(receipt.offset))
            }
            _ => Err(self.trouble(response, false).await),
        }
    }

    fn post(&self, path: &str) -> RequestBuilder {
        let request = self.client.post(format!("{}{path}", self.url));
        match &self.authorization {
            Some(value) => request.header(reqwest::header::AUTHORIZATION, value.clone()),
            None => request,
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, Trouble> {
        request.send().await.map_err(|error| self.unreachable(error))
    }

    fn unreachable(&self, error: reqwest::Error) -> Trouble {
        let error = error.without_url();
        // The outer texts ("error sending request") say nothing, the innermost says why.
        let mut reason = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            reason = inner.to_string();
            cause = inner.source();
        }
        if error.is_timeout() {
            reason = format!("no answer in time ({reason})");
        }
        Trouble::Unreachable { url: self.url.clone(), reason: one_line(&reason) }
    }

    pub(crate) fn strange(&self, answer: &str) -> Trouble {
        Trouble::Strange { url: self.url.clone(), answer: one_line(answer) }
    }

    async fn read<T: DeserializeOwned>(&self, response: Response, most: usize) -> Result<T, Trouble> {
        let bytes = self.bytes(response, most).await?;
        serde_json::from_slice(&bytes).map_err(|error| self.strange(&error.to_string()))
    }

    /// The body; an error when it is longer than `most` bytes.
    async fn bytes(&self, mut response: Response, most: usize) -> Result<Vec<u8>, Trouble> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(error))? {
            if bytes.len() + chunk.len() > most {
                return Err(self.strange(&format!("more than {most} bytes")));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    /// What an answer that is not 200 means. `greeting`: it is not about one batch.
    async fn trouble(&self, response: Response, greeting: bool) -> Trouble {
        let status = response.status();
        let wait = retry_after(&response);
        let location =
            response.headers().get(LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let text = self.bytes(response, MAX_ANSWER_BYTES).await.unwrap_or_default();
        let mut answer = format!("{status} {}", one_line(String::from_utf8_lossy(&text).trim()));
        answer.truncate(answer.trim_end().len());
        let url = self.url.clone();
        let refused = |answer, hint| Trouble::Refused { url: url.clone(), answer, hint };
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Trouble::Busy { url, answer, wait },
            _ if status.is_server_error() => Trouble::Broken { url, answer },
            _ if status.is_redirection() => {
                let target = location.map_or_else(String::new, |target| format!(" to {}", one_line(&target)));
                refused(format!("{status}{target}, which is not followed"), "[server] url")
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => refused(answer, "[server] token_file"),
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => refused(answer, "[server] url"),
            _ if !status.is_client_error() => self.strange(&answer),
            _ if greeting => refused(answer, "the versions of agent and server"),
            _ => Trouble::BatchRefused { url, answer },
        }
    }
}

/// `Retry-After` in seconds; the form with a date is not used by servers of this protocol.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}

fn certificates(path: &Path) -> Result<Vec<Certificate>, Error> {
    let unusable = |problem: String| Error::Certificates { path: path.to_owned(), problem };
    let pem = fs::read(path).map_err(|error| unusable(error.to_string()))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| unusable(error.to_string()))?;
    if certificates.is_empty() {
        return Err(unusable("there is none in it".to_owned()));
    }
    Ok(certificates)
}
