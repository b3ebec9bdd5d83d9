//! What looks at the spools tell of a file.

use std::time::Duration;

use tokio::time::Instant;

use super::{Behind, FollowedFile, Stat, TurnPhase};
use crate::spool::Sighting;

impl FollowedFile {
    /// Takes over what a look saw. `scheduled`: it was not called by a file system event, so it
    /// counts as a measure of time.
    pub(crate) fn see(&mut self, sighting: Sighting, scheduled: bool) {
        let stat = match &mut self.packed {
            // The size is that of the content, as far as it is known.
            Some(packed) => {
                packed.see(Stat { size: sighting.size, modified: sighting.modified });
                Stat { size: self.stat.size, modified: sighting.modified }
            }
            None => Stat { size: sighting.size, modified: sighting.modified },
        };
        if self.path != sighting.path {
            tracing::info!(from = %self.path.display(), to = %sighting.path.display(), "the file was renamed");
            self.path = sighting.path;
        }
        self.superseded = sighting.superseded;
        if scheduled {
            self.looks_since_replaced = self.looks_since_replaced.saturating_add(1);
        }
        self.gone_since = None;
        if self.loss_is_counted {
            self.loss_is_counted = false;
            self.known_size = 0;
        }
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
        self.note_lag();
        if self.examine_again {
            self.examine_again = false;
            self.examined = None;
        }
        self.release();
    }

    /// Whether a file with its inode may be itself, back again. With nothing read of it, another
    /// name or a smaller size says that it is another one.
    pub(crate) fn may_be(&self, sighting: &Sighting) -> bool {
        self.identity.is_some() || self.path == sighting.path && self.stat.size <= sighting.size
    }

    /// A look did not find it. Gives back how many bytes are lost unless a copy of it is found.
    pub(crate) fn miss(&mut self, scheduled: bool) -> u64 {
        let mut missing = 0;
        if scheduled {
            self.looks_since_replaced = self.looks_since_replaced.saturating_add(1);
        }
        if self.gone_since.is_none() {
            self.gone_since = Some(Instant::now());
            self.quiet_looks = 0;
            if self.held.is_none() {
                // Of an open file the next turn tells whether that was the size of the same content.
                self.known_size = self.known_size.max(self.stat.size);
            }
            match (self.unread(), &self.held) {
                (0, None) if self.never_read_size() > 0 => {
                    missing = self.never_read_size();
                    tracing::warn!(file = %self.path.display(), size = missing, "the compressed file is gone before it was read");
                }
                (0, _) => {
                    tracing::info!(file = %self.path.display(), "the file is gone; all of it is delivered");
                }
                (unread, Some(_)) => {
                    tracing::info!(file = %self.path.display(), unread, "the file is gone; it is still open and will be delivered");
                }
                (unread, None) => {
                    missing = if self.yields { 0 } else { unread };
                    tracing::warn!(file = %self.path.display(), unread, "the file is gone before it was delivered; looking for a copy of it");
                }
            }
        }
        self.count_quiet_look(scheduled);
        if self.examine_again {
            self.examine_again = false;
            self.examined = None;
        }
        missing
    }

    /// The compressed size of a compressed file of which nothing was read yet; 0 for any other. What
    /// belongs to nothing that was followed counts only where such copies are read.
    pub(crate) fn never_read_size(&self) -> u64 {
        let never_read = self.packed.as_ref().filter(|packed| !packed.is_measured && !packed.only_rest);
        never_read.map_or(0, |packed| packed.stat.size)
    }

    fn count_quiet_look(&mut self, scheduled: bool) {
        if scheduled {
            self.quiet_looks = self.quiet_looks.saturating_add(1);
        }
    }

    /// Gives up a deleted file that was kept open for too long.
    /// Gives back how many bytes are lost by it, unless a copy of it is found.
    pub(crate) fn give_up_when_held_too_long(&mut self, longest: Duration) -> u64 {
        let too_long = self.gone_since.is_some_and(|since| since.elapsed() > longest);
        if too_long && !self.is_busy() && self.held.take().is_some() {
            tracing::error!(
                file = %self.path.display(),
                unread = self.unread(),
                "the deleted file could not be delivered within [agent] hold_deleted; it is closed"
            );
            return self.unread();
        }
        0
    }

    /// What was there at some look was written then or before. It is behind until it is delivered.
    pub(super) fn note_lag(&mut self) {
        let is_delivered =
            self.behind.is_none_or(|behind| self.position >= behind.size || behind.size > self.stat.size);
        if is_delivered {
            let is_behind = self.unread() > 0;
            self.behind = is_behind.then(|| Behind { size: self.stat.size, since: Instant::now() });
        }
    }

    /// For how long the oldest bytes that are not delivered have been there.
    pub(crate) fn time_behind(&self) -> Duration {
        let Some(behind) = self.behind.filter(|behind| self.position < behind.size && self.unread() > 0) else {
            return Duration::ZERO;
        };
        // Nothing was written since its last change, so all of it is as old as that at least.
        let unchanged_for = self.stat.modified.elapsed().unwrap_or_default();
        behind.since.elapsed().max(unchanged_for)
    }
}
