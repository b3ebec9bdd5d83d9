//! The agent against a real server of the delivery protocol, on real files.

mod command_line;
mod delivery;
mod random;
mod store;
