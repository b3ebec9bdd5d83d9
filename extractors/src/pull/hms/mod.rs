//! The Hive Metastore, asked over Thrift. Versions 1.2 to 4.1, by trying the newer methods first.
//!
//! - `extractor`, `pass`: the way of a pass.
//! - `table_batches`, `partition_batches`: many objects at a time; one that cannot be read does not
//!   hold up the others.
//! - `object`, `partition`, `properties`: the metastore's structs as observed objects.
//! - `pool`, `client`: connections, retries, limits.
//! - `question`: which methods are called, with what.
//! - `thrift`: the binary protocol.
//!
//! It reads only, over at most the configured connections and requests per second, and closes its
//! connections between passes. Kerberos (SASL) is not spoken yet.

mod client;
mod extractor;
mod object;
mod partition;
mod partition_batches;
mod pass;
mod pool;
mod properties;
mod question;
mod table_batches;
mod thrift;

use std::time::Duration;

pub use extractor::HmsExtractor;

#[cfg(test)]
mod tests;

/// How much is asked about the partitions of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartitionDetail {
    /// Nothing.
    None,
    /// Their number: one small question per partitioned table.
    #[default]
    Count,
    /// Each of them.
    All,
}

/// Where a metastore is, what to read of it, and how hard to press it.
#[derive(Debug, Clone)]
pub struct HmsConfig {
    /// `thrift://host:port` (port 9083 where none is given); all lead to the same metastore and are
    /// tried in turn. Each may be several, comma separated.
    pub uris: Vec<String>,
    /// Patterns of what to read, see [`Scope`](crate::pull::scope::Scope); everything if empty.
    pub include: Vec<String>,
    /// Patterns of what to leave out.
    pub exclude: Vec<String>,
    /// How much to ask about partitions.
    pub partitions: PartitionDetail,
    /// Tables, or partitions, per request.
    pub batch_size: usize,
    /// Connections at a time. Each carries one request at a time.
    pub connections: usize,
    /// Requests that wait for an answer at a time, if that is to be less than `connections`.
    pub max_in_flight: Option<usize>,
    /// Requests per second.
    pub max_requests_per_second: Option<u32>,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long to wait for an answer.
    pub call_timeout: Duration,
    /// Further attempts at a request that failed.
    pub retries: u32,
    /// Whether the metastore uses framed transport.
    pub framed: bool,
}

impl Default for HmsConfig {
    fn default() -> Self {
        Self {
            uris: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            partitions: PartitionDetail::default(),
            batch_size: 300,
            connections: 4,
            max_in_flight: None,
            max_requests_per_second: Some(200),
            connect_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_mins(2),
            retries: 3,
            framed: false,
        }
    }
}
