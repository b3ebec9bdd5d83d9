//! Incarnations: a table dropped and created again is one entity with several lives.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::{EntityId, Timestamp};

/// Clocks of metastore, query engine and server may differ by this much: 5 minutes.
pub const DEFAULT_SKEW_MS: i64 = 5 * 60 * 1000;

/// The number of a life that no source has shown: the execution names the entity, but at a time
/// (or with a create time) that fits no life that was seen.
pub const UNSEEN_LIFE: u32 = 0;

/// One life of an entity, numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Whose life.
    pub entity: EntityId,
    /// 1, 2, 3, ...
    pub number: u32,
    /// The source's own create time, when it has one.
    pub created: Option<Timestamp>,
    /// When a pass first saw this life.
    pub first_seen: Timestamp,
    /// The last pass known to have seen it, once it is over.
    pub last_seen: Option<Timestamp>,
    /// No execution that started later than this (plus skew) can have met it: the exact drop
    /// time where a source knows it, else the time of the pass that first missed it, or the
    /// create time of the next life. `None` while it lives.
    pub over: Option<Timestamp>,
}

/// Which life of an entity an execution met.
///
/// `lives` are one entity's, in any order. `table_created` is the create time that the record
/// itself names; it decides alone where it is there. Without it a life fits when it was created
/// no later than the end and was not over before the start, both widened by `skew_ms`; never by
/// the start alone, since a CTAS starts before its table exists. A life whose create time is
/// unknown fits from its beginning. Of several that fit, the one that needs the least widening
/// wins (records have whole seconds), then the latest created. [`UNSEEN_LIFE`] is the answer when
/// none fits.
pub fn life_of_execution(
    lives: &[Life],
    table_created: Option<Timestamp>,
    started: Option<Timestamp>,
    ended: Option<Timestamp>,
    skew_ms: i64,
) -> u32 {
    let same_create_time = |life: &&Life| table_created.is_some() && life.created == table_created;
    if let Some(life) = lives.iter().filter(same_create_time).max_by_key(|life| life.number) {
        return life.number;
    }
    lives
        .iter()
        // What the record names is another life than one whose create time is known to differ.
        .filter(|life| table_created.is_none() || life.created.is_none())
        .map(|life| (needed_skew_ms(life, started, ended), life))
        .filter(|(needed, _)| *needed <= skew_ms)
        .min_by_key(|(needed, life)| (*needed, Reverse((life.created, life.number))))
        .map_or(UNSEEN_LIFE, |(_, life)| life.number)
}

/// By how many milliseconds clocks must differ for the execution to have met this life.
fn needed_skew_ms(life: &Life, started: Option<Timestamp>, ended: Option<Timestamp>) -> i64 {
    let too_early = match (life.created, ended.or(started)) {
        (Some(created), Some(end)) => created.as_millis().saturating_sub(end.as_millis()),
        _ => 0,
    };
    let too_late = match (life.over, started.or(ended)) {
        (Some(over), Some(start)) => start.as_millis().saturating_sub(over.as_millis()),
        _ => 0,
    };
    too_early.max(too_late).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_700_000_000 + seconds)
    }

    fn life(number: u32, created: Option<i64>, over: Option<i64>) -> Life {
        Life {
            entity: EntityId::derive("test", &[]),
            number,
            created: created.map(second),
            first_seen: second(0),
            last_seen: None,
            over: over.map(second),
        }
    }

    #[test]
    fn the_records_own_create_time_decides() {
        let lives = [life(1, Some(0), Some(5000)), life(2, Some(6000), None)];
        assert_eq!(life_of_execution(&lives, Some(second(0)), Some(second(7000)), Some(second(7001)), 300_000), 1);
        assert_eq!(life_of_execution(&lives, Some(second(42)), Some(second(7000)), None, 300_000), UNSEEN_LIFE);
    }

    #[test]
    fn without_it_times_decide() {
        let lives = [life(2, Some(6000), None), life(1, Some(0), Some(5000))];
        let at =
            |start: i64, end: i64| life_of_execution(&lives, None, Some(second(start)), Some(second(end)), 300_000);
        assert_eq!(at(100, 200), 1);
        assert_eq!(at(5990, 6001), 2, "a CTAS starts before its table exists");
        assert_eq!(at(8000, 8001), 2);
        assert_eq!(at(-4000, -3900), UNSEEN_LIFE, "before every life that was seen");
        assert_eq!(at(-100, -90), 1, "within the skew");
        assert_eq!(at(5750, 5760), 2, "in the gap, within the skew of the second life only");
        assert_eq!(at(-20, -1), 1, "a rounded second does not move it to a later life");
    }

    #[test]
    fn a_life_without_create_time_fits_from_its_beginning() {
        let lives = [life(1, None, None)];
        assert_eq!(life_of_execution(&lives, Some(second(3)), Some(second(-9000)), None, 300_000), 1);
        assert_eq!(life_of_execution(&lives, None, None, None, 300_000), 1);
    }
}
