//! Foreign formats and protocols: the only crate that knows what Hive, Impala, Spark and the
//! metastore write and speak.
//!
//! It never knows the store, decides that something is deleted, or lets one extractor know
//! another. Foreign bytes never make it panic.

pub mod pull;
pub mod push;
