//! A server of the delivery protocol that keeps what it gets in memory and can be told to fail.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use sextant_model::delivery::{BatchHeader, Generation, Hello, Position, Positions, Receipt, SpoolsReport};

/// What a request meets instead of a proper answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is kept.
    Status(u16),
    /// Nothing is kept, and the agent is told to wait that many seconds.
    Busy(u64),
    /// Nothing is kept, the connection breaks.
    Broken,
    /// The bytes are kept, the connection breaks before the receipt is there.
    BrokenAfterKeeping,
    /// The agent is sent elsewhere.
    Redirect,
}

/// What is kept of one generation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    pub(crate) bytes: Vec<u8>,
    pub(crate) headers: Vec<BatchHeader>,
    /// Where empty batches said that nothing follows.
    pub(crate) closings: Vec<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) generations: BTreeMap<Generation, Kept>,
    /// Met by the next requests, one each.
    pub(crate) faults: VecDeque<Fault>,
    /// Met by the next batches, one each.
    pub(crate) batch_faults: VecDeque<Fault>,
    /// The files of the batches that were kept, as they came.
    pub(crate) order: Vec<String>,
    pub(crate) hellos: Vec<Hello>,
    pub(crate) reports: Vec<SpoolsReport>,
    pub(crate) authorizations: Vec<Option<String>>,
}

impl Content {
    /// Goes back to an earlier point, as a server restored from a backup does: of every
    /// generation only the first `batches` batches are left.
    pub(crate) fn roll_back(&mut self, batches: usize) {
        self.generations.retain(|_, kept| {
            kept.headers.truncate(batches);
            let end = kept.headers.last().map_or(0, |header| header.end);
            kept.bytes.truncate(end as usize);
            !kept.headers.is_empty()
        });
    }

    fn offset(&self, generation: &Generation) -> u64 {
        self.generations.get(generation).and_then(|kept| kept.headers.last()).map_or(0, |header| header.end)
    }
}

/// A running server.
pub(crate) struct Store {
    content: Arc<Mutex<Content>>,
    pub(crate) url: String,
    task: JoinHandle<()>,
}

impl Store {
    pub(crate) async fn start() -> Self {
        let content = Arc::new(Mutex::new(Content::default()));
        let router = Router::new()
            .route("/healthz", get(monitoring))
            .route("/readyz", get(monitoring))
            .route("/api/v1/agent/positions", post(positions))
            .route("/api/v1/agent/batches", post(batches))
            .route("/api/v1/agent/spools", post(spools))
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&content));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { content, url, task }
    }

    pub(crate) fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap()
    }

    /// Everything kept, generation after generation.
    pub(crate) fn text(&self) -> String {
        let content = self.content();
        let texts = content.generations.values().map(|kept| String::from_utf8_lossy(&kept.bytes).into_owned());
        texts.collect()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Shared = State<Arc<Mutex<Content>>>;

async fn monitoring(State(content): Shared) -> Response {
    let fault = content.lock().unwrap().faults.pop_front();
    fault.map_or_else(|| "ok\n".into_response(), answer_to)
}

async fn positions(State(content): Shared, headers: HeaderMap, Json(hello): Json<Hello>) -> Response {
    let mut content = content.lock().unwrap();
    let authorization = headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
    content.authorizations.push(authorization);
    content.hellos.push(hello);
    if let Some(fault) = content.faults.pop_front() {
        return answer_to(fault);
    }
    let positions = content
        .generations
        .keys()
        .map(|generation| Position { generation: generation.clone(), offset: content.offset(generation) })
        .collect();
    Json(Positions { positions }).into_response()
}

async fn spools(State(content): Shared, Json(report): Json<SpoolsReport>) -> StatusCode {
    content.lock().unwrap().reports.push(report);
    StatusCode::NO_CONTENT
}

async fn batches(State(content): Shared, body: Bytes) -> Response {
    let mut content = content.lock().unwrap();
    let fault = match content.faults.pop_front() {
        Some(fault) => Some(fault),
        None => content.batch_faults.pop_front(),
    };
    if let Some(fault) = fault.filter(|fault| *fault != Fault::BrokenAfterKeeping) {
        return answer_to(fault);
    }
    let line_feed = body.iter().position(|byte| *byte == b'\n').unwrap();
    let header: BatchHeader = serde_json::from_slice(&body[..line_feed]).unwrap();
    let payload = zstd::decode_all(&body[line_feed + 1..]).unwrap();
    let offset = content.offset(&header.generation);
    if header.start > offset {
        return (StatusCode::CONFLICT, Json(Receipt { offset })).into_response();
    }
    let end = header.end;
    if header.skipped.is_none() {
        assert_eq!(payload.len() as u64, header.end - header.start);
    }
    if end > offset {
        content.order.push(header.path.clone());
        let kept = content.generations.entry(header.generation.clone()).or_default();
        // What is kept already is not kept again.
        let known = (offset - header.start) as usize;
        kept.bytes.extend_from_slice(&payload[known.min(payload.len())..]);
        kept.headers.push(header);
    } else if header.last && header.start == offset {
        content.generations.get_mut(&header.generation).unwrap().closings.push(offset);
    }
    match fault {
        Some(fault) => answer_to(fault),
        None => Json(Receipt { offset: end.max(offset) }).into_response(),
    }
}

fn answer_to(fault: Fault) -> Response {
    match fault {
        Fault::Status(status) => (StatusCode::from_u16(status).unwrap(), "on purpose").into_response(),
        Fault::Busy(seconds) => {
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, seconds.to_string())]).into_response()
        }
        Fault::Broken | Fault::BrokenAfterKeeping => {
            let breaks =
                futures::stream::once(async { Err::<Bytes, io::Error>(io::ErrorKind::ConnectionReset.into()) });
            Response::new(Body::from_stream(breaks))
        }
        Fault::Redirect => {
            (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/api/v1/agent/elsewhere")]).into_response()
        }
    }
}
