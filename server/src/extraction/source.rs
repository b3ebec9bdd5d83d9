//! From a configured uri to something that can be visited.

use std::sync::Arc;

use sextant_extractors::pull::hms::{HmsConfig, HmsExtractor};
use sextant_extractors::pull::recorded::RecordedMetastore;
use sextant_extractors::pull::scope::Scope;
use sextant_extractors::pull::{ExtractError, PullExtractor};

use crate::config::ExtractorSettings;

/// Why a source cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.in_words())]
pub struct SourceError(#[from] ExtractError);

/// Opens the source of an extractor; connects to nothing yet.
pub fn open(settings: &ExtractorSettings, retries: u32) -> Result<Arc<dyn PullExtractor>, SourceError> {
    if settings.uri.starts_with("file://") {
        let scope = Scope::new(&settings.include, &settings.exclude)?;
        return Ok(Arc::new(RecordedMetastore::new(&settings.uri, scope)?));
    }
    let hms = HmsExtractor::new(&HmsConfig {
        uris: vec![settings.uri.clone()],
        include: settings.include.clone(),
        exclude: settings.exclude.clone(),
        partitions: settings.partitions,
        batch_size: settings.batch_size as usize,
        connections: settings.connections as usize,
        max_in_flight: None,
        max_requests_per_second: Some(settings.requests_per_second),
        connect_timeout: settings.connect_timeout,
        call_timeout: settings.call_timeout,
        retries,
        framed: settings.framed,
    })?;
    Ok(Arc::new(hms))
}
