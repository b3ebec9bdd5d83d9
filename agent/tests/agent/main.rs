//! The agent against a real server of the delivery protocol, on real files.

mod backlog;
mod command_line;
mod copies;
mod delivery;
mod history;
mod host;
mod random;
mod retention;
mod store;
