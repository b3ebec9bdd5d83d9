//! Which file is a copy of which: rotation by copying, with or without compression.
//!
//! A copy has an inode of its own, so device and inode do not tell. Its head does, and because
//! many files may begin alike, what was delivered last does: the bytes before the position, or,
//! while the original is still there, its last bytes. A copy goes on in the generation of its
//! original, at the position that the server keeps, once the original cannot be read any more.
//! Where it cannot be told, the file is read from its start: the server knows a record again, and
//! what is delivered twice does less harm than what is not delivered.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::file::FollowedFile;
use crate::followed::Followed;
use crate::generation::{Anchor, Excerpt, Identity, Inode};
use crate::reader::is_unchanged;
use crate::spool;

/// So many generations are compared with one file, those that cannot be read any more first.
const MOST_CANDIDATES: usize = 64;
/// So many replaced contents are remembered.
const MOST_REPLACED: usize = 1_000;

/// A generation that a file may be a copy of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Candidate {
    pub(crate) identity: Identity,
    /// Kept by the server.
    pub(crate) position: u64,
    /// The last bytes that were delivered.
    pub(crate) anchor: Option<Anchor>,
    /// The size that it had when it was seen last.
    pub(crate) size: u64,
    /// The server knows that nothing follows behind this position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) closed: Option<u64>,
    /// Where it can still be read.
    #[serde(skip)]
    pub(crate) original: Option<(PathBuf, Inode)>,
}

/// What a file with that head is to be compared with.
#[derive(Debug, Clone)]
pub(crate) struct Comparison {
    pub(crate) head: Excerpt,
    pub(crate) candidates: Vec<Candidate>,
}

/// What shows that a file is a copy: these bytes end at this offset.
#[derive(Debug, Clone)]
pub(crate) enum Evidence {
    /// Compare these.
    Bytes { end: u64, excerpt: Excerpt },
    /// Nothing is delivered: the size has to do.
    Size(u64),
    /// The file is no longer than the head, which it has in common with a longer original: it may be
    /// the beginning of a copy.
    Head,
    /// Nothing can show it.
    None,
}

impl Candidate {
    /// Whether nothing behind the head was delivered, and the rest cannot be read any more.
    pub(crate) fn is_head_only(&self) -> bool {
        self.original.is_none() && self.delivered() <= self.identity.head.length
    }

    /// The end of what is known to be delivered of it.
    pub(crate) fn delivered(&self) -> u64 {
        self.anchor.as_ref().map_or(self.position, |anchor| anchor.end)
    }

    /// The bytes that were delivered last.
    pub(crate) fn end_of_delivered(&self) -> Evidence {
        match &self.anchor {
            Some(anchor) => Evidence::Bytes { end: anchor.end, excerpt: anchor.bytes.clone() },
            None if self.position == 0 => Evidence::Size(self.size),
            None => Evidence::None,
        }
    }

    /// The last bytes of the original, at most `size` of it; nothing when it is gone or has another
    /// content. "Not found" when it is not where the last look saw it: the next look tells.
    pub(crate) fn end_of_original(&self, size: u64) -> io::Result<Option<Evidence>> {
        let Some((path, inode)) = &self.original else {
            return Ok(None);
        };
        self.end_of_file(path, *inode, size).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => Err(io::ErrorKind::NotFound.into()),
            // Nobody can read it; what begins like it is read by itself.
            _ => Ok(Some(Evidence::None)),
        })
    }

    fn end_of_file(&self, path: &Path, inode: Inode, size: u64) -> io::Result<Option<Evidence>> {
        let original = spool::open(path, inode)?.ok_or(io::ErrorKind::NotFound)?;
        // Its content may have been replaced since the last look.
        if !is_unchanged(&original, &self.identity, self.anchor.as_ref(), self.position)? {
            return Ok(None);
        }
        let length = original.metadata()?.len();
        if size != u64::MAX && size > length {
            // It holds more than the original, so it has a writer of its own.
            return Ok(Some(Evidence::None));
        }
        if size <= self.identity.head.length && size < length {
            return Ok(Some(Evidence::Head));
        }
        let end = length.min(size);
        Ok(Some(Evidence::Bytes { end, excerpt: Excerpt::before(&original, end)? }))
    }

    /// The least size of a copy: what was seen of an original that cannot be read any more.
    pub(crate) fn least_size(&self) -> u64 {
        if self.original.is_none() {
            self.size.max(self.position).max(self.anchor.as_ref().map_or(0, |anchor| anchor.end))
        } else {
            self.position
        }
    }

    /// Whether a file of `size` bytes is a copy of it. `alone`: nothing else begins like it.
    pub(crate) fn compare(&mut self, file: &File, size: u64, alone: bool) -> io::Result<Likeness> {
        let evidence = match self.end_of_original(size)? {
            Some(evidence) => evidence,
            None => self.without_original(alone),
        };
        let is_alike = match evidence {
            Evidence::Bytes { end, excerpt } => excerpt.ends_at(file, end)?,
            Evidence::Size(expected) => size == expected,
            Evidence::Head => return Ok(Likeness::Beginning),
            Evidence::None => false,
        };
        let is_too_short = self.original.is_none() && size < self.least_size();
        Ok(match is_alike && !is_too_short {
            true if size < self.position => Likeness::Beginning,
            true => Likeness::Copy,
            false => Likeness::None,
        })
    }

    /// What is left to compare with when the original is gone or has another content.
    pub(crate) fn without_original(&mut self, alone: bool) -> Evidence {
        if self.original.take().is_some() {
            // The size that a look saw may be that of the new content.
            self.size = self.delivered();
        }
        if self.is_head_only() && !alone { Evidence::None } else { self.end_of_delivered() }
    }
}

/// How a file and a generation are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// It is a copy.
    Copy,
    /// It holds the beginning and may be on the way to become a copy.
    Beginning,
    /// They only begin alike.
    None,
}

/// Which followed files begin alike.
#[derive(Debug, Default)]
pub(crate) struct Heads(BTreeSet<(u64, Inode)>);

impl Heads {
    fn key(head: &Excerpt) -> u64 {
        u64::from_str_radix(&head.hash, 16).unwrap_or(0)
    }

    pub(crate) fn insert(&mut self, head: &Excerpt, inode: Inode) {
        self.0.insert((Self::key(head), inode));
    }

    pub(crate) fn remove(&mut self, head: &Excerpt, inode: Inode) {
        self.0.remove(&(Self::key(head), inode));
    }

    /// The files that begin so; what they are now has to be looked at.
    fn with(&self, head: &Excerpt) -> impl Iterator<Item = Inode> {
        let key = Self::key(head);
        let least = Inode { device: 0, number: 0 };
        let most = Inode { device: u64::MAX, number: u64::MAX };
        self.0.range((key, least)..=(key, most)).map(|(_, inode)| *inode)
    }
}

impl Followed {
    /// The generations that the file may be a copy of.
    pub(crate) fn candidates(&self, inode: Inode, spool: usize, head: &Excerpt) -> Vec<Candidate> {
        let mut readable: Vec<Candidate> = Vec::new();
        let mut gone: Vec<Candidate> = Vec::new();
        for other in self.heads.with(head).filter(|other| *other != inode) {
            let Some(file) = self.files.get(&other).filter(|file| file.spool == spool) else {
                continue;
            };
            let Some(identity) = file.identity.as_ref().filter(|identity| identity.head == *head) else {
                continue;
            };
            let place = match &file.held {
                _ if file.gone_since.is_none() => Some(file.path.clone()),
                // A deleted file is found by its open handle.
                Some(open) => Some(PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()))),
                None => None,
            };
            let candidate = Candidate {
                identity: identity.clone(),
                position: file.position,
                anchor: file.anchor.clone(),
                size: file.stat.size,
                closed: file.closed,
                original: place.filter(|_| file.packed.is_none()).map(|place| (place, other)),
            };
            if file.is_readable() {
                readable.push(candidate);
            } else {
                gone.push(candidate);
            }
            if readable.len() + gone.len() >= MOST_CANDIDATES {
                break;
            }
        }
        let replaced = self.replaced.iter().rev().filter(|candidate| candidate.identity.head == *head);
        // A generation is compared once, where most is known of it.
        let mut unreadable: Vec<Candidate> = Vec::new();
        for candidate in gone.into_iter().chain(replaced.take(MOST_CANDIDATES).cloned()) {
            let is_alike = |other: &Candidate| other.identity == candidate.identity;
            if !readable.iter().any(is_alike) && !unreadable.iter().any(is_alike) {
                unreadable.push(candidate);
            }
        }
        unreadable.extend(readable);
        unreadable
    }

    /// The content of that generation was replaced. It may be found again in a copy.
    pub(crate) fn note_replaced(&mut self, candidate: Candidate) {
        if self.replaced.len() >= MOST_REPLACED {
            self.replaced.remove(0);
        }
        self.replaced.push(candidate);
    }

    /// Decides that a file is a copy of the first of these. Those that cannot be read any more come
    /// first, and of those alike the one of which the least is delivered.
    /// Gives back whether it is one.
    pub(crate) fn take_for_copy(&mut self, inode: Inode, mut fitting: Vec<Candidate>) -> bool {
        fitting.sort_by_key(|candidate| (candidate.original.is_some(), candidate.position));
        let several = fitting.len() > 1;
        // Two files cannot both go on behind a head that they have in common.
        fitting.retain(|candidate| !candidate.is_head_only() || !self.is_held_elsewhere(candidate, inode));
        let Some(candidate) = fitting.into_iter().next() else {
            return false;
        };
        let generation = candidate.identity.generation();
        let position = self.kept.get(&generation).unwrap_or(0);
        for other in self.heads.with(&candidate.identity.head).collect::<Vec<Inode>>() {
            if let Some(file) = self.files.get_mut(&other) {
                file.is_continued(&candidate.identity);
            }
        }
        for file in self.files.values_mut().filter(|file| file.may_be_continued()) {
            file.is_continued(&candidate.identity);
        }
        self.losses.found(&candidate.identity);
        let Some(file) = self.files.get_mut(&inode) else {
            return false;
        };
        tracing::info!(
            file = %file.path.display(),
            generation = generation.0,
            position,
            several,
            "the file is a copy of one that was followed; what is missing of that is read from it"
        );
        file.comparison = None;
        file.former = None;
        file.go_to(position);
        file.anchor = candidate.anchor;
        file.closed = candidate.closed;
        self.heads.insert(&candidate.identity.head, inode);
        file.identity = Some(candidate.identity);
        self.copies.insert(inode);
        self.settle_copies();
        true
    }

    /// Whether another file delivers that generation that is not a plain original. Such an original
    /// was found to have another content by now, even if that is not noted yet.
    fn is_held_elsewhere(&self, candidate: &Candidate, inode: Inode) -> bool {
        self.holders(&candidate.identity).into_iter().filter(|holder| *holder != inode).any(|holder| {
            self.files
                .get(&holder)
                .is_some_and(|file| file.is_readable() && (file.packed.is_some() || self.copies.contains(&holder)))
        })
    }

    /// A file that was taken for a copy is written to: it has a content of its own.
    pub(crate) fn reconsider(&mut self, inode: Inode) {
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        tracing::info!(file = %file.path.display(), "the file that was taken for a copy grows by itself");
        if let Some(identity) = file.identity.take() {
            self.heads.remove(&identity.head, inode);
            // What the server keeps under its own name, if anything, is another content's.
            file.former = Some(identity);
        }
        file.yields = false;
        file.anchor = None;
        file.go_to(0);
        self.copies.remove(&inode);
    }

    /// Decides which file delivers a generation that several hold: the original while it can be
    /// read, then a plain copy, then a compressed one.
    pub(crate) fn settle_copies(&mut self) {
        let mut gone_copies = Vec::new();
        for inode in self.copies.clone() {
            let Some(identity) = self.files.get(&inode).and_then(|file| file.identity.clone()) else {
                gone_copies.push(inode);
                continue;
            };
            let holders = self.holders(&identity);
            let rank = |file: &FollowedFile, inode: Inode| {
                (!file.is_readable(), self.copies.contains(&inode), file.packed.is_some(), inode)
            };
            let ranked = holders.iter().filter_map(|holder| Some(rank(self.files.get(holder)?, *holder)));
            let Some((_, _, _, deliverer)) = ranked.min() else {
                continue;
            };
            let kept = self.kept.get(&identity.generation());
            for holder in holders {
                let Some(file) = self.files.get_mut(&holder) else {
                    continue;
                };
                let yields = holder != deliverer;
                if yields == file.yields {
                    continue;
                }
                file.yields = yields;
                if let Some(kept) = kept.filter(|kept| !yields && *kept != file.position) {
                    file.go_to(kept);
                }
                self.schedule.wake();
            }
        }
        for inode in gone_copies {
            self.copies.remove(&inode);
        }
    }

    /// The files that hold a generation.
    fn holders(&self, identity: &Identity) -> Vec<Inode> {
        let alike = self.heads.with(&identity.head);
        alike
            .filter(|inode| self.files.get(inode).is_some_and(|file| file.identity.as_ref() == Some(identity)))
            .collect()
    }

    /// The server keeps the generation up to `position`, whichever file that was read from.
    pub(crate) fn share_position(&mut self, from: Inode, identity: &Identity, position: u64) {
        if self.copies.is_empty() {
            return;
        }
        let anchor = self.files.get(&from).and_then(|file| file.anchor.clone());
        for holder in self.holders(identity) {
            if holder == from {
                continue;
            }
            if let Some(file) = self.files.get_mut(&holder) {
                file.go_to(position);
                file.anchor.clone_from(&anchor);
            }
        }
    }
}
