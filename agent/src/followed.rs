//! All followed files together with what the server holds of them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use sextant_model::delivery::{Generation, Positions};

use crate::closing::Ended;
use crate::copies::{Candidate, Comparison, Heads};
use crate::file::{FollowedFile, Stat};
use crate::generation::{Excerpt, Identity, Inode};
use crate::kept::Kept;
use crate::losses::Losses;
use crate::packed::Packed;
use crate::schedule::Schedule;
use crate::spool::{Known, Sighting, Survey};

/// How long a file that is gone is remembered: its inode may return, as another file or, when a
/// mount was away, as itself.
const REMEMBER_GONE: Duration = Duration::from_hours(1);
const MOST_REMEMBERED_GONE: usize = 1_000;
/// Files kept open because something in them is not delivered.
const MOST_HELD: usize = 256;

/// The followed files by their inode.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) files: HashMap<Inode, FollowedFile>,
    pub(crate) kept: Kept,
    pub(crate) heads: Heads,
    /// Files whose generation is that of another file.
    pub(crate) copies: HashSet<Inode>,
    /// Contents that were replaced, the oldest first.
    pub(crate) replaced: Vec<Candidate>,
    pub(crate) losses: Losses,
    pub(crate) schedule: Schedule,
    /// Directories with files of which it is open what they are copies of.
    undecided: HashSet<PathBuf>,
}

impl Followed {
    /// What a look at this spool must find again, and how many files it may open.
    pub(crate) fn known_of(&self, spool: usize) -> (HashMap<Inode, Known>, usize) {
        let mut known = HashMap::new();
        let mut held = 0;
        for file in self.files.values() {
            held += usize::from(file.held.is_some());
            if file.spool == spool && file.gone_since.is_none() {
                let entry = Known { path: file.path.clone(), position: file.position, held: file.held.is_some() };
                known.insert(file.inode, entry);
            }
        }
        (known, MOST_HELD.saturating_sub(held))
    }

    /// Takes over a file of the last run.
    pub(crate) fn remember(&mut self, file: FollowedFile) {
        // It was open when the last run ended, and cannot be opened again.
        let is_missing = self.losses.is_missing(file.inode, file.identity.as_ref());
        if file.gone_since.is_some() && !file.loss_is_counted && !is_missing {
            // Behind the position is nothing when a copy was delivered further.
            let missing = file.stat.size.saturating_sub(file.position);
            self.losses.miss(file.spool, file.inode, &file.path, file.identity.clone(), missing);
        }
        if let Some(identity) = &file.identity {
            self.heads.insert(&identity.head, file.inode);
            // Or the device has another number now; then there is nobody to share it with.
            if identity.inode != file.inode {
                self.copies.insert(file.inode);
            }
        }
        self.files.insert(file.inode, file);
    }

    /// Takes over what a look at a spool saw.
    pub(crate) fn see(&mut self, spool: usize, survey: Survey, scheduled: bool) {
        let seen: HashSet<Inode> = survey.sightings.iter().map(|sighting| sighting.inode).collect();
        let unseen = self.files.values().filter(|file| !seen.contains(&file.inode));
        let unseen: HashMap<u64, Inode> = unseen.map(|file| (file.inode.number, file.inode)).collect();
        for sighting in survey.sightings {
            self.see_file(spool, sighting, scheduled, &unseen);
        }
        for file in self.files.values_mut() {
            let directory = file.path.parent().unwrap_or(Path::new("/"));
            let is_unknown = survey.unlisted.iter().any(|unlisted| unlisted == directory);
            if file.spool == spool && !seen.contains(&file.inode) && !is_unknown {
                let missing = file.miss(scheduled);
                self.losses.miss(file.spool, file.inode, &file.path, file.identity.clone(), missing);
            }
        }
        self.undecided.clear();
        for file in self.files.values().filter(|file| file.is_undecided()) {
            self.undecided.extend(file.path.parent().map(Path::to_owned));
        }
        if scheduled {
            for inode in self.losses.looked(spool, &self.undecided) {
                if let Some(file) = self.files.get_mut(&inode).filter(|file| file.gone_since.is_some()) {
                    file.loss_is_counted = true;
                }
            }
        }
        self.settle_copies();
        self.schedule.begin_anew();
    }

    /// Whether it is too early to say that a generation of this file ended.
    pub(crate) fn awaits_copy(&self, file: &FollowedFile) -> bool {
        file.may_be_continued() && file.path.parent().is_some_and(|directory| self.undecided.contains(directory))
    }

    fn see_file(&mut self, spool: usize, mut sighting: Sighting, scheduled: bool, unseen: &HashMap<u64, Inode>) {
        let inode = sighting.inode;
        if let Some(file) = self.files.get(&inode) {
            if let Some(packed) = &file.packed
                && packed.is_like(sighting.size, sighting.modified)
            {
                // Another name says nothing about the content.
                sighting.compression = Some(packed.compression);
                sighting.superseded = true;
            }
            if file.packed.as_ref().map(|packed| packed.compression) != sighting.compression {
                // The inode went from a plain file to a compressed one, or back.
                if file.is_busy() {
                    return;
                }
                if !file.is_gone_for_good() {
                    self.losses.miss(file.spool, inode, &file.path, None, file.never_read_size());
                }
                self.begin_anew(inode, "its inode was given to another file");
                self.change_kind(inode, &sighting);
            } else if file.yields && file.packed.is_none() && file.stat.size != sighting.size && !file.is_busy() {
                self.reconsider(inode);
            }
        } else {
            self.take_over_from_other_device(&sighting, unseen);
        }
        match self.files.get_mut(&inode) {
            Some(file) if file.spool == spool || file.gone_since.is_some() => {
                if file.gone_since.is_some() && file.may_be(&sighting) {
                    self.losses.returned(inode, file.identity.as_ref());
                }
                file.spool = spool;
                file.see(sighting, scheduled);
            }
            // Two patterns match it: it stays with the spool that saw it first.
            Some(_) => {}
            None => {
                tracing::info!(file = %sighting.path.display(), size = sighting.size, "following a file");
                self.files.insert(inode, FollowedFile::first_seen(spool, sighting));
            }
        }
    }

    /// The file is not compressed any more, or only now.
    fn change_kind(&mut self, inode: Inode, sighting: &Sighting) {
        if let Some(file) = self.files.get_mut(&inode) {
            let stat = Stat { size: sighting.size, modified: sighting.modified };
            file.packed = sighting.compression.map(|compression| Packed::new(compression, stat, sighting.only_rest));
            file.stat.size = if file.packed.is_some() { 0 } else { sighting.size };
        }
    }

    /// Devices may be numbered anew at boot. A remembered file with the same name and inode number
    /// is taken for the same file; its head and anchor are compared before anything is sent.
    /// `unseen` are the followed files that the look did not see, by their inode's number.
    fn take_over_from_other_device(&mut self, sighting: &Sighting, unseen: &HashMap<u64, Inode>) {
        let former_inode = unseen
            .get(&sighting.inode.number)
            .copied()
            .filter(|former| self.files.get(former).is_some_and(|file| file.path == sighting.path && !file.is_busy()));
        if let Some(mut file) = former_inode.and_then(|inode| self.files.remove(&inode)) {
            file.inode = sighting.inode;
            if let Some(identity) = &file.identity {
                self.heads.insert(&identity.head, sighting.inode);
            }
            self.files.insert(sighting.inode, file);
        }
    }

    /// Takes over what the server holds: its word counts, not ours. Whether the files still hold
    /// that much is seen when they are read.
    pub(crate) fn adopt(&mut self, positions: Positions) {
        self.kept = Kept::of(positions);
        for file in self.files.values_mut() {
            let Some(identity) = &file.identity else {
                continue;
            };
            let generation = identity.generation();
            let offset = self.kept.get(&generation).unwrap_or(0);
            if offset != file.position {
                tracing::info!(
                    file = %file.path.display(),
                    generation = generation.0,
                    agent = file.position,
                    server = offset,
                    "going on from the server's position"
                );
                file.go_to(offset);
                if file.gone_since.is_some() && file.unread() == 0 {
                    self.losses.returned(file.inode, file.identity.as_ref());
                }
            }
        }
        self.schedule.begin_anew();
    }

    /// Remembers how far the server keeps a generation.
    pub(crate) fn confirm(&mut self, generation: Generation, offset: u64) {
        self.kept.confirm(generation, offset);
    }

    /// The head of a file is known. Unless it may be a copy, that makes its identity.
    pub(crate) fn identify(&mut self, inode: Inode, head: Excerpt, size: u64) {
        let Some(file) = self.files.get(&inode) else {
            return;
        };
        let own_name = Identity { inode, head: head.clone(), life: 0 }.first_life_name();
        let is_known = file.former.is_none() && self.kept.latest_life(&own_name).is_some();
        let spool = file.spool;
        let packed = file.packed.as_ref().map(|packed| packed.only_rest);
        let candidates = if is_known { Vec::new() } else { self.candidates(inode, spool, &head) };
        if packed.is_none() && candidates.is_empty() {
            self.begin(inode, head, size);
            return;
        }
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        if packed == Some(true) && candidates.is_empty() && !is_known {
            file.leave_alone();
        } else {
            file.compare_with(Comparison { head, candidates });
        }
    }

    /// The file was compared with those that begin alike.
    pub(crate) fn compared(&mut self, inode: Inode, size: u64, fitting: Vec<Candidate>) {
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        let Some(comparison) = file.comparison.take() else {
            return;
        };
        let packed = file.packed.as_ref().map(|packed| packed.only_rest);
        if packed.is_some() {
            file.measured(size);
        }
        if self.take_for_copy(inode, fitting) {
            return;
        }
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        let own_name = Identity { inode, head: comparison.head.clone(), life: 0 }.first_life_name();
        if packed == Some(true) && self.kept.latest_life(&own_name).is_none() {
            file.leave_alone();
            return;
        }
        if !comparison.candidates.is_empty() {
            tracing::info!(
                file = %file.path.display(),
                alike = comparison.candidates.len(),
                "the file begins like others and cannot be shown to be a copy of one; it is read from its start"
            );
        }
        self.losses.found_unread(&file.path, size);
        // It may be the copy of one of these, of which next to nothing was delivered.
        let alike = comparison.candidates.iter();
        for candidate in alike.filter(|candidate| candidate.is_head_only() && candidate.least_size() <= size) {
            self.losses.found(&candidate.identity);
        }
        self.begin(inode, comparison.head, size);
    }

    /// Gives a file an identity of its own, and the position to start from.
    fn begin(&mut self, inode: Inode, head: Excerpt, size: u64) {
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        self.heads.insert(&head, inode);
        let mut identity = Identity { inode, head, life: 0 };
        let name = identity.first_life_name();
        let latest = self.kept.latest_life(&name);
        let mut position = 0;
        match file.former.take() {
            // Its former content was replaced before our eyes, so this is no life that is known.
            Some(former) => {
                let mut lives = Vec::from_iter(latest.map(|(life, _)| life));
                if former.first_life_name() == name {
                    lives.push(former.life);
                }
                identity.life = lives.into_iter().max().map_or(0, |life| life.saturating_add(1));
            }
            None => match latest {
                Some((life, offset)) if offset <= size && !self.kept.is_common_head(&identity.head.hash) => {
                    identity.life = life;
                    position = offset;
                }
                Some((life, offset)) if offset <= size => {
                    tracing::warn!(
                        file = %file.path.display(),
                        "the file begins like others, and nothing but the server's position says that it was delivered up to {offset}; it is read from its start"
                    );
                    identity.life = life.saturating_add(1);
                }
                Some((life, offset)) => {
                    file.note_ended(Ended { identity: Identity { life, ..identity.clone() }, position: offset });
                    identity.life = life.saturating_add(1);
                }
                None => {}
            },
        }
        tracing::info!(
            file = %file.path.display(),
            generation = identity.generation().0,
            position,
            "the file has its identity"
        );
        file.identity = Some(identity);
        file.anchor = None;
        file.go_to(position);
        file.know_size(size);
    }

    /// Forgets files that are gone for long, and closes deleted ones that were held too long.
    pub(crate) fn forget_gone(&mut self, hold_deleted: Duration) {
        for file in self.files.values_mut() {
            let missing = file.give_up_when_held_too_long(hold_deleted);
            self.losses.miss(file.spool, file.inode, &file.path, file.identity.clone(), missing);
        }
        let mut gone: Vec<(Instant, Inode)> = self
            .files
            .values()
            .filter(|file| file.held.is_none() && !file.is_busy() && !file.is_unclosed())
            .filter_map(|file| Some((file.gone_since?, file.inode)))
            .collect();
        gone.sort_unstable_by_key(|(since, _)| Reverse(*since));
        for (index, (since, inode)) in gone.into_iter().enumerate() {
            if index >= MOST_REMEMBERED_GONE || since.elapsed() > REMEMBER_GONE {
                self.forget(inode);
            }
        }
    }

    fn forget(&mut self, inode: Inode) {
        let file = self.files.remove(&inode);
        if let Some(identity) = file.and_then(|file| file.identity) {
            self.heads.remove(&identity.head, inode);
        }
    }

    /// The content of a file is another one now.
    pub(crate) fn begin_anew(&mut self, inode: Inode, why: &str) {
        let Some(file) = self.files.get_mut(&inode) else {
            return;
        };
        let identity = file.identity.clone();
        let (position, anchor, closed) = (file.position, file.anchor.clone(), file.closed);
        // What was unread of a file that is gone is missing already.
        let counts = !file.yields && !file.is_gone_for_good();
        let missing = file.begin_anew(why);
        if counts {
            self.losses.miss(file.spool, inode, &file.path, identity.clone(), missing);
        }
        if let Some(identity) = identity {
            self.heads.remove(&identity.head, inode);
            let size = position.saturating_add(missing);
            self.note_replaced(Candidate { identity, position, anchor, size, closed, original: None });
        }
        self.copies.remove(&inode);
        self.settle_copies();
    }
}

#[cfg(test)]
mod tests;
