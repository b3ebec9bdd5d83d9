//! The agent: follows lineage files on a host and delivers their raw bytes to the server.
//!
//! What it guarantees:
//!
//! - Every complete line that a look saw is delivered, in the order of its file, unless the file
//!   is truncated or removed first and no copy of it is there, plain or compressed; what is lost
//!   that way is counted and logged with its number of bytes.
//! - A copy goes on where its original was delivered to. Where it cannot be told whether a file is
//!   a copy, it is delivered from its start rather than not.
//! - A position counts as delivered when the server has said so, and only then. At each connect
//!   the server's positions replace the agent's.
//! - Of a generation that ended, the server is told so once all of it is delivered.
//! - Memory is bounded: a batch per file and a few files at a time, however large the backlog.
//!
//! What it never does: read a lineage format, change a spool file, remove one unless told to by
//! `retention` and told by the server that all of it is kept, follow a link out of a spool
//! directory, send data to another address than the configured one, or give up.
//!
//! The parts: [`config`] what to do; `spool` which files there are, `family` which of them follow
//! each other; `generation` which file is which, `copies` which is a copy of which; `reader` whole
//! lines, `unpack` those of compressed files; `turn` one batch of one file; `closing` the word that
//! a file is at its end; `delivery` the protocol, `link` how it stands with the server, `backoff`;
//! `file`, `packed` and `followed` what is known of the files, `losses` what is lost of them;
//! `kept` what the server has of them; `schedule` which is next; `state` what survives a restart;
//! `run` the loop; `watch` earlier looks; `retention` and `aside` clear away; `report`, `check` and `status`
//! for people.

mod aside;
mod backoff;
pub mod check;
mod closing;
mod complaints;
pub mod config;
mod copies;
mod delivery;
mod error;
mod family;
mod file;
mod followed;
mod generation;
mod kept;
mod link;
pub mod logging;
mod losses;
mod packed;
mod reader;
mod report;
mod retention;
mod run;
mod schedule;
mod spool;
mod state;
pub mod status;
mod turn;
mod unpack;
mod watch;

pub use config::Config;
pub use error::Error;
pub use run::Agent;
pub use spool::SpoolPattern;
