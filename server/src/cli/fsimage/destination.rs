//! Where an image's text or table is written to.

use std::fs::File;
use std::io::{Stdout, Write};
use std::path::{Path, PathBuf};

/// The standard output, or a file that has its name only when it is whole: half a table looks
/// like a table of a smaller file system.
pub(super) enum Destination {
    Stdout(Stdout),
    File(PartFile),
    /// A pipe or a device that is there already.
    Special(File),
}

/// A file that is not whole yet.
pub(super) struct PartFile {
    file: File,
    part: PathBuf,
    path: PathBuf,
    is_whole: bool,
}

impl Destination {
    /// `None` is the standard output.
    pub(super) fn open(path: Option<&Path>) -> std::io::Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout(std::io::stdout())) };
        let is_special = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        if is_special {
            return Ok(Self::Special(File::options().write(true).open(path)?));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        Ok(Self::File(PartFile { file: File::create(&part)?, part, path: path.to_owned(), is_whole: false }))
    }

    /// Gives a file its name.
    pub(super) fn finish(self) -> std::io::Result<()> {
        if let Self::File(mut file) = self {
            file.file.sync_all()?;
            std::fs::rename(&file.part, &file.path)?;
            file.is_whole = true;
        }
        Ok(())
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File(file) => file.file.write(bytes),
            Self::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::File(file) => file.file.flush(),
            Self::Special(file) => file.flush(),
        }
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.is_whole {
            // What it was not written for is told already; it takes room and nothing else.
            let _removed = std::fs::remove_file(&self.part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("files.parquet");
        let mut half = Destination::open(Some(&path)).unwrap();
        half.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(half);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut whole = Destination::open(Some(&path)).unwrap();
        whole.write_all(b"whole").unwrap();
        whole.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
