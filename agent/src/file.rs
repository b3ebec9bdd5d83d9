//! What the agent knows of one followed file, and what it needs next.
//!
//! A position moves only when the server says so. It goes back to 0 only together with a new
//! identity: the file was truncated, or another one took its inode.

mod ending;
mod looks;
mod retry;

use std::fs::{File, Metadata};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::closing::Ended;
use crate::copies::Comparison;
use crate::generation::{Anchor, Identity, Inode};
use crate::packed::Packed;
use crate::spool::Sighting;
use crate::state::SavedFile;
use crate::turn::Turn;

/// Looks without growth before the tail of a finished file is delivered.
const QUIET_LOOKS: u32 = 2;
/// So many looks a compressed file that is not whole is waited for before what it may hold is lost.
const LOOKS_FOR_A_WHOLE: u32 = 24;
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
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts of one file")]
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
    /// The last bytes that were delivered, when they were read by this agent.
    pub(crate) anchor: Option<Anchor>,
    pub(crate) stat: Stat,
    /// A newer file of its family exists.
    pub(crate) superseded: bool,
    /// It is compressed. Then `stat.size` is the length of its content, 0 while that is unknown.
    pub(crate) packed: Option<Packed>,
    /// Its head is known, and that others begin alike: whether it is a copy of one is open.
    pub(crate) comparison: Option<Comparison>,
    /// It is gone, and what of it was not delivered is counted as lost.
    pub(crate) loss_is_counted: bool,
    /// Another file has the same generation and delivers it.
    pub(crate) yields: bool,
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
    pub(crate) closed: Option<u64>,
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
    /// Looks since its content was replaced.
    looks_since_replaced: u32,
    behind: Option<Behind>,
}

/// The file had that size at some time, and not all of it is delivered.
#[derive(Debug, Clone, Copy)]
struct Behind {
    size: u64,
    since: Instant,
}

impl FollowedFile {
    /// A file that is met for the first time.
    pub(crate) fn first_seen(spool: usize, sighting: Sighting) -> Self {
        let mut stat = Stat { size: sighting.size, modified: sighting.modified };
        let packed = sighting.compression.map(|compression| Packed::new(compression, stat, sighting.only_rest));
        if packed.is_some() {
            stat.size = 0;
        }
        let mut file = Self {
            spool,
            path: sighting.path,
            inode: sighting.inode,
            identity: None,
            former: None,
            position: 0,
            anchor: None,
            stat,
            superseded: sighting.superseded,
            packed,
            comparison: None,
            loss_is_counted: false,
            yields: false,
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
            looks_since_replaced: 0,
            behind: None,
        };
        file.note_lag();
        file
    }

    /// A file as the last run left it. It is not read before a look has seen it.
    pub(crate) fn remembered(spool: usize, saved: SavedFile) -> Self {
        let sighting = Sighting {
            path: saved.path,
            inode: saved.inode,
            size: saved.size,
            modified: SystemTime::UNIX_EPOCH,
            superseded: false,
            compression: None,
            only_rest: false,
            opened: None,
        };
        let mut file = Self::first_seen(spool, sighting);
        file.packed = saved.packed.map(Packed::remembered);
        file.loss_is_counted = saved.lost;
        file.identity = saved.identity;
        file.former = saved.former;
        file.position = saved.position;
        let end = saved.anchor_end.unwrap_or(saved.position);
        file.anchor = saved.anchor.map(|bytes| Anchor { end, bytes });
        file.closed = saved.closed;
        file.unclosed = saved.unclosed;
        file.examined = Some((file.stat, false));
        if saved.gone {
            file.known_size = if file.loss_is_counted { 0 } else { saved.size };
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
            anchor: self.anchor.as_ref().map(|anchor| anchor.bytes.clone()),
            anchor_end: self.anchor.as_ref().map(|anchor| anchor.end).filter(|end| *end != self.position),
            size: self.stat.size,
            gone: self.gone_since.is_some(),
            trouble: self.trouble.clone(),
            closed: self.closed,
            unclosed: self.unclosed.clone(),
            lost: self.loss_is_counted,
            packed: self.packed.as_ref().map(Packed::to_saved),
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

    /// Whether it has not changed for some looks.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet_looks >= QUIET_LOOKS
    }

    /// Whether it is there, or at least open.
    pub(crate) fn is_readable(&self) -> bool {
        self.gone_since.is_none() || self.held.is_some()
    }

    /// Whether it is open which generation it belongs to: it may be a copy.
    pub(crate) fn is_undecided(&self) -> bool {
        let is_unmeasured = self.packed.as_ref().is_some_and(|packed| !packed.is_measured && !packed.waits);
        let is_incomplete = self.packed.as_ref().is_some_and(|packed| packed.waits && !packed.only_rest)
            && self.identity.is_none()
            && self.trouble.is_none()
            && self.quiet_looks < LOOKS_FOR_A_WHOLE;
        self.is_unread() || self.gone_since.is_none() && (is_unmeasured || is_incomplete)
    }

    /// Whether it is a plain file with content of which nothing is known yet. What is shorter than
    /// its position has another content than the one that is known.
    pub(crate) fn is_unread(&self) -> bool {
        let has_content = self.packed.is_none() && self.stat.size > 0;
        let is_unknown = self.identity.is_none() || self.stat.size < self.position;
        has_content && self.gone_since.is_none() && is_unknown && !self.is_quiet()
    }

    /// Whether it was removed, and nobody can read it any more.
    pub(crate) fn is_gone_for_good(&self) -> bool {
        self.gone_since.is_some() && self.held.is_none()
    }

    /// Whether it is a plain file that was removed and can be read to its end all the same: a copy
    /// of it begins like it, and can be told only when it is read.
    pub(crate) fn is_removed_and_open(&self) -> bool {
        let is_open = self.gone_since.is_some() && self.held.is_some();
        is_open && self.packed.is_none() && !self.yields && self.trouble.is_none()
    }

    /// Whether it should be read now.
    pub(crate) fn needs_turn(&self, now: Instant) -> bool {
        let is_there = self.is_readable();
        let may_try = self.retry_at.is_none_or(|retry_at| retry_at <= now);
        let is_unmeasured = self.packed.as_ref().is_some_and(|packed| !packed.is_measured);
        let waits = self.packed.as_ref().is_some_and(|packed| packed.waits);
        !self.is_busy()
            && !self.yields
            && !waits
            && may_try
            && is_there
            && (self.stat.size > 0 || self.identity.is_some() || is_unmeasured)
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

    /// The content is another one: a new generation from offset 0. Gives back how many bytes of
    /// the former one are lost unless a copy of it is found.
    pub(crate) fn begin_anew(&mut self, why: &str) -> u64 {
        let missing = self.lost_when_replaced();
        let generation = self.identity.as_ref().map(|identity| identity.generation().0);
        match missing {
            0 => tracing::info!(
                file = %self.path.display(),
                generation,
                "the file was replaced or truncated ({why}); it is read anew, all that was known of its former content is delivered"
            ),
            undelivered => tracing::warn!(
                file = %self.path.display(),
                generation,
                undelivered,
                "the file was replaced or truncated ({why}); it is read anew; looking for a copy of its former content"
            ),
        }
        if let Some(identity) = self.identity.take() {
            if self.closed != Some(self.position) {
                self.note_ended(Ended { identity: identity.clone(), position: self.position });
            }
            self.former = Some(identity);
        }
        if let Some(packed) = &mut self.packed {
            packed.forget_content();
            self.stat.size = 0;
        }
        self.looks_since_replaced = 0;
        self.known_size = 0;
        self.comparison = None;
        self.yields = false;
        self.anchor = None;
        self.go_to(0);
        missing
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
        self.closed = None;
        self.searched_to = 0;
        self.examined = None;
    }

    /// The server keeps everything before `position`; `anchor` are the bytes before it,
    /// if all that was sent is kept.
    pub(crate) fn advance(&mut self, position: u64, anchor: Option<Anchor>, stat: Stat) {
        self.go_to(position);
        if anchor.is_some() {
            self.anchor = anchor;
        }
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

    /// Others begin alike: the next turn compares.
    pub(crate) fn compare_with(&mut self, comparison: Comparison) {
        self.comparison = Some(comparison);
        self.examined = None;
    }

    /// A compressed file that was never followed is not to be read from its start.
    pub(crate) fn leave_alone(&mut self) {
        tracing::info!(file = %self.path.display(), "the compressed file is no copy of one that was followed; it is left alone");
        self.wait_until_changed();
    }

    /// It could not be read. What the system refuses may be allowed later without a change of the
    /// file; a damaged content stays damaged until it changes.
    pub(crate) fn note_unreadable(&mut self, error: &io::Error) {
        self.complain(format!("cannot read the file: {error}"));
        self.wait_for_next_look();
        if error.raw_os_error().is_none() {
            self.wait_until_changed();
        }
    }

    /// There is nothing to do with a compressed file until it changes.
    pub(crate) fn wait_until_changed(&mut self) {
        self.comparison = None;
        if let Some(packed) = &mut self.packed {
            packed.wait();
        }
    }

    /// The length of a compressed content is known now.
    pub(crate) fn measured(&mut self, length: u64) {
        self.stat.size = length;
        self.known_size = length;
        if let Some(packed) = &mut self.packed {
            packed.is_measured = true;
        }
        self.note_lag();
        self.examined = None;
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
    use crate::unpack::Compression;

    fn sighting(size: u64) -> Sighting {
        Sighting {
            path: "/spool/x.log".into(),
            inode: Inode { device: 1, number: 7 },
            size,
            modified: SystemTime::UNIX_EPOCH,
            superseded: false,
            compression: None,
            only_rest: false,
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
    fn what_the_system_refuses_is_tried_again_and_what_is_damaged_waits_for_a_change() {
        let stat = Stat { size: 39, modified: SystemTime::UNIX_EPOCH };
        for (error, waits) in
            [(io::Error::from_raw_os_error(libc::EACCES), false), (io::ErrorKind::InvalidData.into(), true)]
        {
            let mut file = FollowedFile::first_seen(0, sighting(39));
            file.packed = Some(Packed::new(Compression::Gzip, stat, false));
            file.note_unreadable(&error);
            assert_eq!(file.packed.unwrap().waits, waits, "{error}");
            assert!(file.trouble.is_some());
        }
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
