//! When vanished objects are deleted at once, and when the deletion waits for another pass.
//!
//! A metastore that is half restored, or a user who lost rights, shows itself as a great many
//! objects that are gone at once. Then the deletion is held until the next pass agrees.

use std::collections::{BTreeMap, HashSet};

use sextant_model::ObjectName;

/// More than this many, and ...
const SUSPICIOUS_COUNT: usize = 50;
/// ... more than this share of a database, or of all, is suspicious.
const SUSPICIOUS_PERCENT: usize = 20;

/// What is done about objects that are gone.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Deleted now.
    pub(crate) deleted: Vec<ObjectName>,
    /// Held until the next pass.
    pub(crate) held: Vec<ObjectName>,
    /// Why something is held, in words.
    pub(crate) message: Option<String>,
}

/// Decides over the names that the source says are `gone`. What was held before and is still gone
/// has been agreed to by two passes.
pub(crate) fn decide<'a>(
    living: impl Iterator<Item = &'a ObjectName>,
    gone: Vec<ObjectName>,
    held_before: &HashSet<ObjectName>,
    accept: bool,
) -> Verdict {
    let mut living_of: BTreeMap<&str, usize> = BTreeMap::new();
    for name in living {
        *living_of.entry(&name.database).or_default() += 1;
    }
    let (agreed, fresh): (Vec<ObjectName>, Vec<ObjectName>) =
        gone.into_iter().partition(|name| accept || held_before.contains(name));
    let mut fresh_of: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &fresh {
        *fresh_of.entry(&name.database).or_default() += 1;
    }
    let all_living: usize = living_of.values().sum();
    let hold_everything = is_suspicious(fresh.len(), all_living);
    let held_databases: HashSet<String> = fresh_of
        .iter()
        .filter(|(database, count)| is_suspicious(**count, living_of.get(*database).copied().unwrap_or(0)))
        .map(|(database, _)| (*database).to_owned())
        .collect();
    let (held, deleted): (Vec<ObjectName>, Vec<ObjectName>) =
        fresh.into_iter().partition(|name| hold_everything || held_databases.contains(&name.database));
    let message = (!held.is_empty()).then(|| {
        let place = if hold_everything {
            format!("of {all_living} objects")
        } else {
            let mut databases: Vec<&str> = held_databases.iter().map(String::as_str).collect();
            databases.sort_unstable();
            format!("in {}", databases.join(", "))
        };
        format!(
            "{} objects {place} are gone at once; their deletion is held until the next pass agrees, or until `sextant extract NAME --accept-deletions`",
            held.len()
        )
    });
    Verdict { deleted: agreed.into_iter().chain(deleted).collect(), held, message }
}

/// Whether so many that are gone at once are more than a source loses in the ordinary way.
pub(crate) fn is_suspicious(gone: usize, living: usize) -> bool {
    gone > SUSPICIOUS_COUNT && gone * 100 > living * SUSPICIOUS_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(database: &str, count: usize) -> Vec<ObjectName> {
        (0..count).map(|index| ObjectName::relation(database, &format!("t{index}"))).collect()
    }

    #[test]
    fn a_few_are_deleted_at_once() {
        let living = names("a", 60);
        let verdict = decide(living.iter(), names("a", 50), &HashSet::new(), false);
        assert_eq!((verdict.deleted.len(), verdict.held.len()), (50, 0));
    }

    #[test]
    fn many_of_one_database_are_held_until_the_next_pass_agrees() {
        let living: Vec<ObjectName> = names("a", 100).into_iter().chain(names("b", 1000)).collect();
        let gone = || names("a", 60).into_iter().chain(names("b", 10));
        let first = decide(living.iter(), gone().collect(), &HashSet::new(), false);
        assert_eq!((first.deleted.len(), first.held.len()), (10, 60));
        assert!(first.message.unwrap().contains("60 objects in a are gone"));
        let second = decide(living.iter(), gone().collect(), &first.held.into_iter().collect(), false);
        assert_eq!((second.deleted.len(), second.held.len()), (70, 0));
    }

    #[test]
    fn many_of_all_are_held_and_can_be_accepted() {
        let living: Vec<ObjectName> = (0..10).flat_map(|index| names(&format!("d{index}"), 20)).collect();
        let gone: Vec<ObjectName> = (0..10).flat_map(|index| names(&format!("d{index}"), 6)).collect();
        assert_eq!(decide(living.iter(), gone.clone(), &HashSet::new(), false).held.len(), 60);
        assert_eq!(decide(living.iter(), gone, &HashSet::new(), true).deleted.len(), 60);
    }
}
