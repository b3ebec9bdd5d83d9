//! What the end of each piece of work means for what the agent knows.
//!
//! A position goes on by the server's word and by nothing else. A file that cannot go on says why
//! and waits; it keeps no other back.

use tokio::task::JoinError;
use tokio::time::Instant;

use super::{Agent, Done};
use crate::closing::{ClosingReport, Ended};
use crate::delivery::{Answer, Trouble};
use crate::generation::{Identity, Inode};
use crate::spool::Survey;
use crate::turn::{Outcome, Report, SentBatch};

impl Agent {
    pub(super) fn settle(&mut self, done: Result<Done, JoinError>) {
        match done {
            Ok(Done::Look { spool, scheduled, survey }) => self.settle_look(spool, scheduled, survey),
            Ok(Done::Positions(Ok(positions))) => {
                tracing::debug!(generations = positions.positions.len(), "the server told its positions");
                self.link.connected();
                self.followed.adopt(positions);
                self.unsaved = true;
                for spool in 0..self.looks.len() {
                    self.clear_away(spool);
                }
            }
            Ok(Done::Positions(Err(trouble))) => {
                self.link.failed(trouble);
                self.unsaved = true;
            }
            Ok(Done::Turn(report)) => {
                self.turns -= 1;
                self.settle_turn(report);
            }
            Ok(Done::Closing(report)) => {
                self.turns -= 1;
                self.closings -= 1;
                self.settle_closing(report);
            }
            Ok(Done::Reported(result)) => {
                if let Err(trouble) = result {
                    tracing::debug!(%trouble, "the server did not take the report on the spools");
                }
            }
            Ok(Done::Cleared { spool, left }) => {
                let look = &mut self.looks[spool];
                look.clearing = false;
                look.uncleared.extend(left.into_iter().map(|inode| (inode, Instant::now())));
            }
            Err(error) => {
                if let Ok(panic) = error.try_into_panic() {
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }

    fn settle_look(&mut self, spool: usize, scheduled: bool, survey: Survey) {
        self.looks[spool].under_way = false;
        self.looks[spool].directories = survey.directories.iter().cloned().collect();
        let directories = self.looks.iter().flat_map(|look| look.directories.iter().cloned()).collect();
        self.watch.set_directories(&directories);
        self.complaints.update(spool, &survey);
        let lost_before = self.followed.losses.extent();
        self.followed.see(spool, survey, scheduled);
        self.unsaved |= self.followed.losses.extent() != lost_before;
        if scheduled {
            self.clear_away(spool);
            self.report();
        }
    }

    fn settle_turn(&mut self, mut report: Report) {
        let inode = report.inode;
        self.unsaved = true;
        let stream = report.stream.take();
        if let Some(file) = self.followed.files.get(&inode) {
            // When it was replaced during the turn, the report is about its former life. Whatever
            // the server keeps of that, it tells when it is asked.
            if file.identity == report.identity {
                self.settle_outcome(report);
            }
        }
        if let Some(file) = self.followed.files.get_mut(&inode) {
            file.end_turn();
            let is_unread = file.unread() > 0;
            if let Some(packed) = &mut file.packed {
                packed.stream = stream.filter(|_| is_unread);
            }
        }
        self.followed.schedule.turn_ended(inode);
        self.followed.offer(inode, Instant::now());
    }

    fn settle_outcome(&mut self, report: Report) {
        let Report { inode, identity, finished, outcome, stream: _ } = report;
        let Some(file) = self.followed.files.get_mut(&inode) else {
            return;
        };
        match outcome {
            Outcome::Nothing { stat, searched_to } => {
                file.found_nothing(stat, finished);
                file.searched_to = searched_to;
                file.recover();
            }
            Outcome::Identified { head, size } => self.followed.identify(inode, head, size),
            Outcome::Compared { size, fitting } => self.followed.compared(inode, size, fitting),
            Outcome::Measured { length } => file.measured(length),
            Outcome::Incomplete => file.wait_until_changed(),
            Outcome::Replaced => {
                self.followed.begin_anew(inode, "its beginning or the last line delivered is another one");
            }
            Outcome::Shifted => {
                // What it was to be compared with may have moved.
                file.comparison = None;
                file.wait_for_next_look();
            }
            Outcome::Unreadable(error) => file.note_unreadable(&error),
            Outcome::Untaken(Trouble::BatchRefused { url, answer }) => {
                file.fail(Trouble::BatchRefused { url, answer }.to_string());
            }
            Outcome::Untaken(trouble) => {
                if matches!(trouble, Trouble::Broken { .. }) {
                    file.postpone();
                }
                self.link.failed(trouble);
            }
            Outcome::Answered { batch, answer } => {
                if let Some(identity) = identity {
                    self.settle_answer(inode, &identity, batch, answer);
                }
            }
        }
    }

    fn settle_answer(&mut self, inode: Inode, identity: &Identity, batch: SentBatch, answer: Answer) {
        let Some(file) = self.followed.files.get_mut(&inode) else {
            return;
        };
        let SentBatch { extent, anchor, stat } = batch;
        let generation = identity.generation();
        match answer {
            Answer::Kept(offset) if offset > extent.start => {
                let is_whole = offset == extent.end;
                file.advance(offset, is_whole.then_some(anchor), stat);
                file.recover();
                if extent.last && is_whole {
                    file.close(&Ended { identity: identity.clone(), position: offset });
                }
                tracing::info!(
                    spool = self.config.spools[file.spool].pattern.as_str(),
                    file = %file.path.display(),
                    generation = generation.0,
                    bytes = offset - extent.start,
                    position = offset,
                    last = extent.last,
                    "delivered"
                );
                self.link.kept();
                self.followed.confirm(generation, offset);
                self.followed.share_position(inode, identity, offset);
            }
            Answer::GoTo(offset) if offset != extent.start => {
                tracing::warn!(
                    file = %file.path.display(),
                    generation = generation.0,
                    agent = extent.start,
                    server = offset,
                    "the server holds less than the agent thought; going back"
                );
                file.advance(offset, None, stat);
                self.followed.confirm(generation, offset);
                // What it lacks of this file it may lack of others.
                self.link.ask_now();
            }
            Answer::Kept(offset) | Answer::GoTo(offset) => {
                file.fail(format!("the server holds {offset} bytes of this file and does not take what follows"));
            }
        }
    }

    fn settle_closing(&mut self, report: ClosingReport) {
        let ClosingReport { inode, ended, result } = report;
        self.unsaved = true;
        let Some(file) = self.followed.files.get_mut(&inode) else {
            return;
        };
        let is_present = file.is_at(&ended);
        match result {
            Ok(Answer::Kept(offset)) if offset == ended.position => {
                tracing::debug!(
                    file = %file.path.display(),
                    generation = ended.identity.generation().0,
                    position = offset,
                    "told the server that nothing follows"
                );
                file.close(&ended);
                if is_present {
                    file.recover();
                }
                self.link.kept();
            }
            // The server holds another part of it than the agent thought: it is asked which.
            Ok(Answer::Kept(_) | Answer::GoTo(_)) if is_present => {
                file.postpone();
                self.link.ask_now();
            }
            Err(trouble @ Trouble::BatchRefused { .. }) if is_present => file.fail(trouble.to_string()),
            // The former content is not there any more: nothing can be sent again or otherwise.
            Ok(Answer::Kept(_) | Answer::GoTo(_)) | Err(Trouble::BatchRefused { .. }) => {
                tracing::warn!(
                    file = %file.path.display(),
                    generation = ended.identity.generation().0,
                    position = ended.position,
                    "the server does not take the word that the former content ended there"
                );
                file.close(&ended);
            }
            Err(trouble) => {
                if matches!(trouble, Trouble::Broken { .. }) {
                    file.postpone();
                }
                self.link.failed(trouble);
            }
        }
        file.end_turn();
        self.followed.offer(inode, Instant::now());
    }
}
