//! Which file is read next.
//!
//! New records and a backlog share the turns: the newest file of a spool, spool after spool, and
//! the oldest file of all take turns. Compressed files are backlog, and one of them at a time is
//! unpacked. The next few of each kind are picked in one pass over all files.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::Path;
use std::time::SystemTime;

use tokio::time::Instant;

use crate::file::FollowedFile;
use crate::followed::Followed;
use crate::generation::Inode;

/// So many are picked in one pass, of each kind.
const PICKED: usize = 64;

/// Older files first.
type Age = (SystemTime, Inode);

/// What was picked and not begun yet.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    /// Per spool, the newest first.
    newest: Vec<VecDeque<Inode>>,
    next_spool: usize,
    oldest: VecDeque<Inode>,
    ended: VecDeque<Inode>,
    /// The next choice takes the newest file, not the oldest.
    newest_next: bool,
    /// The last pass found nothing, and nothing has happened since.
    is_idle: bool,
    /// When the next refused batch may be tried again.
    retry_at: Option<Instant>,
    /// The compressed file whose turn is under way.
    unpacking: Option<Inode>,
}

impl Schedule {
    /// Something happened: there may be something to do.
    pub(crate) fn wake(&mut self) {
        self.is_idle = false;
    }

    /// A look saw the files anew: what was picked may not be the newest any more.
    pub(crate) fn begin_anew(&mut self) {
        self.newest.clear();
        self.oldest.clear();
        self.ended.clear();
        self.is_idle = false;
    }

    /// A turn of that file ended.
    pub(crate) fn turn_ended(&mut self, inode: Inode) {
        if self.unpacking == Some(inode) {
            self.unpacking = None;
        }
    }

    fn next_newest(&mut self) -> Option<Inode> {
        for _ in 0..self.newest.len() {
            self.next_spool = (self.next_spool + 1) % self.newest.len();
            if let Some(inode) = self.newest[self.next_spool].pop_front() {
                return Some(inode);
            }
        }
        None
    }
}

fn directory(file: &FollowedFile) -> &Path {
    file.path.parent().unwrap_or(Path::new("/"))
}

/// Keeps the first `PICKED` of a set.
fn keep<T: Ord>(set: &mut BTreeSet<T>, value: T) {
    set.insert(value);
    if set.len() > PICKED {
        set.pop_last();
    }
}

impl Followed {
    /// The file to read next.
    pub(crate) fn choose(&mut self, now: Instant) -> Option<&mut FollowedFile> {
        self.schedule.newest_next = !self.schedule.newest_next;
        let mut picked = self.next_ready(now);
        if picked.is_none() && self.may_pick(now) {
            self.pick(now);
            picked = self.next_ready(now);
            self.schedule.is_idle = picked.is_none() && self.schedule.ended.is_empty();
        }
        let inode = picked?;
        let file = self.files.get_mut(&inode)?;
        if file.packed.is_some() {
            self.schedule.unpacking = Some(inode);
        }
        Some(file)
    }

    fn may_pick(&self, now: Instant) -> bool {
        !self.schedule.is_idle || self.schedule.retry_at.is_some_and(|retry_at| retry_at <= now)
    }

    fn next_ready(&mut self, now: Instant) -> Option<Inode> {
        let mut newest = self.schedule.newest_next;
        let mut is_other_kind = false;
        loop {
            let next = if newest { self.schedule.next_newest() } else { self.schedule.oldest.pop_front() };
            match next {
                Some(inode) if self.may_begin(inode, now) => return Some(inode),
                Some(_) => {}
                None if is_other_kind => return None,
                None => {
                    newest = !newest;
                    is_other_kind = true;
                }
            }
        }
    }

    fn may_begin(&self, inode: Inode, now: Instant) -> bool {
        self.files
            .get(&inode)
            .is_some_and(|file| file.needs_turn(now) && (file.packed.is_none() || self.schedule.unpacking.is_none()))
    }

    /// Puts a file back whose turn ended, when it is still the next of its kind.
    pub(crate) fn offer(&mut self, inode: Inode, now: Instant) {
        self.schedule.wake();
        let age_of = |inode: &Inode| self.files.get(inode).map(|file| (file.stat.modified, file.inode));
        let Some(file) = self.files.get(&inode).filter(|file| file.needs_turn(now)) else {
            return;
        };
        let (age, spool, is_plain) = (age_of(&inode), file.spool, file.packed.is_none());
        let is_oldest = self.schedule.oldest.front().is_none_or(|front| age < age_of(front));
        let newest = self.schedule.newest.get(spool).filter(|_| is_plain);
        let is_newest = newest.is_some_and(|newest| newest.front().is_none_or(|front| age > age_of(front)));
        if is_newest && let Some(newest) = self.schedule.newest.get_mut(spool) {
            newest.push_front(inode);
        }
        if is_oldest {
            self.schedule.oldest.push_front(inode);
        }
    }

    /// One pass over all files.
    fn pick(&mut self, now: Instant) {
        let mut newest: Vec<BTreeSet<std::cmp::Reverse<Age>>> = Vec::new();
        let mut oldest: BTreeSet<Age> = BTreeSet::new();
        let mut ended = VecDeque::new();
        let mut retry_at: Option<Instant> = None;
        let unread = self.directories_with_unread_files();
        for file in self.files.values() {
            if let Some(at) = file.retry_at().filter(|at| *at > now) {
                retry_at = Some(retry_at.map_or(at, |earlier| earlier.min(at)));
            }
            let waits_for_original =
                file.packed.is_some() && file.identity.is_none() && unread.contains(directory(file));
            if file.needs_turn(now) && !waits_for_original {
                let age = (file.stat.modified, file.inode);
                keep(&mut oldest, age);
                if file.packed.is_none() {
                    if newest.len() <= file.spool {
                        newest.resize_with(file.spool + 1, BTreeSet::new);
                    }
                    keep(&mut newest[file.spool], std::cmp::Reverse(age));
                }
            } else if ended.len() < PICKED && !waits_for_original && file.needs_closing(now) && !self.awaits_copy(file)
            {
                ended.push_back(file.inode);
            }
        }
        self.schedule.newest = newest
            .into_iter()
            .map(|ages| ages.into_iter().map(|std::cmp::Reverse((_, inode))| inode).collect())
            .collect();
        self.schedule.oldest = oldest.into_iter().map(|(_, inode)| inode).collect();
        self.schedule.ended = ended;
        self.schedule.retry_at = retry_at;
    }

    /// Where plain files are that may be the originals of compressed ones; those come after them.
    fn directories_with_unread_files(&self) -> HashSet<&Path> {
        let unread = self.files.values().filter(|file| file.is_unread() || file.is_removed_and_open());
        unread.map(directory).collect()
    }

    /// A file of which the server should be told that a generation ended.
    pub(crate) fn choose_to_close(&mut self, now: Instant) -> Option<&mut FollowedFile> {
        if self.schedule.ended.is_empty() && self.may_pick(now) {
            self.pick(now);
            self.schedule.is_idle = self.schedule.ended.is_empty() && self.schedule.oldest.is_empty();
        }
        while let Some(inode) = self.schedule.ended.pop_front() {
            if self.files.get(&inode).is_some_and(|file| file.needs_closing(now)) {
                return self.files.get_mut(&inode);
            }
        }
        None
    }

    /// When the next refused batch may be tried again.
    pub(crate) fn next_retry(&self, now: Instant) -> Option<Instant> {
        self.schedule.retry_at.filter(|retry_at| *retry_at > now)
    }
}
