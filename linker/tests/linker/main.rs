//! The linker over a real store.

mod history;
mod linking;
mod locations;
mod namespaces;
mod snapshots;
mod story;
mod tree;
