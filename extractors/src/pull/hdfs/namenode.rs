//! A NameNode's web address: what it says of itself, and its newest image.
//!
//! `GET /imagetransfer?getimage=1&txid=latest` answers with the whole image and these headers:
//! `X-Image-Edits-Name` (its file name, with the transaction), `Content-Length`, and `X-MD5-Digest`
//! unless the NameNode lost its `.md5` file. There are no ranges: a transfer that broke off begins
//! anew. Any trouble of the NameNode's own, a missing right included, may be answered with 410 and
//! a stack trace, in the body or (Hadoop 3) in the status line alone. With Kerberos but without SPNEGO
//! for its pages it fails while it looks for the name of who asks.
//!
//! Whether there is a newer image at all is asked of `/jmx` first: breaking off a transfer that has
//! begun would leave a stack trace in the NameNode's log every time.

use std::path::Path;
use std::time::Duration;

use hyper::ext::ReasonPhrase;
use reqwest::{Certificate, Client, Response, StatusCode, Url, redirect};
use serde_json::Value;
use sextant_model::Timestamp;

use super::NamespaceError;
use super::offer::{digest_of_text, transaction_of_name};

const IMAGE_PATH: &str = "/imagetransfer?getimage=1&txid=latest";
/// Answers of `/jmx` and refusals are read up to this many bytes.
const MAX_TEXT_BYTES: usize = 256 << 10;
/// Characters of a refusal that are told.
const SHOWN_CHARACTERS: usize = 300;

/// How NameNodes are asked.
#[derive(Debug, Clone)]
pub(super) struct WebClient {
    client: Client,
    call_timeout: Duration,
}

/// What a NameNode does in a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// A standby or an observer: it serves no client that changes something.
    Standby,
    /// It does not say.
    Unknown,
    /// It serves every client of the cluster.
    Active,
}

/// What a NameNode says of itself, as far as it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) role: Role,
    /// The transaction of its newest image.
    pub(super) checkpoint: Option<u64>,
    /// When that image was written.
    pub(super) checkpoint_time: Option<Timestamp>,
}

/// An image whose headers are here and whose bytes are not.
#[derive(Debug)]
pub(super) struct OfferedImage {
    pub(super) address: String,
    pub(super) transaction: Option<u64>,
    pub(super) length_bytes: u64,
    pub(super) digest: Option<String>,
    pub(super) response: Response,
}

impl WebClient {
    /// Prepares connections; makes none. `ca_file` holds certificates of authorities besides the system's.
    pub(super) fn new(
        connect_timeout: Duration,
        call_timeout: Duration,
        ca_file: Option<&Path>,
    ) -> Result<Self, NamespaceError> {
        let mut builder = Client::builder()
            .user_agent(concat!("sextant/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(connect_timeout)
            .read_timeout(call_timeout);
        if let Some(path) = ca_file {
            builder = builder.tls_certs_merge(certificates(path)?);
        }
        Ok(Self { client: builder.build().map_err(NamespaceError::Client)?, call_timeout })
    }

    /// Asks a NameNode for its role and its newest image. What it does not tell is not known; only
    /// a NameNode that cannot be reached, or wants a login, is an error.
    pub(super) async fn standing(&self, address: &str) -> Result<Standing, NamespaceError> {
        let role = self.attribute(address, "NameNodeStatus", "State").await?;
        let journal = self.attribute(address, "NameNodeInfo", "JournalTransactionInfo").await?;
        let checkpoint_time = self.attribute(address, "FSNamesystem", "LastCheckpointTime").await?;
        // The journal's numbers are a text that is JSON itself.
        let journal: Option<Value> =
            journal.as_ref().and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
        let checkpoint =
            journal.as_ref().and_then(|journal| journal["MostRecentCheckpointTxId"].as_str()?.parse().ok());
        Ok(Standing {
            role: role.as_ref().and_then(Value::as_str).map_or(Role::Unknown, role_of_word),
            checkpoint,
            checkpoint_time: checkpoint_time
                .and_then(|time| time.as_i64())
                .and_then(|millis| Timestamp::from_millis(millis).plausible()),
        })
    }

    /// Asks for the newest image; answers when its headers are here.
    pub(super) async fn image(&self, address: &str) -> Result<OfferedImage, NamespaceError> {
        let response = self.get(address, IMAGE_PATH, "the image").await?;
        if response.status() != StatusCode::OK {
            return Err(self.refusal(address, response).await);
        }
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let Some(name) = header("X-Image-Edits-Name") else {
            let reason = "its answer has no header X-Image-Edits-Name".to_owned();
            return Err(NamespaceError::NotANameNode { address: address.to_owned(), reason });
        };
        let Some(length_bytes) = header("Content-Length").and_then(|length| length.parse().ok()) else {
            let reason = "its answer has no header Content-Length".to_owned();
            return Err(NamespaceError::NotANameNode { address: address.to_owned(), reason });
        };
        Ok(OfferedImage {
            address: address.to_owned(),
            transaction: transaction_of_name(name),
            length_bytes,
            digest: header("X-MD5-Digest").and_then(digest_of_text),
            response,
        })
    }

    /// Asks for a page and takes its whole answer, whatever its status; refuses one of more bytes.
    pub(super) async fn answer(&self, url: Url, max_bytes: u64) -> Result<(StatusCode, Vec<u8>), NamespaceError> {
        let what = "a listing";
        let address = url.origin().ascii_serialization();
        let trouble = |source| self.trouble(&address, what, source);
        let mut response = self.client.get(url).send().await.map_err(trouble)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(trouble)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > max_bytes {
                let reason = format!("its answer has more than {max_bytes} bytes");
                return Err(NamespaceError::Listing { address, reason });
            }
        }
        Ok((response.status(), bytes))
    }

    /// What went wrong with a request or while its answer was read.
    pub(super) fn trouble(&self, address: &str, what: &'static str, source: reqwest::Error) -> NamespaceError {
        let address = address.to_owned();
        if source.is_timeout() && !source.is_connect() {
            NamespaceError::Silent { address, what, waited: self.call_timeout }
        } else {
            NamespaceError::Connection { address, source: source.without_url() }
        }
    }

    async fn get(&self, address: &str, path: &str, what: &'static str) -> Result<Response, NamespaceError> {
        let sent = self.client.get(format!("{address}{path}")).send().await;
        sent.map_err(|source| self.trouble(address, what, source))
    }

    /// One attribute of a management bean; `None` where it is not told.
    async fn attribute(&self, address: &str, bean: &str, name: &str) -> Result<Option<Value>, NamespaceError> {
        let path = format!("/jmx?get=Hadoop:service=NameNode,name={bean}::{name}");
        let response = self.get(address, &path, "its state").await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED => return Err(NamespaceError::LoginRequired { address: address.to_owned() }),
            status => {
                tracing::debug!(address, bean, name, status = status.as_u16(), "not told");
                return Ok(None);
            }
        }
        let text = self.text(address, response).await?;
        let answer: Option<Value> = serde_json::from_str(&text).ok();
        Ok(answer.and_then(|mut answer| answer.pointer_mut(&format!("/beans/0/{name}")).map(Value::take)))
    }

    async fn refusal(&self, address: &str, response: Response) -> NamespaceError {
        let status = response.status();
        if status == StatusCode::UNAUTHORIZED {
            return NamespaceError::LoginRequired { address: address.to_owned() };
        }
        let phrase = response.extensions().get::<ReasonPhrase>();
        let phrase = phrase.map(|phrase| String::from_utf8_lossy(phrase.as_bytes()).into_owned());
        let mut text = self.text(address, response).await.unwrap_or_default();
        if text.is_empty() {
            text = phrase.unwrap_or_default();
        }
        refusal_in_words(address, status, &text)
    }

    /// The begin of an answer, as text.
    async fn text(&self, address: &str, mut response: Response) -> Result<String, NamespaceError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|source| self.trouble(address, "its state", source))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_TEXT_BYTES {
                bytes.truncate(MAX_TEXT_BYTES);
                break;
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn role_of_word(word: &str) -> Role {
    match word {
        "active" => Role::Active,
        "standby" | "observer" => Role::Standby,
        _ => Role::Unknown,
    }
}

fn refusal_in_words(address: &str, status: StatusCode, text: &str) -> NamespaceError {
    let address = address.to_owned();
    // A NameNode may put 410 over the 403 that it meant; its words stay.
    if status == StatusCode::FORBIDDEN || text.contains("administrators may access this servlet") {
        return NamespaceError::NotAllowed { address, status: status.as_u16() };
    }
    let told = text.split_once("GetImage failed. ").map(|(_, told)| told);
    if told.is_some_and(|told| told.starts_with("java.lang.NullPointerException") && told.contains("validateRequest")) {
        return NamespaceError::LoginRequired { address };
    }
    if told.is_none() && matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
        return NamespaceError::NotANameNode { address, reason: format!("it answers {status}") };
    }
    // The first line; the stack trace stays in the NameNode's log.
    let line = told.unwrap_or("no reason is told").split(['\n', '\t', '<']).next().unwrap_or_default();
    let line = line.split(" at org.apache").next().unwrap_or_default();
    let message = line.trim().chars().filter(|character| !character.is_control()).take(SHOWN_CHARACTERS).collect();
    NamespaceError::Refused { address, status: status.as_u16(), message }
}

fn certificates(path: &Path) -> Result<Vec<Certificate>, NamespaceError> {
    let unusable = |reason: String| NamespaceError::Certificates { path: path.to_owned(), reason };
    let pem = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| unusable(error.to_string()))?;
    if certificates.is_empty() {
        return Err(unusable("it holds no certificate in PEM".to_owned()));
    }
    Ok(certificates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_is_missing() {
        let said = |status: u16, text: &str| {
            refusal_in_words("http://nn:9870", StatusCode::from_u16(status).unwrap(), text).to_string()
        };
        let right = "Only Namenode, Secondary Namenode, and administrators may access this servlet";
        for status in [403, 410] {
            let words = said(status, &format!("<pre>GetImage failed. java.io.IOException: {right}\n\tat x</pre>"));
            assert!(words.contains("`dfs.cluster.administrators`"), "{words}");
        }
        let words = said(410, "<h2>GetImage failed. java.io.IOException: Could not find image\n\tat org.apache.x</h2>");
        assert!(words.ends_with("(HTTP status 410): java.io.IOException: Could not find image"), "{words}");
        assert!(said(404, "nothing here").contains("check the port"));
    }

    #[test]
    fn a_standby_is_asked_before_one_that_says_nothing_and_the_active_last() {
        let mut roles = ["active", "initializing", "observer", "standby"].map(role_of_word);
        roles.sort_unstable();
        assert_eq!(roles, [Role::Standby, Role::Standby, Role::Unknown, Role::Active]);
    }
}
