//! The server's API as any client sees it.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// A client of one server.
pub struct Api {
    base: String,
    client: reqwest::Client,
}

impl Api {
    /// A client of the server at `base`, `http://HOST:PORT`.
    pub fn new(base: &str) -> Self {
        Self { base: base.to_owned(), client: reqwest::Client::new() }
    }

    /// GETs a path such as `/api/v1/search`; any status but 2xx is an error that holds the answer.
    pub async fn get(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Value> {
        let (status, text) = self.get_text(path, parameters).await?;
        ensure!((200..300).contains(&status), "GET {path} {parameters:?} answered {status}: {text}");
        serde_json::from_str(&text).with_context(|| format!("GET {path} answered no JSON: {text}"))
    }

    /// A page of a search, after a cursor; the first one for an empty cursor.
    pub async fn search_page(&self, query: &str, cursor: &str) -> Result<Value> {
        let mut parameters = vec![("query", query), ("limit", "200")];
        if !cursor.is_empty() {
            parameters.push(("cursor", cursor));
        }
        self.get("/api/v1/search", &parameters).await
    }

    /// GETs a path, whatever the answer: the status and the body.
    pub async fn get_text(&self, path: &str, parameters: &[(&str, &str)]) -> Result<(u16, String)> {
        let request = self.client.get(format!("{}{path}", self.base)).query(parameters);
        answer(request).await.with_context(|| format!("GET {path}"))
    }

    /// POSTs JSON; any status but 2xx is an error that holds the answer. An empty answer is `null`.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let (status, text) = self.post_text(path, body).await?;
        ensure!((200..300).contains(&status), "POST {path} answered {status}: {text}");
        if text.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_str(&text).with_context(|| format!("POST {path} answered no JSON: {text}"))
    }

    /// POSTs JSON, whatever the answer: the status and the body.
    pub async fn post_text(&self, path: &str, body: &Value) -> Result<(u16, String)> {
        let request = self.client.post(format!("{}{path}", self.base)).json(body);
        answer(request).await.with_context(|| format!("POST {path}"))
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<(u16, String)> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    Ok((status, response.text().await?))
}
