//! What is known of a compressed file besides what is known of every file.
//!
//! Positions in it are positions in its content. How long that is, is known when it was unpacked to
//! its end once; only then is anything of it delivered, so that a file that is still being
//! compressed, or is damaged, waits.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::file::Stat;
use crate::unpack::{Compression, Unpacking};

/// A compressed file.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) compression: Compression,
    /// The compressed file as it was seen last.
    pub(crate) stat: Stat,
    /// It was unpacked to its end since it is like that.
    pub(crate) is_measured: bool,
    /// It is not read from its beginning: only what is missing of a file that was followed.
    pub(crate) only_rest: bool,
    /// There is nothing to do until it changes: it is not whole, damaged, or left alone.
    pub(crate) waits: bool,
    /// Where unpacking goes on.
    pub(crate) stream: Option<Box<Unpacking>>,
}

/// The same in the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedPacked {
    compression: Compression,
    size: u64,
    /// Nanoseconds since the epoch.
    modified_ns: u64,
    measured: bool,
    only_rest: bool,
}

impl Packed {
    /// One that is met for the first time.
    pub(crate) fn new(compression: Compression, stat: Stat, only_rest: bool) -> Self {
        Self { compression, stat, is_measured: false, only_rest, waits: false, stream: None }
    }

    /// As the last run left it.
    pub(crate) fn remembered(saved: SavedPacked) -> Self {
        let stat = Stat { size: saved.size, modified: UNIX_EPOCH + Duration::from_nanos(saved.modified_ns) };
        Self { is_measured: saved.measured, ..Self::new(saved.compression, stat, saved.only_rest) }
    }

    /// What is written to the state.
    pub(crate) fn to_saved(&self) -> SavedPacked {
        SavedPacked {
            compression: self.compression,
            size: self.stat.size,
            modified_ns: nanoseconds(self.stat.modified),
            measured: self.is_measured,
            only_rest: self.only_rest,
        }
    }

    /// Takes over how a look saw it. What was known of its content is void when it changed.
    pub(crate) fn see(&mut self, stat: Stat) {
        if !self.is_like(stat.size, stat.modified) {
            self.forget_content();
        }
        self.stat = stat;
    }

    /// Whether it has not changed.
    pub(crate) fn is_like(&self, size: u64, modified: SystemTime) -> bool {
        size == self.stat.size && nanoseconds(modified) == nanoseconds(self.stat.modified)
    }

    /// The content has to be looked at again.
    pub(crate) fn forget_content(&mut self) {
        self.is_measured = false;
        self.waits = false;
        self.stream = None;
    }

    /// There is nothing to do until it changes.
    pub(crate) fn wait(&mut self) {
        self.waits = true;
        self.stream = None;
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |duration| duration.as_nanos() as u64)
}
