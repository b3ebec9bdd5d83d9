//! One turn of one file: read a batch, make sure it belongs to the generation, deliver it.
//!
//! A turn changes nothing of what the agent knows; it reports what it saw and what the server said.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task;

use sextant_model::delivery::BatchHeader;

use crate::copies::{Candidate, Comparison, Likeness};
use crate::delivery::{Answer, Server, Trouble};
use crate::file::{FollowedFile, Stat};
use crate::generation::{Anchor, Excerpt, Identity, Inode};
use crate::reader::{self, Extent, Limits, Next};
use crate::spool;
use crate::unpack::{Compression, Unpacking};

mod packed;

/// What a turn starts from.
#[derive(Debug)]
pub(crate) struct Turn {
    inode: Inode,
    path: PathBuf,
    held: Option<Arc<File>>,
    identity: Option<Identity>,
    anchor: Option<Anchor>,
    position: u64,
    searched_to: u64,
    finished: bool,
    /// It has not changed for some looks.
    quiet: bool,
    comparison: Option<Comparison>,
    packed: Option<PackedTurn>,
}

/// What a turn of a compressed file starts from besides.
#[derive(Debug)]
struct PackedTurn {
    compression: Compression,
    stat: Stat,
    /// The length of the content, if it is known.
    length: Option<u64>,
    stream: Option<Box<Unpacking>>,
}

impl Turn {
    pub(crate) fn of(file: &mut FollowedFile) -> Self {
        let length = file.stat.size;
        let packed = file.packed.as_mut().map(|packed| PackedTurn {
            compression: packed.compression,
            stat: packed.stat,
            length: packed.is_measured.then_some(length),
            stream: packed.stream.take(),
        });
        Self {
            inode: file.inode,
            path: file.path.clone(),
            held: file.held.clone(),
            identity: file.identity.clone(),
            anchor: file.anchor.clone(),
            position: file.position,
            searched_to: file.searched_to,
            finished: file.is_finished(),
            quiet: file.is_quiet(),
            comparison: file.comparison.clone(),
            packed,
        }
    }
}

/// What all turns share.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    pub(crate) server: Server,
    pub(crate) agent: String,
    pub(crate) host: String,
    pub(crate) limits: Limits,
    /// Lines longer than a batch are in memory one at a time.
    pub(crate) long_lines: Arc<Semaphore>,
}

/// How a turn ended.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) inode: Inode,
    /// The identity it was read under.
    pub(crate) identity: Option<Identity>,
    pub(crate) finished: bool,
    pub(crate) outcome: Outcome,
    /// Where unpacking goes on.
    pub(crate) stream: Option<Box<Unpacking>>,
}

/// What came out of a turn.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// No complete line behind the position.
    Nothing { stat: Stat, searched_to: u64 },
    /// The head is complete.
    Identified { head: Excerpt, size: u64 },
    /// The head was compared with those that begin alike; of these it is a copy.
    Compared { size: u64, fitting: Vec<Candidate> },
    /// A compressed file that changed still has the content it had, of this length.
    Measured { length: u64 },
    /// A compressed file is not whole yet, or empty.
    Incomplete,
    /// The content is not the one the identity was made from.
    Replaced,
    /// The file moved or changed while it was read; the next look tells.
    Shifted,
    /// It cannot be read, and why.
    Unreadable(io::Error),
    /// The server answered to these bytes.
    Answered { batch: SentBatch, answer: Answer },
    /// The server did not take them.
    Untaken(Trouble),
}

/// The bytes that were sent.
#[derive(Debug)]
pub(crate) struct SentBatch {
    pub(crate) extent: Extent,
    /// The last bytes of it.
    pub(crate) anchor: Anchor,
    /// The file as it was when it was read.
    pub(crate) stat: Stat,
}

/// What reading found, before anything is sent.
enum Found {
    Outcome(Outcome),
    Batch { file: Arc<File>, identity: Identity, extent: Extent, stat: Stat },
}

/// Takes a turn. `format` and `cluster` are those of the file's spool.
pub(crate) async fn take(turn: Turn, format: String, cluster: String, surroundings: Surroundings) -> Report {
    let (inode, identity, finished) = (turn.inode, turn.identity.clone(), turn.finished);
    let (outcome, stream) = if turn.packed.is_some() {
        packed::outcome(turn, format, cluster, surroundings).await
    } else {
        (outcome(turn, format, cluster, surroundings).await, None)
    };
    Report { inode, identity, finished, outcome, stream }
}

impl Surroundings {
    fn header(
        &self,
        path: &Path,
        format: String,
        cluster: String,
        identity: &Identity,
        extent: &Extent,
    ) -> BatchHeader {
        BatchHeader {
            agent: self.agent.clone(),
            host: self.host.clone(),
            generation: identity.generation(),
            path: path.to_string_lossy().into_owned(),
            format,
            cluster,
            start: extent.start,
            end: extent.end,
            skipped: extent.skipped.clone(),
            last: extent.last,
        }
    }
}

async fn outcome(turn: Turn, format: String, cluster: String, surroundings: Surroundings) -> Outcome {
    let limits = surroundings.limits;
    let (turn, found) = in_background(move || {
        let found = examine(&turn, limits).unwrap_or_else(|error| Found::Outcome(failed(error)));
        (turn, found)
    })
    .await;
    let (file, identity, extent, stat) = match found {
        Found::Outcome(outcome) => return outcome,
        Found::Batch { file, identity, extent, stat } => (file, identity, extent, stat),
    };
    let _one_at_a_time =
        if extent.payload_bytes() > limits.batch { surroundings.long_lines.acquire().await.ok() } else { None };
    let header = surroundings.header(&turn.path, format, cluster, &identity, &extent);
    let payload_bytes = extent.payload_bytes();
    let packed = in_background(move || {
        let body = reader::pack(&file, &header, payload_bytes)?;
        let anchor = Anchor::before(&file, header.end)?;
        let unchanged = reader::is_unchanged(&file, &identity, turn.anchor.as_ref(), header.end)?;
        Ok(unchanged.then_some((body, anchor)))
    })
    .await;
    let (body, anchor) = match packed {
        Ok(Some(packed)) => packed,
        Ok(None) => return Outcome::Replaced,
        Err(error) => return failed(error),
    };
    match surroundings.server.deliver(body).await {
        Ok(answer) => Outcome::Answered { batch: SentBatch { extent, anchor, stat }, answer },
        Err(trouble) => Outcome::Untaken(trouble),
    }
}

fn examine(turn: &Turn, limits: Limits) -> io::Result<Found> {
    let file = match &turn.held {
        Some(file) => Arc::clone(file),
        None => match spool::open(&turn.path, turn.inode)? {
            Some(file) => Arc::new(file),
            None => return Ok(Found::Outcome(Outcome::Shifted)),
        },
    };
    let stat = Stat::of(&file.metadata()?);
    let Some(identity) = turn.identity.clone() else {
        if let Some(comparison) = &turn.comparison {
            return Ok(Found::Outcome(compare(&file, stat.size, comparison, turn.quiet)?));
        }
        let head = Excerpt::of_head(&file, stat.size, turn.finished)?;
        return Ok(Found::Outcome(match head {
            Some(head) => Outcome::Identified { head, size: stat.size },
            None => Outcome::Nothing { stat, searched_to: 0 },
        }));
    };
    if stat.size < turn.position {
        return Ok(Found::Outcome(Outcome::Replaced));
    }
    let next = reader::next_extent(&file, stat.size, turn.position, turn.searched_to, turn.finished, limits)?;
    match next {
        Next::Extent(extent) => Ok(Found::Batch { file, identity, extent, stat }),
        Next::Nothing { searched_to } => {
            let unchanged = reader::is_unchanged(&file, &identity, turn.anchor.as_ref(), turn.position)?;
            let outcome = if unchanged { Outcome::Nothing { stat, searched_to } } else { Outcome::Replaced };
            Ok(Found::Outcome(outcome))
        }
    }
}

fn compare(file: &File, size: u64, comparison: &Comparison, quiet: bool) -> io::Result<Outcome> {
    let mut fitting = Vec::new();
    if !comparison.head.ends_at(file, comparison.head.length)? {
        return Ok(Outcome::Replaced);
    }
    let alone = comparison.candidates.len() == 1;
    for mut candidate in comparison.candidates.iter().cloned() {
        match candidate.compare(file, size, alone)? {
            Likeness::Copy => fitting.push(candidate),
            // It is being copied.
            Likeness::Beginning if !quiet => return Ok(Outcome::Shifted),
            Likeness::Beginning | Likeness::None => {}
        }
    }
    Ok(Outcome::Compared { size, fitting })
}

/// A file that became shorter or lost its name while it was read is no failure.
fn failed(error: io::Error) -> Outcome {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound => Outcome::Shifted,
        _ => Outcome::Unreadable(error),
    }
}

/// Runs what waits for disks on a thread that may wait.
async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends: nobody waits for the value any more.
            Err(_) => std::future::pending().await,
        },
    }
}
