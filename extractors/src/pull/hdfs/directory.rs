//! Images that lie on this host: one file, or the newest of a directory.
//!
//! A NameNode keeps in `current/` its last images (`fsimage_<transaction>`), beside each its MD5
//! (`fsimage_<transaction>.md5`: the digest, a blank, `*` and the name), and a file `VERSION` with
//! the number of the namespace. A NameNode removes old images while we read: an open file stays.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use md5::{Digest, Md5};
use sextant_model::Timestamp;

use super::NamespaceError;
use super::offer::{digest_of_text, transaction_of_name};

/// A text file beside an image is a few lines.
const MAX_TEXT_BYTES: u64 = 64 << 10;

/// An image on this host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalImage {
    pub(super) path: PathBuf,
    /// From its name; `None` when the name does not tell.
    pub(super) transaction: Option<u64>,
    /// From the file `VERSION` beside it.
    pub(super) namespace_id: Option<u32>,
    /// From the file `.md5` beside it.
    pub(super) digest: Option<String>,
    /// When the file was last written: the time of the checkpoint, unless it was copied since.
    pub(super) written: Timestamp,
}

/// Finds the image at a path: the file itself, or the newest in a directory.
pub(super) fn find(place: &Path) -> Result<LocalImage, NamespaceError> {
    let metadata = fs::metadata(place).map_err(|source| unreadable(place, source))?;
    let path = if metadata.is_dir() { newest(place)? } else { place.to_owned() };
    let modified = fs::metadata(&path).and_then(|metadata| metadata.modified());
    let modified = modified.map_err(|source| unreadable(&path, source))?;
    let since_epoch = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let beside = |name: &str| path.with_file_name(name);
    let noted = text_of(&beside(&format!("{name}.md5")))?;
    let version = text_of(&beside("VERSION"))?;
    Ok(LocalImage {
        transaction: transaction_of_name(&name),
        namespace_id: version.as_deref().and_then(namespace_of_version),
        digest: noted.as_deref().and_then(|text| digest_of_text(text.split_whitespace().next()?)),
        written: Timestamp::from_millis(since_epoch.as_millis() as i64),
        path,
    })
}

/// Compares a file with its MD5.
pub(super) fn check_digest(path: &Path, expected: &str) -> Result<(), NamespaceError> {
    let mut file = File::open(path).map_err(|source| unreadable(path, source))?;
    let mut digest = Md5::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let length = file.read(&mut buffer).map_err(|source| unreadable(path, source))?;
        if length == 0 {
            break;
        }
        digest.update(&buffer[..length]);
    }
    compare_digests(path.display().to_string(), &digest, expected)
}

/// Compares a finished digest with what was noted.
pub(super) fn compare_digests(origin: String, digest: &Md5, expected: &str) -> Result<(), NamespaceError> {
    let found = format!("{:x}", digest.clone().finalize());
    if found == expected {
        return Ok(());
    }
    Err(NamespaceError::WrongDigest { origin, found, expected: expected.to_owned() })
}

fn newest(directory: &Path) -> Result<PathBuf, NamespaceError> {
    let mut newest: Option<(u64, PathBuf)> = None;
    for entry in fs::read_dir(directory).map_err(|source| unreadable(directory, source))? {
        let entry = entry.map_err(|source| unreadable(directory, source))?;
        let Some(transaction) = entry.file_name().to_str().and_then(transaction_of_name) else {
            continue;
        };
        if newest.as_ref().is_none_or(|(newest, _)| transaction > *newest) {
            newest = Some((transaction, entry.path()));
        }
    }
    newest.map(|(_, path)| path).ok_or_else(|| NamespaceError::NoImage { directory: directory.to_owned() })
}

/// The text of a small file; `None` when there is no such file.
fn text_of(path: &Path) -> Result<Option<String>, NamespaceError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(unreadable(path, source)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_TEXT_BYTES).read_to_end(&mut bytes).map_err(|source| unreadable(path, source))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The number of the namespace in a file `VERSION`, a list of `key=value`. Java writes it signed.
fn namespace_of_version(text: &str) -> Option<u32> {
    let number: i64 = text.lines().find_map(|line| line.trim().strip_prefix("namespaceID="))?.trim().parse().ok()?;
    i32::try_from(number).map(|signed| signed as u32).or_else(|_| u32::try_from(number)).ok()
}

fn unreadable(path: &Path, source: io::Error) -> NamespaceError {
    NamespaceError::File { action: "read", path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_image_of_a_directory_is_taken_with_what_lies_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        assert!(matches!(find(directory.path()), Err(NamespaceError::NoImage { .. })));
        put("fsimage_0000000000000000009", "old");
        put("fsimage_0000000000000000010", "new");
        put("fsimage.ckpt_0000000000000000011", "not finished");
        put("fsimage_0000000000000000010.md5", "22AF645D1859CB5CA6DA0C484F1F37EA *fsimage_0000000000000000010\n");
        put("VERSION", "#Mon Nov 30\nnamespaceID=-5\nclusterID=CID-1\n");
        let image = find(directory.path()).unwrap();
        assert_eq!(image.transaction, Some(10));
        assert_eq!(image.namespace_id, Some(-5_i32 as u32));
        let digest = image.digest.unwrap();
        assert_eq!(digest, "22af645d1859cb5ca6da0c484f1f37ea");
        check_digest(&image.path, &digest).unwrap();
        put("fsimage_0000000000000000010", "damaged");
        assert!(matches!(check_digest(&image.path, &digest), Err(NamespaceError::WrongDigest { .. })));
    }

    #[test]
    fn a_file_of_any_name_is_taken_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("fetched");
        fs::write(&path, "image").unwrap();
        let image = find(&path).unwrap();
        assert_eq!((image.transaction, image.namespace_id, image.digest), (None, None, None));
    }
}
