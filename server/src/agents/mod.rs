//! How agents and their spools stand: what agents report, and what came of their records.
//!
//! It is for people who watch, and for nothing else: no decision rests on it, it is in memory
//! alone, and begins anew with the server. When an agent was last heard is kept by the store too;
//! the later of both counts. Whatever agents say is bounded here, in number and in length.

mod hour;
mod paths;
mod silence;
mod spool;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sextant_model::Timestamp;
use sextant_model::delivery::{BatchHeader, MAX_REPORTED_SPOOLS, SpoolsReport};

pub use silence::Silence;
use spool::Spool;
pub use spool::{Failure, Outcome, ShownSpool};

use crate::view::one_line;

/// The id of `sextant import` on a host begins so. It is no agent that one would miss.
pub const IMPORTER: &str = "import@";

/// Agents that are remembered; of more, those heard longest ago are forgotten.
const MOST_AGENTS: usize = 5_000;
/// Spools of all agents together that are remembered, whether reported or not.
const MOST_SPOOLS: usize = 20_000;
/// Directories of an agent that belong to none of the spools that it told of, if it told of any.
pub const MOST_UNREPORTED: usize = 16;
/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 500;

/// All agents.
#[derive(Debug, Default)]
pub struct Agents {
    by_id: Mutex<HashMap<String, Agent>>,
}

#[derive(Debug, Default)]
struct Agent {
    heard: Option<Timestamp>,
    spools: Vec<Spool>,
    refusal: Option<Failure>,
}

/// What is known of one agent here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownAgent {
    /// When it reported last.
    pub heard: Option<Timestamp>,
    /// Its spools, in the order of its configuration.
    pub spools: Vec<ShownSpool>,
    /// The last batch of it that was refused, and why.
    pub refusal: Option<Failure>,
}

impl Agents {
    /// An agent told how its spools stand.
    pub fn report(&self, report: SpoolsReport, at: Timestamp) {
        let mut by_id = self.locked();
        let agent = entry(&mut by_id, &report.agent);
        agent.heard = Some(at);
        let mut former = std::mem::take(&mut agent.spools);
        for mut state in report.spools.into_iter().take(MAX_REPORTED_SPOOLS) {
            state.trouble = state.trouble.map(|trouble| one_line(&trouble, LONGEST_REASON));
            let mut spool = match former.iter().position(|spool| spool.is_reported() && spool.is_of(&state)) {
                Some(known) => {
                    let mut spool = former.swap_remove(known);
                    spool.report(state, at);
                    spool
                }
                None => Spool::reported(state, at),
            };
            // What was known by its files alone, from before the first report, belongs to a spool now.
            let (own, others): (Vec<Spool>, Vec<Spool>) = former.into_iter().partition(|known| known.is_former(&spool));
            former = others;
            for known_by_files in own {
                spool.absorb(known_by_files);
            }
            agent.spools.push(spool);
        }
        // What is left is configured no more.
        bound_spools(&mut by_id);
    }

    /// Forgets an agent, until it is heard again.
    pub fn forget(&self, agent: &str) {
        self.locked().remove(agent);
    }

    /// Something that an agent delivered is linked.
    pub fn linked(&self, header: &BatchHeader, outcome: Outcome<'_>, at: Timestamp) {
        let mut by_id = self.locked();
        let agent = entry(&mut by_id, &header.agent);
        let known = agent.spools.iter().position(|spool| spool.holds(header));
        let spool = match known {
            Some(known) => &mut agent.spools[known],
            None if agent.spools.iter().filter(|spool| !spool.is_reported()).count() < MOST_UNREPORTED => {
                agent.spools.push(Spool::of_file(header));
                let last = agent.spools.len() - 1;
                &mut agent.spools[last]
            }
            None => return,
        };
        let reason = outcome.last_problem.map(|problem| one_line(problem, LONGEST_REASON));
        spool.add(Outcome { last_problem: reason.as_deref(), ..outcome }, at);
        if known.is_none() {
            bound_spools(&mut by_id);
        }
    }

    /// A batch of an agent was refused.
    pub fn refused(&self, agent: &str, reason: &str, at: Timestamp) {
        let mut by_id = self.locked();
        let in_words = one_line(reason, LONGEST_REASON);
        entry(&mut by_id, agent).refusal = Some(Failure { at, in_words });
    }

    /// What is known of an agent.
    pub fn shown(&self, agent: &str, now: Timestamp) -> ShownAgent {
        self.locked().get(agent).map_or_else(ShownAgent::default, |agent| ShownAgent {
            heard: agent.heard,
            spools: agent.spools.iter().map(|spool| spool.shown(now)).collect(),
            refusal: agent.refusal.clone(),
        })
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, Agent>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry<'a>(by_id: &'a mut HashMap<String, Agent>, id: &str) -> &'a mut Agent {
    if by_id.len() >= MOST_AGENTS && !by_id.contains_key(id) {
        forget_longest_silent(by_id);
    }
    by_id.entry(id.to_owned()).or_default()
}

fn bound_spools(by_id: &mut HashMap<String, Agent>) {
    while by_id.len() > 1 && by_id.values().map(|agent| agent.spools.len()).sum::<usize>() > MOST_SPOOLS {
        forget_longest_silent(by_id);
    }
}

fn forget_longest_silent(by_id: &mut HashMap<String, Agent>) {
    let longest_silent = by_id.iter().min_by_key(|(_, agent)| agent.heard).map(|(id, _)| id.clone());
    if let Some(longest_silent) = longest_silent {
        by_id.remove(&longest_silent);
    }
}
