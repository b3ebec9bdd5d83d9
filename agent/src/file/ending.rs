//! When the server is told that nothing follows in a file.

use tokio::time::Instant;

use super::{FollowedFile, QUIET_LOOKS, TurnPhase};
use crate::closing::{Closing, Ended};
use crate::generation::Identity;

impl FollowedFile {
    /// The next generation that ended and of which the server does not know it yet.
    fn ended(&self) -> Option<Ended> {
        if let Some(former) = self.unclosed.last() {
            // A copy of it may be found yet, which goes on.
            return (self.looks_since_replaced >= QUIET_LOOKS).then(|| former.clone());
        }
        let is_lost = self.is_gone_for_good();
        let is_all = self.stat.size == self.position || is_lost;
        let is_whole = self.packed.as_ref().is_none_or(|packed| packed.is_measured);
        let is_open = is_all && is_whole && self.position > 0 && self.closed != Some(self.position);
        if !self.is_finished() || !is_open || self.yields {
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
        (is_open && !self.yields || !self.unclosed.is_empty()) && self.trouble.is_none()
    }

    /// Whether the server has all of it and knows so, and a newer file is there.
    pub(crate) fn is_done(&self) -> bool {
        self.is_finished()
            && self.superseded
            && self.gone_since.is_none()
            && !self.is_busy()
            && !self.yields
            && self.trouble.is_none()
            && self.packed.as_ref().is_none_or(|packed| packed.is_measured)
            && self.position > 0
            && self.stat.size == self.position
            && self.closed == Some(self.position)
            // As it is now it was read to its end.
            && self.examined == Some((self.stat, false))
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

    /// Whether what it would be told hangs on a copy that may be found yet.
    pub(crate) fn may_be_continued(&self) -> bool {
        let is_lost = self.is_gone_for_good() && self.unread() > 0;
        is_lost || !self.unclosed.is_empty()
    }

    /// A copy goes on with that generation: it has not ended.
    pub(crate) fn is_continued(&mut self, identity: &Identity) {
        self.unclosed.retain(|former| former.identity != *identity);
    }

    /// A former generation, kept up to a position, ended.
    pub(crate) fn note_ended(&mut self, ended: Ended) {
        if ended.position > 0 {
            self.unclosed.push(ended);
        }
    }
}
