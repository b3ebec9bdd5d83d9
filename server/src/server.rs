//! The server as a whole: opens what it keeps, starts its threads, listens, and goes down.

use std::future::Future;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use sextant_extractors::push::Formats;
use sextant_model::location::FileSystems;
use sextant_model::{Timestamp, Viewer};
use sextant_store::{Facts, SqliteStore, Store, StoreError};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::agents::Agents;
use crate::clock::now;
use crate::clusters::Clusters;
use crate::config::Config;
use crate::extraction::{Extraction, ExtractionError};
use crate::graph::GraphFollower;
use crate::indexing::{Indexer, IndexingError};
use crate::linking::{Linker, Listeners, Work};
use crate::metrics::Metrics;
use crate::pushback::Pushback;
use crate::view::agent::KnownAgent;
use crate::view::physical::Physical;

/// How long requests in progress may take once the server goes down.
const GOES_DOWN_WITHIN: Duration = Duration::from_secs(3);
/// How long the threads may take for the step they are in.
const THREADS_END_WITHIN: Duration = Duration::from_millis(1_500);

/// Everything that the parts of a running server share.
pub struct Server {
    /// Facts and inbox.
    pub store: Arc<dyn Store>,
    /// The follower that makes things searchable.
    pub indexer: Arc<Indexer>,
    /// The follower that keeps the graph in memory.
    pub graph: Arc<GraphFollower>,
    /// The thread that links.
    pub linker: Arc<Linker>,
    /// The pull extractors.
    pub extraction: Extraction,
    /// Which formats of lineage records it reads.
    pub formats: Formats,
    /// When agents are asked to wait.
    pub pushback: Pushback,
    /// Which clusters share a metastore.
    pub clusters: Clusters,
    /// Which file systems extractors show, and under which addresses.
    pub file_systems: FileSystems,
    /// How agents stand.
    pub agents: Arc<Agents>,
    /// An agent that was not heard for longer is silent.
    pub silent_after: Duration,
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// When it started.
    pub started: Timestamp,
    /// Where it listens.
    pub address: SocketAddr,
    /// The origins that a proxy shows it under.
    pub public_urls: Vec<String>,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is taken or not of this host.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why, and what to do.
        reason: String,
    },
    /// The data directory cannot be used.
    #[error("cannot use the data directory {path}: {source}; give another with --data, or make it writable")]
    DataDirectory {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index can neither be opened nor made anew.
    #[error(transparent)]
    Indexing(#[from] IndexingError),
    /// Signals cannot be received.
    #[error("cannot listen for signals: {0}")]
    Signals(std::io::Error),
    /// The operating system refuses a thread.
    #[error("cannot start the {name} thread: {source}; raise the limit of processes")]
    Thread {
        /// What it is for.
        name: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// An extractor cannot be prepared.
    #[error(transparent)]
    Extraction(#[from] ExtractionError),
}

/// A server that listens.
pub struct RunningServer {
    server: Arc<Server>,
    shutdown: watch::Sender<bool>,
    serving: tokio::task::JoinHandle<()>,
    linker_thread: JoinHandle<()>,
    indexer_thread: JoinHandle<()>,
    graph_thread: JoinHandle<()>,
    address_file: PathBuf,
}

/// How far the parts are behind each other.
#[derive(Debug, Clone, Copy)]
pub struct Lag {
    /// The newest inbox entry.
    pub newest_entry: u64,
    /// Inbox entries that are not linked.
    pub inbox_entries: u64,
    /// The newest change.
    pub newest_change: u64,
    /// Changes that are not searchable.
    pub index_changes: u64,
}

impl Server {
    /// The facts alone.
    pub fn facts(&self) -> &dyn Facts {
        self.store.as_ref()
    }

    /// Reads where data lies.
    pub fn physical<'a>(&'a self, viewer: &'a Viewer) -> Physical<'a> {
        Physical { facts: self.facts(), viewer, file_systems: &self.file_systems }
    }

    /// Every agent, by host and id.
    pub fn known_agents(&self, viewer: &Viewer, at: Timestamp) -> Result<Vec<KnownAgent>, StoreError> {
        let contacts = self.store.agents(viewer)?;
        let known = contacts.into_iter().map(|contact| {
            let shown = self.agents.shown(&contact.agent, at);
            KnownAgent::new(contact, shown, at, self.silent_after)
        });
        Ok(known.collect())
    }

    /// How far the parts are behind each other.
    pub fn lag(&self) -> Result<Lag, StoreError> {
        let newest_entry = self.store.newest_entry()?;
        let newest_change = self.store.newest_change()?;
        Ok(Lag {
            newest_entry,
            inbox_entries: newest_entry.saturating_sub(self.linker.linked().position()),
            newest_change,
            index_changes: newest_change.saturating_sub(self.indexer.position()),
        })
    }
}

impl RunningServer {
    /// Opens the data directory, listens, and starts everything.
    pub async fn start(config: &Config) -> Result<Self, ServerError> {
        Self::start_reading(config, Formats::default()).await
    }

    /// The same, reading no other formats of lineage records than these. What comes in another one
    /// waits in the inbox for a server that reads it.
    pub async fn start_reading(config: &Config, formats: Formats) -> Result<Self, ServerError> {
        let data_dir = &config.server.data_dir;
        std::fs::create_dir_all(data_dir)
            .map_err(|source| ServerError::DataDirectory { path: data_dir.clone(), source })?;
        let store: Arc<dyn Store> = Arc::new(open_store(data_dir)?);
        ask_again_for_what_was_dropped(store.as_ref())?;
        release_waiting(store.as_ref(), &formats)?;
        let listener = listen(config.server.listen).await?;
        let address = listener
            .local_addr()
            .map_err(|error| ServerError::Listen { address: config.server.listen, reason: error.to_string() })?;
        let metrics = Arc::new(Metrics::new());
        let clusters = Clusters::of(&config.extractors);
        let (indexer, follow) = Indexer::prepare(&data_dir.join("index"), Arc::clone(&store), Arc::clone(&metrics))?;
        let indexer = Arc::new(indexer);
        let (graph, follow_graph) = GraphFollower::prepare(Arc::clone(&store));
        let graph = Arc::new(graph);
        let followers = (Arc::clone(&indexer), Arc::clone(&graph));
        let agents = Arc::new(Agents::default());
        let (linker, link) = Linker::prepare(
            Arc::clone(&store),
            clusters.clone(),
            formats.clone(),
            Listeners {
                agents: Arc::clone(&agents),
                metrics: Arc::clone(&metrics),
                committed: Box::new(move |_| {
                    followers.0.wake();
                    followers.1.wake();
                }),
            },
        )?;
        let linker = Arc::new(linker);
        let indexer_thread = start_thread("indexer", follow)?;
        let graph_thread = start_thread("graph", follow_graph)?;
        let linker_thread = start_thread("linker", link)?;
        let extraction = Extraction::prepare(config, &clusters, &linker, &metrics).await?;
        let file_systems = config.file_systems(&clusters);
        let server = Arc::new(Server {
            store,
            indexer,
            graph,
            linker,
            extraction,
            formats,
            pushback: Pushback::of(&config.server),
            clusters,
            file_systems,
            agents,
            silent_after: config.server.silent_after,
            data_dir: data_dir.clone(),
            metrics,
            started: now(),
            address,
            public_urls: config.server.public_urls.clone(),
        });
        let (shutdown, mut told) = watch::channel(false);
        let router = crate::api::router(Arc::clone(&server));
        let serving = tokio::spawn(async move {
            let stop = async move {
                let _ = told.wait_for(|down| *down).await;
            };
            if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(stop).await {
                tracing::error!(error = %error, "the server stopped listening");
            }
        });
        let address_file = data_dir.join("address");
        if let Err(error) = std::fs::write(&address_file, format!("http://{address}\n")) {
            tracing::warn!(error = %error, path = %address_file.display(), "cannot note the address");
        }
        tracing::info!(data_dir = %data_dir.display(), version = env!("CARGO_PKG_VERSION"), "listening on http://{address}");
        server.extraction.start().await?;
        Ok(Self { server, shutdown, serving, linker_thread, indexer_thread, graph_thread, address_file })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// What its parts share.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Goes down: answers what is being asked, commits what is being linked, and ends. What was
    /// acknowledged and is not linked yet is linked after the next start.
    pub async fn stop(self) {
        tracing::info!("going down");
        self.server.extraction.stop().await;
        let _ = self.shutdown.send(true);
        let abort = self.serving.abort_handle();
        if tokio::time::timeout(GOES_DOWN_WITHIN, self.serving).await.is_err() {
            tracing::info!("requests in progress are cut off");
            abort.abort();
        }
        self.server.linker.stop();
        self.server.indexer.stop();
        self.server.graph.stop();
        let threads = [self.linker_thread, self.indexer_thread, self.graph_thread];
        let ended = tokio::task::spawn_blocking(move || {
            for thread in threads {
                let _ = thread.join();
            }
        });
        if tokio::time::timeout(THREADS_END_WITHIN, ended).await.is_err() {
            tracing::info!("a long step is cut off; its transaction is undone and repeated after the next start");
        }
        let _ = std::fs::remove_file(&self.address_file);
        tracing::info!("down");
    }
}

/// Runs a server until `stop` is over.
pub async fn run(config: &Config, stop: impl Future<Output = ()>) -> Result<(), ServerError> {
    let running = RunningServer::start(config).await?;
    stop.await;
    running.stop().await;
    Ok(())
}

/// Facts that were restored from a backup without the inbox of their time may lack what was linked
/// and dropped since: agents are told that nothing is kept. What they deliver twice counts once.
fn ask_again_for_what_was_dropped(store: &dyn Store) -> Result<(), StoreError> {
    let position = store.inbox_position()?;
    if store.next_is_missing(position)? {
        tracing::warn!(
            position,
            "the facts are older than the inbox (restored alone?); agents are asked for all that they still have"
        );
        store.forget_positions()?;
    }
    Ok(())
}

/// Puts records that waited for a server which reads their format back into the queue.
fn release_waiting(store: &dyn Store, formats: &Formats) -> Result<(), StoreError> {
    let entries = store.release(&formats.words())?;
    if entries > 0 {
        tracing::info!(entries, "records that an earlier version could not read are linked now");
    }
    Ok(())
}

fn open_store(data_dir: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(data_dir)
}

fn start_thread(name: &'static str, work: Work) -> Result<JoinHandle<()>, ServerError> {
    let builder = std::thread::Builder::new().name(name.to_owned());
    builder.spawn(work).map_err(|source| ServerError::Thread { name, source })
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServerError> {
    TcpListener::bind(address).await.map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::AddrInUse => {
                "the address is taken; stop what listens there (another sextant server?) or give another --listen"
                    .to_owned()
            }
            ErrorKind::AddrNotAvailable => "this host has no such address; give another --listen".to_owned(),
            ErrorKind::PermissionDenied => "not allowed; give a port above 1023 with --listen".to_owned(),
            _ => error.to_string(),
        };
        ServerError::Listen { address, reason }
    })
}
