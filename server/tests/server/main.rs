//! Scenarios against a real server: its own data directory, a free port, a recorded metastore.
//!
//! - `agents`: what is shown of agents and their spools.
//! - `answers`: what the API says about what it knows.
//! - `commands`: the command line, as people run it.
//! - `delivery`: bytes on their way, whole and damaged.
//! - `lifecycle`: starting, restarting, and being refused.
//! - `openapi`: the committed description.
//! - `physical`: where data lies; `tree` is its file system.

mod agents;
mod answers;
mod commands;
mod delivery;
mod lifecycle;
mod openapi;
mod physical;
mod support;
mod tree;
