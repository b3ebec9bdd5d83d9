//! From a configured uri to something that can be visited.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sextant_extractors::pull::hdfs::listing::{ListingAddress, ListingConfig, ListingExtractor, PathScope};
use sextant_extractors::pull::hdfs::{
    ImageConfig, ImageExtractor, ImagePlace, NamespaceError, NamespaceExtractor, RefusedImages,
};
use sextant_extractors::pull::hms::{HmsConfig, HmsExtractor};
use sextant_extractors::pull::recorded::RecordedMetastore;
use sextant_extractors::pull::scope::Scope;
use sextant_extractors::pull::{ExtractError, PullExtractor};

use crate::config::{ExtractorKind, ExtractorSettings, HdfsSettings, HmsSettings, ShownFiles};

/// Something that can be visited.
#[derive(Clone)]
pub enum Source {
    /// A metastore, or a recording of one.
    Metastore(Arc<dyn PullExtractor>),
    /// A file system, and which of its files are shown.
    FileSystem(Arc<dyn NamespaceExtractor>, ShownFiles),
}

/// Why a source cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A metastore.
    #[error("{}", .0.in_words())]
    Metastore(#[from] ExtractError),
    /// A file system.
    #[error("{}", .0.in_words())]
    FileSystem(#[from] NamespaceError),
}

/// Where images lie while a pass reads them.
pub fn images_directory(data_dir: &Path) -> PathBuf {
    data_dir.join("images")
}

/// Opens the source of an extractor; connects to nothing yet. `data_dir` holds what a pass fetches, `refused` knows
/// which images are not fetched again.
pub fn open(
    settings: &ExtractorSettings,
    retries: u32,
    data_dir: &Path,
    refused: &Arc<RefusedImages>,
) -> Result<Source, SourceError> {
    match &settings.kind {
        ExtractorKind::Hms(hms) => Ok(Source::Metastore(open_metastore(settings, hms, retries)?)),
        ExtractorKind::Hdfs(hdfs) => {
            let file_system = open_file_system(settings, hdfs, retries, data_dir, refused)?;
            Ok(Source::FileSystem(file_system, hdfs.files))
        }
    }
}

fn open_metastore(
    settings: &ExtractorSettings,
    hms: &HmsSettings,
    retries: u32,
) -> Result<Arc<dyn PullExtractor>, ExtractError> {
    if settings.uri.starts_with("file://") {
        let scope = Scope::new(&hms.include, &hms.exclude)?;
        return Ok(Arc::new(RecordedMetastore::new(&settings.uri, scope)?));
    }
    let extractor = HmsExtractor::new(&HmsConfig {
        uris: vec![settings.uri.clone()],
        include: hms.include.clone(),
        exclude: hms.exclude.clone(),
        partitions: hms.partitions,
        batch_size: hms.batch_size as usize,
        connections: hms.connections as usize,
        max_in_flight: None,
        max_requests_per_second: Some(hms.requests_per_second),
        connect_timeout: settings.connect_timeout,
        call_timeout: settings.call_timeout,
        retries,
        framed: hms.framed,
    })?;
    Ok(Arc::new(extractor))
}

fn open_file_system(
    settings: &ExtractorSettings,
    hdfs: &HdfsSettings,
    retries: u32,
    data_dir: &Path,
    refused: &Arc<RefusedImages>,
) -> Result<Arc<dyn NamespaceExtractor>, NamespaceError> {
    if ListingAddress::is_meant(&settings.uri) {
        return Ok(Arc::new(ListingExtractor::new(listing_config(settings, hdfs, retries)?)));
    }
    let extractor = ImageExtractor::new(ImageConfig {
        place: ImagePlace::read(&settings.uri)?,
        kept_as: images_directory(data_dir).join(format!("{}.fsimage", settings.name)),
        bytes_per_second: hdfs.bandwidth,
        allow_active: hdfs.allow_active,
        ca_file: hdfs.ca_file.clone(),
        connect_timeout: settings.connect_timeout,
        call_timeout: settings.call_timeout,
        retries,
        refused: Arc::clone(refused),
        small_file_bytes: hdfs.small_file,
    })?;
    Ok(Arc::new(extractor))
}

fn listing_config(
    settings: &ExtractorSettings,
    hdfs: &HdfsSettings,
    retries: u32,
) -> Result<ListingConfig, NamespaceError> {
    let listing = &hdfs.listing;
    Ok(ListingConfig {
        address: ListingAddress::read(&settings.uri)?,
        hadoop_conf: listing.hadoop_conf.clone(),
        webhdfs: listing.webhdfs.clone(),
        user: listing.user.clone(),
        scope: PathScope::new(&listing.include, &listing.exclude)?,
        connections: listing.connections as usize,
        requests_per_second: Some(listing.requests_per_second),
        program: listing.program.clone(),
        ca_file: hdfs.ca_file.clone(),
        connect_timeout: settings.connect_timeout,
        call_timeout: settings.call_timeout,
        retries,
        small_file_bytes: hdfs.small_file,
    })
}
