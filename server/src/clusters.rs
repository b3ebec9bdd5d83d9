//! Which clusters share a metastore.

use std::collections::{HashMap, HashSet};

use crate::config::{ExtractorKind, ExtractorSettings};

/// Leads every cluster to the one under which its names are known: the first of the clusters
/// that one extractor serves. Where a cluster has a metastore, the metastore's extractor decides.
#[derive(Debug, Clone, Default)]
pub struct Clusters {
    first_names: HashMap<String, String>,
    with_metastore: HashSet<String>,
}

impl Clusters {
    /// From the configured extractors.
    pub fn of(extractors: &[ExtractorSettings]) -> Self {
        let mut clusters = Self::default();
        for extractor in extractors.iter().filter(|extractor| matches!(extractor.kind, ExtractorKind::Hms(_))) {
            for cluster in &extractor.clusters {
                clusters.first_names.insert(cluster.clone(), extractor.clusters[0].clone());
                clusters.with_metastore.insert(cluster.clone());
            }
        }
        for extractor in extractors.iter().filter(|extractor| matches!(extractor.kind, ExtractorKind::Hdfs(_))) {
            let first = clusters.canonical(&extractor.clusters[0]).to_owned();
            for cluster in &extractor.clusters {
                clusters.first_names.entry(cluster.clone()).or_insert_with(|| first.clone());
            }
        }
        clusters
    }

    /// Whether an extractor shows this cluster's metastore.
    pub fn is_served(&self, cluster: &str) -> bool {
        self.with_metastore.contains(cluster)
    }

    /// The name under which a cluster's names are known; its own where no extractor serves it.
    pub fn canonical<'a>(&'a self, cluster: &'a str) -> &'a str {
        self.first_names.get(cluster).map_or(cluster, String::as_str)
    }
}
