//! Which clusters share a metastore.

use std::collections::HashMap;

use crate::config::ExtractorSettings;

/// Leads every cluster to the one under which its names are known: the first of the clusters
/// that one extractor serves.
#[derive(Debug, Clone, Default)]
pub struct Clusters(HashMap<String, String>);

impl Clusters {
    /// From the configured extractors.
    pub fn of(extractors: &[ExtractorSettings]) -> Self {
        let mut first_names = HashMap::new();
        for extractor in extractors {
            for cluster in &extractor.clusters {
                first_names.insert(cluster.clone(), extractor.clusters[0].clone());
            }
        }
        Self(first_names)
    }

    /// Whether an extractor shows this cluster's metastore.
    pub fn is_served(&self, cluster: &str) -> bool {
        self.0.contains_key(cluster)
    }

    /// The name under which a cluster's names are known; its own where no extractor serves it.
    pub fn canonical<'a>(&'a self, cluster: &'a str) -> &'a str {
        self.0.get(cluster).map_or(cluster, String::as_str)
    }
}
