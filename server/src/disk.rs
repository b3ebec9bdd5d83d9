//! How much room the data directory takes, and how much is left for it.

use std::fs;
use std::path::Path;

/// Its parts, each by the beginning of its files' names. The rest is `other`.
const PARTS: [&str; 4] = ["facts", "inbox", "index", "images"];

/// Room on the disk of the data directory, bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Room {
    /// What each part takes, every part named also when it takes nothing.
    pub(crate) used: Vec<(&'static str, u64)>,
    /// What this user may still write; `None` when the system does not tell.
    pub(crate) free: Option<u64>,
    /// The size of the file system.
    pub(crate) total: Option<u64>,
}

impl Room {
    /// As it is now.
    pub(crate) fn of(data_dir: &Path) -> Self {
        let mut used: Vec<(&'static str, u64)> = PARTS.iter().map(|part| (*part, 0)).collect();
        used.push(("other", 0));
        for entry in fs::read_dir(data_dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let part = PARTS.iter().position(|part| name.starts_with(part)).unwrap_or(PARTS.len());
            used[part].1 += bytes_of(&entry);
        }
        Self { used, free: fs4::available_space(data_dir).ok(), total: fs4::total_space(data_dir).ok() }
    }

    /// Whether there is so little left that somebody should make room: less than 1 GiB, or a twentieth.
    pub(crate) fn is_short(&self) -> bool {
        let few = 1 << 30;
        self.free.is_some_and(|free| free < few.max(self.total.unwrap_or(0) / 20))
    }

    /// Bytes of all parts.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.used.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// A file's or a folder's bytes. What vanishes while it is looked at counts as nothing.
fn bytes_of(entry: &fs::DirEntry) -> u64 {
    match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            fs::read_dir(entry.path()).into_iter().flatten().flatten().map(|inner| bytes_of(&inner)).sum()
        }
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_belongs_to_a_part() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("index")).unwrap();
        for (name, length) in [("facts.db", 3), ("facts.db-wal", 4), ("index/a.store", 5), ("lock", 6)] {
            fs::write(folder.path().join(name), vec![0; length]).unwrap();
        }
        let room = Room::of(folder.path());
        assert_eq!(room.used, [("facts", 7), ("inbox", 0), ("index", 5), ("images", 0), ("other", 6)]);
        assert_eq!(room.used_bytes(), 18);
        assert!(room.free.unwrap() <= room.total.unwrap());
    }

    #[test]
    fn room_is_short_below_a_twentieth_and_below_a_gibibyte() {
        let room = |free, total| Room { used: Vec::new(), free, total };
        assert!(room(Some(1), Some(1 << 40)).is_short());
        assert!(room(Some(40 << 30), Some(1 << 40)).is_short());
        assert!(!room(Some(60 << 30), Some(1 << 40)).is_short());
        assert!(room(Some(1 << 29), Some(1 << 30)).is_short());
        assert!(!room(None, None).is_short());
    }
}
