//! Clears away spool files that are done, where the configuration says so.
//!
//! A file goes only when the server has said that it keeps all of it, and that nothing follows in
//! it; when a newer file of its family is there; and when it has not changed for longer than
//! configured. Whether its writer still has it open cannot be asked, hence the last two.
//!
//! The name is taken away before the last look at size and inode, so that what is cleared away is
//! surely the file that was delivered, whatever is put in its place meanwhile.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::aside;
use crate::config::RetentionConfig;
use crate::file::{FollowedFile, Stat};
use crate::generation::Inode;

/// So many files are cleared away after one look.
pub(crate) const MOST_AT_ONCE: usize = 100;
/// When a file that could not be cleared away is tried again.
pub(crate) const TRY_AGAIN: Duration = Duration::from_hours(1);

/// A file that may go.
#[derive(Debug, Clone)]
pub(crate) struct Finished {
    inode: Inode,
    path: PathBuf,
    /// As it was when all of it was delivered.
    stat: Stat,
}

impl Finished {
    /// The file, if it may go.
    pub(crate) fn of(file: &FollowedFile, retention: &RetentionConfig) -> Option<Self> {
        let stat = file.packed.as_ref().map_or(file.stat, |packed| packed.stat);
        let may_go = file.is_done() && is_older(stat.modified, retention.age);
        may_go.then(|| Self { inode: file.inode, path: file.path.clone(), stat })
    }
}

/// Whether a file changed so long ago.
pub(crate) fn is_older(modified: SystemTime, age: Duration) -> bool {
    modified.elapsed().is_ok_and(|elapsed| elapsed > age)
}

/// Clears these files away, each with a line in the log. Gives back those that stay.
pub(crate) fn clear_away(files: Vec<Finished>, retention: &RetentionConfig) -> Vec<Inode> {
    let mut left = Vec::new();
    for file in files {
        let path = file.path.display();
        match clear(&file, retention.move_to.as_deref()) {
            Ok(Some(target)) => {
                tracing::info!(file = %path, to = %target.display(), bytes = file.stat.size, "retention moved the file; the server has all of it");
            }
            Ok(None) => {
                tracing::info!(file = %path, bytes = file.stat.size, "retention deleted the file; the server has all of it");
            }
            Err(error) => {
                tracing::warn!(file = %path, %error, "retention cannot clear the file away; it stays, and is tried again in an hour");
                left.push(file.inode);
            }
        }
    }
    left
}

/// Gives back where it was moved to.
fn clear(file: &Finished, move_to: Option<&Path>) -> io::Result<Option<PathBuf>> {
    is_as_delivered(&file.path, file)?;
    if let Some(directory) = move_to {
        fs::create_dir_all(directory)?;
        if fs::metadata(directory)?.dev() != file.inode.device {
            let why = format!("{} is on another file system", directory.display());
            return Err(io::Error::new(io::ErrorKind::CrossesDevices, why));
        }
    }
    let name = file.path.file_name().unwrap_or_default();
    let name = aside::name_before(name).unwrap_or(name);
    // A hidden name is in no spool. Should the agent die now, it finds the file by its inode.
    let aside = file.path.with_file_name(aside::name_of(name, file.inode.number));
    give_name(&file.path, &aside)?;
    if let Err(error) = is_as_delivered(&aside, file) {
        give_name(&aside, &file.path)?;
        return Err(error);
    }
    let Some(directory) = move_to else {
        fs::remove_file(&aside)?;
        return Ok(None);
    };
    let mut target = directory.join(name);
    if target.exists() {
        let mut other = name.to_owned();
        other.push(format!(".{:x}", file.inode.number));
        target = directory.join(other);
    }
    if let Err(error) = give_name(&aside, &target) {
        give_name(&aside, &file.path)?;
        return Err(error);
    }
    Ok(Some(target))
}

/// Gives the file that name, unless another one has it. Needs no rights on the file, only on the
/// directories.
fn give_name(file: &Path, name: &Path) -> io::Result<()> {
    if file == name {
        return Ok(());
    }
    match renameat_with(CWD, file, CWD, name, RenameFlags::NOREPLACE) {
        // Not every file system knows how to leave another file its name; every one knows links.
        Err(Errno::INVAL | Errno::NOSYS) => {
            fs::hard_link(file, name)?;
            fs::remove_file(file)
        }
        renamed => Ok(renamed?),
    }
}

fn is_as_delivered(path: &Path, file: &Finished) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    let is_same = metadata.is_file() && Inode::of(&metadata) == file.inode && Stat::of(&metadata) == file.stat;
    if is_same { Ok(()) } else { Err(io::Error::other("it is not as it was when it was delivered")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(path: &Path) -> Finished {
        let metadata = fs::metadata(path).unwrap();
        Finished { inode: Inode::of(&metadata), path: path.to_owned(), stat: Stat::of(&metadata) }
    }

    #[test]
    fn only_the_file_that_was_delivered_goes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.log.1");
        fs::write(&path, "one\n").unwrap();
        let delivered = finished(&path);
        fs::write(&path, "one\ntwo\n").unwrap();
        clear(&delivered, None).unwrap_err();
        fs::rename(&path, directory.path().join("x.log.2")).unwrap();
        fs::write(&path, "one\n").unwrap();
        clear(&delivered, None).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"one\n");
        clear(&finished(&path), None).unwrap();
        let left: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["x.log.2"]);
    }

    #[test]
    fn what_was_put_aside_when_the_agent_died_goes_under_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let archive = directory.path().join("archive");
        let aside = directory.path().join(".x.log.1.1f.sextant-retention");
        fs::write(&aside, "one\n").unwrap();
        // The name may be another file's by now.
        fs::write(directory.path().join("x.log.1"), "two\n").unwrap();
        clear(&finished(&aside), Some(&archive)).unwrap();
        assert_eq!(fs::read_to_string(archive.join("x.log.1")).unwrap(), "one\n");
        assert_eq!(fs::read_to_string(directory.path().join("x.log.1")).unwrap(), "two\n");
        // The file that has the name now goes as well, beside the first.
        let target = clear(&finished(&directory.path().join("x.log.1")), Some(&archive)).unwrap().unwrap();
        assert_eq!(fs::read_to_string(target).unwrap(), "two\n");
        assert_eq!(fs::read_dir(&archive).unwrap().count(), 2);
    }

    #[test]
    fn a_move_that_is_refused_says_why() {
        let directory = tempfile::tempdir().unwrap();
        let aside = directory.path().join(".x.log.1.1f.sextant-retention");
        fs::write(&aside, "one\n").unwrap();
        let delivered = finished(&aside);
        fs::write(&aside, "one\ntwo\n").unwrap();
        let error = clear(&delivered, None).unwrap_err();
        assert!(error.to_string().contains("not as it was"), "{error}");
    }

    #[test]
    fn a_moved_file_takes_the_place_of_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let archive = directory.path().join("archive");
        for content in ["one\n", "two\n"] {
            let path = directory.path().join("x.log.1");
            fs::write(&path, content).unwrap();
            let target = clear(&finished(&path), Some(&archive)).unwrap().unwrap();
            assert_eq!(fs::read_to_string(target).unwrap(), content);
            assert!(!path.exists());
        }
        assert_eq!(fs::read_dir(&archive).unwrap().count(), 2);
    }
}
