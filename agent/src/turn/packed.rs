//! A turn of a compressed file.
//!
//! First its head, then its whole content once: whether it is whole, how long it is, and of which
//! file it is a copy. Only then its lines.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::{Outcome, PackedTurn, SentBatch, Surroundings, Turn, in_background};
use crate::copies::{Candidate, Evidence};
use crate::delivery::Answer;
use crate::file::Stat;
use crate::generation::{Anchor, Excerpt, Identity};
use crate::reader::{self, Limits};
use crate::spool;
use crate::unpack::{Piece, Unpacking};

/// What unpacking found.
enum Found {
    Outcome(Outcome),
    Piece { identity: Identity, piece: Piece, stat: Stat, stream: Box<Unpacking> },
}

pub(super) async fn outcome(
    turn: Turn,
    format: String,
    cluster: String,
    surroundings: Surroundings,
) -> (Outcome, Option<Box<Unpacking>>) {
    let limits = surroundings.limits;
    let path = turn.path.clone();
    let found = in_background(move || unpack(turn, limits).unwrap_or_else(|error| Found::Outcome(failed(error)))).await;
    let (identity, piece, stat, stream) = match found {
        Found::Outcome(outcome) => return (outcome, None),
        Found::Piece { identity, piece, stat, stream } => (identity, piece, stat, stream),
    };
    let Piece { extent, payload, anchor } = piece;
    let anchor = Anchor { end: extent.end, bytes: anchor };
    let header = surroundings.header(&path, format, cluster, &identity, &extent);
    let body = match reader::pack_compressed(&header, &payload) {
        Ok(body) => body,
        Err(error) => return (failed(error), None),
    };
    drop(payload);
    match surroundings.server.deliver(body).await {
        Ok(answer) => {
            let stream = (answer == Answer::Kept(extent.end)).then_some(stream);
            (Outcome::Answered { batch: SentBatch { extent, anchor, stat }, answer }, stream)
        }
        Err(trouble) => (Outcome::Untaken(trouble), None),
    }
}

fn unpack(mut turn: Turn, limits: Limits) -> io::Result<Found> {
    let Some(packed) = turn.packed.take() else {
        return Ok(Found::Outcome(Outcome::Shifted));
    };
    let file = match &turn.held {
        Some(file) => Arc::clone(file),
        None => match spool::open(&turn.path, turn.inode)? {
            Some(file) => Arc::new(file),
            None => return Ok(Found::Outcome(Outcome::Shifted)),
        },
    };
    if Stat::of(&file.metadata()?) != packed.stat {
        return Ok(Found::Outcome(Outcome::Shifted));
    }
    let Some(identity) = turn.identity.clone() else {
        return Ok(Found::Outcome(identify(&turn, &packed, file)?));
    };
    match packed.length {
        Some(length) => next(&turn, packed, file, identity, length, limits),
        None => Ok(Found::Outcome(measure(&turn, &packed, file, &identity)?)),
    }
}

fn identify(turn: &Turn, packed: &PackedTurn, file: Arc<File>) -> io::Result<Outcome> {
    let mut stream = Unpacking::new(file, packed.compression)?;
    let Some(head) = stream.head()? else {
        return Ok(Outcome::Incomplete);
    };
    let Some(comparison) = &turn.comparison else {
        return Ok(Outcome::Identified { head, size: 0 });
    };
    if comparison.head != head {
        return Ok(Outcome::Replaced);
    }
    let alone = comparison.candidates.len() == 1;
    let mut candidates = comparison.candidates.clone();
    let mut ends: Vec<(u64, Excerpt, usize)> = Vec::new();
    let mut sizes = vec![None; candidates.len()];
    let mut largest = vec![u64::MAX; candidates.len()];
    for (index, candidate) in candidates.iter_mut().enumerate() {
        let original = candidate.end_of_original(u64::MAX)?;
        if let Some(Evidence::Bytes { end, .. }) = &original {
            // A copy does not hold more than its original.
            largest[index] = *end;
        }
        let evidences = match original {
            // The original may have grown since; delivered bytes that are but the head show nothing.
            Some(original) if candidate.delivered() > head.length => vec![original, candidate.end_of_delivered()],
            Some(original) => vec![original],
            None => vec![candidate.without_original(alone)],
        };
        for evidence in evidences {
            match evidence {
                Evidence::Bytes { end, excerpt } => ends.push((end, excerpt, index)),
                Evidence::Size(size) => sizes[index] = Some(size),
                // Asked for all of the original.
                Evidence::Head | Evidence::None => {}
            }
        }
    }
    ends.sort_by_key(|(end, _, _)| *end);
    let wanted: Vec<(u64, Option<&Excerpt>)> = ends.iter().map(|(end, excerpt, _)| (*end, Some(excerpt))).collect();
    let (size, found) = stream.compare(&wanted)?;
    let is_found = |index: usize| ends.iter().zip(&found).any(|((_, _, of), found)| *of == index && *found);
    let fits = |index: usize, candidate: &Candidate| {
        (candidate.least_size()..=largest[index]).contains(&size) && (is_found(index) || sizes[index] == Some(size))
    };
    let mut fitting = Vec::new();
    for (index, candidate) in candidates.into_iter().enumerate() {
        if fits(index, &candidate) {
            fitting.push(candidate);
        }
    }
    Ok(Outcome::Compared { size, fitting })
}

/// The file changed: is its content, as far as it was delivered, the same?
fn measure(turn: &Turn, packed: &PackedTurn, file: Arc<File>, identity: &Identity) -> io::Result<Outcome> {
    let mut stream = Unpacking::new(file, packed.compression)?;
    if stream.head()?.as_ref() != Some(&identity.head) {
        return Ok(Outcome::Replaced);
    }
    let wanted: Vec<(u64, Option<&Excerpt>)> =
        turn.anchor.iter().map(|anchor| (anchor.end, Some(&anchor.bytes))).collect();
    let (length, found) = stream.compare(&wanted)?;
    let is_same = length >= turn.position && found.iter().all(|found| *found);
    Ok(if is_same { Outcome::Measured { length } } else { Outcome::Replaced })
}

fn next(
    turn: &Turn,
    packed: PackedTurn,
    file: Arc<File>,
    identity: Identity,
    length: u64,
    limits: Limits,
) -> io::Result<Found> {
    let stat = Stat { size: length, modified: packed.stat.modified };
    if turn.position >= length {
        return Ok(Found::Outcome(Outcome::Nothing { stat, searched_to: turn.position }));
    }
    let mut stream = match packed.stream.filter(|stream| stream.position() == turn.position) {
        Some(stream) => stream,
        None => Box::new(Unpacking::new(file, packed.compression)?),
    };
    stream.skip_to(turn.position)?;
    Ok(match stream.next_piece(limits, turn.finished)? {
        Some(piece) => Found::Piece { identity, piece, stat, stream },
        None => Found::Outcome(Outcome::Nothing { stat, searched_to: length }),
    })
}

fn failed(error: io::Error) -> Outcome {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Outcome::Incomplete,
        io::ErrorKind::NotFound => Outcome::Shifted,
        _ => Outcome::Unreadable(error),
    }
}
