//! What the agent knows of one followed file, and what it needs next.
//!
//! A position moves only when the server says so. It goes back to 0 only together with a new
//! identity: the file was truncated, or another one took its inode.

use std::fs::{File, Metadata};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::backoff;
use crate::closing::{Closing, Ended};
use crate::generation::{Excerpt, Identity, Inode};
use crate::spool::Sighting;
use crate::state::SavedFile;
use crate::turn::Turn;

/// Looks without growth before the tail of a finished file is delivered.
const QUIET_LOOKS: u32 = 2;
/// A file changed so recently may change again without another modification time.
const CLOCK_GRAIN: Duration = Duration::from_secs(2);

/// Size and modification time: when neither changes, there is nothing new to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) size: u64,
    pub(crate) modified: SystemTime,
}

impl Stat {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Self { size: metadata.len(), modified }
    }

    fn may_change_unseen(&self) -> bool {
        self.modified.elapsed().is_ok_and(|age| age < CLOCK_GRAIN)
    }
}

/// Whether a file is being read and delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnPhase {
    None,
    UnderWay,
    /// A look saw it change since.
    UnderWayAndChanged,
}

/// One followed file.
#[derive(Debug)]
pub(crate) struct FollowedFile {
    /// Index of its spool in the configuration.
    pub(crate) spool: usize,
    pub(crate) path: PathBuf,
    pub(crate) inode: Inode,
    /// Nothing while its first line is not complete.
    pub(crate) identity: Option<Identity>,
    /// The life before the present one, while that has no identity.
    pub(crate) former: Option<Identity>,
    /// Everything before this offset is kept by the server.
    pub(crate) position: u64,
    /// The bytes before the position, when they were read by this agent.
    pub(crate) anchor: Option<Excerpt>,
    pub(crate) stat: Stat,
    /// A newer file of its family exists.
    pub(crate) superseded: bool,
    /// Since when it is not in its directory.
    pub(crate) gone_since: Option<Instant>,
    /// Open while something is unread.
    pub(crate) held: Option<Arc<File>>,
    turn: TurnPhase,
    /// There is no line feed between the position and this offset.
    pub(crate) searched_to: u64,
    /// What keeps it from being delivered, in words.
    pub(crate) trouble: Option<String>,
    /// The server knows that nothing follows behind this position.
    closed: Option<u64>,
    /// Former generations of which the server does not know yet that they ended.
    unclosed: Vec<Ended>,
    /// The size that the present content surely had once: it was read then, or shrank later.
    known_size: u64,
    quiet_looks: u32,
    /// As it was when there was nothing left to do, and whether it was finished then.
    examined: Option<(Stat, bool)>,
    /// The next look makes `examined` void.
    examine_again: bool,
    failures: u32,
    retry_at: Option<Instant>,
}

impl FollowedFile {
    /// A file that is met for the first time.
    pub(crate) fn first_seen(spool: usize, sighting: Sighting) -> Self {
        let stat = Stat { size: sighting.size, modified: sighting.modified };
        Self {
            spool,
            path: sighting.path,
            inode: sighting.inode,
            identity: None,
            former: None,
            position: 0,
            anchor: None,
            stat,
            superseded: sighting.superseded,
            gone_since: None,
            held: sighting.opened,
            turn: TurnPhase::None,
            searched_to: 0,
            trouble: None,
            closed: None,
            unclosed: Vec::new(),
            known_size: 0,
            quiet_looks: 0,
            examined: None,
            examine_again: false,
            failures: 0,
            retry_at: None,
        }
    }

    /// A file as the last run left it. It is not read before a look has seen it.
    pub(crate) fn remembered(spool: usize, saved: SavedFile) -> Self {
        let sighting = Sighting {
            path: saved.path,
            inode: saved.inode,
            size: saved.size,
            modified: SystemTime::UNIX_EPOCH,
            superseded: false,
            opened: None,
        };
        let mut file = Self::first_seen(spool, sighting);
        file.identity = saved.identity;
        file.former = saved.former;
        file.position = saved.position;
        file.anchor = saved.anchor;
        file.closed = saved.closed;
        file.unclosed = saved.unclosed;
        file.examined = Some((file.stat, false));
        if saved.gone {
            file.gone_since = Some(Instant::now());
        }
        file
    }

    /// What is written to the state.
    pub(crate) fn to_saved(&self, spool: &str) -> SavedFile {
        SavedFile {
            spool: spool.to_owned(),
            path: self.path.clone(),
            inode: self.inode,
            identity: self.identity.clone(),
            former: self.former.clone(),
            position: self.position,
            anchor: self.anchor.clone(),
            size: self.stat.size,
            gone: self.gone_since.is_some(),
            trouble: self.trouble.clone(),
            closed: self.closed,
            unclosed: self.unclosed.clone(),
        }
    }

    /// Bytes that are not delivered, a tail without line feed included. A file that is shorter
    /// than its position has another content, of which nothing is delivered.
    pub(crate) fn unread(&self) -> u64 {
        self.stat.size.checked_sub(self.position).unwrap_or(self.stat.size)
    }

    /// Whether no more lines are expected.
    pub(crate) fn is_finished(&self) -> bool {
        (self.superseded || self.gone_since.is_some()) && self.quiet_looks >= QUIET_LOOKS
    }

    /// Whether it should be read now.
    pub(crate) fn needs_turn(&self, now: Instant) -> bool {
        let is_there = self.gone_since.is_none() || self.held.is_some();
        let may_try = self.retry_at.is_none_or(|retry_at| retry_at <= now);
        !self.is_busy()
            && may_try
            && is_there
            && (self.stat.size > 0 || self.position > 0)
            && self.examined != Some((self.stat, self.is_finished() && self.unread() > 0))
    }

    /// Whether a turn is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.turn != TurnPhase::None
    }

    /// A turn begins.
    pub(crate) fn begin_turn(&mut self) -> Turn {
        self.turn = TurnPhase::UnderWay;
        Turn::of(self)
    }

    /// The next generation that ended and of which the server does not know it yet.
    fn ended(&self) -> Option<Ended> {
        if let Some(former) = self.unclosed.last() {
            return Some(former.clone());
        }
        let is_lost = self.gone_since.is_some() && self.held.is_none();
        let is_all = self.stat.size == self.position || is_lost;
        if !self.is_finished() || !is_all || self.position == 0 || self.closed == Some(self.position) {
            return None;
        }
        self.identity.clone().map(|identity| Ended { identity, position: self.position })
    }

    /// Whether the server should be told now that a generation ended.
    pub(crate) fn needs_closing(&self, now: Instant) -> bool {
        let may_try = self.retry_at.is_none_or(|retry_at| retry_at <= now);
        !self.is_busy() && may_try && !self.needs_turn(now) && self.ended().is_some()
    }

    /// Whether the server, now or when the file is finished, is still to be told that a generation
    /// ended. What it refuses is not waited for.
    pub(crate) fn is_unclosed(&self) -> bool {
        let is_open = self.identity.is_some() && self.position > 0 && self.closed != Some(self.position);
        (is_open || !self.unclosed.is_empty()) && self.trouble.is_none()
    }

    /// What the server should be told. It counts as a turn.
    pub(crate) fn begin_closing(&mut self) -> Option<Closing> {
        let ended = self.ended()?;
        self.turn = TurnPhase::UnderWay;
        Some(Closing { inode: self.inode, path: self.path.to_string_lossy().into_owned(), ended })
    }

    /// The server knows it, or there is nobody to tell.
    pub(crate) fn close(&mut self, ended: &Ended) {
        self.unclosed.retain(|former| former != ended);
        if self.is_at(ended) {
            self.closed = Some(ended.position);
        }
    }

    /// Whether this is its present generation and position.
    pub(crate) fn is_at(&self, ended: &Ended) -> bool {
        self.identity.as_ref() == Some(&ended.identity) && self.position == ended.position
    }

    /// A former generation, kept up to a position, ended.
    pub(crate) fn note_ended(&mut self, ended: Ended) {
        if ended.position > 0 {
            self.unclosed.push(ended);
        }
    }

    /// When a refused batch is tried again.
    pub(crate) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// Takes over what a look saw. `scheduled`: it was not called by a file system event, so it
    /// counts as a measure of time.
    pub(crate) fn see(&mut self, sighting: Sighting, scheduled: bool) {
        let stat = Stat { size: sighting.size, modified: sighting.modified };
        if self.path != sighting.path {
            tracing::info!(from = %self.path.display(), to = %sighting.path.display(), "the file was renamed");
            self.path = sighting.path;
        }
        self.superseded = sighting.superseded;
        self.gone_since = None;
        if sighting.opened.is_some() {
            self.held = sighting.opened;
        }
        if stat == self.stat {
            self.count_quiet_look(scheduled);
        } else {
            self.quiet_looks = 0;
            if self.turn == TurnPhase::UnderWay {
                self.turn = TurnPhase::UnderWayAndChanged;
            }
        }
        if stat.size < self.stat.size {
            self.known_size = self.known_size.max(self.stat.size);
        }
        if stat.size < self.position {
            // A turn may have read more since the look: the next one tells whether it is shorter.
            self.examined = None;
        } else if stat.size < self.searched_to {
            self.searched_to = 0;
        }
        self.stat = stat;
        if self.examine_again {
            self.examine_again = false;
            self.examined = None;
        }
        self.release();
    }

    /// A look did not find it.
    pub(crate) fn miss(&mut self, scheduled: bool) {
        if self.gone_since.is_none() {
            self.gone_since = Some(Instant::now());
            self.quiet_looks = 0;
            match (self.unread(), &self.held) {
                (0, _) => {
                    tracing::info!(file = %self.path.display(), "the file is gone; all of it is delivered");
                }
                (unread, Some(_)) => {
                    tracing::info!(file = %self.path.display(), unread, "the file is gone; it is still open and will be delivered");
                }
                (unread, None) => {
                    tracing::error!(file = %self.path.display(), unread, "the file is gone before it was delivered; bytes are lost");
                }
            }
        }
        self.count_quiet_look(scheduled);
        if self.examine_again {
            self.examine_again = false;
            self.examined = None;
        }
    }

    fn count_quiet_look(&mut self, scheduled: bool) {
        if scheduled {
            self.quiet_looks = self.quiet_looks.saturating_add(1);
        }
    }

    /// The content is another one: a new generation from offset 0.
    pub(crate) fn begin_anew(&mut self, why: &str) {
        let generation = self.identity.as_ref().map(|identity| identity.generation().0);
        match self.lost_when_replaced() {
            0 => tracing::info!(
                file = %self.path.display(),
                generation,
                "the file was replaced or truncated ({why}); it is read anew, all that was known of its former content is delivered"
            ),
            undelivered => tracing::warn!(
                file = %self.path.display(),
                generation,
                undelivered,
                "the file was replaced or truncated ({why}); it is read anew, undelivered bytes of its former content are lost"
            ),
        }
        if let Some(identity) = self.identity.take() {
            if self.closed != Some(self.position) {
                self.note_ended(Ended { identity: identity.clone(), position: self.position });
            }
            self.former = Some(identity);
        }
        self.known_size = 0;
        self.go_to(0);
    }

    /// How many bytes surely are lost when the content is another one now. The size seen last may
    /// be that of the new content.
    fn lost_when_replaced(&self) -> u64 {
        self.known_size.saturating_sub(self.position)
    }

    /// The content of the present generation had this size.
    pub(crate) fn know_size(&mut self, size: u64) {
        self.known_size = size;
    }

    /// Goes on from another position than expected.
    pub(crate) fn go_to(&mut self, position: u64) {
        self.position = position;
        self.anchor = None;
        self.closed = None;
        self.searched_to = 0;
        self.examined = None;
    }

    /// The server keeps everything before `position`; `anchor` are the bytes before it, if read.
    pub(crate) fn advance(&mut self, position: u64, anchor: Option<Excerpt>, stat: Stat) {
        self.go_to(position);
        self.anchor = anchor;
        self.note(stat);
    }

    /// A turn found nothing to send in the file as it was then.
    pub(crate) fn found_nothing(&mut self, stat: Stat, finished: bool) {
        self.note(stat);
        self.examined = Some((stat, finished && self.unread() > 0));
        self.examine_again = stat.may_change_unseen();
    }

    fn note(&mut self, stat: Stat) {
        self.know_size(stat.size);
        if stat != self.stat {
            self.quiet_looks = 0;
            self.stat = stat;
        }
    }

    /// A turn could not read it; the next look tries again.
    pub(crate) fn wait_for_next_look(&mut self) {
        self.examined = Some((self.stat, self.is_finished() && self.unread() > 0));
        self.examine_again = true;
    }

    /// A turn came to its end, and its report is taken over.
    pub(crate) fn end_turn(&mut self) {
        if self.turn == TurnPhase::UnderWayAndChanged {
            self.examined = None;
        }
        self.turn = TurnPhase::None;
        self.release();
    }

    /// The server will not have this batch; it is tried again later.
    pub(crate) fn fail(&mut self, trouble: String) {
        self.postpone();
        self.complain(trouble);
    }

    /// The server broke, perhaps over this file: others go first.
    pub(crate) fn postpone(&mut self) {
        self.failures = self.failures.saturating_add(1);
        self.retry_at = Some(Instant::now() + backoff::wait_after(self.failures));
    }

    /// Need not wait any longer.
    pub(crate) fn retry_now(&mut self) {
        self.retry_at = None;
    }

    /// Keeps and logs what is wrong, once for each change.
    pub(crate) fn complain(&mut self, trouble: String) {
        if self.trouble.as_ref() != Some(&trouble) {
            tracing::error!(file = %self.path.display(), position = self.position, "{trouble}");
            self.trouble = Some(trouble);
        }
    }

    /// It works again.
    pub(crate) fn recover(&mut self) {
        self.failures = 0;
        self.retry_at = None;
        if self.trouble.take().is_some() {
            tracing::info!(file = %self.path.display(), "the file can be read and delivered again");
        }
    }

    /// Gives up a deleted file that was kept open for too long.
    pub(crate) fn give_up_when_held_too_long(&mut self, longest: Duration) {
        let too_long = self.gone_since.is_some_and(|since| since.elapsed() > longest);
        if too_long && !self.is_busy() && self.held.take().is_some() {
            tracing::error!(
                file = %self.path.display(),
                unread = self.unread(),
                "the deleted file could not be delivered within [agent] hold_deleted; its bytes are lost"
            );
        }
    }

    /// Closes the file when nothing is unread.
    fn release(&mut self) {
        if self.unread() == 0 && !self.is_busy() {
            self.held = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sighting(size: u64) -> Sighting {
        Sighting {
            path: "/spool/x.log".into(),
            inode: Inode { device: 1, number: 7 },
            size,
            modified: SystemTime::UNIX_EPOCH,
            superseded: false,
            opened: None,
        }
    }

    /// A file that was read when it had 39 bytes.
    fn read_to(position: u64) -> FollowedFile {
        let mut file = FollowedFile::first_seen(0, sighting(39));
        file.advance(position, None, file.stat);
        file
    }

    #[test]
    fn the_size_of_a_new_content_is_no_loss_of_the_former() {
        for (position, sizes, lost) in
            [(39, &[100][..], 0), (39, &[10], 0), (20, &[100], 19), (20, &[10], 19), (39, &[60, 10], 21)]
        {
            let mut file = read_to(position);
            for size in sizes {
                file.see(sighting(*size), true);
            }
            assert_eq!(file.lost_when_replaced(), lost, "{position} bytes delivered, then {sizes:?}");
            file.begin_anew("a test says so");
            assert_eq!(file.lost_when_replaced(), 0);
        }
    }
}
