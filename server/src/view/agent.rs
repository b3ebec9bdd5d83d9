//! Agents and their spools, with how they stand in words.

use std::time::Duration;

use serde::Serialize;
use sextant_model::Timestamp;
use sextant_store::AgentContact;
use utoipa::ToSchema;

use super::in_seconds;
use crate::agents::{Failure, ShownAgent, ShownSpool, Silence};

/// An agent as it is known from both places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAgent {
    /// What the store keeps.
    pub contact: AgentContact,
    /// What it told since the server started.
    pub shown: ShownAgent,
    /// Whether it is missed.
    pub silence: Silence,
}

impl KnownAgent {
    /// Puts together what both places know.
    pub fn new(mut contact: AgentContact, shown: ShownAgent, now: Timestamp, silent_after: Duration) -> Self {
        contact.last_contact = shown.heard.map_or(contact.last_contact, |heard| heard.max(contact.last_contact));
        let silence = Silence::of(&contact.agent, contact.last_contact, contact.stopped, now, silent_after);
        Self { contact, shown, silence }
    }

    /// What somebody should look after, one sentence each.
    pub fn attention(&self, now: Timestamp, lag_is_long_after: Duration) -> Vec<String> {
        let host = &self.contact.host;
        match self.silence {
            Silence::GivenUp => return Vec::new(),
            Silence::Silent | Silence::Stopped => return vec![format!("agent on {host}: {}", self.in_words(now))],
            Silence::None => {}
        }
        let mut sentences = Vec::new();
        for spool in &self.shown.spools {
            let path = &spool.state.path;
            if let Some(trouble) = &spool.state.trouble {
                sentences.push(format!("agent on {host}, spool {path}: {trouble}"));
            } else if spool.state.seconds_behind > lag_is_long_after.as_secs() {
                sentences.push(format!("agent on {host}, spool {path}: {}", lag_in_words(spool)));
            }
        }
        sentences
    }

    /// How it stands.
    pub fn in_words(&self, now: Timestamp) -> String {
        let last = self.contact.last_contact;
        let ago = duration_in_words(now.as_millis().saturating_sub(last.as_millis()).max(0) as u64 / 1_000);
        match self.silence {
            Silence::None => format!("heard {ago} ago"),
            Silence::Stopped => {
                format!("stopped since {} ({ago}), as it was told to; nothing is delivered meanwhile", in_seconds(last))
            }
            Silence::Silent => format!(
                "silent since {} ({ago}): it does not run, or does not get through; its log on that host says which",
                in_seconds(last)
            ),
            Silence::GivenUp => format!("silent since {} ({ago}); it is not expected any more", in_seconds(last)),
        }
    }
}

/// Somebody who delivers: an agent, or `sextant import` on a host.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentAnswer {
    /// Its id.
    agent: String,
    host: String,
    /// Its version, once it said hello.
    #[schema(required)]
    version: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    last_contact: Timestamp,
    /// Whether it should have been heard.
    silent: bool,
    /// When it said that it stops, if that was its last word.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    stopped: Option<Timestamp>,
    /// How it stands, for people.
    in_words: String,
    /// How many file generations it has sent bytes of.
    generations: u64,
    /// How many bytes of them are kept.
    bytes: u64,
    spools: Vec<SpoolAnswer>,
    /// The latest of what went wrong with it or one of its spools.
    #[schema(required)]
    last_error: Option<FailureAnswer>,
}

/// A spool of an agent. Numbers are null where the agent did not tell them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpoolAnswer {
    /// The directory, file or pattern, as it is configured.
    path: String,
    format: String,
    cluster: String,
    /// When the agent told how it stands; null for a spool that is known by its files alone.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    reported: Option<Timestamp>,
    /// Files that are followed and not gone.
    #[schema(required)]
    files_known: Option<u64>,
    /// Bytes in them that the server has not acknowledged.
    #[schema(required)]
    bytes_behind: Option<u64>,
    /// For how long, at least, the oldest of these bytes waits.
    #[schema(required)]
    seconds_behind: Option<u64>,
    /// Why files cannot be read, in words.
    #[schema(required)]
    trouble: Option<String>,
    records_last_hour: u64,
    problems_last_hour: u64,
    #[schema(required)]
    last_error: Option<FailureAnswer>,
    /// How far it is behind, for people.
    in_words: String,
}

/// Something that went wrong.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureAnswer {
    /// When the server learned of it.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    in_words: String,
}

/// An agent as the API shows it.
pub fn agent(known: &KnownAgent, now: Timestamp) -> AgentAnswer {
    let contact = &known.contact;
    AgentAnswer {
        agent: contact.agent.clone(),
        host: contact.host.clone(),
        version: contact.version.clone(),
        last_contact: contact.last_contact,
        silent: matches!(known.silence, Silence::Silent | Silence::GivenUp),
        stopped: contact.stopped,
        in_words: known.in_words(now),
        generations: contact.generations,
        bytes: contact.bytes,
        spools: known.shown.spools.iter().map(|shown| spool(shown, known.silence)).collect(),
        last_error: last_failure(known).map(failure),
    }
}

fn spool(spool: &ShownSpool, silence: Silence) -> SpoolAnswer {
    let told = |number: u64| spool.reported.map(|_| number);
    let lag = lag_in_words(spool);
    let is_heard = silence == Silence::None || spool.reported.is_none();
    SpoolAnswer {
        path: spool.state.path.clone(),
        format: spool.state.format.clone(),
        cluster: spool.state.cluster.clone(),
        reported: spool.reported,
        files_known: told(spool.state.files_known),
        bytes_behind: told(spool.state.bytes_behind),
        seconds_behind: told(spool.state.seconds_behind),
        trouble: spool.state.trouble.clone(),
        records_last_hour: spool.records_last_hour,
        problems_last_hour: spool.problems_last_hour,
        last_error: spool.last_failure.as_ref().map(failure),
        in_words: if is_heard { lag } else { format!("{lag}, when it was heard last") },
    }
}

/// What went wrong, and when.
pub fn failure(failure: &Failure) -> FailureAnswer {
    FailureAnswer { at: failure.at, in_words: failure.in_words.clone() }
}

/// The latest of what went wrong with the agent or one of its spools.
fn last_failure(known: &KnownAgent) -> Option<&Failure> {
    let of_spools = known.shown.spools.iter().filter_map(|spool| spool.last_failure.as_ref());
    of_spools.chain(&known.shown.refusal).max_by_key(|failure| failure.at)
}

/// `up to date`, or how far behind.
pub fn lag_in_words(spool: &ShownSpool) -> String {
    let state = &spool.state;
    match spool.reported {
        None => "the agent has not said how far it is behind".to_owned(),
        Some(_) if state.bytes_behind == 0 && state.trouble.is_some() => "nothing waits that could be read".to_owned(),
        Some(_) if state.bytes_behind == 0 => "up to date".to_owned(),
        Some(_) => {
            let age = duration_in_words(state.seconds_behind);
            format!("{} behind, the oldest of it for {age}", bytes_in_words(state.bytes_behind))
        }
    }
}

/// `59 s`, `12 min`, `5 h`, `3 days`.
pub fn duration_in_words(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// `512 bytes`, `1.5 MiB`.
pub fn bytes_in_words(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1_024 {
        return if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
    }
    let mut number = bytes as f64 / 1_024.0;
    let mut unit = 0;
    while number >= 1_023.95 && unit + 1 < UNITS.len() {
        number /= 1_024.0;
        unit += 1;
    }
    format!("{number:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use sextant_model::delivery::SpoolState;

    use super::*;

    const SILENT_AFTER: Duration = Duration::from_mins(15);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_790_000_000 + seconds)
    }

    fn known(now: Timestamp, seconds_behind: u64, trouble: Option<&str>) -> KnownAgent {
        let contact = AgentContact {
            agent: "a1".to_owned(),
            host: "hs2-1".to_owned(),
            version: Some("0.1.0".to_owned()),
            last_contact: at(0),
            stopped: None,
            generations: 1,
            bytes: 10,
        };
        let state = SpoolState {
            path: "/l".to_owned(),
            format: "hive".to_owned(),
            cluster: "prod".to_owned(),
            files_known: 2,
            bytes_behind: if seconds_behind > 0 { 3 << 20 } else { 0 },
            seconds_behind,
            trouble: trouble.map(str::to_owned),
        };
        let spool = ShownSpool {
            state,
            reported: Some(at(60)),
            records_last_hour: 0,
            problems_last_hour: 0,
            records: 0,
            problems: 0,
            last_failure: None,
        };
        let shown = ShownAgent { heard: Some(at(60)), spools: vec![spool], refusal: None };
        KnownAgent::new(contact, shown, now, SILENT_AFTER)
    }

    fn attention(known: &KnownAgent, now: Timestamp) -> Vec<String> {
        known.attention(now, Duration::from_mins(10))
    }

    #[test]
    fn silence_is_said_with_since_when() {
        let now = at(60 + 3 * 3_600);
        let said = attention(&known(now, 0, None), now);
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("agent on hs2-1: silent since 2026-09-21T14:14:20Z (3 h): "), "{said:?}");
        assert_eq!(attention(&known(at(90), 0, None), at(90)), Vec::<String>::new());
        assert_eq!(known(at(90), 0, None).in_words(at(90)), "heard 30 s ago");
    }

    #[test]
    fn who_stopped_is_not_silent() {
        let mut stopped = known(at(90), 1_500, None);
        stopped.contact.stopped = Some(at(60));
        let stopped = KnownAgent::new(stopped.contact, stopped.shown, at(60 + 3 * 3_600), SILENT_AFTER);
        let now = at(60 + 3 * 3_600);
        let said = attention(&stopped, now);
        assert!(said[0].starts_with("agent on hs2-1: stopped since 2026-09-21T14:14:20Z (3 h)"), "{said:?}");
        assert_eq!(said.len(), 1);
        let shown = agent(&stopped, now);
        assert!(!shown.silent);
        let lag = "3.0 MiB behind, the oldest of it for 25 min, when it was heard last";
        assert_eq!(shown.spools[0].in_words, lag);
    }

    #[test]
    fn lag_and_trouble_are_said() {
        let now = at(90);
        assert_eq!(attention(&known(now, 600, None), now), Vec::<String>::new());
        let said = attention(&known(now, 1_500, None), now);
        assert_eq!(said, ["agent on hs2-1, spool /l: 3.0 MiB behind, the oldest of it for 25 min"]);
        let troubled = known(now, 0, Some("denied"));
        assert_eq!(attention(&troubled, now), ["agent on hs2-1, spool /l: denied"]);
        assert_eq!(lag_in_words(&troubled.shown.spools[0]), "nothing waits that could be read");
    }

    #[test]
    fn numbers_have_a_unit_that_fits() {
        assert_eq!(bytes_in_words(1), "1 byte");
        assert_eq!(bytes_in_words(1_536), "1.5 KiB");
        assert_eq!(bytes_in_words(u64::MAX), "16384.0 PiB");
        assert_eq!(bytes_in_words((1 << 20) - 1), "1.0 MiB");
        assert_eq!(duration_in_words(119), "119 s");
        assert_eq!(duration_in_words(86_400), "24 h");
    }
}
