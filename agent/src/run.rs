//! The loop: looks at the spools, gives files their turns, keeps the server's word.
//!
//! Looks, turns and questions to the server run side by side; only this loop changes what the
//! agent knows, so there is one order of events. A look that hangs on a dead mount keeps back its
//! own spool and nothing else.

mod reporting;
mod settle;

use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tracing::Instrument;

use sextant_model::delivery::{Hello, MAX_REPORTED_SPOOLS, Positions};

use crate::closing::{self, ClosingReport};
use crate::complaints::Complaints;
use crate::config::Config;
use crate::delivery::{Server, Trouble};
use crate::error::Error;
use crate::file::FollowedFile;
use crate::followed::Followed;
use crate::generation::Inode;
use crate::link::Link;
use crate::reader::Limits;
use crate::retention::{self, Finished};
use crate::spool::{self, Survey};
use crate::state::{Loaded, Saved, SavedMissing, StateDirectory, now_ms};
use crate::turn::{self, Report, Surroundings};
use crate::watch::Watch;

/// Events make looks earlier, but not more frequent than this.
const SHORTEST_GAP_BETWEEN_LOOKS: Duration = Duration::from_millis(250);
/// So many turns at a time tell the server that files ended. The rest is for reading.
const MOST_CLOSINGS: usize = 2;
/// How long batches under way may take after the agent was told to stop.
const LONGEST_FAREWELL: Duration = Duration::from_secs(5);
/// The state is saved at most once in this time, and more rarely when it is large.
const SAVE_GAP: Duration = Duration::from_secs(1);
const SAVE_GAP_PER_MEBIBYTE: Duration = Duration::from_secs(10);

/// The agent of one host.
pub struct Agent {
    config: Config,
    state: StateDirectory,
    surroundings: Surroundings,
    link: Link,
    followed: Followed,
    complaints: Complaints,
    work: JoinSet<Done>,
    /// Turns under way, those that only close a generation included.
    turns: usize,
    closings: usize,
    /// Per spool: a look is under way, and the directories it listed last.
    looks: Vec<Look>,
    watch: Watch,
    unsaved: bool,
    save_at: Instant,
    report_at: Instant,
}

#[derive(Debug, Default)]
struct Look {
    under_way: bool,
    directories: BTreeSet<PathBuf>,
    /// Files of the spool are being cleared away.
    clearing: bool,
    /// Files that could not be cleared away, and when that was tried.
    uncleared: HashMap<Inode, Instant>,
}

/// Work that came to its end.
enum Done {
    Look { spool: usize, scheduled: bool, survey: Survey },
    Positions(Result<Positions, Trouble>),
    Turn(Report),
    Closing(ClosingReport),
    Reported(Result<(), Trouble>),
    Cleared { spool: usize, left: Vec<Inode> },
}

impl Agent {
    /// Takes the state directory, reads the state and the token; connects to nobody yet.
    pub fn new(config: Config) -> Result<Self, Error> {
        let mut state = StateDirectory::open(&config.agent.state_dir)?;
        let server = Server::new(&config.server)?;
        let surroundings = Surroundings {
            server,
            agent: state.agent.clone(),
            host: config.agent.host.clone(),
            limits: Limits::with_batch(config.agent.batch_bytes),
            long_lines: Arc::new(Semaphore::new(1)),
        };
        let mut followed = Followed::default();
        match std::mem::replace(&mut state.loaded, Loaded::Absent) {
            Loaded::Kept(saved) => remember(&config, saved, &mut followed),
            Loaded::Absent => {
                tracing::info!("there is no state yet; positions come from the server");
            }
            Loaded::Damaged(reason) => tracing::warn!(
                reason,
                "the state cannot be used; it is made again from the server's positions and the files"
            ),
        }
        let looks = config.spools.iter().map(|_| Look::default()).collect();
        Ok(Self {
            config,
            state,
            surroundings,
            link: Link::new(),
            followed,
            complaints: Complaints::default(),
            work: JoinSet::new(),
            turns: 0,
            closings: 0,
            looks,
            watch: Watch::new(),
            unsaved: true,
            save_at: Instant::now(),
            report_at: Instant::now(),
        })
    }

    /// The agent's id.
    pub fn id(&self) -> &str {
        &self.surroundings.agent
    }

    /// Follows and delivers until `stop` is ready; then finishes the batches under way, saves,
    /// and returns.
    pub async fn run(&mut self, stop: impl Future<Output = ()>) {
        let span = tracing::info_span!("agent", id = self.id(), host = self.config.agent.host);
        self.run_until(stop).instrument(span).await;
    }

    /// Looks once, delivers what is complete, and returns. Gives back in words what kept
    /// something from being delivered.
    pub async fn deliver_once(&mut self) -> Result<(), String> {
        let span = tracing::info_span!("agent", id = self.id(), host = self.config.agent.host);
        self.look_and_deliver().instrument(span).await
    }

    async fn run_until(&mut self, stop: impl Future<Output = ()>) {
        tracing::info!(version = env!("CARGO_PKG_VERSION"), server = self.config.server.url, "the agent starts");
        if self.config.spools.len() > MAX_REPORTED_SPOOLS {
            tracing::warn!(
                spools = self.config.spools.len(),
                "all spools are followed, but the server is told only how the first {MAX_REPORTED_SPOOLS} stand"
            );
        }
        let mut stop = pin!(stop);
        let mut polls = interval(self.config.agent.poll_interval);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_look = Instant::now();
        let mut early_look_at: Option<Instant> = None;
        loop {
            self.start_work();
            let wake_at = [early_look_at, self.next_deadline()].into_iter().flatten().min();
            let is_idle = self.work.is_empty();
            tokio::select! {
                () = &mut stop => break,
                _ = polls.tick() => {
                    last_look = Instant::now();
                    early_look_at = None;
                    self.look_everywhere(true);
                }
                () = self.watch.changed(), if early_look_at.is_none() => {
                    early_look_at = Some(Instant::now().max(last_look + SHORTEST_GAP_BETWEEN_LOOKS));
                }
                Some(done) = self.work.join_next(), if !is_idle => self.settle(done),
                () = sleep_until(wake_at.unwrap_or_else(Instant::now)), if wake_at.is_some() => {}
            }
            if early_look_at.is_some_and(|at| at <= Instant::now()) {
                last_look = Instant::now();
                early_look_at = None;
                self.look_everywhere(false);
            }
            if self.unsaved && self.save_at <= Instant::now() {
                self.save();
            }
        }
        self.finish().await;
    }

    async fn look_and_deliver(&mut self) -> Result<(), String> {
        self.link.ask_now();
        self.followed.files.values_mut().for_each(FollowedFile::retry_now);
        self.look_everywhere(true);
        loop {
            self.start_work();
            match self.work.join_next().await {
                Some(done) => self.settle(done),
                None => break,
            }
        }
        self.report_at = Instant::now();
        self.report();
        while let Some(done) = self.work.join_next().await {
            self.settle(done);
        }
        self.save();
        let file_trouble = || self.followed.files.values().find_map(|file| file.trouble.clone());
        match self.link.trouble().or_else(file_trouble) {
            Some(trouble) => Err(trouble),
            None => Ok(()),
        }
    }

    /// Lets the batches under way end, for a while, and saves.
    async fn finish(&mut self) {
        tracing::info!(batches = self.turns, "the agent was told to stop");
        let all_ended = async {
            while self.turns > 0
                && let Some(done) = self.work.join_next().await
            {
                self.settle(done);
            }
        };
        let is_late = timeout(LONGEST_FAREWELL, all_ended).await.is_err();
        if is_late {
            tracing::warn!(
                "batches under way did not end in time; the server's word about them is asked for at the next start"
            );
        }
        self.work.abort_all();
        self.save();
        // A batch that arrives behind the goodbye would say that the agent is back.
        if !is_late {
            self.say_goodbye().await;
        }
        tracing::info!("the agent stops");
    }

    /// When something is due without an event.
    fn next_deadline(&self) -> Option<Instant> {
        let ask_at = if self.turns == 0 { self.link.ask_at() } else { None };
        let save_at = self.unsaved.then_some(self.save_at);
        let retry_at = if self.link.is_connected() { self.followed.next_retry(Instant::now()) } else { None };
        [ask_at, save_at, retry_at].into_iter().flatten().min()
    }

    /// Starts what can be started: the question for positions, or turns.
    fn start_work(&mut self) {
        let now = Instant::now();
        if self.link.wants_positions(now) {
            // Positions are taken over when nothing is under way that could move them.
            if self.turns == 0 {
                self.ask_for_positions();
            }
            return;
        }
        if !self.link.is_connected() {
            return;
        }
        while self.turns < self.config.agent.parallel_files {
            let Some(file) = self.followed.choose(now) else {
                break;
            };
            let spool = &self.config.spools[file.spool];
            let turn = file.begin_turn();
            let turn = turn::take(turn, spool.format.clone(), spool.cluster.clone(), self.surroundings.clone());
            self.work.spawn(async { Done::Turn(turn.await) });
            self.turns += 1;
        }
        self.start_closings(now);
    }

    /// Uses turns that no reading needs.
    fn start_closings(&mut self, now: Instant) {
        while self.turns < self.config.agent.parallel_files && self.closings < MOST_CLOSINGS {
            let Some(file) = self.followed.choose_to_close(now) else {
                break;
            };
            let spool = &self.config.spools[file.spool];
            let Some(closing) = file.begin_closing() else {
                break;
            };
            let sending =
                closing::send(closing, spool.format.clone(), spool.cluster.clone(), self.surroundings.clone());
            self.work.spawn(async { Done::Closing(sending.await) });
            self.turns += 1;
            self.closings += 1;
        }
    }

    fn ask_for_positions(&mut self) {
        self.link.asking();
        if let Err(trouble) = self.surroundings.server.renew_token() {
            self.link.failed(trouble);
            return;
        }
        let hello = Hello {
            agent: self.surroundings.agent.clone(),
            host: self.surroundings.host.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let server = self.surroundings.server.clone();
        self.work.spawn(async move { Done::Positions(server.positions(&hello).await) });
    }

    fn look_everywhere(&mut self, scheduled: bool) {
        for (index, spool) in self.config.spools.iter().enumerate() {
            if self.looks[index].under_way {
                continue;
            }
            self.looks[index].under_way = true;
            let (pattern, compressed) = (spool.pattern.clone(), spool.compressed);
            let (known, most_opened) = self.followed.known_of(index);
            self.work.spawn_blocking(move || Done::Look {
                spool: index,
                scheduled,
                survey: spool::survey(&pattern, compressed, &known, most_opened),
            });
        }
        if scheduled {
            self.followed.forget_gone(self.config.agent.hold_deleted);
        }
    }

    /// Clears away what a spool's retention covers, if the server's positions are known.
    fn clear_away(&mut self, spool: usize) {
        let Some(retention) = self.config.spools[spool].retention.clone() else {
            return;
        };
        if self.looks[spool].clearing || !self.link.is_connected() {
            return;
        }
        let uncleared = &mut self.looks[spool].uncleared;
        uncleared.retain(|_, tried| tried.elapsed() < retention::TRY_AGAIN);
        let files = self.followed.files.values();
        let files = files.filter(|file| file.spool == spool && !uncleared.contains_key(&file.inode));
        let finished = files.filter_map(|file| Finished::of(file, &retention));
        let finished: Vec<Finished> = finished.take(retention::MOST_AT_ONCE).collect();
        if finished.is_empty() {
            return;
        }
        self.looks[spool].clearing = true;
        self.work.spawn_blocking(move || {
            let left = retention::clear_away(finished, &retention);
            Done::Cleared { spool, left }
        });
    }

    fn save(&mut self) {
        let spool = |index: usize| self.config.spools[index].pattern.as_str();
        let mut files: Vec<_> = self.followed.files.values().map(|file| file.to_saved(spool(file.spool))).collect();
        files.sort_by(|one, other| (&one.path, one.inode).cmp(&(&other.path, other.inode)));
        let saved = Saved {
            agent: self.surroundings.agent.clone(),
            host: self.surroundings.host.clone(),
            time_ms: now_ms(),
            server: self.link.to_string(),
            files,
            replaced: self.followed.replaced.clone(),
            lost_bytes: self.followed.losses.total,
            missing: self
                .followed
                .losses
                .missing()
                .map(|(index, missing)| SavedMissing { spool: spool(index).to_owned(), missing: missing.clone() })
                .collect(),
        };
        self.unsaved = false;
        let size = match self.state.save(&saved) {
            Ok(size) => size,
            Err(error) => {
                tracing::error!(%error, "the state cannot be saved; after a restart the server's positions count");
                0
            }
        };
        self.save_at = Instant::now() + SAVE_GAP + SAVE_GAP_PER_MEBIBYTE.mul_f64(size as f64 / f64::from(1 << 20));
    }
}

/// Takes over the files of the last run whose spool is still configured.
fn remember(config: &Config, saved: Saved, followed: &mut Followed) {
    followed.replaced = saved.replaced;
    followed.losses.total = saved.lost_bytes;
    let index_of = |pattern: &str| config.spools.iter().position(|spool| spool.pattern.as_str() == pattern);
    for SavedMissing { spool, missing } in saved.missing {
        if let Some(spool) = index_of(&spool) {
            followed.losses.remember(spool, missing);
        }
    }
    for file in saved.files {
        if let Some(spool) = index_of(&file.spool) {
            followed.remember(FollowedFile::remembered(spool, file));
        }
    }
    followed.settle_copies();
}
