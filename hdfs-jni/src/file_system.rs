//! A file system as libhdfs shows it.

use std::io::{self, ErrorKind};
use std::time::{SystemTime, UNIX_EPOCH};

use hdrs::{Client, ClientBuilder, Metadata};

use crate::answer::{Entry, Failed, FailedKind};

/// The connection that the Java client keeps.
pub(crate) struct FileSystem(Client);

/// The entries told, or why there are none.
pub(crate) type Answered = Result<u64, Failed>;

impl FileSystem {
    /// Starts the JVM and connects.
    pub(crate) fn connect(address: &str, user: Option<&str>) -> io::Result<Self> {
        let mut builder = ClientBuilder::new(address);
        if let Some(user) = user {
            builder = builder.with_user(user);
        }
        builder.connect().map(Self)
    }

    /// Tells each entry of a directory. The error is one of telling.
    pub(crate) fn list(&self, path: &str, mut tell: impl FnMut(Entry) -> io::Result<()>) -> io::Result<Answered> {
        let entries = match self.0.read_dir(path) {
            Ok(entries) => entries.into_inner(),
            Err(error) => return Ok(Err(self.failed(&error))),
        };
        let mut told = 0;
        for metadata in entries {
            // The listing of a file is the file.
            if !metadata.is_dir() && metadata.path().trim_end_matches('/') == path {
                return Ok(Err(Failed { kind: FailedKind::Gone, reason: format!("{path} is no directory") }));
            }
            tell(entry_of(&metadata))?;
            told += 1;
        }
        Ok(Ok(told))
    }

    /// Tells what is at a path. The error is one of telling.
    pub(crate) fn entry(&self, path: &str, mut tell: impl FnMut(Entry) -> io::Result<()>) -> io::Result<Answered> {
        match self.0.metadata(path) {
            Ok(metadata) => {
                tell(entry_of(&metadata))?;
                Ok(Ok(1))
            }
            Err(error) => Ok(Err(self.failed(&error))),
        }
    }

    /// libhdfs has one error for whatever it has no number for: whether that concerns the path alone or everything, the
    /// root tells.
    fn failed(&self, error: &io::Error) -> Failed {
        let mut failed = failed(error);
        if failed.kind == FailedKind::Other && self.0.metadata("/").is_err() {
            failed.kind = FailedKind::Away;
        }
        failed
    }
}

fn entry_of(metadata: &Metadata) -> Entry {
    Entry {
        name: metadata.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned(),
        is_directory: metadata.is_dir(),
        owner: metadata.owner().to_owned(),
        group: metadata.group().to_owned(),
        mode: metadata.permissions().cast_unsigned(),
        modified_ms: millis(metadata.modified()),
        accessed_ms: millis(metadata.accessed()),
        size: metadata.len(),
        replication: metadata.replication().max(0).cast_unsigned(),
        block_size: metadata.block_size().max(0).cast_unsigned(),
    }
}

fn millis(time: SystemTime) -> i64 {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or_default()
}

fn failed(error: &io::Error) -> Failed {
    let kind = match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => FailedKind::Gone,
        ErrorKind::PermissionDenied => FailedKind::Denied,
        _ => FailedKind::Other,
    };
    Failed { kind, reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_apart() {
        let kind = |errno: i32| failed(&io::Error::from_raw_os_error(errno)).kind;
        assert_eq!([kind(2), kind(13), kind(5)], [FailedKind::Gone, FailedKind::Denied, FailedKind::Other]);
    }
}
