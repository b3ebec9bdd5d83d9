//! Scenarios against a real server: its own data directory, a free port, a recorded metastore.
//!
//! - `absurd`: records that no engine would write.
//! - `agents`: what is shown of agents and their spools.
//! - `answers`: what the API says about what it knows.
//! - `console`: the web console, as a browser is given it.
//! - `commands`: the command line, as people run it.
//! - `delivery`: bytes on their way, whole and damaged.
//! - `killed`: the program, killed while it reads the quarantine again.
//! - `lifecycle`: starting, restarting, and being refused.
//! - `openapi`: the committed description.
//! - `physical`: where data lies; `tree` is its file system.
//! - `quarantine`: what could not be read, read again and dropped.
//! - `uses`: who uses what, names that nobody has shown, and completing a query.
//! - `waiting`: what the server cannot take or cannot read now.

mod absurd;
mod agents;
mod answers;
mod commands;
mod console;
mod delivery;
mod history;
mod killed;
mod lifecycle;
mod openapi;
mod physical;
mod quarantine;
mod run_log;
mod support;
mod tree;
mod uses;
mod waiting;
