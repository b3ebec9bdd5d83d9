//! What the server counts, in Prometheus' text form.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use sextant_model::problem::ProblemKind;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ExtractorLabel {
    extractor: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    extractor: String,
    outcome: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    route: String,
    status: u16,
}

/// From a tenth of a second to an hour.
fn run_histogram() -> Histogram {
    Histogram::new([0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0])
}

/// Every counter of the server.
pub struct Metrics {
    registry: Registry,
    intake_batches: Counter,
    intake_bytes: Counter,
    records_linked: Counter,
    problems: Family<KindLabel, Counter>,
    runs: Family<RunLabels, Counter>,
    runs_skipped: Family<ExtractorLabel, Counter>,
    run_seconds: Family<ExtractorLabel, Histogram>,
    documents_indexed: Counter,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Histogram,
    inbox_behind: Gauge,
    index_behind: Gauge,
    feed_position: Gauge<f64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// All at zero.
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("sextant");
        let metrics = Self {
            intake_batches: Counter::default(),
            intake_bytes: Counter::default(),
            records_linked: Counter::default(),
            problems: Family::default(),
            runs: Family::default(),
            runs_skipped: Family::default(),
            run_seconds: Family::new_with_constructor(run_histogram as fn() -> Histogram),
            documents_indexed: Counter::default(),
            requests: Family::default(),
            request_seconds: Histogram::new([0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0]),
            inbox_behind: Gauge::default(),
            index_behind: Gauge::default(),
            feed_position: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register("intake_batches", "Batches kept in the inbox", metrics.intake_batches.clone());
        registry.register("intake_bytes", "Compressed bytes of those batches", metrics.intake_bytes.clone());
        registry.register("records_linked", "Lineage records that are in the facts", metrics.records_linked.clone());
        registry.register("problems", "Stretches of input that were quarantined", metrics.problems.clone());
        registry.register("extractor_runs", "Runs of pull extractors that ended", metrics.runs.clone());
        registry.register(
            "extractor_runs_skipped",
            "Scheduled runs skipped because one was in progress",
            metrics.runs_skipped.clone(),
        );
        registry.register("extractor_run_seconds", "How long runs took", metrics.run_seconds.clone());
        registry.register(
            "documents_indexed",
            "Documents given to the search index",
            metrics.documents_indexed.clone(),
        );
        registry.register("http_requests", "Answered requests", metrics.requests.clone());
        registry.register("http_request_seconds", "How long answers took", metrics.request_seconds.clone());
        registry.register("inbox_behind_entries", "Inbox entries that are not linked", metrics.inbox_behind.clone());
        registry.register("index_behind_changes", "Changes that are not searchable", metrics.index_behind.clone());
        registry.register("feed_position", "Newest position of the change feed", metrics.feed_position.clone());
        // A counter that begins with its first value hides the first increase from whoever watches.
        for kind in ProblemKind::ALL {
            metrics.problems.get_or_create(&KindLabel { kind: kind.as_str().to_owned() }).inc_by(0);
        }
        Self { registry, ..metrics }
    }

    /// A batch was kept.
    pub fn batch_received(&self, bytes: u64) {
        self.intake_batches.inc();
        self.intake_bytes.inc_by(bytes);
    }

    /// Records are in the facts.
    pub fn records_linked(&self, records: u64) {
        self.records_linked.inc_by(records);
    }

    /// A stretch was quarantined.
    pub fn problem(&self, kind: ProblemKind) {
        self.problems.get_or_create(&KindLabel { kind: kind.as_str().to_owned() }).inc();
    }

    /// A run ended.
    pub fn run_ended(&self, extractor: &str, outcome: &str, seconds: f64) {
        let extractor = extractor.to_owned();
        self.runs.get_or_create(&RunLabels { extractor: extractor.clone(), outcome: outcome.to_owned() }).inc();
        self.run_seconds.get_or_create(&ExtractorLabel { extractor }).observe(seconds);
    }

    /// A scheduled run was skipped.
    pub fn run_skipped(&self, extractor: &str) {
        self.runs_skipped.get_or_create(&ExtractorLabel { extractor: extractor.to_owned() }).inc();
    }

    /// Documents went into the index.
    pub fn documents_indexed(&self, documents: u64) {
        self.documents_indexed.inc_by(documents);
    }

    /// A request was answered. `route` is the pattern, never the path.
    pub fn request(&self, method: &str, route: &str, status: u16, seconds: f64) {
        let labels = RequestLabels { method: method.to_owned(), route: route.to_owned(), status };
        self.requests.get_or_create(&labels).inc();
        self.request_seconds.observe(seconds);
    }

    /// Everything, with the lags as they are now, and `gauges` behind it.
    pub fn text(&self, inbox_behind: u64, index_behind: u64, feed_position: u64, gauges: &Registry) -> String {
        self.inbox_behind.set(i64::try_from(inbox_behind).unwrap_or(i64::MAX));
        self.index_behind.set(i64::try_from(index_behind).unwrap_or(i64::MAX));
        self.feed_position.set(feed_position as f64);
        let mut text = String::new();
        // Writing into a String cannot fail.
        let _ = encode_registry(&mut text, &self.registry)
            .and_then(|()| encode_registry(&mut text, gauges))
            .and_then(|()| encode_eof(&mut text));
        text
    }
}
