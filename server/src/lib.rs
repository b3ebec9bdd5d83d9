//! The Sextant server and its command line.
//!
//! The server receives what agents deliver, visits the configured sources, links both, keeps the
//! facts, and answers: searches, entities, lineage, and how everything stands. The command line
//! asks a server over HTTP; it reads no data directory.
//!
//! Guaranteed:
//!
//! - What an agent's batch was answered with 200 for is on disk.
//! - Only one thread links ([`linking`]); a long link never delays an acknowledgement.
//! - `import` and `extract` return when their facts are linked and searchable.
//! - Nothing that a source or record says is interpreted: it is escaped wherever it is shown.
//!
//! Never done: parsing foreign formats (`sextant-extractors`), deciding what is deleted, linked
//! or another life (`sextant-linker`), SQL (`sextant-store`).

pub mod agents;
pub mod api;
pub mod cli;
pub mod client;
mod clock;
pub mod clusters;
pub mod config;
mod console;
mod disk;
pub mod extraction;
mod gauges;
pub mod graph;
pub mod indexing;
pub mod intake;
pub mod linking;
pub mod logging;
pub mod metrics;
pub mod overview;
mod pause;
pub mod progress;
pub mod pushback;
pub mod resolve;
pub mod schedule;
pub mod server;
pub mod view;
