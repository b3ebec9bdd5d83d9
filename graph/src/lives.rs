//! Which lives of two tables an operation brought together, and which lives are history.

use sextant_model::incarnation::UNSEEN_LIFE;
use sextant_model::{Entity, Life, Timestamp};

use crate::terrain::Standing;

/// When an operation used a name in one life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LifeUse {
    pub(crate) life: u32,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
}

/// An input and an output that one operation used at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meeting {
    pub(crate) input: LifeUse,
    pub(crate) output: LifeUse,
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
}

/// Pairs up the uses whose times overlap: a run used one life of each.
pub(crate) fn meetings(
    inputs: impl Iterator<Item = LifeUse>,
    outputs: impl Iterator<Item = LifeUse> + Clone,
) -> impl Iterator<Item = Meeting> {
    inputs.flat_map(move |input| {
        outputs.clone().filter_map(move |output| {
            let (first, last) = (input.first.max(output.first), input.last.min(output.last));
            (first <= last).then_some(Meeting { input, output, first, last })
        })
    })
}

/// The life that counts as the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LatestLife {
    number: u32,
    began: Timestamp,
}

impl LatestLife {
    /// The latest of an entity's lives, or the latest that had begun at a time.
    pub(crate) fn of(lives: impl Iterator<Item = Life>, as_of: Option<Timestamp>) -> Option<Self> {
        latest(lives, as_of).map(|life| Self { number: life.number, began: life.created.unwrap_or(life.first_seen) })
    }

    /// Whether a use met another life than this one. A use that fits no life that was seen is an
    /// earlier life only if it ended before this one began.
    pub(crate) fn makes_former(self, used: LifeUse) -> bool {
        if used.life == UNSEEN_LIFE { used.last < self.began } else { used.life != self.number }
    }
}

/// Since when an entity is there, and whether it still is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Existence<L> {
    /// Whether it is deleted now.
    pub(crate) deleted: bool,
    pub(crate) delete_time: Option<Timestamp>,
    pub(crate) lives: L,
}

impl<L: Iterator<Item = Life>> Existence<L> {
    /// Whether the entity is there: now, or at a time. `None` when it had not begun then.
    pub(crate) fn standing(self, as_of: Option<Timestamp>) -> Option<Standing> {
        let mut lives = self.lives.peekable();
        let deleted = match as_of {
            None => self.deleted,
            Some(as_of) if lives.peek().is_none() => self.delete_time.is_some_and(|time| time <= as_of),
            Some(as_of) => latest(lives, Some(as_of))?.over.is_some_and(|over| over <= as_of),
        };
        Some(if deleted { Standing::Deleted } else { Standing::Living })
    }
}

impl Existence<std::vec::IntoIter<Life>> {
    /// Of an entity that was read, with its lives.
    pub(crate) fn of(entity: &Entity, lives: Vec<Life>) -> Self {
        Self { deleted: entity.is_deleted(), delete_time: entity.delete_time, lives: lives.into_iter() }
    }
}

fn latest(lives: impl Iterator<Item = Life>, as_of: Option<Timestamp>) -> Option<Life> {
    lives
        .filter(|life| match (as_of, began(life)) {
            (Some(as_of), Some(began)) => began <= as_of,
            _ => true,
        })
        .max_by_key(|life| life.number)
}

/// When a life began, as far as it is known. Of a first life without a create time nobody knows
/// how long it had been there when it was first seen; of a later one it is known at least that
/// the earlier life came before.
fn began(life: &Life) -> Option<Timestamp> {
    match life.created {
        None if life.number > 1 => Some(life.first_seen),
        created => created,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sextant_model::EntityId;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn used(life: u32, first: i64, last: i64) -> LifeUse {
        LifeUse { life, first: at(first), last: at(last) }
    }

    fn life(number: u32, created: Option<i64>, first_seen: i64, over: Option<i64>) -> Life {
        Life {
            entity: EntityId::derive("test", &[]),
            number,
            created: created.map(at),
            first_seen: at(first_seen),
            last_seen: None,
            over: over.map(at),
        }
    }

    #[test]
    fn lives_meet_where_their_times_overlap() {
        let outputs = [used(1, 1, 3), used(2, 5, 9), used(3, 10, 11)];
        let met = meetings([used(1, 1, 9)].into_iter(), outputs.into_iter());
        let numbers: Vec<_> = met.map(|meeting| (meeting.output.life, meeting.first, meeting.last)).collect();
        assert_eq!(numbers, [(1, at(1), at(3)), (2, at(5), at(9))]);
    }

    #[test]
    fn an_unseen_life_is_former_only_before_the_latest() {
        let latest =
            LatestLife::of([life(1, Some(0), 10, Some(50)), life(2, Some(100), 110, None)].into_iter(), None).unwrap();
        assert!(latest.makes_former(used(1, 20, 30)));
        assert!(latest.makes_former(used(UNSEEN_LIFE, 60, 99)));
        assert!(!latest.makes_former(used(UNSEEN_LIFE, 60, 100)));
        assert!(!latest.makes_former(used(2, 120, 120)));
    }

    #[test]
    fn a_time_has_its_own_latest_life() {
        let lives = [life(1, Some(0), 10, Some(50)), life(2, Some(100), 110, None)];
        let number_at = |time| LatestLife::of(lives.iter().cloned(), Some(at(time))).map(|latest| latest.number);
        assert_eq!(number_at(-1), None);
        assert_eq!(number_at(70), Some(1));
        assert_eq!(number_at(100), Some(2));
        let unknown = [life(1, None, 10, None)];
        assert!(
            LatestLife::of(unknown.into_iter(), Some(at(5))).is_some(),
            "it may have been there before it was seen"
        );
    }
}
