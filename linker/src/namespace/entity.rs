//! A path as an entity: what is shown of it, under the names that Navigator's users know.

use serde_json::Value;

use sextant_model::namespace::{DirectoryTotals, ObservedPath};
use sextant_model::{Entity, EntityId, EntityState, Properties, SourceType, Timestamp};

use crate::SourceInstance;

/// At most this many former paths are kept with an entity.
const MAX_FORMER_PATHS: usize = 20;
/// A directory of this name holds what was deleted through a trash: in a home, at the root, or at
/// the root of an encryption zone.
const TRASH: &str = ".Trash";

const PATH: &str = "fileSystemPath";
const FORMER_PATHS: &str = "formerPaths";
const IN_TRASH: &str = "trash";
const MOVED_TO_TRASH: &str = "movedToTrash";

/// The entity of a path that is there.
pub(super) fn entity(
    source: &SourceInstance,
    path: &ObservedPath,
    qualified_name: String,
    id: EntityId,
    parent: Option<EntityId>,
    first_seen: Timestamp,
) -> Entity {
    Entity {
        id,
        entity_type: path.entity_type,
        source_type: SourceType::Hdfs,
        source: source.name.clone(),
        cluster: source.cluster.clone(),
        original_name: last_part(&path.path).to_owned(),
        qualified_name,
        parent,
        parent_path: parent_of(&path.path).map(str::to_owned),
        state: EntityState::Living,
        delete_time: None,
        last_seen: None,
        first_seen,
        position: 0,
        properties: properties(path),
    }
}

/// The directory that holds a path; none for the root.
pub(super) fn parent_of(path: &str) -> Option<&str> {
    if path.len() <= 1 {
        return None;
    }
    let (parent, _) = path.rsplit_once('/')?;
    Some(if parent.is_empty() { "/" } else { parent })
}

/// The path of what lies in a directory.
pub(super) fn path_below(directory: &str, name: &str) -> String {
    format!("{}/{name}", directory.trim_end_matches('/'))
}

fn last_part(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((_, last)) if !last.is_empty() => last,
        _ => path,
    }
}

/// The path of a stored entity.
pub(super) fn path_of(entity: &Entity) -> &str {
    entity.properties.get(PATH).and_then(Value::as_str).unwrap_or(&entity.qualified_name)
}

/// Carries over what only the way of an entity through its paths tells: where it was before, and
/// whether it was moved into a trash.
pub(super) fn remember_way(entity: &mut Entity, before: &Entity) {
    let path = path_of(entity).to_owned();
    let path_before = path_of(before);
    let mut former: Vec<Value> =
        before.properties.get(FORMER_PATHS).and_then(Value::as_array).cloned().unwrap_or_default();
    if path_before != path {
        former.retain(|known| *known != path && *known != path_before);
        former.insert(0, path_before.into());
        former.truncate(MAX_FORMER_PATHS);
    }
    if !former.is_empty() {
        entity.properties.insert(FORMER_PATHS.to_owned(), former.into());
    }
    let was_moved = !is_in_trash(path_before) || before.properties.contains_key(MOVED_TO_TRASH);
    if is_in_trash(&path) && was_moved {
        entity.properties.insert(MOVED_TO_TRASH.to_owned(), true.into());
    }
}

/// Whether a path lies in a trash. The trash itself does not.
fn is_in_trash(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.any(|part| part == TRASH) && parts.next().is_some()
}

fn properties(path: &ObservedPath) -> Properties {
    let mut properties = Properties::new();
    let mut put = |name: &str, value: Value| {
        properties.insert(name.to_owned(), value);
    };
    let mut put_text = |name: &str, text: &str| {
        if !text.is_empty() {
            put(name, text.into());
        }
    };
    put_text(PATH, &path.path);
    put_text("owner", &path.owner);
    put_text("group", &path.group);
    put_text("permissions", &permissions(path.mode, path.has_acl));
    let texts = [
        ("linkTarget", &path.link_target),
        ("storagePolicy", &path.storage_policy),
        ("erasureCodingPolicy", &path.erasure_coding),
        ("encryptionKey", &path.encryption_key),
    ];
    for (name, text) in texts {
        put_text(name, text.as_deref().unwrap_or_default());
    }
    let times = [("lastModified", path.modified), ("lastAccessed", path.accessed)];
    for (name, time) in times {
        if let Some(time) = time {
            put(name, time.to_string().into());
        }
    }
    let numbers = [
        ("size", path.size),
        ("replication", path.replication.map(u64::from)),
        ("blockSize", path.block_size),
        ("nameQuota", path.name_quota),
        ("spaceQuota", path.space_quota),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            put(name, number.into());
        }
    }
    if let Some(totals) = &path.totals {
        put_totals(totals, &mut put);
    }
    if is_in_trash(&path.path) {
        put(IN_TRASH, true.into());
    }
    properties
}

fn put_totals(totals: &DirectoryTotals, put: &mut impl FnMut(&str, Value)) {
    put("fileCount", totals.files.into());
    put("directoryCount", totals.directories.into());
    put("totalSize", totals.bytes.into());
    put("totalSizeWithCopies", totals.bytes_with_copies.into());
    put("smallFileCount", totals.small_files.into());
    if !totals.bytes_by_quarter.is_empty() {
        let quarters: Properties =
            totals.bytes_by_quarter.iter().map(|(quarter, bytes)| (quarter.clone(), (*bytes).into())).collect();
        put("bytesByQuarter", quarters.into());
    }
}

/// `rwxr-x---` as `hdfs dfs -ls` shows it: a `t` (with execution by others) or `T` for the sticky
/// bit, a `+` behind it for an access control list.
fn permissions(mode: u16, has_acl: bool) -> String {
    let mut letters = String::with_capacity(10);
    for (bit, letter) in (0..9).rev().zip("rwxrwxrwx".chars()) {
        let is_set = mode & (1 << bit) != 0;
        let is_sticky = bit == 0 && mode & 0o1000 != 0;
        letters.push(match (is_set, is_sticky) {
            (true, true) => 't',
            (false, true) => 'T',
            (true, false) => letter,
            (false, false) => '-',
        });
    }
    if has_acl {
        letters.push('+');
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_written_as_hdfs_writes_them() {
        assert_eq!(permissions(0o750, false), "rwxr-x---");
        assert_eq!(permissions(0o640, true), "rw-r-----+");
        assert_eq!(permissions(0o1777, false), "rwxrwxrwt");
        assert_eq!(permissions(0o1770, false), "rwxrwx--T");
    }

    #[test]
    fn paths_have_parents_and_last_parts() {
        assert_eq!((parent_of("/"), last_part("/")), (None, "/"));
        assert_eq!((parent_of("/a"), last_part("/a")), (Some("/"), "a"));
        assert_eq!((parent_of("/a/b"), last_part("/a/b")), (Some("/a"), "b"));
    }

    #[test]
    fn a_trash_is_at_the_root_in_a_home_or_in_a_zone() {
        for path in ["/user/joe/.Trash/Current/w/t", "/.Trash/x", "/zone/.Trash/joe/Current"] {
            assert!(is_in_trash(path), "{path}");
        }
        for path in ["/user/joe/.Trash", "/user/joe/Trash/x", "/w/.Trashy/x", "/"] {
            assert!(!is_in_trash(path), "{path}");
        }
    }
}
