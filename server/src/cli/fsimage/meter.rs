//! How far reading is, on a terminal.

use std::cell::Cell;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sextant_fsimage::Progress;

/// A bar with the rate and the time left on stderr, if that is a terminal; else nothing.
pub(super) struct Meter {
    bar: ProgressBar,
    total: Cell<u64>,
}

impl Meter {
    pub(super) fn new(what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let template = "{msg:11} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        Self { bar, total: Cell::new(0) }
    }

    pub(super) fn show(&self, progress: Progress) {
        if self.total.replace(progress.total) != progress.total {
            self.bar.set_length(progress.total);
        }
        self.bar.set_position(progress.done);
    }

    /// Takes the bar away, as being dropped does after an error.
    pub(super) fn finish(self) {
        drop(self);
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
