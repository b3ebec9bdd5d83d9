//! What a run says while it goes: the newest of its log lines are kept with it.
//!
//! Whatever is logged inside a run's span is taken, the client of the source included, by a layer
//! of the subscriber that also writes the log; nobody logs twice. Nothing is kept that the log at
//! its usual level would not show.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sextant_store::{LogLevel, LogLine};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Span, Subscriber};
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::clock::now;

/// So many lines of a run are kept, the newest.
const MAX_LINES: usize = 200;
/// So many bytes of text of a run are kept at most, the newest: 32 KiB.
const MAX_BYTES: usize = 32 << 10;
/// A longer line is cut, bytes.
const MAX_LINE_BYTES: usize = 2 << 10;
/// The name of a run's span.
const SPAN: &str = "pass";

/// The newest lines of one run, while it goes and after.
#[derive(Debug, Default)]
pub(super) struct RunLines(Mutex<Lines>);

#[derive(Debug, Default)]
struct Lines {
    /// The oldest first.
    newest: VecDeque<LogLine>,
    bytes: usize,
    dropped: u64,
}

/// The span of a run and the lines that are logged in it. Without a subscriber that keeps them
/// there are none.
pub(super) fn begin(extractor: &str, run: u64) -> (Span, Arc<RunLines>) {
    let span = tracing::info_span!("pass", extractor, run);
    let kept = span.with_subscriber(|(id, dispatch)| {
        let span = dispatch.downcast_ref::<Registry>()?.span(id)?;
        span.extensions().get::<Arc<RunLines>>().cloned()
    });
    (span, kept.flatten().unwrap_or_default())
}

impl RunLines {
    /// The lines, the oldest first, and how many older ones were dropped.
    pub(super) fn read(&self) -> (Vec<LogLine>, u64) {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (lines.newest.iter().cloned().collect(), lines.dropped)
    }

    fn add(&self, level: LogLevel, mut text: String) {
        if text.len() > MAX_LINE_BYTES {
            text.truncate(text.floor_char_boundary(MAX_LINE_BYTES));
            text.push('…');
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.bytes += text.len();
        lines.newest.push_back(LogLine { time: now(), level, text });
        while lines.newest.len() > MAX_LINES || lines.bytes > MAX_BYTES {
            let oldest = lines.newest.pop_front().map_or(0, |line| line.text.len());
            lines.bytes -= oldest;
            lines.dropped += 1;
        }
    }
}

/// Keeps what is logged inside the spans of runs.
#[derive(Debug, Default)]
pub struct KeepsRunLines;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for KeepsRunLines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let metadata = attributes.metadata();
        if metadata.name() == SPAN
            && metadata.target() == module_path!()
            && let Some(span) = context.span(id)
        {
            span.extensions_mut().insert(Arc::<RunLines>::default());
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let level = match *event.metadata().level() {
            Level::ERROR => LogLevel::Error,
            Level::WARN => LogLevel::Warn,
            Level::INFO => LogLevel::Info,
            Level::DEBUG | Level::TRACE => return,
        };
        let mut spans = context.event_scope(event).into_iter().flatten();
        let Some(lines) = spans.find_map(|span| span.extensions().get::<Arc<RunLines>>().cloned()) else {
            return;
        };
        let mut text = String::new();
        // Only a field that cannot say itself fails; what it is beside is kept.
        let _ = DefaultFields::new().format_fields(Writer::new(&mut text), event);
        lines.add(level, text);
    }
}

#[cfg(test)]
mod tests {
    use tracing::level_filters::LevelFilter;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    fn keeping<T>(logs: impl FnOnce() -> T) -> T {
        let subscriber = tracing_subscriber::registry()
            .with(tracing_subscriber::fmt::layer().with_writer(std::io::sink).with_filter(LevelFilter::ERROR))
            .with(KeepsRunLines.with_filter(LevelFilter::INFO));
        tracing::subscriber::with_default(subscriber, logs)
    }

    #[test]
    fn what_is_logged_in_a_run_is_kept_with_it_whatever_the_log_shows() {
        keeping(|| {
            let (first, of_first) = begin("hive", 1);
            let (_, of_second) = begin("hive", 2);
            tracing::warn!("outside of any run");
            first.in_scope(|| {
                tracing::info!(phase = "read", seen = 7, "the pass goes on");
                tracing::debug!("too small a thing");
                tracing::info_span!("inner").in_scope(|| tracing::error!("it {} fail", "did"));
            });
            let (lines, dropped) = of_first.read();
            let told: Vec<_> = lines.iter().map(|line| (line.level, line.text.as_str())).collect();
            let expected =
                [(LogLevel::Info, "the pass goes on phase=\"read\" seen=7"), (LogLevel::Error, "it did fail")];
            assert_eq!((told.as_slice(), dropped), (expected.as_slice(), 0));
            assert_eq!(of_second.read(), (Vec::new(), 0));
        });
    }

    #[test]
    fn the_newest_lines_are_kept_and_the_others_counted() {
        let lines = RunLines::default();
        for number in 0..MAX_LINES + 5 {
            lines.add(LogLevel::Info, number.to_string());
        }
        let (kept, dropped) = lines.read();
        assert_eq!((kept.len(), kept[0].text.as_str(), dropped), (MAX_LINES, "5", 5));
        for _ in 0..MAX_LINES {
            lines.add(LogLevel::Warn, "é".repeat(MAX_LINE_BYTES));
        }
        let (kept, dropped) = lines.read();
        assert_eq!(kept.len(), MAX_BYTES / (MAX_LINE_BYTES + "…".len()));
        assert_eq!(dropped as usize + kept.len(), 2 * MAX_LINES + 5);
        assert!(kept.iter().all(|line| line.text.len() == MAX_LINE_BYTES + "…".len()));
    }
}
