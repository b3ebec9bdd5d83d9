//! The directories above a path, under all their names.

use std::collections::{BTreeSet, HashMap};

use sextant_model::{EntityId, NameKey, Viewer};
use sextant_store::{Facts, StoreError};

/// For each of these present names of paths the names of the directories above it, the nearest first. Each directory
/// is named as the path says, then as it was called before it was renamed: a table goes on saying its old location.
///
/// The former names of the path itself do not count: a file that was moved out of a directory has left it.
pub fn directories_above<'n>(
    facts: &dyn Facts,
    viewer: &Viewer,
    paths: impl Iterator<Item = &'n NameKey>,
) -> Result<HashMap<NameKey, Vec<NameKey>>, StoreError> {
    let mut above_of: HashMap<NameKey, Vec<NameKey>> =
        paths.map(|path| (path.clone(), path.directories_above())).collect();
    let distinct: BTreeSet<NameKey> = above_of.values().flatten().cloned().collect();
    let distinct: Vec<NameKey> = distinct.into_iter().collect();
    let states = facts.name_states(&distinct)?;
    let directory_of = |name: &NameKey| states.get(name).and_then(|state| state.entity);
    let directories: BTreeSet<EntityId> = distinct.iter().filter_map(directory_of).collect();
    let directories: Vec<EntityId> = directories.into_iter().collect();
    let mut names_of: HashMap<EntityId, Vec<NameKey>> = HashMap::new();
    for (directory, name) in facts.names_of(viewer, &directories)? {
        names_of.entry(directory).or_default().push(name);
    }
    for above in above_of.values_mut() {
        let mut named = Vec::with_capacity(above.len());
        for name in above.drain(..) {
            let others = directory_of(&name).and_then(|directory| names_of.get(&directory)).into_iter().flatten();
            let others: Vec<NameKey> = others.filter(|other| **other != name).cloned().collect();
            named.push(name);
            named.extend(others);
        }
        *above = named;
    }
    Ok(above_of)
}
