//! A metastore that answers as a test says.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::pull::hms::thrift::decode::Reader;
use crate::pull::hms::thrift::encode::{write_bytes, write_value};
use crate::pull::hms::thrift::message::VERSION_1;
use crate::pull::hms::thrift::transport::{Framing, Transport};
use crate::pull::hms::thrift::{Value, wire_type};

/// What it does when it is asked.
pub(super) enum Answer {
    Success(Value),
    /// A declared exception of that number.
    Declared(i16),
    /// A failure that the method does not declare.
    Failed,
    UnknownMethod,
    CloseConnection,
    Silence,
}

/// How many connections are open, and were at most.
#[derive(Default)]
struct Connections {
    open: AtomicUsize,
    most: AtomicUsize,
}

/// Stops when it is dropped.
pub(super) struct StandIn {
    pub(super) uri: String,
    serving: JoinHandle<()>,
    connections: Arc<Connections>,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl StandIn {
    /// Answers each call by its method and arguments struct.
    pub(super) async fn answering(
        framing: Framing,
        answer: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let answer = Arc::new(answer);
        Self::serving(move |stream| {
            let answer = answer.clone();
            async move {
                let mut transport = Transport::new(stream, framing);
                while let Ok(call) = transport.receive().await {
                    let Some(reply) = reply_to(&call, &*answer).await else {
                        return;
                    };
                    if transport.send(&reply).await.is_err() {
                        return;
                    }
                }
            }
        })
        .await
    }

    /// Waits for the first bytes, sends these, and closes after the client does.
    pub(super) async fn saying(bytes: &'static [u8]) -> Self {
        Self::serving(move |mut stream| async move {
            let mut received = [0; 1024];
            if stream.read(&mut received).await.is_ok() && stream.write_all(bytes).await.is_ok() {
                while stream.read(&mut received).await.is_ok_and(|count| count > 0) {}
            }
        })
        .await
    }

    async fn serving<F: Future<Output = ()> + Send + 'static>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = format!("thrift://{}", listener.local_addr().unwrap());
        let connections = Arc::new(Connections::default());
        let counting = connections.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let open = counting.open.fetch_add(1, Ordering::SeqCst) + 1;
                counting.most.fetch_max(open, Ordering::SeqCst);
                let (served, counting) = (serve(stream), counting.clone());
                tokio::spawn(async move {
                    served.await;
                    counting.open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { uri, serving, connections }
    }

    /// The most connections that were open at a time.
    pub(super) fn most_connections(&self) -> usize {
        self.connections.most.load(Ordering::SeqCst)
    }

    /// Waits until no connection is open.
    pub(super) async fn all_closed(&self) {
        while self.connections.open.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    }
}

async fn reply_to(call: &[u8], answer: &(dyn Fn(&str, &Value) -> Answer + Send + Sync)) -> Option<Vec<u8>> {
    let mut reader = Reader::new(call);
    reader.i32().unwrap();
    let method = String::from_utf8(reader.bytes().unwrap().to_vec()).unwrap();
    let sequence = reader.i32().unwrap();
    let arguments = reader.value(wire_type::STRUCT, 0).unwrap();
    let exception = |kind| Value::Struct(vec![(1, Value::text_of("stand-in")), (2, Value::I32(kind))]);
    let (kind, body) = match answer(&method, &arguments) {
        Answer::Success(value) => (2, Value::Struct(vec![(0, value)])),
        Answer::Declared(number) => {
            (2, Value::Struct(vec![(number, Value::Struct(vec![(1, Value::text_of("stand-in"))]))]))
        }
        Answer::UnknownMethod => (3, exception(1)),
        Answer::Failed => (3, exception(6)),
        Answer::CloseConnection => return None,
        Answer::Silence => std::future::pending().await,
    };
    let mut reply = (VERSION_1 | kind).to_be_bytes().to_vec();
    write_bytes(method.as_bytes(), &mut reply);
    reply.extend(sequence.to_be_bytes());
    write_value(&body, &mut reply);
    Some(reply)
}

/// A metastore with one database, `db`, and these tables; asked for a batch that holds a table
/// named `poison…` it does what `poisoned` says. It has only the methods of Hive before 2.3.
pub(super) fn old_metastore(
    tables: &'static [&'static str],
    poisoned: fn() -> Answer,
) -> impl Fn(&str, &Value) -> Answer + Send + Sync + 'static {
    let table = |name: &str| Value::Struct(vec![(1, Value::text_of(name)), (2, Value::text_of("db"))]);
    move |method, arguments| match method {
        "getStatus" => Answer::Success(Value::I32(2)),
        "get_all_databases" => Answer::Success(Value::list_of_texts(&["db"])),
        "get_database" => Answer::Success(Value::Struct(vec![(1, Value::text_of("db"))])),
        "get_all_tables" => Answer::Success(Value::list_of_texts(tables)),
        "get_table_objects_by_name" => {
            let asked = arguments.texts(2);
            if asked.iter().any(|name| name.starts_with("poison")) {
                return poisoned();
            }
            let there = asked.iter().filter(|name| !name.starts_with("hidden") && !name.starts_with("gone"));
            Answer::Success(Value::List(there.map(|name| table(name)).collect()))
        }
        "get_table" => match arguments.text(2) {
            Some(name) if name.starts_with("gone") => Answer::Declared(2),
            Some(name) if name.starts_with("refused") => Answer::Declared(1),
            Some(name) => Answer::Success(table(&name)),
            None => Answer::Failed,
        },
        _ => Answer::UnknownMethod,
    }
}
