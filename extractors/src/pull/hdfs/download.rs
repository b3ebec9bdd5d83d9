//! An image on its way to the disk of this host: measured, slowed down, and checked.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use md5::{Digest, Md5};
use tokio::io::{AsyncWriteExt, BufWriter};
use tokio::time::Instant;

use super::NamespaceError;
use super::directory::compare_digests;
use super::namenode::{OfferedImage, WebClient};

/// Bytes that an image leaves free on the disk where it is kept: the databases grow meanwhile.
const KEPT_FREE_BYTES: u64 = 512 << 20;
const WRITE_BUFFER_BYTES: usize = 1 << 20;
/// How often a long transfer says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);

/// A fetched image; the file goes with this value.
#[derive(Debug)]
pub(super) struct FetchedImage(PathBuf);

impl FetchedImage {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for FetchedImage {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %self.0.display(), %error, "the fetched image could not be removed");
        }
    }
}

/// Removes images that a process left behind when it was killed. For the start, before any pass.
pub fn remove_left_images(directory: &Path) -> Result<(), NamespaceError> {
    match fs::remove_dir_all(directory) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(NamespaceError::File { action: "remove", path: directory.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// Fetches the bytes of an image into `path`, at most so many a second.
pub(super) async fn fetch(
    client: &WebClient,
    mut offered: OfferedImage,
    path: PathBuf,
    bytes_per_second: Option<u64>,
) -> Result<FetchedImage, NamespaceError> {
    let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
    fs::create_dir_all(&directory).map_err(|source| unwritable(&directory, source))?;
    check_room(&directory, offered.length_bytes)?;
    let image = FetchedImage(path);
    let file = tokio::fs::File::create(image.path()).await.map_err(|source| unwritable(image.path(), source))?;
    let mut file = BufWriter::with_capacity(WRITE_BUFFER_BYTES, file);
    let mut digest = Md5::new();
    let mut received_bytes = 0_u64;
    let started = Instant::now();
    let mut last_progress = started;
    loop {
        let chunk = offered.response.chunk().await;
        let Some(chunk) = chunk.map_err(|source| client.trouble(&offered.address, "the image", source))? else {
            break;
        };
        received_bytes += chunk.len() as u64;
        if received_bytes > offered.length_bytes {
            break;
        }
        digest.update(&chunk);
        file.write_all(&chunk).await.map_err(|source| unwritable(image.path(), source))?;
        if let Some(bytes_per_second) = bytes_per_second {
            tokio::time::sleep_until(started + time_for(received_bytes, bytes_per_second)).await;
        }
        if last_progress.elapsed() >= PROGRESS_EVERY {
            last_progress = Instant::now();
            let bytes_per_second = received_bytes as f64 / started.elapsed().as_secs_f64();
            let of_bytes = offered.length_bytes;
            tracing::info!(phase = "fetch", received_bytes, of_bytes, bytes_per_second, "the image is on its way");
        }
    }
    file.flush().await.map_err(|source| unwritable(image.path(), source))?;
    let address = offered.address;
    if received_bytes != offered.length_bytes {
        return Err(NamespaceError::WrongLength { address, received_bytes, announced_bytes: offered.length_bytes });
    }
    if let Some(expected) = &offered.digest {
        compare_digests(format!("the image from {address}"), &digest, expected)?;
    }
    let took_ms = started.elapsed().as_millis() as u64;
    tracing::info!(
        phase = "fetch",
        address,
        transaction = offered.transaction,
        received_bytes,
        took_ms,
        "image fetched"
    );
    Ok(image)
}

/// How long so many bytes take at least.
fn time_for(bytes: u64, bytes_per_second: u64) -> Duration {
    Duration::from_secs_f64(bytes as f64 / bytes_per_second.max(1) as f64)
}

fn check_room(directory: &Path, length_bytes: u64) -> Result<(), NamespaceError> {
    let free_bytes = fs4::available_space(directory).map_err(|source| NamespaceError::File {
        action: "measure",
        path: directory.to_owned(),
        source,
    })?;
    let needed_bytes = length_bytes.saturating_add(KEPT_FREE_BYTES);
    if free_bytes < needed_bytes {
        return Err(NamespaceError::NoRoom { directory: directory.to_owned(), needed_bytes, free_bytes });
    }
    Ok(())
}

fn unwritable(path: &Path, source: io::Error) -> NamespaceError {
    NamespaceError::File { action: "write", path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_does_not_fit_is_refused_before_it_is_fetched() {
        let directory = tempfile::tempdir().unwrap();
        check_room(directory.path(), 1).unwrap();
        let error = check_room(directory.path(), u64::MAX / 2).unwrap_err();
        assert!(matches!(error, NamespaceError::NoRoom { .. }), "{error}");
    }

    #[test]
    fn a_fetched_image_goes_with_its_value_and_left_ones_at_the_start() {
        let directory = tempfile::tempdir().unwrap();
        let images = directory.path().join("images");
        remove_left_images(&images).unwrap();
        fs::create_dir(&images).unwrap();
        let path = images.join("a.fsimage");
        fs::write(&path, "image").unwrap();
        drop(FetchedImage(path.clone()));
        assert!(!path.exists());
        fs::write(&path, "left behind").unwrap();
        remove_left_images(&images).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn bandwidth_is_time() {
        assert_eq!(time_for(100 << 20, 50 << 20), Duration::from_secs(2));
    }
}
