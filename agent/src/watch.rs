//! File system events that make the next look earlier.
//!
//! They are a convenience: events get lost, network file systems send none, and the number of
//! watches is limited. Whatever is missed is seen at the next poll.

use std::collections::BTreeSet;
use std::path::PathBuf;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Watches the spools' directories.
pub(crate) struct Watch {
    watcher: Option<RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
    changes: Receiver<()>,
    /// Keeps the channel open when there is no watcher.
    _sender: Sender<()>,
}

impl Watch {
    /// Starts to watch nothing yet.
    pub(crate) fn new() -> Self {
        let (sender, changes) = channel(1);
        let handler_sender = sender.clone();
        let handler = move |event: notify::Result<Event>| {
            let is_change = event.is_ok_and(|event| {
                matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_))
            });
            if is_change {
                // A full channel already says that something changed.
                let _ = handler_sender.try_send(());
            }
        };
        let watcher = notify::recommended_watcher(handler)
            .inspect_err(|error| tracing::debug!(%error, "no file system events; polling alone"))
            .ok();
        Self { watcher, watched: BTreeSet::new(), changes, _sender: sender }
    }

    /// Watches the directories that exist now.
    pub(crate) fn set_directories(&mut self, directories: &BTreeSet<PathBuf>) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        for directory in self.watched.difference(directories) {
            // A directory that is gone has lost its watch already.
            let _ = watcher.unwatch(directory);
        }
        for directory in directories.difference(&self.watched) {
            if let Err(error) = watcher.watch(directory, RecursiveMode::NonRecursive) {
                tracing::debug!(directory = %directory.display(), %error, "no file system events; polling alone");
            }
        }
        self.watched.clone_from(directories);
    }

    /// Waits for a change in a watched directory.
    pub(crate) async fn changed(&mut self) {
        // The sender above lives as long, so there is always a change to come.
        let _ = self.changes.recv().await;
    }
}
